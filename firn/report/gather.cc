#include "firn/report/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "firn/base/error.h"
#include "firn/base/progress.h"
#include "firn/circuit/lower.h"
#include "firn/report/answers_record.h"
#include "firn/report/draw.h"
#include "firn/report/gate_mix.h"
#include "firn/report/read_diagnosis.h"
#include "firn/report/read_run.h"
#include "firn/report/read_sweep.h"
#include "firn/train/run_folder.h"

namespace firn::report {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxNeurons = 24000;                  // of all diagnoses together, so that the page stays small
constexpr std::size_t kMaxUnrolled = std::size_t{1} << 22;  // gates; more take longer than a page is worth waiting for

struct PlannedSweep {
  fs::path folder;
  std::size_t first, count;  // its runs among all
};

// What is to be read, found before anything is read so that progress knows its total.
struct Plan {
  std::vector<fs::path> runs;
  std::vector<PlannedSweep> sweeps;
  std::vector<fs::path> diagnoses;
};

Plan plan(std::span<const fs::path> folders) {
  Plan plan;
  for (const fs::path& folder : folders) {
    if (!fs::is_directory(folder))
      throw Error(fmt::format("{} is not a directory; name folders that firn train, sweep or diagnose has written",
                              folder.string()));
    if (const std::vector<fs::path> runs = sweep_runs(folder); !runs.empty()) {
      plan.sweeps.push_back({folder, plan.runs.size(), runs.size()});
      plan.runs.insert(plan.runs.end(), runs.begin(), runs.end());
    } else if (is_run_folder(folder)) {
      plan.runs.push_back(folder);
    } else if (is_diagnose_folder(folder)) {
      const auto found = diagnose_folders(folder);
      plan.diagnoses.insert(plan.diagnoses.end(), found.begin(), found.end());
    } else {
      throw Error(fmt::format(
          "{} holds no run, sweep or diagnosis; name a folder that firn train, sweep or diagnose has written",
          folder.string()));
    }
  }
  return plan;
}

// Repetitions have alike circuits, so one for each configuration is enough: the first one.
std::string configuration_but_seed(const RunRecord& run) {
  std::string text;
  for (const auto& [key, value] : run.config)
    if (key != "seed") text += key + "=" + value + "\n";
  return text;
}

// Nothing where there is none yet, or none any more: a worker that has just finished a run has moved its folder.
std::optional<Checkpoint> last_checkpoint(const RunRecord& run) {
  const fs::path last = RunFolder(run.folder).last();
  if (!fs::exists(last)) return std::nullopt;
  try {
    return Checkpoint::read(last);
  } catch (const Error&) {
    if (fs::exists(last)) throw;
    return std::nullopt;
  }
}

void add_gates(RunRecord& run, const Checkpoint& checkpoint, const GatherSettings& settings) {
  try {
    const BooleanNetwork network = settings.harden(checkpoint);
    const std::size_t gates = unrolled_gates(network);
    if (gates > kMaxUnrolled)
      run.no_gates =
          fmt::format("{} gates are too many to unroll for a report; `firn compile` counts them", format_count(gates));
    else
      run.gates = gate_mix(network);
    if (network.layers.front().wiring.gates > 0) run.drawing = draw_filters(network, 0);
  } catch (const Error& error) {
    run.no_gates = error.what();
  }
}

void add_answers(RunRecord& run, const Checkpoint& checkpoint, const GatherSettings& settings) {
  try {
    run.answers = answers_record(settings.answer(checkpoint));
  } catch (const Error& error) {
    run.no_answers = error.what();
  }
}

// A worker that has just finished a run has moved its folder.
RunRecord read_run_now(const fs::path& folder) {
  if (is_run_folder(folder)) return read_run(folder);
  RunRecord run;
  run.folder = folder.string();
  return run;
}

// Names are what people read; where two folders share one, their paths tell them apart.
template <class Record>
void tell_apart(std::vector<Record>& records, const std::set<std::size_t>& leave_alone = {}) {
  std::map<std::string, std::size_t> uses;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (!leave_alone.contains(i)) ++uses[records[i].name];
  for (std::size_t i = 0; i < records.size(); ++i)
    if (!leave_alone.contains(i) && uses[records[i].name] > 1) records[i].name = records[i].folder;
}

}  // namespace

ReportRecord gather(std::span<const fs::path> folders, const GatherSettings& settings) {
  const Plan found = plan(folders);
  ReportRecord report;
  const std::size_t total = found.runs.size() + found.diagnoses.size();
  std::set<std::size_t> in_sweeps;
  for (const auto& [folder, first, count] : found.sweeps) {
    report.sweeps.push_back(read_sweep(folder, std::span(found.runs).subspan(first, count), first));
    in_sweeps.insert(report.sweeps.back().runs.begin(), report.sweeps.back().runs.end());
  }
  std::set<std::string> seen;
  for (std::size_t r = 0; r < found.runs.size(); ++r) {
    report.runs.push_back(read_run_now(found.runs[r]));
    if (in_sweeps.contains(r)) report.runs.back().name = run_name(found.runs[r]);
    const bool is_first = seen.insert(configuration_but_seed(report.runs.back())).second;
    const bool has_gates = settings.harden && (is_first || !in_sweeps.contains(r));
    const bool has_answers = settings.answer && !in_sweeps.contains(r);
    if (has_gates || has_answers)
      if (const auto checkpoint = last_checkpoint(report.runs.back())) {
        if (has_gates) add_gates(report.runs.back(), *checkpoint, settings);
        if (has_answers) add_answers(report.runs.back(), *checkpoint, settings);
      }
    if (in_sweeps.contains(r)) report.runs.back().freezes.clear();  // a page of many runs stays small
    settings.on_folder(report.runs.size(), total);
  }
  for (const fs::path& folder : found.diagnoses) {
    report.diagnoses.push_back(read_diagnosis(folder, std::max<std::size_t>(1, kMaxNeurons / found.diagnoses.size())));
    settings.on_folder(report.runs.size() + report.diagnoses.size(), total);
  }
  tell_apart(report.runs, in_sweeps);
  tell_apart(report.sweeps);
  tell_apart(report.diagnoses);
  return report;
}

}  // namespace firn::report
