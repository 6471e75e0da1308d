#include "firn/cli/app.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/nearest.h"
#include "firn/base/printable.h"
#include "firn/base/ranks.h"
#include "firn/base/table.h"
#include "firn/cli/command.h"
#include "firn/cli/dependencies.h"
#include "firn/cli/standard_output.h"
#include "firn/cli/usage_error.h"
#include "firn/kernels/target.h"
#include "firn/study/argument_error.h"
#include "firn/study/check.h"

namespace firn::cli {
namespace {

#if defined(__clang__)
constexpr const char* kCompiler = __VERSION__;
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

constexpr const char* kFooter =
    "Examples:\n"
    "  firn data fetch cifar10                                 download a data set and check it\n"
    "  firn train configs/treelogicnet-s.toml --out runs/a     train; --resume continues bit for bit\n"
    "  firn eval runs/a/last.safetensors --split test          accuracy, relaxed and discrete\n"
    "  firn diagnose runs/a/last.safetensors --out diagnosis   what freezing would do to the loss\n"
    "  firn report runs/a diagnosis -o report.html             one page with figures, for any browser\n"
    "  firn compile runs/a/last.safetensors -o a.firn          the circuit, simplified, in one file\n"
    "  firn predict a.firn --counts -o predictions.csv         run it on the test set\n"
    "  firn play a.firn -o play.html                           a page that runs it, to draw on and look inside\n"
    "  firn info treelogicnet-s                                layers, gates and memory of a model\n"
    "  firn config show configs/treelogicnet-s.toml            a configuration with every default\n"
    "\n"
    "`firn COMMAND --help` explains a command. Exit codes: 0 done, 1 a check failed, 2 wrong usage,\n"
    "3 something outside is wrong (a file, data, a configuration), or an internal error.\n";

std::string version() {
  return fmt::format("firn {} ({}, SIMD target {})", FIRN_VERSION, kCompiler, active_target());
}

// With the libraries it was built with.
std::string verbose_version() {
  TextTable table({{"library"}, {"version"}, {"license"}});
  for (const Dependency& d : dependencies()) table.add({d.name, d.version, d.license});
  const std::string mpi = mpi_version();
  return fmt::format("{}\n\n{}\n{}\n", version(), table.str(),
                     mpi.empty() ? "Built without MPI: training runs in one process."
                                 : fmt::format("Training over several processes: {}.", mpi));
}

// A help page with commands under their headings and nothing generic in it.
class HelpPage : public CLI::Formatter {
 public:
  HelpPage() {
    label("SUBCOMMAND", "COMMAND");
    label("REQUIRED", "(required)");
    column_width(28);
  }
  std::string make_usage(const CLI::App* app, std::string) const override {
    std::string path;
    for (const CLI::App* a = app; a; a = a->get_parent()) path = a->get_name() + (path.empty() ? "" : " ") + path;
    return Formatter::make_usage(app, path);
  }
};

// The parsed command line: the tree of CLI11 applications and the commands behind its leaves.
class Application {
 public:
  Application() : root_("Trains differentiable logic gate networks and ships them as Boolean circuits.", "firn") {
    root_.formatter(std::make_shared<HelpPage>());
    root_.set_version_flag("-V,--version", version, "Print version, compiler and SIMD target");
    root_.add_flag("--verbose", verbose_, "With --version: also the libraries, their versions and licenses");
    root_.set_help_flag("-h,--help", "Print this help");
    root_.require_subcommand(1);
    root_.footer(kFooter);
    for (const CommandEntry& entry : command_table()) add(entry);
  }

  CLI::App& root() { return root_; }

  // The innermost command that was named.
  const CLI::App& selected() const {
    const CLI::App* app = &root_;
    while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
    return *app;
  }

  int run() {
    for (const CLI::Option* option : selected().get_options())
      if (names_input(*option)) note_missing_checksums(option->results());
    for (auto& [app, command] : commands_)
      if (app == &selected()) return command->run();
    FIRN_CHECK(false);  // CLI11 requires a command at every level
    return kUsage;
  }

 private:
  void add(const CommandEntry& entry) {
    const std::size_t space = entry.name.find(' ');
    CLI::App* parent = &root_;
    if (space != std::string_view::npos) parent = root_.get_subcommand(std::string(entry.name.substr(0, space)));
    const auto word = std::string(space == std::string_view::npos ? entry.name : entry.name.substr(space + 1));
    CLI::App* app = parent->add_subcommand(word, std::string(entry.summary));
    app->group(std::string(entry.group));
    app->footer(std::string(entry.details));
    if (!entry.make) {
      app->require_subcommand(1);
      return;
    }
    auto command = entry.make();
    Options options(*app);
    command->add_options(options);
    commands_.emplace_back(app, std::move(command));
  }

  // Arguments, the folder that a run is resumed in, and delays.
  static bool names_input(const CLI::Option& option) {
    return option.get_positional() || option.check_lname("from") || option.check_lname("model") ||
           option.check_lname("out") || option.check_lname("delays");
  }

  static void note_missing_checksums(const std::vector<std::string>& paths) {
    for (const std::string& path : paths)
      for (const std::filesystem::path& file : files_without_checksum(path)) print_note(no_checksum_sentence(file));
  }

  CLI::App root_;
  bool verbose_ = false;  // only --version listens to it
  std::vector<std::pair<const CLI::App*, std::unique_ptr<Command>>> commands_;
};

std::string path_of(const CLI::App& app) {
  return app.get_parent() ? path_of(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

// CLI11 says that a command is missing or an argument unexpected; the user wants to know which word is wrong.
std::string unknown_word(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  const bool option = word.starts_with("-");
  if (option)
    for (const CLI::Option* o : app.get_options())
      for (const std::string& name : o->get_lnames()) known.push_back("--" + name);
  else
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
      known.push_back(sub->get_name());
  const bool command = !option && !known.empty();
  const std::string near = suggestion(word.substr(0, word.find('=')), known);
  return fmt::format("{} {}{}",
                     command  ? "unknown command"
                     : option ? "unknown option"
                              : "unexpected argument",
                     word, near.empty() ? fmt::format("; see `{} --help`", path_of(app)) : near);
}

int report(const std::string& sentence, int code) {
  print_failure(sentence);
  return code;
}

int report_usage(const Application& application, const CLI::App& root, const CLI::ParseError& error) {
  const CLI::App& app = application.selected();
  const std::vector<std::string> remaining = root.remaining(true);
  if (!remaining.empty()) return report(unknown_word(app, remaining.front()), kUsage);
  const bool command_missing = !app.get_subcommands([](const CLI::App*) { return true; }).empty();
  if (command_missing) return report(fmt::format("a command is required\n\n{}", app.help()), kUsage);
  return report(fmt::format("{}; see `{} --help`", error.what(), path_of(app)), kUsage);
}

int parse_and_run(int argc, const char* const* argv) {
  Application application;
  const std::vector<std::string> words = free_standard_output(argc, argv);
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  if (words.size() == 3 && has("--verbose") && (has("--version") || has("-V"))) {
    fmt::print("{}", verbose_version());
    return kDone;
  }
  try {
    application.root().parse(argc, pointers.data());
  } catch (const CLI::Success& page) {  // --help or --version
    return application.root().exit(page);
  } catch (const CLI::ParseError& e) {
    return report_usage(application, application.root(), e);
  }
  return application.run();
}

}  // namespace

void print_note(const std::string& sentence) {
  fmt::print(stderr, "note: {}\n", printable_lines(sentence));
}

void print_failure(const std::string& sentence) {
  fmt::print(stderr, "firn: {}\n", printable_lines(sentence));
}

int run_guarded(const std::function<int()>& body, const std::function<void(const std::string&)>& report_to) {
  const auto report = [&](const std::string& sentence, int code) {
    report_to(sentence);
    return code;
  };
  try {
    return body();
  } catch (const UsageError& e) {
    return report(e.what(), kUsage);
  } catch (const ArgumentError& e) {  // the library found that out
    return report(e.what(), kUsage);
  } catch (const Error& e) {
    return report(e.what(), kOutsideWorld);
  } catch (const std::system_error& e) {  // file systems, and the output: printing fails when its buffer is full
    const bool output = std::ferror(stdout) != 0;
    return report(output ? fmt::format("cannot write the output ({})", e.code().message()) : e.what(), kOutsideWorld);
  } catch (const std::bad_alloc&) {
    return report("out of memory; close other programs or use less data", kOutsideWorld);
  } catch (const InternalError& e) {
    return report(e.what(), kInternal);
  } catch (const std::exception& e) {
    return report(fmt::format("internal error: {}; please report this", e.what()), kInternal);
  }
}

int run_app(int argc, const char* const* argv) {
  return run_guarded([&] {
    const int code = parse_and_run(argc, argv);
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());
    return code;
  });
}

}  // namespace firn::cli
