// A folder of PNG images with a subfolder for each class: bring your own pictures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "firn/data/dataset.h"
#include "firn/data/settings.h"

namespace firn::data {

struct ImageFile {
  std::filesystem::path path;
  std::string folder;  // the name of the folder it lies in, below the folder that was listed; empty: in that itself
};

// The PNG images of a folder and of its subfolders, in the order of their names. Files that are no images do not count;
// images of other formats are refused by name, as are images that lie deeper.
std::vector<ImageFile> list_images(const std::filesystem::path& folder);

// The images, one row each, without labels. All must be of one size and have equally many channels; an Error names the
// first that differs. Where `expected` is not null, it is what they are compared with.
Examples read_images(const std::vector<ImageFile>& files, const Shape* expected);
// Of one image; reads it.
Shape image_shape(const ImageFile& file);

// settings.file is a folder with a subfolder of images for each class, settings.test_file another one that knows no
// other classes. Classes are in the order of their names.
Dataset load_images(const DataSettings& settings);

}  // namespace firn::data
