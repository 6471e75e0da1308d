// CIFAR-10 in its binary batches: records of one label byte and 3072 pixel bytes, red plane first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "firn/base/matrix.h"
#include "firn/data/dataset.h"
#include "firn/data/settings.h"

namespace firn::data {

inline constexpr std::size_t kCifarPixels = 3 * 32 * 32;
inline constexpr std::size_t kCifarRecord = 1 + kCifarPixels;
inline constexpr std::size_t kCifarBatch = 10000;  // records of an official batch

// Writes the batch's examples to rows first, first + 1, ..., which must exist. Returns how many.
std::size_t parse_cifar_batch(std::string_view bytes, const std::string& name, Matrix<std::uint8_t>& images,
                              std::span<std::uint16_t> labels, std::size_t first);

// Reads <root>/cifar-10-batches-bin.
Dataset load_cifar10(const DataSettings& settings);

}  // namespace firn::data
