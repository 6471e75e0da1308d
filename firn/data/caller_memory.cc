#include "firn/data/caller_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "firn/base/error.h"
#include "firn/data/limits.h"

namespace firn::data {
namespace {

template <class Array>
std::size_t size_of(const Array& array) {
  return std::visit([](const auto& elements) { return elements.size(); }, array);
}

void check_shape(const Shape& shape) {
  if (shape.channels == 0 || shape.height == 0 || shape.width == 0)
    throw Error(fmt::format("examples of shape {}x{}x{} hold no values; every size must be at least 1", shape.channels,
                            shape.height, shape.width));
  constexpr std::size_t kMost = std::size_t{1} << 26;  // features of an example
  if (shape.channels > kMost || shape.height > kMost / shape.channels ||
      shape.width > kMost / (shape.channels * shape.height))
    throw Error(fmt::format("examples of shape {}x{}x{} are too large; check the shape", shape.channels, shape.height,
                            shape.width));
}

void check_values(std::span<const std::uint8_t>, const Shape&, const std::string&) {}  // every byte is a value

void check_values(std::span<const float> values, const Shape& shape, const std::string& set) {
  const auto bad = std::ranges::find_if_not(values, [](float v) { return std::isfinite(v); });
  if (bad == values.end()) return;
  const auto place = static_cast<std::size_t>(bad - values.begin());
  throw Error(fmt::format("{}: feature {} of example {} is {}; remove the example or give it a finite value", set,
                          place % shape.size(), place / shape.size(), *bad));
}

MatrixView<std::uint8_t>& rows_of(Examples& examples, std::uint8_t) {
  return examples.bytes;
}
MatrixView<float>& rows_of(Examples& examples, float) {
  return examples.reals;
}

// `set` names the values in messages.
Examples view(const ValueArray& values, const Shape& shape, const std::string& set) {
  const std::size_t features = shape.size(), count = size_of(values) / features;
  if (size_of(values) % features != 0)
    throw Error(fmt::format("{}: {} values are not a whole number of examples of {}x{}x{}; check the shape", set,
                            size_of(values), shape.channels, shape.height, shape.width));
  if (count > std::numeric_limits<std::uint32_t>::max())
    throw Error(fmt::format("{}: {} examples are more than can be numbered; use fewer", set, count));
  Examples examples;
  std::visit(
      [&]<class T>(std::span<const T> elements) {
        check_values(elements, shape, set);
        rows_of(examples, T{}) = MatrixView<T>::borrow(elements.data(), count, features);
      },
      values);
  return examples;
}

// Refuses labels that are not below `classes`.
std::vector<std::uint16_t> copy_labels(const LabelArray& labels, std::size_t classes, const std::string& set) {
  std::vector<std::uint16_t> copied;
  copied.reserve(size_of(labels));
  std::visit(
      [&](const auto& elements) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(elements)>, std::span<const float>>)
          for (const auto label : elements) {
            if (std::cmp_less(label, 0) || std::cmp_greater_equal(label, classes))
              throw Error(fmt::format("{}: example {} has the label {}, but labels are 0 to {}", set, copied.size(),
                                      label, classes - 1));
            copied.push_back(static_cast<std::uint16_t>(label));
          }
      },
      labels);
  return copied;
}

std::vector<float> copy_targets(std::span<const float> targets, const std::string& set) {
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (!std::isfinite(targets[i]))
      throw Error(fmt::format("{}: the value of example {} is not finite; remove the example", set, i));
  return {targets.begin(), targets.end()};
}

Examples labelled(const ExampleArrays& arrays, const Shape& shape, std::size_t classes, const std::string& set) {
  Examples examples = view(arrays.values, shape, set);
  const auto* targets = std::get_if<std::span<const float>>(&arrays.labels);
  if (targets != nullptr)
    examples.targets = copy_targets(*targets, set);
  else
    examples.labels = copy_labels(arrays.labels, classes, set);
  if (size_of(arrays.labels) != examples.count())
    throw Error(fmt::format("{}: there are {} examples of {}x{}x{} but {} labels; give one label per example", set,
                            examples.count(), shape.channels, shape.height, shape.width, size_of(arrays.labels)));
  return examples;
}

std::size_t classes_in(const Dataset& dataset) {
  std::size_t classes = 0;
  for (const Examples* part : {&dataset.train, &dataset.test})
    for (const std::uint16_t label : part->labels) classes = std::max<std::size_t>(classes, label + 1u);
  return classes;
}

}  // namespace

Dataset make_dataset(const DatasetArrays& arrays) {
  check_shape(arrays.shape);
  const std::string& name = arrays.name;
  if (size_of(arrays.train.values) == 0)
    throw Error(fmt::format("{} has no training examples; give at least one", name));
  if (size_of(arrays.test.values) != 0 && arrays.test.values.index() != arrays.train.values.index())
    throw Error(fmt::format("{} has bytes in one set and floats in the other; convert one of them", name));
  if (arrays.classes > kMaxClasses)
    throw Error(fmt::format("{} has {} classes; at most {} are possible", name, arrays.classes, kMaxClasses));

  const std::size_t limit = arrays.classes == 0 ? kMaxClasses : arrays.classes;
  Dataset dataset{.name = name,
                  .shape = arrays.shape,
                  .classes = arrays.classes,
                  .class_names = arrays.class_names,
                  .train = labelled(arrays.train, arrays.shape, limit, name + ", training set"),
                  .test = labelled(arrays.test, arrays.shape, limit, name + ", test set")};
  if (!dataset.train.targets.empty()) {
    dataset.classes = 0;
    return dataset;
  }
  if (dataset.classes == 0) dataset.classes = classes_in(dataset);
  if (dataset.classes < 2) throw Error(fmt::format("{} has only one class; a classifier needs at least two", name));
  if (!dataset.class_names.empty() && dataset.class_names.size() != dataset.classes)
    throw Error(fmt::format("{} has {} classes but {} class names; give one name per class or none", name,
                            dataset.classes, dataset.class_names.size()));
  return dataset;
}

Examples make_examples(const ValueArray& values, const Shape& shape) {
  check_shape(shape);
  return view(values, shape, "the examples");
}

}  // namespace firn::data
