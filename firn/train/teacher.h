// Soft targets: what another model thinks of every training example, mixed into the loss (Hinton, Vinyals and Dean,
// 2015). Where the label only names a class, the teacher also says which classes it nearly took an example for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/train/loss.h"

namespace firn::training {

struct TeacherSettings {
  std::string file = {};        // an array of NumPy, or a checkpoint; empty: no teacher
  std::string form = "logits";  // what an array holds: logits | probabilities
  double temperature = 1;       // divides the logits of both before the softmax
  double weight = 0.5;          // share of the teacher in the loss
};

class Teacher {
 public:
  // `logits` are [training example][class], `origin` a digest of the file that they come from.
  Teacher(const Matrix<float>& logits, const TeacherSettings& settings, std::string origin = "");

  std::size_t examples() const { return probabilities_.rows(); }
  // Changes with everything it teaches, in the last bits also with the SIMD target.
  std::string fingerprint() const;
  const std::string& origin() const { return origin_; }

  // The lesson of a batch of examples, written to `rows`, which it points into.
  Lesson lesson(std::span<const std::uint32_t> batch, std::vector<float>& rows) const;

 private:
  Matrix<float> probabilities_;  // [training example][class], at the temperature
  float weight_, temperature_;
  std::string origin_;
};

// Logits of a NumPy file, [example][class]; those of probabilities are their logarithms. Refuses an array of another
// shape, and one that is not what the settings say it is.
Matrix<float> read_teacher_logits(const TeacherSettings& settings, std::size_t examples, std::size_t classes);

}  // namespace firn::training
