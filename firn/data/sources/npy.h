// NumPy arrays, one in a .npy file or several in a .npz archive: bring your own data from Python.
#pragma once

#include "firn/data/dataset.h"
#include "firn/data/settings.h"
#include "firn/data/sources/npy_array.h"

namespace firn::data {

// Features [example][...] and labels [example] of one set.
struct NpyPart {
  NpyArray features, labels;
};

// Axes after the first: [feature], [height][width], or [channel][height][width]; four axes that end in 1, 3 or 4 and
// have more than 4 in second place are [example][height][width][channel]. Arrays of only 0 and 1 are binary, other u1
// are bytes, and everything else is real. `test` may be null.
Dataset dataset_from_npy(const NpyPart& train, const NpyPart* test);

// settings.file is a .npz with x_train, y_train and, if there is a test set, x_test, y_test; or a .npy of features
// whose name starts with x, the labels being in the file that starts with y instead (x_train.npy, y_train.npy), and
// settings.test_file likewise.
Dataset load_npy(const DataSettings& settings);

}  // namespace firn::data
