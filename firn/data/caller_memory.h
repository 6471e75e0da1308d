// Data sets made of arrays that the caller has in memory. Values stay where they are; labels are copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "firn/base/shape.h"
#include "firn/data/dataset.h"

namespace firn::data {

// [example][feature], one example after the other without gaps, at any address that suits the type. Features are
// numbered as in Shape. Byte v stands for v/255.
using ValueArray = std::variant<std::span<const std::uint8_t>, std::span<const float>>;

// [example]: class numbers from 0 on, or floats, which are values to predict.
using LabelArray = std::variant<std::span<const std::uint8_t>, std::span<const std::uint16_t>,
                                std::span<const std::int32_t>, std::span<const std::int64_t>, std::span<const float>>;

struct ExampleArrays {
  ValueArray values;
  LabelArray labels;
};

struct DatasetArrays {
  Shape shape;  // of one example
  ExampleArrays train;
  ExampleArrays test = {};                    // may be empty
  std::size_t classes = 0;                    // 0: one more than the largest label
  std::vector<std::string> class_names = {};  // may be empty
  std::string name = "data in memory";        // for messages
};

// The values must outlive the data set and every copy of it, and must not change while it is used. An Error says what
// does not fit: sizes, labels without a class, values that are not finite.
Dataset make_dataset(const DatasetArrays& arrays);

// Values alone, for predictions. The same holds for them.
Examples make_examples(const ValueArray& values, const Shape& shape);

}  // namespace firn::data
