#include "firn/api/dataset.h"

#include <algorithm>
#include <utility>

#include "firn/base/error.h"
#include "firn/data/source.h"
#include "firn/door/arrays.h"
#include "firn/study/config.h"

namespace firn::api {

Dataset Dataset::view(Samples samples, Labels labels, Shape shape) {
  data::DatasetArrays arrays{.shape = shape, .train = {door::values_of(samples), door::labels_of(labels)}};
  return Dataset(std::make_shared<data::Dataset>(data::make_dataset(arrays)));
}

Dataset& Dataset::with_test(Samples samples, Labels labels) {
  const data::ExampleArrays arrays{door::values_of(samples), door::labels_of(labels)};
  const data::Dataset test = data::make_dataset({.shape = inner_->shape, .train = arrays});
  if (test.train.has_reals() != inner_->train.has_reals())
    throw Error("training and test samples must both be bytes or both be floats");
  inner_ = std::make_shared<data::Dataset>(*inner_);  // copies of this keep what they have
  inner_->test = test.train;
  inner_->classes = std::max(inner_->classes, test.classes);
  return *this;
}

Dataset& Dataset::with_class_names(std::vector<std::string> names) {
  if (names.size() < inner_->classes)
    throw Error("there are " + std::to_string(names.size()) + " class names for " + std::to_string(inner_->classes) +
                " classes; name every class");
  inner_ = std::make_shared<data::Dataset>(*inner_);
  inner_->classes = names.size();
  inner_->class_names = std::move(names);
  return *this;
}

Dataset Dataset::load(const Config& config, const std::string& folder) {
  data::DataSettings settings = config.inner().data;
  settings.root = folder;
  return Dataset(std::make_shared<data::Dataset>(data::load_dataset(settings)));
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

}  // namespace firn::api
