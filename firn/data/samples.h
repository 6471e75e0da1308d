// Files of samples to predict, labelled or not: the family of their readers, chosen by what the file is called.
//
// A reader is one file in firn/data/samples/ and one line in kSampleReaders (samples.cc); csv.cc is the one to copy. It
// gets a path and what the model takes, and returns samples of exactly that shape and kind, or refuses the file with a
// sentence that names it. The first line that recognizes a path reads it; csv is the last and takes whatever is left.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/shape.h"
#include "firn/data/dataset.h"
#include "firn/data/schema.h"

namespace firn::data {

// What a model takes.
struct SampleNeeds {
  Shape shape;                                    // of one sample
  bool reals = false;                             // floats; else bytes
  bool bits = false;                              // bytes that are 0 or 255, and that files write as 0 and 1
  std::string layout = "auto";                    // of the axes of arrays, as in training: see npy_layout.h
  const Schema* schema = nullptr;                 // null: features have no names
  std::span<const std::string> class_names = {};  // may be empty: classes are then called by their numbers
  std::size_t classes = 0;
  bool has_header = true;  // false: a table has none, and its columns are in the order of training
};

struct SampleFile {
  Examples examples;                  // labels are empty, or kNoLabel (rows.h) where a sample has none
  std::vector<std::string> ids = {};  // [sample], such as names of image files; empty: samples are numbered
};

struct SampleReader {
  std::string_view name;     // what users type to choose it
  std::string_view summary;  // one line for listings
  bool (*recognizes)(const std::string& path);
  SampleFile (*read)(const std::string& path, const SampleNeeds& needs);
};

std::span<const SampleReader> sample_readers();

// `path` may be a file, a pipe, a folder where a reader takes one, or "-" for standard input. `reader` is a name in the
// table, or empty: by the path. There is at least one sample.
SampleFile read_samples(const std::string& path, const SampleNeeds& needs, std::string_view reader = "");

}  // namespace firn::data
