// Predictions for a file of samples, and the text that users get of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/threads.h"
#include "firn/data/samples.h"
#include "firn/infer/model_file.h"
#include "firn/train/quality.h"

namespace firn::study {

// What the model takes. The model must outlive the answer.
SampleNeeds needs_of(const CircuitModel& model);

struct SamplePredictions {
  std::vector<std::uint16_t> classes;  // [sample]; they mean nothing where values are predicted
  Matrix<std::uint32_t> counts;        // [sample][group]
  std::vector<float> values = {};      // [sample], where values are predicted
};

struct PredictParams {
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};
};
SamplePredictions predict_samples(const CircuitModel& model, const Examples& examples, Threads& threads,
                                  const PredictParams& params = {});

// How many samples with a known label there are, and how many of them were predicted as it says.
struct LabelledAnswers {
  std::size_t labelled = 0, right = 0;
  double accuracy() const { return static_cast<double>(right) / static_cast<double>(labelled); }
};
LabelledAnswers compare_labels(const Examples& examples, const SamplePredictions& predictions);

// How far the values are from those that samples have; nothing where none has one.
std::optional<ValueQuality> compare_values(const Examples& examples, const SamplePredictions& predictions);

// Columns that are written only when somebody asks for them.
struct PredictionColumns {
  bool probabilities = false, counts = false;
};

// One line per sample: its number from 1 or its id, the predicted class by its name, or the value, the label where the
// file has labels, then what `columns` asks for. JSON lines are one object per sample.
std::string predictions_as_csv(const CircuitModel& model, const SampleFile& samples,
                               const SamplePredictions& predictions, const PredictionColumns& columns);
std::string predictions_as_json_lines(const CircuitModel& model, const SampleFile& samples,
                                      const SamplePredictions& predictions, const PredictionColumns& columns);

}  // namespace firn::study
