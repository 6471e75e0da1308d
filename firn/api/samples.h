// Samples in a file, read as the data were that a network was trained on, and what is predicted for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace firn::api {

// Of a file. Labels are class numbers, -1 where a sample has none; empty where the file has none at all.
struct FileSamples {
  std::size_t count = 0;
  std::vector<std::uint8_t> bytes;  // [sample][feature]
  std::vector<float> floats;        // [sample][feature]; the vector of the other kind is empty
  std::vector<std::int32_t> labels;
  std::vector<std::string> ids;  // such as names of image files; empty: samples are numbered
  std::vector<float> targets;    // where values are predicted, instead of labels; NaN where a sample has none
};

struct FilePredictions {
  std::vector<std::uint16_t> classes;     // [sample]
  std::vector<std::int32_t> labels;       // as in FileSamples
  std::vector<std::uint32_t> class_sums;  // [sample][group]
  std::vector<double> probabilities;      // [sample][class], not calibrated
  std::vector<std::string> ids;           // as in FileSamples
  std::vector<float> values, targets;     // where values are predicted; there are no classes then
};

}  // namespace firn::api
