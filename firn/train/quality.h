// Measures of predictions beyond loss and accuracy: per class, by rank, and of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace firn::training {

// How well one class is recognized. A class that is never predicted has precision 0, one that never occurs recall 0.
struct ClassQuality {
  std::size_t samples = 0;  // that belong to the class
  double precision = 0, recall = 0, f1 = 0;
};

struct Quality {
  std::vector<ClassQuality> classes;
  double balanced_accuracy = 0;  // mean recall of the classes that occur
  double macro_f1 = 0;           // mean F1 of the classes that occur or are predicted
  // Area under the ROC curve of the class probabilities; of several classes the mean of one against the rest. Nothing
  // where no class has both examples and counterexamples, or where it was not asked for.
  std::optional<double> auc;
};

// From a confusion matrix, [true class][predicted class]; the area is left out.
Quality quality_of(std::span<const std::uint32_t> confusion);

// How often a positive sample has the larger score than a negative one; a tie counts one half. Nothing where one of the
// two is missing.
std::optional<double> area_under_curve(std::span<const float> scores, const std::vector<bool>& is_positive);

// The same for classes, from their sums, [sample][output]. A single output is the score of class 1; of two, it is their
// difference; of more, the mean of one class against the rest by the softmax of `factor` times the sums.
std::optional<double> area_under_curve(std::span<const float> sums, std::size_t outputs,
                                       std::span<const std::uint16_t> labels, double factor = 1);

// How far predicted values are from the true ones.
struct ValueQuality {
  double r2 = 0;             // share of the variance that is explained; 0 where the true values do not vary
  double rmse = 0, mae = 0;  // in the unit of the values
};
ValueQuality value_quality_of(std::span<const float> predicted, std::span<const float> truth);

}  // namespace firn::training
