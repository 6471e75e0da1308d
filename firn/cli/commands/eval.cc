#include "firn/cli/commands/eval.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/app.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/study/evaluate_checkpoint.h"
#include "firn/study/words.h"
#include "firn/train/metrics.h"
#include "firn/train/test_result.h"

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
    if (result.warning) print_note(*result.warning);
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
      nlohmann::json& entry = object[names[m]] = {{"images", evaluation.count}, {"loss", evaluation.loss()}};
      if (evaluation.values) {
        entry.update(
            {{"r2", evaluation.values->r2}, {"rmse", evaluation.values->rmse}, {"mae", evaluation.values->mae}});
      } else {
        entry.update({{"accuracy", evaluation.accuracy()}, {"confusion", rows}});
        entry.update(to_json(evaluation.quality()));
      }
    }
    fmt::print("{}\n", object.dump(2));
  }

  void print_gaps_json(const CheckpointEvaluation& result, const Gaps& gaps) const {
    nlohmann::json object = json_head(result);
    for (const auto& [name, risk] : gaps.rows())
      object[name] = {{"loss", risk.loss}, {risk.r2 ? "r2" : "accuracy", risk.r2.value_or(risk.accuracy)}};
    fmt::print("{}\n", object.dump(2));
  }

  void print_gaps(const CheckpointEvaluation& result, const Gaps& gaps) const {
    print_heading(result);
    const bool of_values = gaps.discrete.r2.has_value();
    TextTable table({{"risk or gap"}, {"loss", Align::kRight}, {of_values ? "R2" : "accuracy", Align::kRight}});
    for (const auto& [name, risk] : gaps.rows()) {
      if (of_values) {
        table.add({name, fmt::format("{:+.6f}", risk.loss), fmt::format("{:+.4f}", *risk.r2)});
        continue;
      }
      const double points = 100 * risk.accuracy;
      if (name.ends_with("gap"))
        table.add({name, fmt::format("{:+.6f}", risk.loss), fmt::format("{:+.2f} points", points)});
      else
        table.add({name, fmt::format("{:.6f}", risk.loss), fmt::format("{:.2f} %", points)});
    }
    fmt::print("{}\nGaps are what is lost: positive is worse, in loss and in {}.\n", table.str(),
               of_values ? "R2" : "accuracy");
  }

  void print_heading(const CheckpointEvaluation& result) const {
    fmt::print("{}, step {}, {} set\n\n", file_, format_count(result.step), long_name_of(subset_from_name(split_)));
  }

  void print_tables(const CheckpointEvaluation& result, const std::vector<std::string>& names) const {
    print_heading(result);
    if (result.evaluations.back().values) return print_values(result, names);
    TextTable summary({{"network"},
                       {std::string(examples_word(result.sample)), Align::kRight},
                       {"loss", Align::kRight},
                       {"accuracy", Align::kRight},
                       {"balanced", Align::kRight},
                       {"AUC", Align::kRight}});
    for (std::size_t m = 0; m < names.size(); ++m) {
      const Evaluation& e = result.evaluations[m];
      summary.add({names[m], format_count(e.count), fmt::format("{:.4f}", e.loss()),
                   fmt::format("{:.2f} %", 100 * e.accuracy()),
                   fmt::format("{:.2f} %", 100 * e.quality().balanced_accuracy),
                   e.auc ? fmt::format("{:.4f}", *e.auc) : "-"});
    }
    fmt::print("{}\n", summary.str());
    print_classes(result, names.back());
    print_confusion(result, names.back());
  }

  static void print_values(const CheckpointEvaluation& result, const std::vector<std::string>& names) {
    TextTable summary({{"network"},
                       {"examples", Align::kRight},
                       {"loss", Align::kRight},
                       {"R2", Align::kRight},
                       {"RMSE", Align::kRight},
                       {"MAE", Align::kRight}});
    for (std::size_t m = 0; m < names.size(); ++m) {
      const Evaluation& e = result.evaluations[m];
      summary.add({names[m], format_count(e.count), fmt::format("{:.4f}", e.loss()),
                   fmt::format("{:.4f}", e.values->r2), fmt::format("{:.6g}", e.values->rmse),
                   fmt::format("{:.6g}", e.values->mae)});
    }
    fmt::print("{}", summary.str());
  }

  // Of the last mode.
  static void print_classes(const CheckpointEvaluation& result, const std::string& name) {
    TextTable table({{fmt::format("{}: class", name)},
                     {"examples", Align::kRight},
                     {"precision", Align::kRight},
                     {"recall", Align::kRight},
                     {"F1", Align::kRight}});
    const Quality quality = result.evaluations.back().quality();
    for (std::size_t c = 0; c < quality.classes.size(); ++c) {
      const ClassQuality& of = quality.classes[c];
      table.add({class_name(result.class_names, c), format_count(of.samples), fmt::format("{:.4f}", of.precision),
                 fmt::format("{:.4f}", of.recall), fmt::format("{:.4f}", of.f1)});
    }
    fmt::print("{}\n", table.str());
  }

  // Of the last mode.
  static void print_confusion(const CheckpointEvaluation& result, const std::string& name) {
    const std::size_t classes = result.classes;
    if (classes > 20) return;  // too wide for a terminal; --json has it
    std::vector<TextTable::Column> columns = {{fmt::format("{}: true \\ predicted", name)}};
    for (std::size_t c = 0; c < classes; ++c) columns.push_back({class_name(result.class_names, c), Align::kRight});
    TextTable table(columns);
    for (std::size_t c = 0; c < classes; ++c) {
      std::vector<std::string> cells = {class_name(result.class_names, c)};
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
