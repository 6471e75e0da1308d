#include "firn/cli/commands/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "firn/base/family.h"
#include "firn/base/nearest.h"
#include "firn/base/table.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/usage_error.h"
#include "firn/data/catalogue.h"
#include "firn/data/fetch.h"
#include "firn/data/source.h"

namespace firn::cli {
namespace {

const KnownSet* find_known_set(std::string_view name) {
  const auto sets = known_sets();
  const auto found = std::ranges::find(sets, name, &KnownSet::name);
  return found == sets.end() ? nullptr : &*found;
}

// Whether the files are there; `firn data check` is for whether they are right.
std::string presence(const KnownSet& set, const std::filesystem::path& root) {
  const std::filesystem::path folder = locate(set, root);
  for (const KnownFile& file : set.files) {
    std::error_code problem;
    const bool here = exists(folder / file.name, problem) || exists(folder / fmt::format("{}.gz", file.name), problem);
    if (problem) return fmt::format("cannot read {} ({})", folder.string(), problem.message());
    if (!here) return fmt::format("missing; get it with `firn data fetch {}`", set.name);
  }
  return fmt::format("in {}", folder.string());
}

class DataList final : public Command {
 public:
  void add_options(Options& options) override { data_root_.add_to(options); }
  int run() override {
    TextTable table({{"source"}, {"what it is"}, {"where"}});
    for (const Source& source : sources()) {
      const KnownSet* set = find_known_set(source.name);
      table.add({std::string(source.name), std::string(source.summary),
                 set ? presence(*set, data_root_.resolve()) : std::string()});
    }
    fmt::print("{}", table.str());
    return kDone;
  }

 private:
  DataRootOption data_root_;
};

// The argument NAME of the commands about well-known sets.
class KnownSetOption {
 public:
  void add_to(Options& options) {
    options.add("NAME", name_, fmt::format("One of {}", fmt::join(names_of(known_sets()), ", ")))
        .required()
        .type_name("");
  }
  const KnownSet& get() const {
    if (const KnownSet* set = find_known_set(name_)) return *set;
    const std::vector<std::string> names = names_of(known_sets());
    const std::string near = suggestion(name_, names);
    throw UsageError(fmt::format("no data set is called {}{}", name_,
                                 near.empty() ? fmt::format("; there are {}", fmt::join(names, ", ")) : near));
  }

 private:
  std::string name_;
};

class DataCheck final : public Command {
 public:
  void add_options(Options& options) override {
    set_.add_to(options);
    data_root_.add_to(options);
  }
  int run() override {
    const std::vector<FileCheck> checks = check_data(set_.get().name, data_root_.resolve());
    TextTable table({{"file"}, {"state"}});
    for (const FileCheck& check : checks) table.add({check.path.string(), state(check)});
    fmt::print("{}", table.str());
    if (all_right(checks)) return kDone;
    fmt::print("\n{} is not complete; {}\n", set_.get().title, set_.get().advice);
    return kCheckFailed;
  }

 private:
  static std::string state(const FileCheck& check) {
    switch (check.state) {
      case FileState::kRight:
        return "right";
      case FileState::kMissing:
        return "missing";
      case FileState::kDamaged:
        return fmt::format("damaged: {}", check.problem);
    }
    FIRN_CHECK(false);
    return {};
  }

  KnownSetOption set_;
  DataRootOption data_root_;
};

class DataFetch final : public Command {
 public:
  void add_options(Options& options) override {
    set_.add_to(options);
    data_root_.add_to(options);
  }
  int run() override {
    FetchOptions options;
    options.report = [](std::string_view what) { fmt::print(stderr, "{}\n", what); };
    const auto folder = fetch_data(set_.get().name, data_root_.resolve(), options);
    fmt::print("{} is in {}\n", set_.get().title, folder.string());
    return kDone;
  }

 private:
  KnownSetOption set_;
  DataRootOption data_root_;
};

}  // namespace

std::unique_ptr<Command> make_data_list() {
  return std::make_unique<DataList>();
}

std::unique_ptr<Command> make_data_check() {
  return std::make_unique<DataCheck>();
}

std::unique_ptr<Command> make_data_fetch() {
  return std::make_unique<DataFetch>();
}

}  // namespace firn::cli
