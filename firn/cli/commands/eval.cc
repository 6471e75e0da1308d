#include "firn/cli/commands/eval.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/study/evaluate_checkpoint.h"
#include "firn/train/metrics.h"

namespace firn::cli {
namespace {

using Align = TextTable::Align;

class Eval final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("CHECKPOINT", file_, "Checkpoint of a run").required().type_name("");
    options.add("--split", split_, "Which examples: val or test").one_of({"val", "test"}).type_name("NAME");
    options.add("--mode", mode_, "relaxed, discrete or both").one_of({"relaxed", "discrete", "both"}).type_name("NAME");
    options.add_flag("--gaps", gaps_, "Split the gap between relaxed and discrete into selection and computation");
    options.add_flag("--json", json_, "Print everything as JSON, with the confusion matrix");
    data_root_.add_to(options);
    threads_.add_to(options);
  }

  int run() override {
    std::vector<std::string> names;
    EvaluateParams params{.checkpoint = file_, .data_root = data_root_.resolve(), .subset = subset_from_name(split_)};
    params.modes.clear();
    const auto ask = [&](const char* name, EvaluationMode mode) {
      names.emplace_back(name);
      params.modes.push_back(mode);
    };
    if (gaps_ || mode_ != "discrete") ask("relaxed", EvaluationMode::kRelaxed);
    if (gaps_) ask("argmax on reals", EvaluationMode::kArgmaxOnReals);
    if (gaps_ || mode_ != "relaxed") ask("discrete", EvaluationMode::kDiscrete);
    Threads threads(threads_.count());
    const CheckpointEvaluation result = evaluate_checkpoint(params, threads);
    if (gaps_) {
      const auto& e = result.evaluations;
      const Gaps gaps{e[0].risk(), e[1].risk(), e[2].risk()};
      json_ ? print_gaps_json(result, gaps) : print_gaps(result, gaps);
    } else {
      json_ ? print_json(result, names) : print_tables(result, names);
    }
    return kDone;
  }

 private:
  nlohmann::json json_head(const CheckpointEvaluation& result) const {
    return {{"checkpoint", file_}, {"step", result.step}, {"split", split_}};
  }

  void print_json(const CheckpointEvaluation& result, const std::vector<std::string>& names) const {
    nlohmann::json object = json_head(result);
    for (std::size_t m = 0; m < names.size(); ++m) {
      const Evaluation& evaluation = result.evaluations[m];
      nlohmann::json rows = nlohmann::json::array();
      const std::size_t classes = result.classes;
      for (std::size_t c = 0; c < classes; ++c)
        rows.push_back(
            std::vector<std::uint32_t>(evaluation.confusion.begin() + static_cast<std::ptrdiff_t>(c * classes),
                                       evaluation.confusion.begin() + static_cast<std::ptrdiff_t>((c + 1) * classes)));
      object[names[m]] = {{"images", evaluation.count},
                          {"loss", evaluation.loss()},
                          {"accuracy", evaluation.accuracy()},
                          {"confusion", rows}};
    }
    fmt::print("{}\n", object.dump(2));
  }

  void print_gaps_json(const CheckpointEvaluation& result, const Gaps& gaps) const {
    nlohmann::json object = json_head(result);
    for (const auto& [name, risk] : gaps.rows()) object[name] = {{"loss", risk.loss}, {"accuracy", risk.accuracy}};
    fmt::print("{}\n", object.dump(2));
  }

  void print_gaps(const CheckpointEvaluation& result, const Gaps& gaps) const {
    print_heading(result);
    TextTable table({{"risk or gap"}, {"loss", Align::kRight}, {"accuracy", Align::kRight}});
    for (const auto& [name, risk] : gaps.rows()) {
      const double points = 100 * risk.accuracy;
      if (name.ends_with("gap"))
        table.add({name, fmt::format("{:+.6f}", risk.loss), fmt::format("{:+.2f} points", points)});
      else
        table.add({name, fmt::format("{:.6f}", risk.loss), fmt::format("{:.2f} %", points)});
    }
    fmt::print("{}\nGaps are what is lost: positive is worse, in loss and in accuracy.\n", table.str());
  }

  void print_heading(const CheckpointEvaluation& result) const {
    fmt::print("{}, step {}, {} part\n\n", file_, format_count(result.step), long_name_of(subset_from_name(split_)));
  }

  void print_tables(const CheckpointEvaluation& result, const std::vector<std::string>& names) const {
    print_heading(result);
    TextTable summary({{"network"}, {"images", Align::kRight}, {"loss", Align::kRight}, {"accuracy", Align::kRight}});
    for (std::size_t m = 0; m < names.size(); ++m) {
      const Evaluation& e = result.evaluations[m];
      summary.add({names[m], format_count(e.count), fmt::format("{:.4f}", e.loss()),
                   fmt::format("{:.2f} %", 100 * e.accuracy())});
    }
    fmt::print("{}\n", summary.str());
    print_confusion(result, names.back());
  }

  // Of the last mode.
  static void print_confusion(const CheckpointEvaluation& result, const std::string& name) {
    const std::size_t classes = result.classes;
    if (classes > 20) return;  // too wide for a terminal; --json has it
    const auto label = [&](std::size_t c) {
      return c < result.class_names.size() ? result.class_names[c] : std::to_string(c);
    };
    std::vector<TextTable::Column> columns = {{fmt::format("{}: true \\ predicted", name)}};
    for (std::size_t c = 0; c < classes; ++c) columns.push_back({label(c), Align::kRight});
    TextTable table(columns);
    for (std::size_t c = 0; c < classes; ++c) {
      std::vector<std::string> cells = {label(c)};
      for (std::size_t p = 0; p < classes; ++p)
        cells.push_back(std::to_string(result.evaluations.back().confusion[c * classes + p]));
      table.add(cells);
    }
    fmt::print("{}", table.str());
  }

  std::string file_, split_ = "test", mode_ = "both";
  bool json_ = false, gaps_ = false;
  DataRootOption data_root_;
  ThreadsOption threads_;
};

}  // namespace

std::unique_ptr<Command> make_eval() {
  return std::make_unique<Eval>();
}

}  // namespace firn::cli
