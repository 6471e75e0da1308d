#include "firn/cli/commands/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/base/file.h"
#include "firn/base/progress.h"
#include "firn/cli/app.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/set_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/progress.h"
#include "firn/cli/usage_error.h"
#include "firn/data/input_files.h"
#include "firn/data/rows.h"
#include "firn/data/samples.h"
#include "firn/data/source.h"
#include "firn/study/circuit_source.h"
#include "firn/study/model_examples.h"
#include "firn/study/output_file.h"
#include "firn/study/predict_samples.h"
#include "firn/study/words.h"

namespace firn::cli {
namespace {

class Predict final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("MODEL", file_, "Model file, made by `firn compile`, or a checkpoint").required().type_name("");
    samples_option_ =
        options.add("FILE", samples_, "Samples to predict, labelled or not; - is standard input").type_name("");
    options
        .add("--reader", reader_,
             fmt::format("What FILE is, if its name does not say so: {}", fmt::join(names_of(sample_readers()), ", ")))
        .one_of(names_of(sample_readers()))
        .type_name("NAME");
    options.add_flag("--no-header", no_header_, "The table has no header; its columns are in the order of training");
    output_option_ =
        options.add("-o,--output", output_, "Write the prediction of every sample to a file; else to standard output")
            .type_name("FILE");
    options.add("--format", format_, "Of the predictions: csv, or jsonl for one JSON object per line")
        .one_of({"csv", "jsonl"})
        .type_name("NAME");
    options.add_flag("--probabilities", columns_.probabilities, "Write the probability of every class, too");
    options.add_flag("--counts", columns_.counts, "Write the count of every class, too");
    options.add_flag("--numbers", numbers_, "Write classes by their numbers, not by their names");
    options.add_flag("--json", json_, "Print the summary as JSON, with the confusion matrix");
    options.add("--split", split_, "Without FILE: examples the model was trained or tested on: train, val or test")
        .one_of({"train", "val", "test"})
        .type_name("NAME");
    options.add("--data", source_, "Without FILE: a data set such as cifar10; else what the model was trained on")
        .type_name("NAME");
    sets_.add_to(options);
    data_root_.add_to(options);
    threads_.add_to(options);
  }

  int run() override {
    check_usage();
    CircuitModel model = load_model();
    const SampleFile samples = samples_.empty() ? load_examples(model) : read_file(model);
    const Stopwatch watch;
    const SamplePredictions predictions = predict(model, samples.examples);
    const double seconds = watch.seconds();
    if (numbers_) model.class_names.clear();
    write(model, samples, predictions);
    json_ ? print_json(model, samples.examples, predictions, seconds) : print(model, samples.examples, predictions);
    return kDone;
  }

 private:
  // Where the predictions themselves go.
  bool writes_to_standard_output() const { return output_ == "-" || (output_.empty() && !samples_.empty() && !json_); }
  bool writes() const { return !output_.empty() || writes_to_standard_output(); }

  // A variable of the shell that is not set must not choose other data.
  void check_words() const {
    if (samples_option_.given() && samples_.empty())
      throw UsageError("FILE is empty; name the samples to predict, or leave it out");
    if (output_option_.given() && output_.empty())
      throw UsageError("-o is empty; name a file for the predictions, or leave it out");
  }

  void check_usage() const {
    check_words();
    const std::vector<Override> overrides = sets_.overrides();
    if (!samples_.empty() && (!split_.empty() || !source_.empty() || !overrides.empty()))
      throw UsageError(fmt::format("{} is what is predicted; leave --split, --data and --set out", samples_));
    for (const Override& set : overrides)
      if (set.key == "data.file" || set.key == "data.test_file")
        throw UsageError(fmt::format("--set {} does not choose what is predicted; name the file: firn predict {} {}",
                                     set.key, file_, set.value));
    if (!source_.empty() && !is_named_data_set(source_))
      throw UsageError(
          fmt::format("--data takes the name of a data set, such as cifar10 or parity, not {}; for a file write: "
                      "firn predict {} FILE",
                      source_, file_));
    if (samples_.empty() && !reader_.empty()) throw UsageError("--reader is for a FILE; name one");
    if (samples_.empty() && no_header_) throw UsageError("--no-header is for a FILE; name one");
    check_output(output_, {file_});
    check_output(output_, sample_files(samples_, reader_));
    if (json_ && output_ == "-") throw UsageError("--json and -o - would both write to standard output; name a file");
    if ((columns_.counts || columns_.probabilities) && !writes())
      throw UsageError("--counts and --probabilities need -o FILE to write them to");
  }

  CircuitModel load_model() const {
    CircuitSource source = load_circuit(file_);
    if (!source.model)
      throw Error(fmt::format("{} has no encoder and no classes; predict with the model that it came from", file_));
    return *std::move(source.model);
  }

  SampleFile read_file(const CircuitModel& model) const {
    SampleNeeds needs = needs_of(model);
    needs.has_header = !no_header_;
    return read_samples(samples_, needs, reader_);
  }

  SampleFile load_examples(const CircuitModel& model) const {
    std::vector<Override> overrides = sets_.overrides();
    if (!source_.empty()) overrides.push_back({"data.source", source_, "--data " + source_});
    if (model.config.empty() && source_.empty())
      throw UsageError(fmt::format("{} does not say which data it is for; name a file of samples", file_));
    ModelExamples found = load_model_examples(
        model,
        {.file = file_, .data_root = data_root_.resolve(), .split = split_name(), .overrides = std::move(overrides)});
    check_output(output_, found.files);
    if (found.warning) print_note(*found.warning);
    return {.examples = std::move(found.examples)};
  }

  std::string split_name() const { return split_.empty() ? "test" : split_; }

  SamplePredictions predict(const CircuitModel& model, const Examples& examples) const {
    Threads threads(threads_.count());
    ProgressPrinter printer(error_stream(), seconds_since_start_of_clock);
    Progress progress(std::string(example_word(model.encoder.input_shape())), examples.count(),
                      seconds_since_start_of_clock);
    return predict_samples(model, examples, threads, {.on_progress = [&](std::size_t done, std::size_t) {
                             progress.update(done);
                             if (progress.elapsed() > 1) printer.show(progress);
                           }});
  }

  void write(const CircuitModel& model, const SampleFile& samples, const SamplePredictions& predictions) const {
    if (!writes()) return;
    const std::string text = format_ == "jsonl" ? predictions_as_json_lines(model, samples, predictions, columns_)
                                                : predictions_as_csv(model, samples, predictions, columns_);
    if (writes_to_standard_output())
      fmt::print("{}", text);
    else
      write_file(output_, text);
  }

  // Predictions on standard output stay clean.
  void print(const CircuitModel& model, const Examples& examples, const SamplePredictions& predictions) const {
    std::FILE* out = writes_to_standard_output() ? stderr : stdout;
    const Shape& shape = model.encoder.input_shape();
    const std::string_view word = examples.count() == 1 ? example_word(shape) : examples_word(shape);
    if (model.network.head.is_value) return print_values(out, examples, predictions, word);
    const LabelledAnswers answers = compare_labels(examples, predictions);
    if (answers.labelled < examples.count()) fmt::print(out, "{} {} predicted\n", format_count(examples.count()), word);
    if (answers.labelled > 0)
      fmt::print(out, "{} of {} {} right: {:.2f} %\n", format_count(answers.right), format_count(answers.labelled),
                 word, 100 * answers.accuracy());
    if (!output_.empty() && output_ != "-") fmt::print(out, "predictions are in {}\n", output_);
  }

  void print_values(std::FILE* out, const Examples& examples, const SamplePredictions& predictions,
                    std::string_view word) const {
    fmt::print(out, "{} {} predicted\n", format_count(examples.count()), word);
    if (const auto quality = compare_values(examples, predictions))
      fmt::print(out, "R2 {:.4f}, RMSE {:.6g}, MAE {:.6g}\n", quality->r2, quality->rmse, quality->mae);
    if (!output_.empty() && output_ != "-") fmt::print(out, "predictions are in {}\n", output_);
  }

  void print_json(const CircuitModel& model, const Examples& examples, const SamplePredictions& predictions,
                  double seconds) const {
    nlohmann::json object = {{"model", file_}, {"seconds", seconds}};
    object[std::string(examples_word(model.encoder.input_shape()))] = examples.count();
    if (samples_.empty())
      object["split"] = split_name();
    else
      object["file"] = samples_;
    if (const auto quality = compare_values(examples, predictions))
      object.update({{"r2", quality->r2}, {"rmse", quality->rmse}, {"mae", quality->mae}});
    if (const LabelledAnswers answers = compare_labels(examples, predictions); answers.labelled > 0) {
      std::vector<std::vector<std::uint32_t>> confusion(model.classes(), std::vector<std::uint32_t>(model.classes()));
      for (std::size_t i = 0; i < examples.count(); ++i)
        if (examples.labels[i] != kNoLabel) ++confusion[examples.labels[i]][predictions.classes[i]];
      object["labelled"] = answers.labelled;
      object["accuracy"] = answers.accuracy();
      object["confusion"] = confusion;
    }
    fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  }

  std::string file_, samples_, reader_, source_, split_, output_, format_ = "csv";
  PredictionColumns columns_;
  bool numbers_ = false, json_ = false, no_header_ = false;
  Option samples_option_, output_option_;
  SetOption sets_;
  DataRootOption data_root_;
  ThreadsOption threads_;
};

}  // namespace

std::unique_ptr<Command> make_predict() {
  return std::make_unique<Predict>();
}

}  // namespace firn::cli
