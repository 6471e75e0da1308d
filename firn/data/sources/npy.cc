#include "firn/data/sources/npy.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "firn/base/error.h"
#include "firn/data/class_numbers.h"
#include "firn/data/files.h"
#include "firn/data/sources/npy_files.h"
#include "firn/data/sources/npy_layout.h"

namespace firn::data {
namespace {

enum class Values { kBits, kBytes, kReals };

constexpr double kExact = 1 << 24;  // floats hold every integer up to here

// What the values of an array could be.
struct Facts {
  bool bits = true, bytes = true;
};

Facts inspect(const NpyArray& array) {
  const bool image = array.sizes.size() > 2, is_u1 = array.kind == 'u' && array.item_size == 1;
  Facts facts{.bits = true, .bytes = is_u1 || (array.kind != 'f' && image)};
  const std::size_t items = array.values.size() / array.item_size;
  for (std::size_t i = 0; i < items && (facts.bits || (facts.bytes && !is_u1)); ++i) {
    const double value = array.at(i);
    facts.bits = facts.bits && (value == 0 || value == 1);
    facts.bytes = facts.bytes && value >= 0 && value <= 255;
  }
  return facts;
}

float to_real(double value, const NpyArray& array) {
  if (!(std::abs(value) <= std::numeric_limits<float>::max()))
    throw Error(
        fmt::format("{} has a value that is not finite or too large; remove it with numpy.nan_to_num", array.name));
  if (array.kind != 'f' && std::abs(value) > kExact)
    throw Error(
        fmt::format("{} has the value {:.0f}, but integers beyond {:.0f} lose digits as 32-bit floats; scale "
                    "them down",
                    array.name, value, kExact));
  return static_cast<float>(value);
}

std::uint8_t to_byte(double value, const NpyArray& array) {
  if (!(value >= 0 && value <= 255 && value == std::floor(value)))
    throw Error(
        fmt::format("{} has the value {}, but bytes are whole numbers from 0 to 255; scale the values as those that "
                    "were trained on",
                    array.name, value));
  return static_cast<std::uint8_t>(value);
}

std::uint8_t to_bit(double value, const NpyArray& array) {
  if (value != 0 && value != 1)
    throw Error(fmt::format("{} has the value {}, but the training values are 0 and 1", array.name, value));
  return value != 0 ? 255 : 0;
}

Examples read_samples(const NpyArray& array, const NpyLayout& layout, Values values) {
  const std::size_t count = array.sizes[0], features = layout.offsets.size();
  const bool real = values == Values::kReals;
  Matrix<float> reals(real ? count : 0, features);
  Matrix<std::uint8_t> bytes(real ? 0 : count, features);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t f = 0; f < features; ++f) {
      const double value = array.at(i * layout.example_stride + layout.offsets[f]);
      if (real)
        reals[i][f] = to_real(value, array);
      else
        bytes[i][f] = values == Values::kBits ? to_bit(value, array) : to_byte(value, array);
    }
  Examples examples;
  examples.reals = std::move(reals);
  examples.bytes = std::move(bytes);
  return examples;
}

std::vector<std::int64_t> read_labels(const NpyPart& part) {
  std::vector<std::int64_t> labels = labels_from_npy(part.labels);
  if (labels.size() != part.features.sizes[0])
    throw Error(fmt::format("{} has {} examples but {} has {} labels; are they of the same set?", part.features.name,
                            part.features.sizes[0], part.labels.name, labels.size()));
  return labels;
}

std::string text_of(const Shape& shape) {
  if (shape.height == 1 && shape.width == 1) return fmt::format("{} features", shape.channels);
  return fmt::format("{} x {} pixels in {} channel{}", shape.height, shape.width, shape.channels,
                     shape.channels == 1 ? "" : "s");
}

void check_shape(const NpyArray& array, const Shape& shape, const std::string& others, const Shape& expected) {
  if (shape != expected)
    throw Error(fmt::format("{} has examples of {}, but {} of {}; both must agree", array.name, text_of(shape), others,
                            text_of(expected)));
}

Values common_values(const NpyArray& train, const NpyArray* test) {
  Facts facts = inspect(train);
  if (test != nullptr) {
    const Facts other = inspect(*test);
    facts = {.bits = facts.bits && other.bits, .bytes = facts.bytes && other.bytes};
    if (!facts.bits && (train.kind == 'f') != (test->kind == 'f'))
      throw Error(
          fmt::format("one of {} and {} has floats, the other integers; save both alike", train.name, test->name));
  }
  return facts.bits ? Values::kBits : facts.bytes ? Values::kBytes : Values::kReals;
}

}  // namespace

std::vector<std::int64_t> labels_from_npy(const NpyArray& array) {
  constexpr double kLargest = 0x1p53;
  if (array.kind == 'f')
    throw Error(fmt::format("{} has labels that are not integers; convert them with astype('int64')", array.name));
  const std::size_t count = array.values.size() / array.item_size;
  if (count != array.sizes[0])
    throw Error(fmt::format("{} has {} values for {} examples; labels are one class number each", array.name, count,
                            array.sizes[0]));
  std::vector<std::int64_t> labels(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double label = array.at(i);
    if (std::abs(label) > kLargest)
      throw Error(
          fmt::format("{} has label {} at position {}, which is too large to be a class", array.name, label, i));
    labels[i] = static_cast<std::int64_t>(label);
  }
  return labels;
}

Examples samples_from_npy(const NpyArray& array, const std::string& layout, const NpySamples& expected) {
  const NpyLayout found = npy_layout(array, layout, expected.shape);
  check_shape(array, found.shape, "the model is for samples", expected.shape);
  return read_samples(array, found, expected.reals ? Values::kReals : expected.bits ? Values::kBits : Values::kBytes);
}

Dataset dataset_from_npy(const NpyPart& train, const NpyPart* test, const std::string& layout) {
  const NpyLayout train_layout = npy_layout(train.features, layout);
  Dataset dataset;
  dataset.name = train.features.name;
  dataset.shape = train_layout.shape;
  std::optional<NpyLayout> test_layout;
  if (test != nullptr) {
    test_layout = npy_layout(test->features, layout);
    check_shape(test->features, test_layout->shape, train.features.name, dataset.shape);
  }
  const Values values = common_values(train.features, test != nullptr ? &test->features : nullptr);
  const std::vector<std::int64_t> labels = read_labels(train);
  dataset.train = read_samples(train.features, train_layout, values);
  if (test != nullptr) dataset.test = read_samples(test->features, *test_layout, values);
  assign_classes(dataset, labels, test != nullptr ? read_labels(*test) : std::vector<std::int64_t>{},
                 train.labels.name);
  return dataset;
}

Dataset load_npy(const DataSettings& settings) {
  if (settings.file.empty()) throw Error("the source npy needs a file; set data.file to a .npz or .npy");
  const std::filesystem::path path = find_input(settings.file, settings.root);
  const NpyFiles train(path, NpySet::kTraining);
  std::optional<NpyPart> test = train.test();
  if (test && !settings.test_file.empty())
    throw Error(
        fmt::format("{} holds a test set of its own; remove data.test_file, or x_test and y_test", path.string()));
  std::optional<NpyFiles> test_files;
  if (!settings.test_file.empty()) {
    test_files.emplace(find_input(settings.test_file, settings.root), NpySet::kTest);
    test = test_files->part();
  }
  Dataset dataset = dataset_from_npy(train.part(), test ? &*test : nullptr, settings.layout);
  if (dataset.classes < 2)
    throw Error(fmt::format("{} has only one class; a classifier needs at least two", path.string()));
  dataset.name = path.stem().string();
  return dataset;
}

}  // namespace firn::data
