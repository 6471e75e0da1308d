#include "firn/study/predict_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "firn/base/error.h"
#include "firn/data/rows.h"
#include "firn/infer/predictor.h"
#include "firn/infer/probabilities.h"
#include "firn/study/config_text.h"
#include "firn/study/words.h"

namespace firn::study {
namespace {

// A field of a CSV file, quoted where it has to be.
std::string csv_field(const std::string& text) {
  const bool is_plain =
      text.find_first_of(",\";\t\r\n") == std::string::npos && !text.starts_with(' ') && !text.ends_with(' ');
  if (is_plain) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

bool has_labels(const SampleFile& samples) {
  return !samples.examples.labels.empty();
}

std::string label_name(const CircuitModel& model, const SampleFile& samples, std::size_t sample) {
  const std::uint16_t label = samples.examples.labels[sample];
  return label == kNoLabel ? "" : class_name(model.class_names, label);
}

// What columns of groups are called: a single group counts for the second class.
std::string group_name(const CircuitModel& model, std::size_t group) {
  return class_name(model.class_names, model.network.head.groups == 1 ? 1 : group);
}

std::string layout_of(const CircuitModel& model) {
  return read_stored_config(model.config, "the configuration of the model").config.data.layout;
}

}  // namespace

SampleNeeds needs_of(const CircuitModel& model) {
  const EncoderParts& encoder = model.encoder.parts();
  return {.shape = encoder.input_shape,
          .reals = encoder.values == "reals",
          .bits = encoder.encoding == "passthrough" && encoder.values == "bytes",
          .layout = layout_of(model),
          .schema = model.schema ? &*model.schema : nullptr,
          .class_names = model.class_names,
          .classes = model.classes()};
}

SamplePredictions predict_samples(const CircuitModel& model, const Examples& examples, Threads& threads,
                                  const PredictParams& params) {
  const std::size_t groups = model.network.head.groups;
  SamplePredictions predictions{std::vector<std::uint16_t>(examples.count()),
                                Matrix<std::uint32_t>(examples.count(), groups)};
  const auto machine = make_machine(model);
  Predictor predictor(model, *machine, threads);
  const std::size_t step = 16 * predictor.block_samples() * static_cast<std::size_t>(threads.count());
  for (std::size_t first = 0; first < examples.count(); first += step) {
    const std::size_t size = std::min(step, examples.count() - first);
    Matrix<std::uint32_t> counts(size, groups);
    predictor.predict(examples, first, std::span(predictions.classes).subspan(first, size), &counts);
    for (std::size_t i = 0; i < size; ++i) std::ranges::copy(counts[i], predictions.counts.row(first + i));
    if (params.on_progress) params.on_progress(first + size, examples.count());
  }
  if (const Head& head = model.network.head; head.is_value)
    for (std::size_t i = 0; i < examples.count(); ++i)
      predictions.values.push_back(head.offset + head.factor * static_cast<float>(predictions.counts[i][0]));
  return predictions;
}

LabelledAnswers compare_labels(const Examples& examples, const SamplePredictions& predictions) {
  LabelledAnswers answers;
  for (std::size_t i = 0; i < examples.labels.size(); ++i) {
    answers.labelled += examples.labels[i] != kNoLabel;
    answers.right += examples.labels[i] == predictions.classes[i];
  }
  return answers;
}

std::optional<ValueQuality> compare_values(const Examples& examples, const SamplePredictions& predictions) {
  if (predictions.values.empty()) return std::nullopt;
  std::vector<float> predicted, truth;
  for (std::size_t i = 0; i < examples.targets.size(); ++i) {
    if (std::isnan(examples.targets[i])) continue;
    predicted.push_back(predictions.values[i]);
    truth.push_back(examples.targets[i]);
  }
  if (truth.empty()) return std::nullopt;
  return value_quality_of(predicted, truth);
}

namespace {

std::string values_as_csv(const SampleFile& samples, const SamplePredictions& predictions,
                          const PredictionColumns& columns) {
  const std::vector<float>& targets = samples.examples.targets;
  std::string text = samples.ids.empty() ? "row,value" : "file,value";
  if (!targets.empty()) text += ",label";
  if (columns.counts) text += ",count";
  text += "\n";
  for (std::size_t i = 0; i < predictions.values.size(); ++i) {
    text += samples.ids.empty() ? std::to_string(i + 1) : csv_field(samples.ids[i]);
    text += fmt::format(",{}", predictions.values[i]);
    if (!targets.empty()) text += std::isnan(targets[i]) ? "," : fmt::format(",{}", targets[i]);
    if (columns.counts) text += fmt::format(",{}", predictions.counts[i][0]);
    text += "\n";
  }
  return text;
}

// A line about sample i, which begins with its row or its file.
nlohmann::ordered_json begin_line(const SampleFile& samples, std::size_t i) {
  nlohmann::ordered_json line;
  if (samples.ids.empty())
    line["row"] = i + 1;
  else
    line["file"] = samples.ids[i];
  return line;
}

std::string values_as_json_lines(const SampleFile& samples, const SamplePredictions& predictions,
                                 const PredictionColumns& columns) {
  using Json = nlohmann::ordered_json;
  const std::vector<float>& targets = samples.examples.targets;
  std::string text;
  for (std::size_t i = 0; i < predictions.values.size(); ++i) {
    Json line = begin_line(samples, i);
    line["value"] = predictions.values[i];
    if (!targets.empty()) line["label"] = std::isnan(targets[i]) ? Json() : Json(targets[i]);
    if (columns.counts) line["count"] = predictions.counts[i][0];
    text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return text;
}

void refuse_probabilities(const PredictionColumns& columns) {
  if (columns.probabilities) throw Error("the model predicts values, which have no probabilities; leave them out");
}

}  // namespace

std::string predictions_as_csv(const CircuitModel& model, const SampleFile& samples,
                               const SamplePredictions& predictions, const PredictionColumns& columns) {
  if (model.network.head.is_value) {
    refuse_probabilities(columns);
    return values_as_csv(samples, predictions, columns);
  }
  std::string text = samples.ids.empty() ? "row,prediction" : "file,prediction";
  if (has_labels(samples)) text += ",label";
  for (std::size_t c = 0; c < model.classes() && columns.probabilities; ++c)
    text += "," + csv_field("probability_" + class_name(model.class_names, c));
  for (std::size_t g = 0; g < predictions.counts.cols() && columns.counts; ++g)
    text += "," + csv_field("count_" + group_name(model, g));
  text += "\n";
  for (std::size_t i = 0; i < predictions.classes.size(); ++i) {
    text += samples.ids.empty() ? std::to_string(i + 1) : csv_field(samples.ids[i]);
    text += "," + csv_field(class_name(model.class_names, predictions.classes[i]));
    if (has_labels(samples)) text += "," + csv_field(label_name(model, samples, i));
    if (columns.probabilities)
      for (const double p : probabilities(model.network.head, predictions.counts[i])) text += fmt::format(",{:.6g}", p);
    if (columns.counts)
      for (const std::uint32_t count : predictions.counts[i]) text += fmt::format(",{}", count);
    text += "\n";
  }
  return text;
}

std::string predictions_as_json_lines(const CircuitModel& model, const SampleFile& samples,
                                      const SamplePredictions& predictions, const PredictionColumns& columns) {
  if (model.network.head.is_value) {
    refuse_probabilities(columns);
    return values_as_json_lines(samples, predictions, columns);
  }
  using Json = nlohmann::ordered_json;
  std::string text;
  for (std::size_t i = 0; i < predictions.classes.size(); ++i) {
    Json line = begin_line(samples, i);
    line["prediction"] = class_name(model.class_names, predictions.classes[i]);
    if (has_labels(samples)) {
      const std::string label = label_name(model, samples, i);
      line["label"] = samples.examples.labels[i] == kNoLabel ? Json() : Json(label);
    }
    if (columns.probabilities) {
      const std::vector<double> all = probabilities(model.network.head, predictions.counts[i]);
      for (std::size_t c = 0; c < all.size(); ++c) line["probabilities"][class_name(model.class_names, c)] = all[c];
    }
    for (std::size_t g = 0; g < predictions.counts.cols() && columns.counts; ++g)
      line["counts"][group_name(model, g)] = predictions.counts[i][g];
    text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return text;
}

}  // namespace firn::study
