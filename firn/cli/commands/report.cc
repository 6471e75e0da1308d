#include "firn/cli/commands/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/file.h"
#include "firn/base/folder_name.h"
#include "firn/base/progress.h"
#include "firn/cli/app.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/progress.h"
#include "firn/report/gather.h"
#include "firn/report/page.h"
#include "firn/study/answer_checkpoint.h"
#include "firn/study/circuit_source.h"
#include "firn/study/output_file.h"
#include "firn/study/session.h"

namespace firn::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamesInTitle = 3;

// "sweep-xs, sweep-k16 and 2 more"
std::string title_of(const std::vector<fs::path>& folders) {
  std::string title;
  for (std::size_t i = 0; i < std::min(folders.size(), kNamesInTitle); ++i)
    title += (i == 0 ? "" : ", ") + folder_name(folders[i]);
  if (folders.size() > kNamesInTitle) title += fmt::format(" and {} more", folders.size() - kNamesInTitle);
  return title;
}

class ReportCommand final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("FOLDER", folders_, "Folders that firn train, sweep or diagnose has written").required().type_name("");
    options.add("-o,--output", output_, "Page to write").type_name("FILE").show_default();
    options.add("--title", title_, "Heading of the page; else the names of the folders").type_name("TEXT");
    options.add_flag("--overlay", overlay_, "Also draw all runs in one figure, even if they differ in length or data");
    options.add_flag("--no-circuits", no_circuits_,
                     "Leave out the gates of the circuits, which takes time for large models");
    options.add_flag("--no-data", no_data_, "Leave out what needs the data: confusion, mistakes, calibration");
    options.add("--examples", examples_, "Examples that each run is asked about, of its test set; 0 for all")
        .between(0, 1000000)
        .type_name("N")
        .show_default();
    data_root_.add_to(options);
    threads_.add_to(options);
  }

  int run() override {
    require_figures();
    const std::vector<fs::path> folders(folders_.begin(), folders_.end());
    check_output(output_, files_of_folders(folders));
    DataRead data;
    ReportRecord report = collect(folders, data);
    check_output(output_, data.files);
    for (const std::string& warning : data.warnings) print_note(warning);
    report.title = title_.empty() ? title_of(folders) : title_;
    report.overlay = overlay_;
    const std::string page = page_of(report);
    write_file(output_, page);
    fmt::print("{}: {} runs, {} sweeps, {} diagnoses; {:.1f} MB, opens in any browser without a network\n", output_,
               report.runs.size(), report.sweeps.size(), report.diagnoses.size(),
               static_cast<double>(page.size()) / 1e6);
    return kDone;
  }

 private:
  // Besides the folders.
  struct DataRead {
    std::vector<fs::path> files;
    std::vector<std::string> warnings;
  };

  ReportRecord collect(const std::vector<fs::path>& folders, DataRead& data) const {
    ProgressPrinter printer(error_stream(), seconds_since_start_of_clock);
    Progress progress("folder", 0, seconds_since_start_of_clock);
    GatherSettings settings;
    if (!no_circuits_)
      settings.harden = [](const Checkpoint& checkpoint) { return harden_checkpoint(checkpoint).network; };
    Threads threads(threads_.count());
    if (!no_data_)
      settings.answer = [&](const Checkpoint& checkpoint) {
        // Also where they turn out to be unreadable.
        std::ranges::copy(files_of_data(config_of(checkpoint), data_root_.resolve()), std::back_inserter(data.files));
        const std::size_t limit = examples_ == 0 ? std::numeric_limits<std::size_t>::max() : examples_;
        Answers answers = answer_checkpoint(checkpoint, data_root_.resolve(), limit, threads);
        if (answers.warning) data.warnings.push_back(*answers.warning);
        return answers;
      };
    settings.on_folder = [&](std::size_t done, std::size_t total) {
      if (progress.total() != total) progress = Progress("folder", total, seconds_since_start_of_clock);
      progress.update(done);
      if (progress.elapsed() > 1) printer.show(progress);  // most are done before anybody wonders
    };
    return gather(folders, settings);
  }

  std::vector<std::string> folders_;
  std::string output_ = "report.html", title_;
  bool no_circuits_ = false, overlay_ = false, no_data_ = false;
  std::size_t examples_ = 2000;
  DataRootOption data_root_;
  ThreadsOption threads_;
};

}  // namespace

std::unique_ptr<Command> make_report() {
  return std::make_unique<ReportCommand>();
}

}  // namespace firn::cli
