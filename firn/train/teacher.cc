#include "firn/train/teacher.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "firn/base/checksum.h"
#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/data/sources/npy_array.h"

namespace firn::training {

namespace {

constexpr float kSumTolerance = 1e-3f;      // of rows of probabilities, which may have been stored as half floats
constexpr float kLeastProbability = 1e-7f;  // a teacher that is sure beyond this teaches no more than the label does

bool are_probabilities(std::span<const float> row) {
  float sum = 0;
  for (const float p : row) {
    if (p < 0 || p > 1) return false;
    sum += p;
  }
  return std::abs(sum - 1) <= kSumTolerance;
}

// Writes softmax(logits / temperature).
void soften(std::span<const float> logits, float temperature, std::span<float> probabilities) {
  const float top = *std::ranges::max_element(logits);
  double total = 0;
  for (std::size_t c = 0; c < logits.size(); ++c) {
    probabilities[c] = std::exp((logits[c] - top) / temperature);
    total += probabilities[c];
  }
  for (float& p : probabilities) p = static_cast<float>(p / total);
}

Matrix<float> values_of(const data::NpyArray& array) {
  const std::size_t rows = array.sizes[0], columns = array.sizes[1];
  Matrix<float> values(rows, columns);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      const double value = array.at(array.fortran_order ? c * rows + r : r * columns + c);
      if (!std::isfinite(value))
        throw Error(fmt::format("{} has {} in row {}, column {}; every value must be finite", array.name, value, r, c));
      values[r][c] = static_cast<float>(value);
    }
  return values;
}

// Taking one for the other would train towards nonsense without a word.
void check_form(const Matrix<float>& values, const TeacherSettings& settings) {
  std::size_t fitting = 0;
  while (fitting < values.rows() && are_probabilities(values[fitting])) ++fitting;
  const bool all = fitting == values.rows();
  if (settings.form == "probabilities" && !all)
    throw Error(
        fmt::format("row {} of {} is not a row of probabilities that add up to 1; set train.teacher_form = "
                    "\"logits\" if it holds logits",
                    fitting, settings.file));
  if (settings.form == "logits" && all)
    throw Error(
        fmt::format("every row of {} adds up to 1, as probabilities do; set train.teacher_form = "
                    "\"probabilities\"",
                    settings.file));
}

}  // namespace

Teacher::Teacher(const Matrix<float>& logits, const TeacherSettings& settings, std::string origin)
    : probabilities_(logits.rows(), logits.cols()),
      weight_(static_cast<float>(settings.weight)),
      temperature_(static_cast<float>(settings.temperature)),
      origin_(std::move(origin)) {
  for (std::size_t r = 0; r < logits.rows(); ++r) soften(logits[r], temperature_, probabilities_[r]);
}

Lesson Teacher::lesson(std::span<const std::uint32_t> batch, std::vector<float>& rows) const {
  const std::size_t classes = probabilities_.cols();
  rows.resize(batch.size() * classes);
  for (std::size_t i = 0; i < batch.size(); ++i)
    std::ranges::copy(probabilities_[batch[i]], rows.begin() + static_cast<std::ptrdiff_t>(i * classes));
  return {rows, classes, weight_, temperature_};
}

std::string Teacher::fingerprint() const {
  Checksum checksum;
  for (std::size_t r = 0; r < probabilities_.rows(); ++r) checksum.add(std::as_bytes(probabilities_[r]));
  return checksum.digits();
}

Matrix<float> read_teacher_logits(const TeacherSettings& settings, std::size_t examples, std::size_t classes) {
  const std::string bytes = read_text(settings.file, "train.teacher names an array of NumPy or a checkpoint");
  const data::NpyArray array = data::parse_npy(bytes, settings.file);
  if (array.sizes != std::vector{examples, classes})
    throw Error(fmt::format("{} must be an array of {} training examples by {} classes, in the order of the data",
                            settings.file, examples, classes));
  Matrix<float> values = values_of(array);
  check_form(values, settings);
  if (settings.form == "probabilities")
    for (std::size_t r = 0; r < values.rows(); ++r)
      for (float& value : values[r]) value = std::log(std::max(value, kLeastProbability));
  return values;
}

}  // namespace firn::training
