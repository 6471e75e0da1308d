#include "firn/data/sources/cifar.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <span>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/data/catalogue.h"

namespace firn::data {
namespace {

constexpr std::size_t kClasses = 10;

Examples read_batches(const KnownSet& set, const std::filesystem::path& folder, std::span<const KnownFile> files) {
  Matrix<std::uint8_t> images(files.size() * kCifarBatch, kCifarPixels);
  std::vector<std::uint16_t> labels(images.rows());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::filesystem::path path = folder / files[i].name;
    const std::string bytes = read_text(path, set.advice);
    if (bytes.size() != kCifarBatch * kCifarRecord)
      throw Error(fmt::format("{} has {} bytes instead of {}; it is cut or not a CIFAR-10 batch, so fetch it again",
                              path.string(), bytes.size(), kCifarBatch * kCifarRecord));
    parse_cifar_batch(bytes, path.string(), images, labels, i * kCifarBatch);
  }
  return {.bytes = std::move(images), .reals = {}, .labels = std::move(labels)};
}

}  // namespace

std::size_t parse_cifar_batch(std::string_view bytes, const std::string& name, Matrix<std::uint8_t>& images,
                              std::span<std::uint16_t> labels, std::size_t first) {
  if (bytes.empty() || bytes.size() % kCifarRecord != 0)
    throw Error(fmt::format("{} has {} bytes, which is not a whole number of {}-byte records; fetch it again", name,
                            bytes.size(), kCifarRecord));
  const std::size_t count = bytes.size() / kCifarRecord;
  FIRN_CHECK(first + count <= images.rows() && first + count <= labels.size());
  for (std::size_t i = 0; i < count; ++i) {
    const char* record = bytes.data() + i * kCifarRecord;
    const auto label = static_cast<unsigned char>(record[0]);
    if (label >= kClasses)
      throw Error(fmt::format("{} has label {} at record {}, but CIFAR-10's labels are 0 to 9; fetch it again", name,
                              label, i));
    labels[first + i] = label;
    std::memcpy(images.row(first + i), record + 1, kCifarPixels);
  }
  return count;
}

Dataset load_cifar10(const DataSettings& settings) {
  const KnownSet& set = known_set("cifar10");
  const std::filesystem::path folder = locate(set, settings.root);
  return {.name = std::string(set.name),
          .shape = {3, 32, 32},
          .classes = kClasses,
          .class_names = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"},
          .train = read_batches(set, folder, set.files.first(5)),
          .test = read_batches(set, folder, set.files.last(1))};
}

}  // namespace firn::data
