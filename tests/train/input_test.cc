#include "firn/train/input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "firn/data/caller_memory.h"
#include "firn/train/trainer.h"
#include "tests/support/small_data.h"

namespace firn {
namespace {

constexpr Shape kShape = {3, 5, 7};  // 105 features: no whole number of vectors
constexpr std::size_t kTrain = 200, kTest = 33;

// Values one after the other, from `offset` elements behind an aligned address on, in a block of exactly that size.
template <class T>
struct Packed {
  Packed(const Matrix<T>& values, std::size_t offset)
      : memory(std::make_unique<T[]>(offset + values.rows() * values.cols())),
        all(&memory[offset], values.rows() * values.cols()) {
    for (std::size_t r = 0; r < values.rows(); ++r) std::ranges::copy(values[r], &all[r * values.cols()]);
  }
  std::unique_ptr<T[]> memory;
  std::span<T> all;
};

Matrix<float> as_floats(const Matrix<std::uint8_t>& bytes) {
  Matrix<float> floats(bytes.rows(), bytes.cols());
  for (std::size_t r = 0; r < bytes.rows(); ++r)
    for (std::size_t c = 0; c < bytes.cols(); ++c) floats[r][c] = static_cast<float>(bytes[r][c]) / 3;
  return floats;
}

std::vector<std::uint16_t> some_labels(std::size_t count) {
  std::vector<std::uint16_t> labels(count);
  for (std::size_t i = 0; i < count; ++i) labels[i] = static_cast<std::uint16_t>(i / 2 % 3);
  return labels;
}

struct Trained {
  std::vector<Matrix<float>> logits;
  std::vector<double> losses;  // on the test set: relaxed, argmax on reals, discrete
};

Trained train(Dataset data, const std::string& augmentation) {
  Threads threads(2);
  TrainSettings settings;
  settings.steps = 12;
  settings.batch = 32;
  settings.shard = 16;
  Split split = draw_split(data.train.count(), 20, 1);
  Encoder encoder = fit_encoder({}, data, split.train);
  auto model = build_model({.family = "dense", .width = 180, .layers = 2}, encoder.output_shape(), data.classes, 1);
  Experiment experiment{std::move(data), std::move(split), std::move(encoder), std::move(model),
                        loss_from_name(settings.loss)};
  Trainer trainer(experiment, Trainer::Setup{.settings = settings, .config = "", .augment = augmentation}, threads);
  for (std::uint64_t i = 0; i < settings.steps; ++i) trainer.train_one_step();

  Trained trained;
  for (const Neurons* group : experiment.model->neurons()) trained.logits.push_back(group->logits);
  const Loss loss = loss_from_name(settings.loss);
  Evaluator evaluator(*experiment.model, experiment.encoder, loss, 1, 3, threads);
  for (const EvaluationMode mode :
       {EvaluationMode::kRelaxed, EvaluationMode::kArgmaxOnReals, EvaluationMode::kDiscrete})
    trained.losses.push_back(evaluator.run(experiment.data.test, all_indices(kTest), mode).risk().loss);
  return trained;
}

bool same(const Trained& a, const Trained& b) {
  if (a.losses != b.losses || a.logits.size() != b.logits.size()) return false;
  for (std::size_t g = 0; g < a.logits.size(); ++g)
    for (std::size_t r = 0; r < a.logits[g].rows(); ++r)
      if (!std::ranges::equal(a.logits[g][r], b.logits[g][r])) return false;
  return true;
}

template <class T>
Dataset owned(const Matrix<T>& train_values, const Matrix<T>& test_values) {
  Dataset data{.name = "owned", .shape = kShape, .classes = 3, .class_names = {}, .train = {}, .test = {}};
  if constexpr (std::is_same_v<T, float>) {
    data.train.reals = Matrix<T>(train_values);
    data.test.reals = Matrix<T>(test_values);
  } else {
    data.train.bytes = Matrix<T>(train_values);
    data.test.bytes = Matrix<T>(test_values);
  }
  data.train.labels = some_labels(kTrain);
  data.test.labels = some_labels(kTest);
  return data;
}

template <class T>
void expect_views_train_alike(const Matrix<T>& train_values, const Matrix<T>& test_values,
                              const std::string& augmentation) {
  const Trained expected = train(owned(train_values, test_values), augmentation);
  const std::vector<std::uint16_t> train_labels = some_labels(kTrain), test_labels = some_labels(kTest);
  for (const std::size_t offset : {0, 1}) {
    Packed<T> packed_train(train_values, offset), packed_test(test_values, offset);
    const Dataset view = make_dataset(
        {.shape = kShape, .train = {packed_train.all, train_labels}, .test = {packed_test.all, test_labels}});
    EXPECT_TRUE(same(train(view, augmentation), expected)) << augmentation << " offset " << offset;
    // The same data set, after its owner changed the memory.
    for (T& value : packed_train.all) value = static_cast<T>(200) - value;
    EXPECT_FALSE(same(train(view, augmentation), expected));
  }
}

TEST(TrainingInput, TheMemoryOfACallerGivesTheBitsOfACopy) {
  const Matrix<std::uint8_t> train_bytes = random_bytes(kTrain, kShape.size(), 1);
  const Matrix<std::uint8_t> test_bytes = random_bytes(kTest, kShape.size(), 2);
  for (const char* augmentation : {"none", "flip-crop", "rotate-shift"})
    expect_views_train_alike(train_bytes, test_bytes, augmentation);
  expect_views_train_alike(as_floats(train_bytes), as_floats(test_bytes), "none");
}

}  // namespace
}  // namespace firn
