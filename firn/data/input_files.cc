#include "firn/data/input_files.h"

#include <fmt/format.h>

#include "firn/base/error.h"
#include "firn/data/catalogue.h"
#include "firn/data/samples/npy.h"
#include "firn/data/source.h"
#include "firn/data/sources/images.h"

namespace firn::data {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

void add_images(Paths& files, const fs::path& folder) {
  try {
    for (const ImageFile& image : list_images(folder)) files.push_back(image.path);
  } catch (const Error&) {  // whoever reads the images says what is wrong with the folder
  }
}

// Labels are where NpyFiles looks for them.
void add_arrays(Paths& files, const fs::path& file) {
  files.push_back(file);
  const std::string name = file.filename().string();
  const bool is_pair = file.extension() != ".npz" && (name.starts_with('x') || name.starts_with('X'));
  if (is_pair) files.push_back(file.parent_path() / fmt::format("y{}", name.substr(1)));
}

void add(Paths& files, const fs::path& path, bool is_npy) {
  std::error_code ignored;
  if (is_npy)
    add_arrays(files, path);
  else if (fs::is_directory(path, ignored))
    add_images(files, path);
  else
    files.push_back(path);
}

void add_known(Paths& files, const KnownSet& set, const fs::path& root) {
  const fs::path folder = locate(set, root);
  for (const KnownFile& file : set.files)
    for (const char* ending : {"", ".gz"}) files.push_back(folder / fmt::format("{}{}", file.name, ending));
}

}  // namespace

std::vector<fs::path> data_files(const DataSettings& settings) {
  const fs::path root = resolve_data_root(settings.root, nullptr);
  Paths files;
  for (const KnownSet& set : known_sets())
    if (set.name == settings.source) add_known(files, set, root);
  for (const std::string& file : {settings.file, settings.test_file}) {
    if (file.empty()) continue;
    std::error_code ignored;
    add(files, fs::exists(file, ignored) ? fs::path(file) : root / file, settings.source == "npy");
  }
  return files;
}

std::vector<fs::path> sample_files(const std::string& path, std::string_view reader) {
  Paths files;
  if (path == "-")
    files.push_back("/dev/stdin");
  else
    add(files, path, reader.empty() ? is_npy_path(path) : reader == "npy");
  return files;
}

}  // namespace firn::data
