#include "firn/cli/commands/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/progress.h"
#include "firn/cli/app.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/simd_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/diagnose_report.h"
#include "firn/cli/on_ranks.h"
#include "firn/cli/progress.h"
#include "firn/cli/report_hint.h"
#include "firn/cli/usage_error.h"
#include "firn/study/diagnose_checkpoint.h"

namespace firn::cli {
namespace {

namespace fs = std::filesystem;

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

class Diagnose final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("CHECKPOINT", files_, "Checkpoint of a run; run folders with --all-checkpoints")
        .required()
        .type_name("");
    options.add("--out", out_, "Folder for the tables and summary.json").required().type_name("FOLDER");
    options
        .add("--only", only_,
             "Parts to measure, separated by commas, of effects, locality, heldout, gaps, discrete, shocks and check; "
             "else "
             "the first four")
        .separated_by(',')
        .one_of({"effects", "locality", "heldout", "gaps", "discrete", "shocks", "check"})
        .type_name("LIST");
    options.add("--split", split_, "Which examples: val or test").one_of({"val", "test"}).type_name("NAME");
    options
        .add("--samples", samples_,
             "How many of them, drawn by the seed; 0 takes all. Else 1,000, or all where there are fewer, and all for "
             "discrete")
        .not_negative()
        .type_name("N");
    options
        .add(
            "--fit-samples", fit_samples_,
            "Training examples for discrete, drawn by the seed; 0 takes all. Else 10,000, or all where there are fewer")
        .not_negative()
        .type_name("N");
    options.add("--batches", batches_, "Training batches for shocks; else 1,000").positive().type_name("N");
    options.add("--neurons", neurons_, "Neurons of every layer for locality, discrete and check")
        .positive()
        .type_name("N");
    options.add("--seed", seed_, "Seed for drawing samples, halves, neurons, resamples and replays").type_name("N");
    options.add_flag("--wait", wait_, "Wait while another process uses the folder, instead of giving up");
    options.add_flag("--all-checkpoints", all_,
                     "Average over the kept checkpoints of each run folder, then over folders");
    data_root_.add_to(options);
    threads_.add_to(options);
    simd_.add_to(options);
    rank_timeout_.add_to(options);
  }

  int run() override {
    if (fit_samples_ && !wants("discrete"))
      throw UsageError(
          "--fit-samples is only for the part discrete; add discrete to --only, or leave --fit-samples out");
    if (batches_ && !wants("shocks"))
      throw UsageError("--batches is only for the part shocks; add shocks to --only, or leave --batches out");
    simd_.apply();
    return run_on_ranks(rank_timeout_.seconds(), [&](Ranks& ranks) { return run(ranks); });
  }

 private:
  int run(Ranks& ranks) {
    ranks_ = &ranks;
    Threads threads(threads_.count());
    bool failed = false;
    const OnCheckpoint print = [&](const CheckpointDiagnosis& own) {
      progress_.end();
      failed = failed || own.failed_check;
      if (!ranks.is_first()) return;
      fmt::print("{}, step {}, {} set\n\n{}", own.checkpoint.string(), format_count(own.step),
                 long_name_of(subset_from_name(split_)), report_of(own));
    };
    if (all_)
      diagnose_all(threads, print);
    else
      print(diagnose_checkpoint(only_file(), out_, params(), threads));
    const bool has_figures = params().settings.needs_neurons() || params().settings.gaps || params().discrete;
    if (has_figures && ranks.is_first()) fmt::print("{}\n", report_hint(out_));
    return failed ? kCheckFailed : kDone;
  }

  const std::string& only_file() const {
    if (files_.size() != 1) throw UsageError("name one checkpoint, or run folders with --all-checkpoints");
    if (fs::is_directory(files_[0]))
      throw Error(fmt::format("{} is a folder; name a checkpoint in it, or add --all-checkpoints", files_[0]));
    return files_[0];
  }

  void diagnose_all(Threads& threads, const OnCheckpoint& print) {
    const std::vector<fs::path> runs(files_.begin(), files_.end());
    const nlohmann::json spread = diagnose_runs(runs, out_, params(), threads, print);
    if (!ranks_->is_first()) return;
    fmt::print("Means over the kept checkpoints of {} run folder{}{}\n\n{}", runs.size(), runs.size() == 1 ? "" : "s",
               runs.size() == 1 ? "" : ", ± sample standard deviation over folders", report_of_seeds(spread));
  }

  bool wants(std::string_view part) const {
    const bool is_extra = part == "check" || part == "discrete" || part == "shocks";
    return only_.empty() ? !is_extra : std::find(only_.begin(), only_.end(), part) != only_.end();
  }

  DiagnoseParams params() {
    DiagnoseParams p{
        .data_root = data_root_.resolve(), .subset = subset_from_name(split_), .samples = samples_, .settings = {}};
    p.settings.effects = wants("effects");
    p.settings.locality = wants("locality");
    p.settings.held_out = wants("heldout");
    p.settings.gaps = wants("gaps");
    p.settings.neurons = neurons_;
    p.settings.seed = seed_;
    p.check = wants("check");
    p.discrete = wants("discrete");
    p.fit_samples = fit_samples_;
    p.shocks = wants("shocks");
    p.batches = batches_.value_or(p.batches);
    if (wait_) p.wait = [] { return true; };
    p.ranks = ranks_;
    if (ranks_->is_first()) p.on_warning = print_note;
    if (ranks_->is_first())
      p.on_stage = [this](std::string_view what, auto done, auto total) { progress_.show(what, done, total); };
    return p;
  }

  std::vector<std::string> files_, only_;
  std::string out_, split_ = "val";
  std::optional<std::size_t> samples_, fit_samples_, batches_;
  std::size_t neurons_ = 50;
  std::uint64_t seed_ = 1;
  bool all_ = false, wait_ = false;
  StageProgress progress_;
  DataRootOption data_root_;
  ThreadsOption threads_;
  SimdOption simd_;
  RankTimeoutOption rank_timeout_;
  Ranks* ranks_ = &one_rank();
};

}  // namespace

std::unique_ptr<Command> make_diagnose() {
  return std::make_unique<Diagnose>();
}

}  // namespace firn::cli
