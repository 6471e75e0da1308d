#include "firn/cli/commands/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "firn/base/printable.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/study/check.h"

namespace firn::cli {
namespace {

class Check final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("PATH", paths_, "Checkpoints, models, results, or folders of runs, sweeps and diagnoses")
        .required()
        .type_name("");
    options.add_flag("--json", json_, "Print JSON, for programs");
  }

  int run() override {
    const std::vector<std::filesystem::path> paths(paths_.begin(), paths_.end());
    const CheckResult result = check_files(paths);
    json_ ? print_json(result) : print(result);
    return result.is_sound() ? kDone : kCheckFailed;
  }

 private:
  static void print(const CheckResult& result) {
    TextTable table({{"file"}, {"state"}, {"what it is"}});
    for (const CheckedFile& f : result.files)
      if (f.state != FileState::kDamaged) table.add({f.file.string(), std::string(name_of(f.state)), f.about});
    fmt::print("{}", table.str());
    const auto count = [&](FileState state) {
      return static_cast<std::uint64_t>(std::ranges::count(result.files, state, &CheckedFile::state));
    };
    fmt::print("\n{} sound, {} without checksums, {} damaged, {} left behind\n", format_count(count(FileState::kSound)),
               format_count(count(FileState::kUnchecked)), format_count(count(FileState::kDamaged)),
               format_count(count(FileState::kLeftBehind)));
    for (const CheckedFile& f : result.files)
      if (f.state == FileState::kDamaged) fmt::print("damaged: {}\n", printable_lines(f.about));
    for (const std::string& sentence : result.recovery) fmt::print("{}\n", printable_lines(sentence));
  }

  static void print_json(const CheckResult& result) {
    nlohmann::json files = nlohmann::json::array();
    for (const CheckedFile& f : result.files)
      files.push_back({{"file", f.file.string()}, {"state", name_of(f.state)}, {"about", f.about}});
    const nlohmann::json object = {{"sound", result.is_sound()}, {"files", files}, {"recovery", result.recovery}};
    fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  }

  std::vector<std::string> paths_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_check() {
  return std::make_unique<Check>();
}

}  // namespace firn::cli
