#include "firn/cli/commands/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/progress.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/set_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/progress.h"
#include "firn/cli/usage_error.h"
#include "firn/data/gather.h"
#include "firn/data/source.h"
#include "firn/data/split.h"
#include "firn/infer/model_file.h"
#include "firn/infer/predictor.h"
#include "firn/study/config_text.h"

namespace firn::cli {
namespace {

struct Result {
  std::vector<std::uint16_t> predictions;
  Matrix<std::uint32_t> counts;  // [example][group]; empty unless asked for
  double seconds = 0;
};

class Predict final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("MODEL", file_, "Model file, made by `firn compile`").required().type_name("");
    options.add("--data", source_, "Data source, such as cifar10 or csv; else what the model was trained on")
        .type_name("NAME");
    options.add("--split", split_, "Which examples: train, val or test")
        .one_of({"train", "val", "test"})
        .type_name("NAME");
    sets_.add_to(options);
    options.add("-o,--output", output_, "Write a CSV file with label and prediction of every example")
        .type_name("FILE");
    options.add_flag("--counts", counts_, "Write the count of every class, too; needs -o");
    options.add_flag("--json", json_, "Print the summary as JSON, with the confusion matrix");
    data_root_.add_to(options);
    threads_.add_to(options);
  }

  int run() override {
    if (counts_ && output_.empty()) throw UsageError("--counts needs -o FILE to write them to");
    const CircuitModel model = read_model(file_);
    const Dataset data = load(model);
    const Examples examples = select(data);
    const Result result = predict(model, examples);
    if (!output_.empty()) write_csv(examples, result);
    json_ ? print_json(data, examples, result) : print(examples, result);
    return kDone;
  }

 private:
  Dataset load(const CircuitModel& model) {
    std::vector<Override> overrides = sets_.overrides();
    if (!source_.empty()) overrides.push_back({"data.source", source_, "--data " + source_});
    if (model.config.empty() && source_.empty())
      throw UsageError(fmt::format("{} does not say which data it is for; use --data", file_));
    const Config config = parse_config(model.config, fmt::format("configuration in {}", file_), overrides);
    settings_ = config.data;
    settings_.root = data_root_.resolve();
    Dataset data = load_dataset(settings_);
    const EncoderParts& encoder = model.encoder.parts();
    const std::string values = data.train.has_reals() ? "reals" : "bytes";
    if (data.shape != encoder.input_shape || values != encoder.values)
      throw Error(fmt::format("{} is for {} {} a sample but \"{}\" has {} {}; use the data the model was trained on",
                              file_, encoder.input_shape.size(), encoder.values, data.name, data.shape.size(), values));
    if (data.classes != model.classes())
      throw Error(fmt::format("{} knows {} classes but \"{}\" has {}; use the data the model was trained on", file_,
                              model.classes(), data.name, data.classes));
    return data;
  }

  Examples select(const Dataset& data) const {
    if (split_ == "test" && data.test.count() == 0)
      throw Error(fmt::format("\"{}\" has no test set; use --split val", data.name));
    if (split_ == "test") return data.test;
    const Split split = split_train(data, settings_);
    return gather_examples(data.train, split_ == "val" ? split.validation : split.train);
  }

  Result predict(const CircuitModel& model, const Examples& examples) const {
    Result result;
    result.predictions.resize(examples.count());
    Threads threads(threads_.count());
    const auto machine = make_machine(model);
    Predictor predictor(model, *machine, threads);
    ProgressPrinter printer(error_stream(), seconds_since_start_of_clock);
    Progress progress("image", examples.count(), seconds_since_start_of_clock);
    const std::size_t step = 16 * predictor.block_samples() * static_cast<std::size_t>(threads.count());
    if (counts_) result.counts = Matrix<std::uint32_t>(examples.count(), model.network.head.groups);
    const Stopwatch watch;
    for (std::size_t first = 0; first < examples.count(); first += step) {
      const std::size_t size = std::min(step, examples.count() - first);
      Matrix<std::uint32_t> counts(counts_ ? size : 0, model.network.head.groups);
      predictor.predict(examples, first, std::span(result.predictions).subspan(first, size),
                        counts_ ? &counts : nullptr);
      for (std::size_t i = 0; i < counts.rows(); ++i) std::ranges::copy(counts[i], result.counts.row(first + i));
      progress.update(first + size);
      if (progress.elapsed() > 1) printer.show(progress);
    }
    result.seconds = watch.seconds();
    return result;
  }

  void write_csv(const Examples& examples, const Result& result) const {
    std::string text = "example,label,prediction";
    for (std::size_t g = 0; g < result.counts.cols() && counts_; ++g) text += fmt::format(",count_{}", g);
    text += "\n";
    for (std::size_t i = 0; i < examples.count(); ++i) {
      text += fmt::format("{},{},{}", i, examples.labels[i], result.predictions[i]);
      if (counts_)
        for (const std::uint32_t count : result.counts[i]) text += fmt::format(",{}", count);
      text += "\n";
    }
    write_file(output_, text);
  }

  static std::size_t correct(const Examples& examples, const Result& result) {
    std::size_t correct = 0;
    for (std::size_t i = 0; i < examples.count(); ++i) correct += examples.labels[i] == result.predictions[i];
    return correct;
  }

  void print(const Examples& examples, const Result& result) const {
    const std::size_t right = correct(examples, result);
    fmt::print("{} of {} images right: {:.2f} %\n", format_count(right), format_count(examples.count()),
               100 * static_cast<double>(right) / static_cast<double>(examples.count()));
    if (!output_.empty()) fmt::print("predictions are in {}\n", output_);
  }

  void print_json(const Dataset& data, const Examples& examples, const Result& result) const {
    std::vector<std::vector<std::uint32_t>> confusion(data.classes, std::vector<std::uint32_t>(data.classes));
    for (std::size_t i = 0; i < examples.count(); ++i) ++confusion[examples.labels[i]][result.predictions[i]];
    const nlohmann::json object = {
        {"model", file_},
        {"split", split_},
        {"images", examples.count()},
        {"accuracy", static_cast<double>(correct(examples, result)) / static_cast<double>(examples.count())},
        {"confusion", confusion},
        {"seconds", result.seconds}};
    fmt::print("{}\n", object.dump(2));
  }

  std::string file_, source_, split_ = "test", output_;
  bool counts_ = false, json_ = false;
  DataSettings settings_;
  SetOption sets_;
  DataRootOption data_root_;
  ThreadsOption threads_;
};

}  // namespace

std::unique_ptr<Command> make_predict() {
  return std::make_unique<Predict>();
}

}  // namespace firn::cli
