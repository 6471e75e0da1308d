#include "firn/data/sources/npy_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/data/archive.h"
#include "firn/data/limits.h"

namespace firn::data {
namespace {

constexpr std::string_view kFileAdvice = "check data.file and data.test_file";
constexpr std::size_t kLargestArray = std::size_t{1} << 36;  // bytes

struct Names {
  const char *features, *labels;
};
constexpr std::array<Names, 4> kTraining = {{{"x_train", "y_train"}, {"X_train", "y_train"}, {"x", "y"}, {"X", "y"}}};
constexpr std::array<Names, 4> kTest = {{{"x_test", "y_test"}, {"X_test", "y_test"}, {"x", "y"}, {"X", "y"}}};
constexpr std::size_t kUnnamed = 2;  // from here on names do not say which set it is

std::string array_name(std::string_view entry) {
  return std::filesystem::path(entry).stem().string();
}

bool is_of_a_set(std::string_view entry) {
  const auto has = [name = array_name(entry)](const Names& names) {
    return name == names.features || name == names.labels;
  };
  return std::ranges::any_of(kTraining, has) || std::ranges::any_of(kTest, has);
}

}  // namespace

NpyFiles::NpyFiles(const std::filesystem::path& file, NpySet set) : file_(file) {
  if (file.extension() == ".npz")
    open_archive(set);
  else
    open_pair();
}

void NpyFiles::open_archive(NpySet set) {
  const std::string bytes = read_text(file_, kFileAdvice);
  read_archive(bytes, file_.string(), std::min(kLargestArray, bytes.size() * kDeflateRatio), is_of_a_set,
               [&](std::string_view entry, std::string contents) {
                 if (!arrays_.emplace(array_name(entry), std::move(contents)).second)
                   throw Error(fmt::format("{} has two arrays '{}'; save it again with one of them", file_.string(),
                                           array_name(entry)));
               });
  const std::span<const Names> choices = set == NpySet::kTraining ? kTraining : kTest;
  for (const Names& names : choices) {
    if (!arrays_.contains(names.features)) continue;
    features_ = names.features;
    labels_ = names.labels;
    return;
  }
  const Names& usual = choices.front();
  throw Error(fmt::format("{} has no array '{}'; save it with numpy.savez(file, {}=..., {}=...)", file_.string(),
                          usual.features, usual.features, usual.labels));
}

void NpyFiles::open_pair() {
  features_ = file_.string();
  arrays_[features_] = read_text(file_, kFileAdvice);
  const std::string name = file_.filename().string();
  if (!name.starts_with('x') && !name.starts_with('X')) return;
  const std::filesystem::path labels = file_.parent_path() / fmt::format("y{}", name.substr(1));
  labels_ = labels.string();
  if (std::filesystem::exists(labels)) arrays_[labels_] = read_text(labels, kFileAdvice);
}

NpyArray NpyFiles::array(const std::string& name) const {
  return parse_npy(arrays_.at(name), is_archive() ? fmt::format("{} in {}", name, file_.string()) : name);
}

NpyArray NpyFiles::features() const {
  return array(features_);
}

std::optional<NpyArray> NpyFiles::labels() const {
  if (!arrays_.contains(labels_)) return std::nullopt;
  return array(labels_);
}

NpyPart NpyFiles::part(const std::string& features, const std::string& labels) const {
  if (labels.empty())
    throw Error(
        fmt::format("{} does not start with x, so its labels cannot be found; name the files x_train.npy and "
                    "y_train.npy, or use one .npz",
                    file_.string()));
  if (!arrays_.contains(labels) && !is_archive())
    throw Error(fmt::format("{} does not exist; put the labels there, one integer for each example", labels));
  if (!arrays_.contains(labels))
    throw Error(fmt::format("{} has no array '{}'; save it with numpy.savez(file, {}=..., {}=...)", file_.string(),
                            labels, features, labels));
  return {array(features), array(labels)};
}

NpyPart NpyFiles::part() const {
  return part(features_, labels_);
}

std::optional<NpyPart> NpyFiles::test() const {
  for (std::size_t i = 0; i < kUnnamed; ++i)
    if (kTest[i].features != features_ && arrays_.contains(kTest[i].features))
      return part(kTest[i].features, kTest[i].labels);
  return std::nullopt;
}

}  // namespace firn::data
