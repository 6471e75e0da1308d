#include "firn/train/teacher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "firn/base/file.h"
#include "firn/base/random.h"
#include "tests/support/expect_error.h"
#include "tests/support/npy.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kClasses = 4, kSamples = 9;

std::vector<double> softmax(const std::vector<double>& logits, double temperature) {
  std::vector<double> p;
  double total = 0;
  for (const double v : logits) total += std::exp(v / temperature);
  for (const double v : logits) p.push_back(std::exp(v / temperature) / total);
  return p;
}

// The definition, in double: (1 - w) times the cross-entropy of the label, w T^2 times the divergence from the teacher.
double loss_of_sample(const std::vector<double>& sums, std::uint16_t label, const std::vector<double>& teacher,
                      const TeacherSettings& settings) {
  const auto own = softmax(sums, 1), soft = softmax(sums, settings.temperature),
             taught = softmax(teacher, settings.temperature);
  double divergence = 0;
  for (std::size_t c = 0; c < kClasses; ++c) divergence += taught[c] * std::log(taught[c] / soft[c]);
  return -(1 - settings.weight) * std::log(own[label]) +
         settings.weight * settings.temperature * settings.temperature * divergence;
}

TEST(Teacher, IsMixedIntoLossAndGradientAsDefined) {
  RandomSequence random(1, "test/teacher");
  Matrix<float> logits(20, kClasses), sums(kClasses, 16), grad(kClasses, 16);
  for (std::size_t r = 0; r < logits.rows(); ++r)
    for (float& v : logits[r]) v = 3 * random.normal();
  for (std::size_t c = 0; c < kClasses; ++c)
    for (float& v : sums[c]) v = 2 * random.normal();
  std::vector<std::uint16_t> labels;
  std::vector<std::uint32_t> batch;
  for (std::size_t s = 0; s < kSamples; ++s) {
    labels.push_back(static_cast<std::uint16_t>(random.below(kClasses)));
    batch.push_back(random.below(20));
  }
  for (const TeacherSettings& settings :
       {TeacherSettings{.temperature = 2.5, .weight = 0.75}, TeacherSettings{.temperature = 1, .weight = 1}}) {
    const Teacher teacher(logits, settings);
    std::vector<float> rows;
    const std::vector<float> class_weights = {1, 2, 0.5f, 3};
    Truths truths(labels);
    truths.lesson = teacher.lesson(batch, rows);
    const Loss loss = scaled_loss("cross-entropy", {.class_weights = class_weights});
    const double total = loss(sums, truths, 0.5, &grad).loss;
    double expected = 0;
    for (std::size_t s = 0; s < kSamples; ++s) {
      std::vector<double> own, taught;
      for (std::size_t c = 0; c < kClasses; ++c) own.push_back(sums[c][s]), taught.push_back(logits[batch[s]][c]);
      const double counts = class_weights[labels[s]];
      expected += counts * loss_of_sample(own, labels[s], taught, settings);
      for (std::size_t c = 0; c < kClasses; ++c) {
        constexpr double kStep = 1e-6;
        auto above = own, below = own;
        above[c] += kStep;
        below[c] -= kStep;
        const double slope =
            counts *
            (loss_of_sample(above, labels[s], taught, settings) - loss_of_sample(below, labels[s], taught, settings)) /
            (2 * kStep);
        EXPECT_NEAR(grad[c][s], 0.5 * slope, 2e-6 * (1 + std::abs(slope)));
      }
    }
    EXPECT_NEAR(total, expected, 1e-5 * (1 + expected));
    // Shards see their own part of the lesson.
    const double first = loss(sums, truths.subspan(0, 4), 0.5, nullptr).loss;
    Matrix<float> rest(kClasses, 16);
    for (std::size_t c = 0; c < kClasses; ++c) std::copy_n(sums.row(c) + 4, kSamples - 4, rest.row(c));
    EXPECT_NEAR(first + loss(rest, truths.subspan(4, kSamples - 4), 0.5, nullptr).loss, total, 1e-9);
  }
}

TEST(Teacher, IsReadAsTheSettingsSayOrRefused) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& shape, const std::vector<float>& values, const std::string& form) {
    const auto file = folder.path() / "t.npy";
    write_file(file, npy("<f4", shape, raw(values)));
    return read_teacher_logits({.file = file.string(), .form = form}, 2, 2);
  };
  EXPECT_EQ(read("(2, 2)", {1, -2, 3, 0}, "logits")[1][0], 3);
  const Matrix<float> logs = read("(2, 2)", {0.25f, 0.75f, 1, 0}, "probabilities");
  EXPECT_FLOAT_EQ(logs[0][1], std::log(0.75f));
  EXPECT_LT(logs[1][1], -15);
  const auto error = [&](const std::string& shape, const std::vector<float>& values, const std::string& form) {
    return error_of([&] { read(shape, values, form); });
  };
  EXPECT_THAT(error("(2, 2)", {0.25f, 0.75f, 1, 0}, "logits"), HasSubstr("train.teacher_form = \"probabilities\""));
  EXPECT_THAT(error("(2, 2)", {0.25f, 0.75f, 0.7f, 0}, "probabilities"), HasSubstr("row 1 of"));
  EXPECT_THAT(error("(2, 2)", {1, NAN, 0, 0}, "logits"), HasSubstr("row 0, column 1"));
  EXPECT_THAT(error("(1, 4)", {1, 2, 0, 0}, "logits"), HasSubstr("2 training examples by 2 classes"));
  EXPECT_THAT(error_of([] { read_teacher_logits({.file = "/no/such.npy"}, 2, 2); }), HasSubstr("/no/such.npy"));
}

}  // namespace
}  // namespace firn
