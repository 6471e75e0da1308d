#include "firn/data/sources/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/printable.h"
#include "firn/data/files.h"
#include "firn/data/limits.h"
#include "firn/data/png_file.h"

namespace firn::data {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAdvice = "check data.file and data.test_file";
constexpr std::array<std::string_view, 9> kOtherFormats = {".jpg",  ".jpeg", ".bmp", ".gif", ".tif",
                                                           ".tiff", ".webp", ".ppm", ".pgm"};

std::string extension_of(const fs::path& file) {
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return extension;
}

bool is_hidden(const fs::path& path) {
  return path.filename().string().starts_with('.');
}

// Folders list their entries in any order; names are the same everywhere.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
    if (!is_hidden(entry->path())) entries.push_back(entry->path());
  if (failed) throw Error(fmt::format("{} cannot be listed ({}); {}", folder.string(), failed.message(), kAdvice));
  std::ranges::sort(entries, {}, [](const fs::path& path) { return path.filename().string(); });
  return entries;
}

bool is_png(const fs::path& file) {
  const std::string extension = extension_of(file);
  if (std::ranges::find(kOtherFormats, extension) != kOtherFormats.end())
    throw Error(fmt::format("{} is not a PNG; convert the images to PNG, the one format that is read", file.string()));
  return extension == ".png";
}

std::vector<std::string> folders_of(const std::vector<ImageFile>& files) {
  std::set<std::string> names;
  for (const ImageFile& file : files) names.insert(file.folder);
  return {names.begin(), names.end()};
}

std::vector<std::uint16_t> labels_of(const std::vector<ImageFile>& files, const std::vector<std::string>& classes) {
  std::vector<std::uint16_t> labels;
  for (const ImageFile& file : files) {
    const auto found = std::ranges::lower_bound(classes, file.folder);
    if (found == classes.end() || *found != file.folder)
      throw Error(
          fmt::format("{} is in a class \"{}\", which the training images do not have; its folder must be named "
                      "like one of theirs",
                      file.path.string(), printable(file.folder)));
    labels.push_back(static_cast<std::uint16_t>(found - classes.begin()));
  }
  return labels;
}

std::vector<ImageFile> list_classes(const fs::path& folder) {
  std::vector<ImageFile> files = list_images(folder);
  if (files.empty())
    throw Error(fmt::format("{} has no PNG images in subfolders; put those of each class into a folder of its own",
                            folder.string()));
  if (files.front().folder.empty())
    throw Error(fmt::format("{} is in no class; put it into a subfolder of {} named after its class",
                            files.front().path.string(), folder.string()));
  return files;
}

}  // namespace

std::vector<ImageFile> list_images(const fs::path& folder) {
  if (!fs::is_directory(folder)) throw Error(fmt::format("{} is not a folder of images; {}", folder.string(), kAdvice));
  std::vector<ImageFile> files, nested;
  for (const fs::path& entry : entries_of(folder)) {
    if (!fs::is_directory(entry)) {
      if (is_png(entry)) files.push_back({entry, ""});
      continue;
    }
    for (const fs::path& inner : entries_of(entry)) {
      if (fs::is_directory(inner))
        throw Error(fmt::format(
            "{} is a folder within the folder of a class; name the folder above the classes, such as {}, and "
            "put the images of a class into one folder",
            inner.string(), entry.string()));
      if (is_png(inner)) nested.push_back({inner, entry.filename().string()});
    }
  }
  files.insert(files.end(), nested.begin(), nested.end());
  return files;
}

Shape image_shape(const ImageFile& file) {
  return read_png(read_text(file.path, kAdvice), file.path.string()).shape;
}

Examples read_images(const std::vector<ImageFile>& files, const Shape* expected) {
  const auto text = [](const Shape& s) {
    return fmt::format("{} x {} pixels in {} channel{}", s.height, s.width, s.channels, s.channels == 1 ? "" : "s");
  };
  FIRN_CHECK(!files.empty());
  const Shape shape = expected != nullptr ? *expected : image_shape(files.front());
  Matrix<std::uint8_t> bytes(files.size(), shape.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string name = files[i].path.string();
    const Picture8 picture = read_png(read_text(files[i].path, kAdvice), name);
    if (picture.shape != shape) {
      const std::string wanted = expected != nullptr
                                     ? fmt::format("{} are expected", text(shape))
                                     : fmt::format("{} has {}", files.front().path.string(), text(shape));
      throw Error(fmt::format("{} has {}, but {}; make all images alike", name, text(picture.shape), wanted));
    }
    std::ranges::copy(picture.values, bytes.row(i));
  }
  Examples examples;
  examples.bytes = std::move(bytes);
  return examples;
}

Dataset load_images(const DataSettings& settings) {
  if (settings.file.empty()) throw Error("the source images needs a folder; set data.file");
  const fs::path folder = find_input(settings.file, settings.root);
  const std::vector<ImageFile> train = list_classes(folder);
  const std::vector<std::string> classes = folders_of(train);
  if (classes.size() < 2)
    throw Error(fmt::format("{} has images of one class only; a classifier needs at least two", folder.string()));
  if (classes.size() > kMaxClasses)
    throw Error(
        fmt::format("{} has {} classes; at most {} are possible", folder.string(), classes.size(), kMaxClasses));
  Dataset dataset;
  dataset.name = folder.has_filename() ? folder.filename().string() : folder.parent_path().filename().string();
  dataset.classes = classes.size();
  for (const std::string& name : classes) dataset.class_names.push_back(printable(name));
  dataset.shape = image_shape(train.front());
  dataset.train = read_images(train, nullptr);
  dataset.train.labels = labels_of(train, classes);
  if (!settings.test_file.empty()) {
    const std::vector<ImageFile> test = list_classes(find_input(settings.test_file, settings.root));
    std::vector<std::uint16_t> labels = labels_of(test, classes);
    dataset.test = read_images(test, &dataset.shape);
    dataset.test.labels = std::move(labels);
  }
  return dataset;
}

}  // namespace firn::data
