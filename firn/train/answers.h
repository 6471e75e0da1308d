// What the relaxed and the discrete network of a checkpoint answer to the same examples, for pages about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/shape.h"
#include "firn/data/dataset.h"
#include "firn/network/head.h"

namespace firn::training {

struct Answers {
  std::string split;                     // "test" or "validation"
  std::size_t available = 0;             // examples that the split has; those below are spread over all of them
  std::vector<std::string> class_names;  // may be empty
  Shape shape;                           // of a sample
  Head head;
  Examples examples;                        // with labels
  std::vector<std::uint32_t> numbers;       // [example] in the split, from 1
  Matrix<float> relaxed, discrete;          // class sums, [example][group]
  std::optional<std::string> warning = {};  // the examples are not those that the checkpoint knows
};

}  // namespace firn::training
