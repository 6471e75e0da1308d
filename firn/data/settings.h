// What a user can say about data: which source, from where, how much of it is held out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace firn::data {

// The synthetic tasks parity, majority and teacher.
struct SyntheticSettings {
  std::size_t inputs = 15;       // input bits
  std::size_t examples = 10000;  // for training; the test set has a fifth as many
  std::size_t gates = 64;        // of the teacher circuit
  double noise = 0;              // fraction of training labels that are flipped; test labels are always right
  std::uint64_t seed = 1;        // of the examples, the noise and the teacher
};

struct DataSettings {
  std::string source = "fashion-mnist";   // a name in the table of sources
  std::string root = {};                  // the resolved data root; empty: ./data
  std::string file = {}, test_file = {};  // for files of the user: looked up as they stand, then below the root
  std::string task = "classification";    // or "regression": the label column of csv and table holds values to predict
  std::string label_column = {};          // for csv and table: name, or number from 0 (negative: from the end)
  std::vector<std::string> columns = {};  // for csv and table: what columns are (firn/data/column_list.h)
  std::string missing = "category";       // for csv and table: what becomes of missing values; a name in columns.h
  std::string unknown = "refuse";         // for csv and table: or "ignore", which sets no feature of the column
  std::string header = "auto";            // for csv and table: present, absent, or as it looks
  std::string separator = {};             // for csv: "," ";" or "tab"; empty: what the first line holds
  std::string layout = "auto";            // of npy images: auto | nchw | nhwc, see npy_layout()
  std::string split = "uniform";          // uniform | stratified | auto, see automatic_split()
  std::uint64_t split_seed = 1;           // decides which examples are held out for validation
  std::size_t validation = 0;             // examples held out of training; 0 = a tenth
  std::size_t crop = 0;                   // centre crop of images to crop x crop; 0 = none
  SyntheticSettings synthetic = {};
  std::string augment = "none";  // a name in the table of augmentations
};

}  // namespace firn::data
