#include "firn/data/source.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/data/crop.h"
#include "firn/data/sources/cifar.h"
#include "firn/data/sources/csv.h"
#include "firn/data/sources/idx.h"
#include "firn/data/sources/images.h"
#include "firn/data/sources/npy.h"
#include "firn/data/sources/synthetic.h"
#include "firn/data/sources/table.h"

namespace firn::data {
namespace {

[[noreturn]] Dataset refuse_memory(const DataSettings&) {
  throw Error(
      "the examples were in the memory of the program that trained; choose another data.source to read some from");
}

constexpr std::array<Source, 11> kSources = {{
    {"cifar10", "CIFAR-10: 32x32 colour photographs, 10 classes", load_cifar10, true},
    {"mnist", "MNIST: 28x28 handwritten digits, 10 classes", load_mnist, true},
    {"fashion-mnist", "Fashion-MNIST: 28x28 pieces of clothing, 10 classes", load_fashion_mnist, true},
    {"csv", "your comma-separated file with a label column", load_csv},
    {"table", "your blank-separated file with a label column, such as MONK's", load_table},
    {"npy", "your NumPy arrays, as .npz or as a pair of .npy", load_npy},
    {"images", "your folder of PNG images, a subfolder for each class", load_images},
    {"parity", "synthetic: is the number of ones odd?", load_parity, true},
    {"majority", "synthetic: are there more ones than zeros?", load_majority, true},
    {"teacher", "synthetic: what a random circuit of two-input gates says", load_teacher, true},
    {"memory", "arrays that a program hands to the library", refuse_memory},
}};

}  // namespace

std::span<const Source> sources() {
  return kSources;
}

Dataset load_dataset(const DataSettings& settings) {
  DataSettings resolved = settings;
  resolved.root = resolve_data_root(settings.root, nullptr);
  Dataset dataset = entry_named(settings.source, kSources, "data source").load(resolved);
  for (const Examples* part : {&dataset.train, &dataset.test})
    if (part->count() > std::numeric_limits<std::uint32_t>::max())
      throw Error(fmt::format("{} has {} examples, more than can be numbered; use fewer", dataset.name, part->count()));
  if (settings.task == "regression" && dataset.train.targets.empty())
    throw Error(fmt::format("the source {} has classes only; data.task = \"regression\" is for csv and table",
                            settings.source));
  if (settings.crop != 0) crop_centre(dataset, settings.crop);
  return dataset;
}

std::string resolve_data_root(std::string_view option, const char* environment) {
  if (!option.empty()) return std::string(option);
  if (environment != nullptr && *environment != '\0') return environment;
  return "data";
}

}  // namespace firn::data
