// The family of encodings: what each is called and how it finds its thresholds in the training split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "firn/base/matrix.h"
#include "firn/data/dataset.h"

namespace firn::encode {

struct EncodeSettings {
  std::string encoding = "distributive";  // a name in encodings()
  std::size_t thresholds = 3;             // bits per value, for the thermometers
  std::string scope = "global";           // global | channel | feature: which values share quantiles
  std::size_t bits = 0;                   // leading bits of a byte that the thermometers look at; 0: all
};

inline constexpr std::size_t kMaxThresholds = 255;  // a byte has no more

// What may be looked at when fitting: the listed examples of dataset.train. The test set is here only to be refused
// when it holds what the encoding cannot express.
struct TrainingSplit {
  const Dataset& dataset;
  std::span<const std::uint32_t> indices;
};

// Every encoding compares: bit t of a value is 1 iff the value is above threshold t, strictly. Thresholds are in the
// unit of the data; those of bytes are whole numbers, so that the comparison is exact.
struct Encoding {
  std::string_view name;
  std::string_view summary;
  bool is_binary;       // false: relaxed rows hold the value itself, and only bits are compared
  bool is_thermometer;  // as many bits per value as the settings say
  // Thresholds [thresholds][1 | channels | features], ascending in each column.
  Matrix<float> (*fit)(const TrainingSplit& split, const EncodeSettings& settings);
};

std::span<const Encoding> encodings();

// The encoding of that name, or an Error that lists the names.
const Encoding& find_encoding(std::string_view name);

}  // namespace firn::encode
