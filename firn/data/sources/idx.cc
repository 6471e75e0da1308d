#include "firn/data/sources/idx.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include "firn/base/error.h"
#include "firn/data/catalogue.h"
#include "firn/data/files.h"

namespace firn::data {
namespace {

constexpr std::size_t kIdxClasses = 10;
constexpr unsigned kUnsignedBytes = 0x08;  // the third byte of the magic number names the type of the values

std::size_t big_endian(std::string_view bytes, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// Images and labels of one part stay in memory while their examples are copied out.
struct Part {
  Examples examples;
  Shape shape;
};

Part read_part(const KnownSet& set, const std::filesystem::path& folder, const KnownFile& images_file,
               const KnownFile& labels_file) {
  const std::string images_path = (folder / images_file.name).string();
  const std::string labels_path = (folder / labels_file.name).string();
  const std::string image_bytes = read_plain_or_gz(images_path, set.advice);
  const std::string label_bytes = read_plain_or_gz(labels_path, set.advice);
  const IdxArray images = parse_idx(image_bytes, images_path);
  Examples examples = idx_examples(images, parse_idx(label_bytes, labels_path), kIdxClasses);
  return {std::move(examples), {1, images.sizes[1], images.sizes[2]}};
}

Dataset load(const KnownSet& set, const DataSettings& settings, std::vector<std::string> class_names) {
  const std::filesystem::path folder = locate(set, settings.root);
  Part train = read_part(set, folder, set.files[0], set.files[1]);
  Part test = read_part(set, folder, set.files[2], set.files[3]);
  if (train.shape != test.shape)
    throw Error(fmt::format("the training images in {} are {}x{} but the test images {}x{}; fetch both again",
                            folder.string(), train.shape.height, train.shape.width, test.shape.height,
                            test.shape.width));
  return {.name = std::string(set.name),
          .shape = train.shape,
          .classes = kIdxClasses,
          .class_names = std::move(class_names),
          .train = std::move(train.examples),
          .test = std::move(test.examples)};
}

}  // namespace

IdxArray parse_idx(std::string_view bytes, const std::string& name) {
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0 || bytes[3] < 1 || bytes[3] > 4)
    throw Error(fmt::format("{} does not start like an IDX file (wrong magic number); fetch it again", name));
  if (static_cast<unsigned char>(bytes[2]) != kUnsignedBytes)
    throw Error(fmt::format("{} holds values of IDX type 0x{:02x}; convert them to unsigned bytes (0x08)", name,
                            static_cast<unsigned char>(bytes[2])));
  const auto axes = static_cast<std::size_t>(bytes[3]);
  const std::size_t header = 4 + 4 * axes;
  if (bytes.size() < header) throw Error(fmt::format("{} ends within its header; fetch it again", name));
  IdxArray array{.name = name, .sizes = {}, .values = bytes.substr(header)};
  // Sizes come from the file: their product is compared with what is there before anything is allocated, and each
  // step is checked because four 32-bit sizes overflow 64 bits.
  std::size_t expected = 1;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::size_t size = big_endian(bytes, 4 + 4 * i);
    if (size == 0) throw Error(fmt::format("{} is empty along axis {}; fetch it again", name, i));
    array.sizes.push_back(size);
    if (__builtin_mul_overflow(expected, size, &expected)) expected = std::numeric_limits<std::size_t>::max();
  }
  if (expected != array.values.size())
    throw Error(fmt::format("{} has {} bytes of values, which is {} than its header promises; fetch it again", name,
                            array.values.size(), expected > array.values.size() ? "less" : "more"));
  return array;
}

Examples idx_examples(const IdxArray& images, const IdxArray& labels, std::size_t classes) {
  if (images.sizes.size() != 3)
    throw Error(
        fmt::format("{} has {} axes, but images have 3; is it an image file?", images.name, images.sizes.size()));
  if (labels.sizes.size() != 1)
    throw Error(
        fmt::format("{} has {} axes, but labels have 1; is it a label file?", labels.name, labels.sizes.size()));
  const std::size_t count = images.sizes[0], features = images.sizes[1] * images.sizes[2];
  if (count != labels.sizes[0])
    throw Error(fmt::format("{} has {} images but {} has {} labels; are they of the same set?", images.name, count,
                            labels.name, labels.sizes[0]));
  Matrix<std::uint8_t> bytes(count, features);
  std::vector<std::uint16_t> image_labels;
  image_labels.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto label = static_cast<unsigned char>(labels.values[i]);
    if (label >= classes)
      throw Error(fmt::format("{} has label {} at position {}, but labels are 0 to {}; fetch it again", labels.name,
                              label, i, classes - 1));
    image_labels.push_back(label);
    std::memcpy(bytes.row(i), images.values.data() + i * features, features);
  }
  return {.bytes = std::move(bytes), .reals = {}, .labels = std::move(image_labels)};
}

Dataset load_mnist(const DataSettings& settings) {
  return load(known_set("mnist"), settings, {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"});
}

Dataset load_fashion_mnist(const DataSettings& settings) {
  return load(
      known_set("fashion-mnist"), settings,
      {"T-shirt/top", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"});
}

}  // namespace firn::data
