// NumPy arrays, one in a .npy file or several in a .npz archive: bring your own data from Python.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/data/dataset.h"
#include "firn/data/settings.h"
#include "firn/data/sources/npy_array.h"

namespace firn::data {

// Features [example][...] and labels [example] of one set.
struct NpyPart {
  NpyArray features, labels;
};

// Axes as in npy_layout(). Arrays of only 0 and 1 are bits. Bytes (u1) are bytes, and so are images of other integers
// from 0 to 255. Everything else is real; integers must then be within 2^24 of 0, where floats are exact. Both sets
// are read alike. `test` may be null.
Dataset dataset_from_npy(const NpyPart& train, const NpyPart* test, const std::string& layout = "auto");

// The features of samples of which shape and values ("bytes" or "reals") are known, such as those of a model; an Error
// says what does not fit. `are_bits`: the bytes are 0 and 255, written as 0 and 1.
struct NpySamples {
  Shape shape;
  bool reals = false, bits = false;
};
Examples samples_from_npy(const NpyArray& array, const std::string& layout, const NpySamples& expected);

// One integer for each example.
std::vector<std::int64_t> labels_from_npy(const NpyArray& array);

// settings.file is a .npz with x_train and y_train (or x and y; X may be written for x) and, if there is a test set,
// x_test and y_test; or a .npy of features whose name starts with x, the labels being in the file that starts with y
// instead (x_train.npy, y_train.npy). settings.test_file is a file of either kind.
Dataset load_npy(const DataSettings& settings);

}  // namespace firn::data
