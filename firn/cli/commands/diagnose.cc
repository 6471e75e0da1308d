#include "firn/cli/commands/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/progress.h"
#include "firn/base/random.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/diagnose_report.h"
#include "firn/cli/progress.h"
#include "firn/cli/report_hint.h"
#include "firn/cli/usage_error.h"
#include "firn/diagnose/diagnosis.h"
#include "firn/diagnose/summary.h"
#include "firn/diagnose/tables.h"
#include "firn/diagnose/verify.h"
#include "firn/report/folder_name.h"
#include "firn/study/session.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

constexpr double kCheckTolerance = 1e-3;
constexpr std::size_t kDefaultSamples = 1000;

// Shows one line of progress for each stage of the work.
class StageProgress {
 public:
  void show(std::string_view what, std::uint64_t done, std::uint64_t total) {
    if (!progress_ || what != stage_) {
      stage_ = what;
      printer_.emplace(error_stream(), seconds_since_start_of_clock);
      progress_.emplace("part", total, seconds_since_start_of_clock);
    }
    progress_->update(done);
    printer_->show(*progress_, stage_);
  }
  // What is printed next starts on a line of its own.
  void end() {
    printer_.reset();
    progress_.reset();
  }

 private:
  std::string stage_;
  std::optional<ProgressPrinter> printer_;
  std::optional<Progress> progress_;
};

// The kept checkpoints of a run folder, by step.
std::vector<fs::path> kept_checkpoints(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw Error(fmt::format("{} is no run folder; --all-checkpoints reads the kept checkpoints of run folders",
                            folder.string()));
  std::vector<std::pair<std::uint64_t, fs::path>> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kBefore = "step-", kAfter = ".safetensors";
    if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) continue;
    std::uint64_t step = 0;
    const char* end = name.data() + name.size() - kAfter.size();
    if (std::from_chars(name.data() + kBefore.size(), end, step).ptr == end) found.emplace_back(step, entry.path());
  }
  if (found.empty())
    throw Error(fmt::format("{} holds no kept checkpoints (step-N.safetensors); set train.keep_at when you train",
                            folder.string()));
  std::sort(found.begin(), found.end());
  std::vector<fs::path> files;
  for (auto& [step, path] : found) files.push_back(path);
  return files;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(
        fmt::format("cannot make the folder {}: {}; choose another with --out", folder.string(), error.message()));
}

class Diagnose final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("CHECKPOINT", files_, "Checkpoint of a run; run folders with --all-checkpoints")
        .required()
        .type_name("");
    options.add("--out", out_, "Folder for the tables and summary.json").required().type_name("FOLDER");
    options.add("--only", only_, "Parts, such as effects,gaps: effects, locality, heldout, gaps or check")
        .separated_by(',')
        .one_of({"effects", "locality", "heldout", "gaps", "check"})
        .type_name("LIST");
    options.add("--split", split_, "Which examples: val or test").one_of({"val", "test"}).type_name("NAME");
    options
        .add("--samples", samples_,
             "How many of them, drawn by the seed; 0 takes all. Else 1,000, or all where there are fewer")
        .not_negative()
        .type_name("N");
    options.add("--neurons", neurons_, "Neurons of every layer for locality and check").positive().type_name("N");
    options.add("--seed", seed_, "Draws samples, halves, neurons and resamples").type_name("N");
    options.add_flag("--all-checkpoints", all_,
                     "Average over the kept checkpoints of each run folder, then over folders");
    data_root_.add_to(options);
    threads_.add_to(options);
  }

  int run() override {
    const int code = all_ ? run_folders() : run_file();
    if (settings().needs_neurons() || settings().gaps) fmt::print("\n{}\n", report_hint(out_));
    return code;
  }

 private:
  int run_file() {
    if (files_.size() != 1) throw UsageError("name one checkpoint, or run folders with --all-checkpoints");
    if (fs::is_directory(files_[0]))
      throw Error(fmt::format("{} is a folder; name a checkpoint in it, or add --all-checkpoints", files_[0]));
    return run_checkpoint(files_[0], out_).second;
  }

  bool wants(std::string_view part) const {
    return only_.empty() ? part != "check" : std::find(only_.begin(), only_.end(), part) != only_.end();
  }

  DiagnoseSettings settings() const {
    DiagnoseSettings s;
    s.effects = wants("effects");
    s.locality = wants("locality");
    s.held_out = wants("heldout");
    s.gaps = wants("gaps");
    s.neurons = neurons_;
    s.seed = seed_;
    return s;
  }

  int run_folders() {
    std::vector<nlohmann::json> seeds;
    std::set<std::string> names;
    std::vector<std::vector<fs::path>> checkpoints;
    for (const std::string& folder : files_) {
      checkpoints.push_back(kept_checkpoints(folder));
      if (!names.insert(folder_name(folder)).second)
        throw UsageError(fmt::format("two run folders are called {}; rename one, because the name is used under --out",
                                     folder_name(folder)));
    }
    int code = kDone;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      std::vector<nlohmann::json> steps;
      for (const fs::path& file : checkpoints[i]) {
        const auto [summary, own_code] = run_checkpoint(file, fs::path(out_) / folder_name(files_[i]) / file.stem());
        steps.push_back(summary);
        code = std::max(code, own_code);
      }
      seeds.push_back(mean_of(steps));
    }
    const nlohmann::json spread = spread_of(seeds);
    write_file(fs::path(out_) / "summary.json", spread.dump(2) + "\n");
    fmt::print("Means over the kept checkpoints of {} run folder{}{}\n\n{}", files_.size(),
               files_.size() == 1 ? "" : "s", files_.size() == 1 ? "" : ", ± sample standard deviation over folders",
               report_of_seeds(spread));
    return code;
  }

  // The summary, and the exit code.
  std::pair<nlohmann::json, int> run_checkpoint(const fs::path& file, const fs::path& out) {
    LoadedCheckpoint loaded = load_checkpoint(file, data_root_.resolve());
    const auto indices = choose(loaded.experiment);
    check_neurons(*loaded.experiment.model, file);
    make_folder(out);
    Threads threads(threads_.count());
    const ConeNetwork network(*loaded.experiment.model, task_loss_from_name(loaded.config.train.loss),
                              loaded.config.train.temperature);
    StageProgress progress;
    const OnStage on_stage = [&](std::string_view what, auto done, auto total) { progress.show(what, done, total); };
    const Diagnosis diagnosis = examine(loaded, network, indices, threads, on_stage);
    progress.end();
    write_tables(diagnosis, network.mixtures(), out);
    fmt::print("{}, step {}, {} part\n\n{}", file.string(), format_count(loaded.header.step),
               split_ == "val" ? "validation" : "test", report_of(diagnosis));
    nlohmann::json summary = summary_of(diagnosis);
    summary["checkpoint"] = file.string();
    summary["step"] = loaded.header.step;
    summary["split"] = split_;
    summary["seed"] = seed_;
    int code = kDone;
    if (wants("check")) {
      const auto checked = verify_effects(*loaded.experiment.model, network, loaded.config.train.temperature,
                                          samples_at(loaded.experiment, network, indices),
                                          neurons_to_check(network.mixtures(), neurons_, seed_), threads,
                                          [&](auto done, auto total) { on_stage("check", done, total); });
      progress.end();
      fmt::print("{}", report_of(checked, network.mixtures()));
      summary["check"] = {{"neurons", checked.size()}, {"worst_relative_error", worst_error(checked)}};
      if (worst_error(checked) > kCheckTolerance) code = kCheckFailed;
    }
    write_file(out / "summary.json", summary.dump(2) + "\n");
    return {summary, code};
  }

  Diagnosis examine(LoadedCheckpoint& loaded, const ConeNetwork& network, const std::vector<std::uint32_t>& indices,
                    Threads& threads, const OnStage& on_stage) const {
    const Experiment& experiment = loaded.experiment;
    Diagnosis diagnosis;
    if (settings().needs_neurons()) {
      const auto middle = indices.begin() + static_cast<std::ptrdiff_t>(indices.size() / 2);
      const std::array halves = {samples_at(experiment, network, {indices.begin(), middle}),
                                 samples_at(experiment, network, {middle, indices.end()})};
      diagnosis = diagnose(network, halves, settings(), threads, on_stage);
    }
    diagnosis.samples = indices.size();
    if (settings().gaps) {
      const double temperature = loaded.config.train.temperature;
      Evaluator evaluator(*experiment.model, experiment.encoder, loss_from_name(loaded.config.train.loss), temperature,
                          experiment.classes(), threads);
      diagnosis.gaps = measure_gaps(*experiment.model, evaluator, examples(experiment), indices, temperature,
                                    [&](auto done, auto total) { on_stage("gaps", done, total); });
    }
    return diagnosis;
  }

  const Examples& examples(const Experiment& experiment) const {
    return split_ == "test" ? experiment.data.test : experiment.data.train;
  }

  SampleSet samples_at(const Experiment& experiment, const ConeNetwork& network,
                       std::vector<std::uint32_t> indices) const {
    return choose_samples(examples(experiment), std::move(indices), experiment.encoder, network.input_layout());
  }

  std::vector<std::uint32_t> choose(const Experiment& experiment) const {
    const bool test = split_ == "test";
    if (test && experiment.data.test.count() == 0)
      throw Error(fmt::format("\"{}\" has no test part; use --split val", experiment.data.name));
    const auto all = test ? all_indices(experiment.data.test.count()) : experiment.split.validation;
    std::size_t count = samples_.value_or(std::min(kDefaultSamples, all.size()));
    if (count == 0) count = all.size();
    if (count > all.size())
      throw Error(fmt::format("the {} part has {} examples, not {}; choose fewer with --samples, or 0 for all",
                              test ? "test" : "validation", format_count(all.size()), format_count(count)));
    if (count < 2) throw Error("one example is too few: a diagnosis compares two halves; choose more with --samples");
    RandomSequence random(seed_, "diagnose/samples");
    const auto order = permutation(static_cast<std::uint32_t>(all.size()), random);
    std::vector<std::uint32_t> chosen;
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(all[order[i]]);
    return chosen;
  }

  void check_neurons(const Model& model, const fs::path& file) const {
    if (!settings().needs_neurons() && !wants("check")) return;
    std::size_t neurons = 0, frozen = 0;
    for (const Neurons* group : model.neurons()) {
      if (!group->convolutional) continue;
      neurons += group->count();
      frozen += group->frozen_count();
    }
    if (neurons == 0)
      throw Error(
          fmt::format("{} has no convolutional neurons, and those are what is diagnosed; --only gaps works for "
                      "every model",
                      file.string()));
    if (neurons == frozen)
      throw Error(
          fmt::format("all convolutional neurons of {} are frozen, so nothing is left to decide; take an "
                      "earlier checkpoint, or --only gaps",
                      file.string()));
  }

  std::vector<std::string> files_, only_;
  std::string out_, split_ = "val";
  std::optional<std::size_t> samples_;
  std::size_t neurons_ = 50;
  std::uint64_t seed_ = 1;
  bool all_ = false;
  DataRootOption data_root_;
  ThreadsOption threads_;
};

}  // namespace

std::unique_ptr<Command> make_diagnose() {
  return std::make_unique<Diagnose>();
}

}  // namespace firn
