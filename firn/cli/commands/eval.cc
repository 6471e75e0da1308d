#include "firn/cli/commands/eval.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/study/session.h"

namespace firn {
namespace {

using Align = TextTable::Align;

struct ModeResult {
  std::string name;
  Evaluation evaluation;
};

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
    LoadedCheckpoint loaded = load_checkpoint(file_, data_root_.resolve());
    const Experiment& experiment = loaded.experiment;
    const Examples& examples = split_ == "test" ? experiment.data.test : experiment.data.train;
    if (examples.count() == 0)
      throw Error(fmt::format("\"{}\" has no test part; use --split val", experiment.data.name));
    const auto indices = split_ == "test" ? all_indices(examples.count()) : experiment.split.validation;
    Threads threads(threads_.count());
    Evaluator evaluator(*experiment.model, experiment.encoder, loss_from_name(loaded.config.train.loss),
                        loaded.config.train.temperature, experiment.classes(), threads);
    if (gaps_) {
      const auto risk = [&](EvaluationMode mode) { return evaluator.run(examples, indices, mode).risk(); };
      const Gaps gaps{risk(EvaluationMode::kRelaxed), risk(EvaluationMode::kArgmaxOnReals),
                      risk(EvaluationMode::kDiscrete)};
      json_ ? print_gaps_json(loaded, gaps) : print_gaps(loaded, gaps);
      return kDone;
    }
    std::vector<ModeResult> results;
    if (mode_ != "discrete") results.push_back({"relaxed", evaluator.run(examples, indices, EvaluationMode::kRelaxed)});
    if (mode_ != "relaxed")
      results.push_back({"discrete", evaluator.run(examples, indices, EvaluationMode::kDiscrete)});
    json_ ? print_json(loaded, results) : print_tables(loaded, results);
    return kDone;
  }

 private:
  void print_json(const LoadedCheckpoint& loaded, const std::vector<ModeResult>& results) const {
    nlohmann::json object = {{"checkpoint", file_}, {"step", loaded.header.step}, {"split", split_}};
    for (const auto& [name, evaluation] : results) {
      nlohmann::json rows = nlohmann::json::array();
      const std::size_t classes = loaded.experiment.classes();
      for (std::size_t c = 0; c < classes; ++c)
        rows.push_back(
            std::vector<std::uint32_t>(evaluation.confusion.begin() + static_cast<std::ptrdiff_t>(c * classes),
                                       evaluation.confusion.begin() + static_cast<std::ptrdiff_t>((c + 1) * classes)));
      object[name] = {{"images", evaluation.count},
                      {"loss", evaluation.loss()},
                      {"accuracy", evaluation.accuracy()},
                      {"confusion", rows}};
    }
    fmt::print("{}\n", object.dump(2));
  }

  void print_gaps_json(const LoadedCheckpoint& loaded, const Gaps& gaps) const {
    nlohmann::json object = {{"checkpoint", file_}, {"step", loaded.header.step}, {"split", split_}};
    for (const auto& [name, risk] : gaps.rows()) object[name] = {{"loss", risk.loss}, {"accuracy", risk.accuracy}};
    fmt::print("{}\n", object.dump(2));
  }

  void print_gaps(const LoadedCheckpoint& loaded, const Gaps& gaps) const {
    print_heading(loaded);
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

  void print_heading(const LoadedCheckpoint& loaded) const {
    fmt::print("{}, step {}, {} part\n\n", file_, format_count(loaded.header.step),
               split_ == "val" ? "validation" : "test");
  }

  void print_tables(const LoadedCheckpoint& loaded, const std::vector<ModeResult>& results) const {
    print_heading(loaded);
    TextTable summary({{"network"}, {"images", Align::kRight}, {"loss", Align::kRight}, {"accuracy", Align::kRight}});
    for (const auto& [name, e] : results)
      summary.add(
          {name, format_count(e.count), fmt::format("{:.4f}", e.loss()), fmt::format("{:.2f} %", 100 * e.accuracy())});
    fmt::print("{}\n", summary.str());
    print_confusion(loaded.experiment, results.back());
  }

  static void print_confusion(const Experiment& experiment, const ModeResult& result) {
    const std::size_t classes = experiment.classes();
    if (classes > 20) return;  // too wide for a terminal; --json has it
    const auto label = [&](std::size_t c) {
      return c < experiment.data.class_names.size() ? experiment.data.class_names[c] : std::to_string(c);
    };
    std::vector<TextTable::Column> columns = {{fmt::format("{}: true \\ predicted", result.name)}};
    for (std::size_t c = 0; c < classes; ++c) columns.push_back({label(c), Align::kRight});
    TextTable table(columns);
    for (std::size_t c = 0; c < classes; ++c) {
      std::vector<std::string> cells = {label(c)};
      for (std::size_t p = 0; p < classes; ++p)
        cells.push_back(std::to_string(result.evaluation.confusion[c * classes + p]));
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

}  // namespace firn
