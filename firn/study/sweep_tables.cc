#include "firn/study/sweep_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "firn/base/file.h"
#include "firn/base/table.h"
#include "firn/base/table_sums.h"
#include "firn/study/heartbeat.h"
#include "firn/study/output_file.h"

namespace firn::study {

namespace fs = std::filesystem;

namespace {

constexpr const char *kRuns = "runs.csv", *kLast = "table", *kBest = "best";

struct Form {
  const char* ending;
  std::string (Comparison::*text)() const;
};
constexpr std::array<Form, 4> kForms = {{{".txt", &Comparison::text},
                                         {".csv", &Comparison::csv},
                                         {".md", &Comparison::markdown},
                                         {".tex", &Comparison::latex}}};

// One row a point of the grid, tidy, for whoever wants to draw or test.
void write_runs(const SweepFile& file, SweepResults results, const fs::path& folder) {
  std::vector<std::string> cells;
  for (const SweepAxis& axis : file.axes) cells.push_back(axis.key);
  for (const char* column : {"run", "step", "relaxed_accuracy", "discrete_accuracy", "discrete_loss", "frozen",
                             "best_step", "best_discrete_accuracy"})
    cells.push_back(column);
  std::string text = csv_row(cells);
  for (const SweepPoint& point : file.points) {
    const auto& result = results[point.run];
    if (!result) continue;
    cells.clear();
    for (std::size_t a = 0; a < file.axes.size(); ++a) cells.push_back(file.axes[a].values[point.values[a]]);
    cells.push_back(file.runs[point.run].name);
    const TestRow& last = result->last;
    cells.push_back(std::to_string(last.step));
    for (double value : {last.relaxed.accuracy, last.discrete.accuracy, last.discrete.loss, last.frozen})
      cells.push_back(fmt::format("{:.6g}", value));
    cells.push_back(result->best ? std::to_string(result->best->step) : "");
    cells.push_back(result->best ? fmt::format("{:.6g}", result->best->discrete.accuracy) : "");
    text += csv_row(cells);
  }
  write_covered_tables(folder, {{kRuns, text}});
}

// Rows are the strategies, or the first axis that varies; columns what else varies, but for the seeds, which repeat.
template <class Measure>
Comparison tabulate(const SweepFile& file, SweepResults results, const Measure& measure) {
  std::vector<std::size_t> varying;
  for (std::size_t a = 0; a < file.axes.size(); ++a)
    if (file.axes[a].key != "seed" && file.axes[a].values.size() > 1) varying.push_back(a);
  const auto strategy =
      std::ranges::find_if(varying, [&](std::size_t a) { return file.axes[a].key == "freeze.strategy"; });
  if (strategy != varying.end()) std::rotate(varying.begin(), strategy, strategy + 1);
  Comparison table(varying.empty() ? "run" : file.axes[varying.front()].key);
  for (const SweepPoint& point : file.points) {
    const auto& result = results[point.run];
    if (!result) continue;
    std::string row = file.name, column;
    for (std::size_t i = 0; i < varying.size(); ++i) {
      const SweepAxis& axis = file.axes[varying[i]];
      const std::string& value = axis.values[point.values[varying[i]]];
      if (i == 0)
        row = value;
      else
        column += fmt::format("{}{} {}", column.empty() ? "" : ", ", axis.key.substr(axis.key.rfind('.') + 1), value);
    }
    table.add(row, column.empty() ? "accuracy" : column, measure(*result));
  }
  return table;
}

void write_comparison(const fs::path& folder, const std::string& name, const Comparison& table) {
  for (const Form& form : kForms) write_file(folder / (name + form.ending), (table.*form.text)());
}

// The data of all runs, which are the same for most.
std::vector<fs::path> files_of_runs(const SweepFile& file, const std::string& data_root) {
  std::vector<fs::path> files;
  std::set<std::array<std::string, 3>> seen;
  for (const SweepRun& run : file.runs)
    if (const DataSettings& data = run.config.data; seen.insert({data.source, data.file, data.test_file}).second)
      std::ranges::copy(files_of_data(run.config, data_root), std::back_inserter(files));
  return files;
}

SweepTables make_and_move_tables(const SweepFile& file, SweepResults results, const fs::path& folder,
                                 const std::string& worker) {
  Heartbeat heartbeat(folder, {.name = worker}, [] {});  // else others take its folder for one left behind
  heartbeat.leave();
  const fs::path own = worker_folder(folder, worker) / "tables";
  fs::create_directory(own);
  SweepTables tables = write_sweep_tables(file, results, own);
  fs::remove(folder / TableSums::kFile);  // covers an earlier runs.csv
  for (const fs::directory_entry& entry : fs::directory_iterator(own))
    if (entry.path().filename() != TableSums::kFile) fs::rename(entry.path(), folder / entry.path().filename());
  fs::rename(own / TableSums::kFile, folder / TableSums::kFile);
  return tables;
}

}  // namespace

void check_sweep_tables(const fs::path& folder, const fs::path& description, const SweepFile& file,
                        const std::string& data_root) {
  std::vector<fs::path> inputs = files_of_runs(file, data_root);
  inputs.push_back(description);
  check_output(folder / kRuns, inputs);
  for (const std::string name : {kLast, kBest})
    for (const Form& form : kForms) check_output(folder / (name + form.ending), inputs);
}

SweepTables write_sweep_tables(const SweepFile& file, SweepResults results, const fs::path& folder) {
  write_runs(file, results, folder);
  const auto accuracy = [](const TestRow& row) { return 100 * row.discrete.accuracy; };
  SweepTables tables{tabulate(file, results, [&](const TestResult& r) { return accuracy(r.last); }),
                     tabulate(file, results, [&](const TestResult& r) { return accuracy(r.best ? *r.best : r.last); })};
  if (tables.last.rows().empty()) return tables;
  write_comparison(folder, kLast, tables.last);
  write_comparison(folder, kBest, tables.best);
  return tables;
}

SweepTables share_sweep_tables(const SweepFile& file, SweepResults results, const fs::path& folder,
                               const std::string& worker) {
  constexpr int kTries = 10;  // others may remove the folder in the moment before it shows life
  for (int i = 1;; ++i) {
    try {
      return make_and_move_tables(file, results, folder, worker);
    } catch (const std::exception&) {
      if (i == kTries) throw;
    }
  }
}

}  // namespace firn::study
