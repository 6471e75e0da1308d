// Labelled examples in memory, as every data source delivers them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/shape.h"

namespace firn {

// Examples of one part (training or test). Values are bytes when `reals` is empty, where byte v stands for v/255;
// otherwise they are the floats in `reals`. Binary features are the bytes 0 and 255.
struct Examples {
  Matrix<std::uint8_t> bytes;         // [example][feature]
  Matrix<float> reals;                // [example][feature]
  std::vector<std::uint16_t> labels;  // [example]

  std::size_t count() const { return labels.size(); }
  bool has_reals() const { return reals.rows() != 0; }
};

struct Dataset {
  std::string name;
  Shape shape;
  std::size_t classes = 0;
  std::vector<std::string> class_names;  // may be empty
  Examples train, test;                  // test may be empty: the source then has no test part
};

}  // namespace firn
