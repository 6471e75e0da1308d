// What a user can say about data: which source, from where, how much of it is held out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

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
  std::string file = {}, test_file = {};  // for csv, table and npy: looked up as they stand, then below the root
  std::string label_column = {};          // for csv and table: name, or number from 0 (negative: from the end)
  std::uint64_t split_seed = 1;           // decides which examples are held out for validation
  std::size_t validation = 0;             // examples held out of training; 0 = a tenth
  std::size_t crop = 0;                   // centre crop of images to crop x crop; 0 = none
  SyntheticSettings synthetic = {};
  std::string augment = "none";  // a name in the table of augmentations
};

}  // namespace firn::data
