#include "firn/cli/commands/watch.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/folder_name.h"
#include "firn/cli/interrupt.h"
#include "firn/report/gather.h"
#include "firn/report/json_text.h"
#include "firn/report/live_server.h"
#include "firn/report/page.h"
#include "firn/study/heartbeat.h"

namespace firn::cli {
namespace {

class Watch final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("FOLDER", folder_, "Folder of a run that goes on, or of a sweep").required().type_name("");
    options.add("--port", port_, "Port on 127.0.0.1; 0 takes any free one").between(0, 65535).type_name("N");
  }

  int run() override {
    require_figures();
    read();  // a folder that cannot be shown is refused before anything is served
    LiveServer server({[this] { return page_of(read()); }, [this] { return to_json_text(read()); }}, port_);
    const InterruptGuard guard;
    fmt::print("Watching {} at {} (only from this machine; Ctrl-C ends it)\n", folder_, server.address());
    std::fflush(stdout);
    server.serve([&] { return guard.interrupted(); });
    return kDone;
  }

 private:
  ReportRecord read() {
    ReportRecord report = gather(std::array{std::filesystem::path(folder_)}, {});
    report.title = folder_name(folder_);
    report.live = true;
    for (SweepRecord& sweep : report.sweeps) sweep.workers = workers();
    return report;
  }

  std::vector<WorkerRecord> workers() {
    const std::lock_guard lock(looking_);
    if (!watch_) watch_.emplace(folder_);
    watch_->look();
    std::vector<WorkerRecord> records;
    for (const auto& [name, seen] : watch_->workers())
      records.push_back({name, std::filesystem::path(seen.state.task).filename().string(),
                         static_cast<double>(seen.state.step), static_cast<double>(seen.state.steps), seen.state.rate,
                         seen.quiet, seen.is_gone});
    return records;
  }

  std::string folder_;
  int port_ = 0;
  std::mutex looking_;
  std::optional<WorkerWatch> watch_;  // remembers when it has heard of whom
};

}  // namespace

std::unique_ptr<Command> make_watch() {
  return std::make_unique<Watch>();
}

}  // namespace firn::cli
