#include "firn/data/samples/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/printable.h"
#include "firn/data/rows.h"
#include "firn/data/sources/images.h"

namespace firn::data {
namespace {

namespace fs = std::filesystem;

std::uint16_t label_of(const ImageFile& file, const SampleNeeds& needs) {
  if (file.folder.empty()) return kNoLabel;
  const auto found = std::ranges::find(needs.class_names, printable(file.folder));
  if (found == needs.class_names.end())
    throw Error(
        fmt::format("{} is in a folder \"{}\", which is no class of the model; put images without a label "
                    "directly into the folder that you name",
                    file.path.string(), printable(file.folder)));
  return static_cast<std::uint16_t>(found - needs.class_names.begin());
}

}  // namespace

bool is_image_path(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return extension == ".png" || fs::is_directory(path);
}

SampleFile read_image_samples(const std::string& path, const SampleNeeds& needs) {
  if (needs.reals)
    throw Error(
        fmt::format("{} is an image of bytes, but the model takes real numbers; convert it as the training data "
                    "were",
                    path));
  const std::vector<ImageFile> files =
      fs::is_directory(path) ? list_images(path) : std::vector<ImageFile>{{.path = path, .folder = ""}};
  if (files.empty()) throw Error(fmt::format("{} has no PNG images", path));
  SampleFile found;
  found.examples = read_images(files, &needs.shape);
  for (const ImageFile& file : files)
    found.ids.push_back(fs::is_directory(path) ? file.path.lexically_relative(path).string() : path);
  if (std::ranges::any_of(files, [](const ImageFile& file) { return !file.folder.empty(); }))
    for (const ImageFile& file : files) found.examples.labels.push_back(label_of(file, needs));
  return found;
}

}  // namespace firn::data
