// Labelled examples in memory, as every data source delivers them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/matrix_view.h"
#include "firn/base/shape.h"
#include "firn/data/schema.h"

namespace firn::data {

// Examples of one set (training or test). Values are bytes when `reals` is empty, where byte v stands for v/255;
// otherwise they are the floats in `reals`. Binary features are the bytes 0 and 255.
// Copies share the values, which may also be memory of the caller (firn/data/caller_memory.h).
struct Examples {
  MatrixView<std::uint8_t> bytes;     // [example][feature]
  MatrixView<float> reals;            // [example][feature]
  std::vector<std::uint16_t> labels;  // [example]; may be empty where classes are only predicted
  std::vector<float> targets = {};    // [example], the values to predict instead of classes; there are no labels then

  std::size_t count() const { return has_reals() ? reals.rows() : bytes.rows(); }
  std::size_t features() const { return has_reals() ? reals.cols() : bytes.cols(); }
  bool has_reals() const { return reals.rows() != 0; }
};

struct Dataset {
  std::string name;
  Shape shape;
  std::size_t classes = 0;
  std::vector<std::string> class_names;  // may be empty
  Examples train, test;                  // test may be empty: the source then has no test set
  std::size_t validation_tail = 0;       // so many at the end of `train` are for validation; 0: some are drawn
  std::optional<Schema> schema = {};     // of tables, and of arrays whose features have names
};

}  // namespace firn::data
