#include "firn/api/dataset.h"

#include <algorithm>
#include <utility>

#include "firn/base/error.h"
#include "firn/data/limits.h"
#include "firn/data/source.h"
#include "firn/door/arrays.h"
#include "firn/study/config.h"

namespace firn::api {

Dataset Dataset::view(Samples samples, Labels labels, Shape shape) {
  data::DatasetArrays arrays{.shape = shape, .train = {door::values_of(samples), door::labels_of(labels)}};
  return {std::make_shared<data::Dataset>(data::make_dataset(arrays)), "memory"};
}

namespace {

void check_same_task(const data::Dataset& train, const data::Dataset& other, const std::string& set) {
  if (train.train.targets.empty() != other.train.targets.empty())
    throw Error("training and " + set + " examples must both have classes or both have values to predict");
}

}  // namespace

Dataset Dataset::with_test(Samples samples, Labels labels) const {
  const data::ExampleArrays arrays{door::values_of(samples), door::labels_of(labels)};
  const data::Dataset test = data::make_dataset(
      {.shape = inner_->shape, .train = arrays, .classes = data::kMaxClasses, .name = "the test samples"});
  if (test.train.has_reals() != inner_->train.has_reals())
    throw Error("training and test samples must both be bytes or both be floats");
  check_same_task(*inner_, test, "test");
  const bool of_values = !test.train.targets.empty();
  const std::size_t largest = of_values ? 0 : *std::ranges::max_element(test.train.labels);
  if (!inner_->class_names.empty() && largest >= inner_->class_names.size())
    throw Error("a test sample has label " + std::to_string(largest) + ", but only " +
                std::to_string(inner_->class_names.size()) + " classes have names");
  auto copy = std::make_shared<data::Dataset>(*inner_);
  copy->test = test.train;
  if (!of_values) copy->classes = std::max(copy->classes, largest + 1);
  return {std::move(copy), source_};
}

namespace {

// Rows of two sets one after the other, as memory of their own.
template <class T>
MatrixView<T> joined(const MatrixView<T>& first, const MatrixView<T>& second) {
  Matrix<T> all(first.rows() + second.rows(), first.cols());
  for (std::size_t r = 0; r < first.rows(); ++r) std::ranges::copy(first[r], all.row(r));
  for (std::size_t r = 0; r < second.rows(); ++r) std::ranges::copy(second[r], all.row(first.rows() + r));
  return all;
}

Dataset::Copy copy_of(const data::Examples& examples) {
  return {door::values_in(examples.bytes), door::values_in(examples.reals), examples.labels, examples.targets};
}

}  // namespace

Dataset Dataset::with_validation(Samples samples, Labels labels) const {
  const data::DatasetArrays arrays{.shape = inner_->shape,
                                   .train = {door::values_of(samples), door::labels_of(labels)},
                                   .classes = inner_->classes,
                                   .name = "the validation samples"};
  const data::Dataset validation = data::make_dataset(arrays);
  check_same_task(*inner_, validation, "validation");
  const data::Examples& added = validation.train;
  if (added.has_reals() != inner_->train.has_reals())
    throw Error("training and validation samples must both be bytes or both be floats");
  auto copy = std::make_shared<data::Dataset>(*inner_);
  data::Examples& train = copy->train;
  if (added.has_reals())
    train.reals = joined(train.reals, added.reals);
  else
    train.bytes = joined(train.bytes, added.bytes);
  train.labels.insert(train.labels.end(), added.labels.begin(), added.labels.end());
  train.targets.insert(train.targets.end(), added.targets.begin(), added.targets.end());
  copy->validation_tail += added.count();
  return {std::move(copy), source_};
}

Dataset::Copy Dataset::copy_train() const {
  return copy_of(inner_->train);
}
Dataset::Copy Dataset::copy_test() const {
  return copy_of(inner_->test);
}
bool Dataset::has_floats() const {
  return inner_->train.has_reals();
}

Dataset Dataset::with_class_names(std::vector<std::string> names) const {
  if (names.size() < inner_->classes)
    throw Error("there are " + std::to_string(names.size()) + " class names for " + std::to_string(inner_->classes) +
                " classes; name every class");
  if (names.size() > data::kMaxClasses)
    throw Error("there are " + std::to_string(names.size()) + " class names; at most " +
                std::to_string(data::kMaxClasses) + " classes are possible");
  auto copy = std::make_shared<data::Dataset>(*inner_);
  copy->classes = names.size();
  copy->class_names = std::move(names);
  return {std::move(copy), source_};
}

Dataset Dataset::with_feature_names(std::vector<std::string> names) const {
  if (names.size() != inner_->shape.size())
    throw Error("there are " + std::to_string(names.size()) + " feature names for " +
                std::to_string(inner_->shape.size()) + " features; name every feature");
  auto copy = std::make_shared<data::Dataset>(*inner_);
  copy->schema =
      data::schema_of_names(names, inner_->train.has_reals() ? data::CellValues::kReals : data::CellValues::kBytes);
  return {std::move(copy), source_};
}

Dataset Dataset::load(const Config& config, const std::string& folder) {
  data::DataSettings settings = config.inner().data;
  settings.root = folder;
  return {std::make_shared<data::Dataset>(data::load_dataset(settings)), settings.source};
}

Shape Dataset::shape() const {
  return inner_->shape;
}
std::size_t Dataset::classes() const {
  return inner_->classes;
}
std::size_t Dataset::train_count() const {
  return inner_->train.count();
}
std::size_t Dataset::test_count() const {
  return inner_->test.count();
}
const std::vector<std::string>& Dataset::class_names() const {
  return inner_->class_names;
}
std::vector<std::string> Dataset::feature_names() const {
  return inner_->schema ? data::feature_names(*inner_->schema) : std::vector<std::string>();
}

}  // namespace firn::api
