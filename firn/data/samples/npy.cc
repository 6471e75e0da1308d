#include "firn/data/samples/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "firn/base/error.h"
#include "firn/data/sources/npy.h"
#include "firn/data/sources/npy_files.h"

namespace firn::data {
namespace {

bool has_ones_but_no_more(const NpyArray& array) {
  bool ones = false;
  for (std::size_t i = 0; i < array.values.size() / array.item_size; ++i) {
    const double value = array.at(i);
    if (value != 0 && value != 1) return false;
    ones = ones || value == 1;
  }
  return ones;
}

// An array has positions only. That is enough for numbers, but the features of a category mean nothing to its author.
void refuse_categories(const std::string& path, const SampleNeeds& needs) {
  if (needs.schema == nullptr) return;
  for (const SchemaColumn& column : needs.schema->columns)
    if (column.kind == ColumnKind::kCategorical)
      throw Error(fmt::format("{} is an array, but column '{}' of the model's table is one of categories; give a table",
                              path, column.name));
}

// Whether 1 stands for a bit that is set, which is the byte 255, and not for the byte 1.
bool means_bits(const NpyArray& array, const SampleNeeds& needs) {
  if (needs.reals) return false;
  if (array.kind == 'b' || needs.bits) return true;
  if (has_ones_but_no_more(array))
    throw Error(
        fmt::format("{} holds only 0 and 1, which could be bits or nearly black bytes; save bits with astype(bool), or "
                    "scale bytes to 0 to 255",
                    array.name));
  return false;
}

std::vector<std::uint16_t> classes_of(const NpyArray& array, const SampleNeeds& needs) {
  std::vector<std::uint16_t> classes;
  for (const std::int64_t label : labels_from_npy(array)) {
    std::size_t number = needs.classes;
    if (needs.class_names.empty()) {
      if (label >= 0 && static_cast<std::uint64_t>(label) < needs.classes) number = static_cast<std::size_t>(label);
    } else {
      number = static_cast<std::size_t>(std::ranges::find(needs.class_names, std::to_string(label)) -
                                        needs.class_names.begin());
    }
    if (number >= needs.classes)
      throw Error(fmt::format("{} has the label {}, which is no class of the model", array.name, label));
    classes.push_back(static_cast<std::uint16_t>(number));
  }
  return classes;
}

}  // namespace

bool is_npy_path(const std::string& path) {
  const std::filesystem::path extension = std::filesystem::path(path).extension();
  return extension == ".npy" || extension == ".npz";
}

SampleFile read_npy_samples(const std::string& path, const SampleNeeds& needs) {
  refuse_categories(path, needs);
  const NpyFiles files(path, NpySet::kTest);
  const NpyArray array = files.features();
  SampleFile found;
  found.examples = samples_from_npy(array, needs.layout,
                                    {.shape = needs.shape, .reals = needs.reals, .bits = means_bits(array, needs)});
  if (const std::optional<NpyArray> labels = files.labels()) {
    found.examples.labels = classes_of(*labels, needs);
    if (found.examples.labels.size() != found.examples.count())
      throw Error(fmt::format("{} has {} samples but {} has {} labels; are they of the same set?", array.name,
                              found.examples.count(), labels->name, found.examples.labels.size()));
  }
  return found;
}

}  // namespace firn::data
