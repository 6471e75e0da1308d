#include "firn/cli/commands/compare.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "firn/base/table.h"
#include "firn/study/compare.h"

namespace firn::cli {
namespace {

using Align = TextTable::Align;

class Compare final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("A", first_, "Folder of a run, checkpoint, compiled model or result.json").required().type_name("");
    options.add("B", second_, "Another one").required().type_name("");
    options.add_flag("--json", json_, "Print JSON, for programs");
  }

  int run() override {
    const RunComparison comparison = compare(first_, second_);
    json_ ? print_json(comparison) : print(comparison);
    return kDone;
  }

 private:
  static std::string number(const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : "-"; }

  void print(const RunComparison& comparison) const {
    if (comparison.config.empty()) {
      fmt::print("The configurations are the same.\n\n");
    } else {
      TextTable table({{"configuration"}, {first_}, {second_}});
      for (const ConfigDifference& d : comparison.config) table.add({d.key, d.first, d.second});
      fmt::print("{}\n", table.str());
    }
    if (comparison.results.empty()) {
      fmt::print("Neither has a result yet.\n");
      return;
    }
    TextTable table({{"result"}, {first_, Align::kRight}, {second_, Align::kRight}, {"difference", Align::kRight}});
    for (const ResultPair& r : comparison.results)
      table.add({r.name, number(r.first), number(r.second),
                 r.first && r.second ? fmt::format("{:+.6g}", *r.second - *r.first) : "-"});
    fmt::print("{}", table.str());
  }

  void print_json(const RunComparison& comparison) const {
    nlohmann::json config = nlohmann::json::object(), results = nlohmann::json::object();
    for (const ConfigDifference& d : comparison.config) config[d.key] = {d.first, d.second};
    const auto value = [](const std::optional<double>& v) { return v ? nlohmann::json(*v) : nlohmann::json(); };
    for (const ResultPair& r : comparison.results) results[r.name] = {value(r.first), value(r.second)};
    const nlohmann::json object = {{"runs", {first_, second_}}, {"config", config}, {"results", results}};
    fmt::print("{}\n", object.dump(2));
  }

  std::string first_, second_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_compare() {
  return std::make_unique<Compare>();
}

}  // namespace firn::cli
