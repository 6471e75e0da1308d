#include "firn/data/sources/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/data/archive.h"
#include "firn/data/files.h"
#include "firn/data/limits.h"

namespace firn::data {
namespace {

constexpr std::string_view kAdvice = "check data.file and data.test_file";
constexpr std::size_t kLargestArray = std::size_t{1} << 36;  // bytes

// Where the features of an example are, in items from the example's first item, in the order of Shape.
struct Layout {
  Shape shape;
  std::size_t example_stride = 1;
  std::vector<std::size_t> offsets;  // [feature]
};

Layout layout_of(const NpyArray& array) {
  const std::vector<std::size_t>& sizes = array.sizes;
  std::vector<std::size_t> strides(sizes.size(), 1);
  if (array.fortran_order) {
    for (std::size_t i = 1; i < sizes.size(); ++i) strides[i] = strides[i - 1] * sizes[i - 1];
  } else {
    for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  }
  Layout layout{.shape = {1, 1, 1}, .example_stride = strides[0], .offsets = {}};
  std::size_t c_stride = 0, y_stride = 0, x_stride = 0;
  const auto take = [&](std::size_t axis, std::size_t& size, std::size_t& stride) {
    size = sizes[axis];
    stride = strides[axis];
  };
  if (sizes.size() == 2) take(1, layout.shape.channels, c_stride);
  if (sizes.size() == 3) {
    take(1, layout.shape.height, y_stride);
    take(2, layout.shape.width, x_stride);
  }
  if (sizes.size() == 4) {
    const bool channels_last = sizes[1] > 4 && (sizes[3] == 1 || sizes[3] == 3 || sizes[3] == 4);
    take(channels_last ? 3 : 1, layout.shape.channels, c_stride);
    take(channels_last ? 1 : 2, layout.shape.height, y_stride);
    take(channels_last ? 2 : 3, layout.shape.width, x_stride);
  }
  for (std::size_t c = 0; c < layout.shape.channels; ++c)
    for (std::size_t y = 0; y < layout.shape.height; ++y)
      for (std::size_t x = 0; x < layout.shape.width; ++x)
        layout.offsets.push_back(c * c_stride + y * y_stride + x * x_stride);
  return layout;
}

enum class Values { kBinary, kBytes, kReals };

bool only_zeros_and_ones(const NpyArray& array) {
  const std::size_t items = array.values.size() / array.item_size;
  for (std::size_t i = 0; i < items; ++i)
    if (const double value = array.at(i); value != 0 && value != 1) return false;
  return true;
}

float finite(double value, const NpyArray& array) {
  if (!(std::abs(value) <= std::numeric_limits<float>::max()))
    throw Error(
        fmt::format("{} has a value that is not finite or too large; remove it with numpy.nan_to_num", array.name));
  return static_cast<float>(value);
}

std::vector<std::uint16_t> read_labels(const NpyArray& array) {
  if (array.kind == 'f')
    throw Error(fmt::format("{} has labels that are not integers; convert them with astype('int64')", array.name));
  const std::size_t count = array.values.size() / array.item_size;
  if (count != array.sizes[0])
    throw Error(fmt::format("{} has {} values for {} examples; labels are one class number each", array.name, count,
                            array.sizes[0]));
  std::vector<std::uint16_t> labels(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double label = array.at(i);
    if (!(label >= 0 && label < static_cast<double>(kMaxClasses)))
      throw Error(
          fmt::format("{} has label {} at position {}; labels are 0 to {}", array.name, label, i, kMaxClasses - 1));
    labels[i] = static_cast<std::uint16_t>(label);
  }
  return labels;
}

Examples read_examples(const NpyPart& part, Values values) {
  const Layout layout = layout_of(part.features);
  const std::size_t count = part.features.sizes[0], features = layout.offsets.size();
  Examples examples;
  examples.labels = read_labels(part.labels);
  if (examples.labels.size() != count)
    throw Error(fmt::format("{} has {} examples but {} has {} labels; are they of the same set?", part.features.name,
                            count, part.labels.name, examples.labels.size()));
  const bool real = values == Values::kReals;
  Matrix<float> reals(real ? count : 0, features);
  Matrix<std::uint8_t> bytes(real ? 0 : count, features);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t f = 0; f < features; ++f) {
      const double value = part.features.at(i * layout.example_stride + layout.offsets[f]);
      if (real) {
        reals[i][f] = finite(value, part.features);
      } else {
        bytes[i][f] = static_cast<std::uint8_t>(values == Values::kBinary ? 255 * value : value);
      }
    }
  examples.reals = std::move(reals);
  examples.bytes = std::move(bytes);
  return examples;
}

Dataset load_archive(const std::filesystem::path& path) {
  std::map<std::string, std::string, std::less<>> arrays;  // by name without .npy
  read_archive(
      read_text(path, kAdvice), path.string(), kLargestArray, [](std::string_view) { return true; },
      [&](std::string_view entry, std::string contents) {
        arrays[std::filesystem::path(entry).stem().string()] = std::move(contents);
      });
  const auto array = [&](const char* name) {
    const auto found = arrays.find(name);
    if (found == arrays.end())
      throw Error(fmt::format("{} has no array '{}'; save it with numpy.savez(file, x_train=..., y_train=...)",
                              path.string(), name));
    return parse_npy(found->second, fmt::format("{} in {}", name, path.string()));
  };
  const NpyPart train{array("x_train"), array("y_train")};
  if (!arrays.contains("x_test")) return dataset_from_npy(train, nullptr);
  const NpyPart test{array("x_test"), array("y_test")};
  return dataset_from_npy(train, &test);
}

// The files x*.npy and y*.npy of one part, kept in memory while their arrays are in use.
class Pair {
 public:
  explicit Pair(const std::filesystem::path& features) {
    const std::string name = features.filename().string();
    if (!name.starts_with('x'))
      throw Error(
          fmt::format("{} does not start with x, so its labels cannot be found; name the files x_train.npy and "
                      "y_train.npy, or use one .npz",
                      features.string()));
    const std::filesystem::path labels = features.parent_path() / fmt::format("y{}", name.substr(1));
    feature_bytes_ = read_text(features, kAdvice);
    label_bytes_ = read_text(labels, "put the labels there, one class number for each example");
    part_ = {parse_npy(feature_bytes_, features.string()), parse_npy(label_bytes_, labels.string())};
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  const NpyPart& part() const { return part_; }

 private:
  std::string feature_bytes_, label_bytes_;
  NpyPart part_;  // points into the bytes
};

Dataset load_pairs(const std::filesystem::path& path, const DataSettings& settings) {
  const Pair train(path);
  if (settings.test_file.empty()) return dataset_from_npy(train.part(), nullptr);
  const Pair test(find_input(settings.test_file, settings.root));
  return dataset_from_npy(train.part(), &test.part());
}

}  // namespace

Dataset dataset_from_npy(const NpyPart& train, const NpyPart* test) {
  const NpyArray& x = train.features;
  Dataset dataset;
  dataset.name = x.name;
  dataset.shape = layout_of(x).shape;
  bool binary = only_zeros_and_ones(x);
  if (test != nullptr) {
    const NpyArray& other = test->features;
    if (layout_of(other).shape != dataset.shape || other.kind != x.kind || other.item_size != x.item_size)
      throw Error(
          fmt::format("{} and {} have examples of different shape or type; save both alike", x.name, other.name));
    binary = binary && only_zeros_and_ones(other);
  }
  const bool bytes = x.kind == 'u' && x.item_size == 1;
  const Values values = binary ? Values::kBinary : bytes ? Values::kBytes : Values::kReals;
  dataset.train = read_examples(train, values);
  if (test != nullptr) dataset.test = read_examples(*test, values);
  for (const Examples* part : {&dataset.train, &dataset.test})
    for (std::uint16_t label : part->labels) dataset.classes = std::max<std::size_t>(dataset.classes, label + 1u);
  return dataset;
}

Dataset load_npy(const DataSettings& settings) {
  if (settings.file.empty()) throw Error("the source npy needs a file; set data.file to a .npz or .npy");
  const std::filesystem::path path = find_input(settings.file, settings.root);
  const bool archive = path.extension() == ".npz";
  if (archive && !settings.test_file.empty())
    throw Error(fmt::format("{} holds its own test set; put x_test and y_test into it and remove data.test_file",
                            path.string()));
  Dataset dataset = archive ? load_archive(path) : load_pairs(path, settings);
  dataset.name = path.stem().string();
  return dataset;
}

}  // namespace firn::data
