// CIFAR-10 as picture sheets: a PNG with one image in each row of pixels, turned into an official binary batch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace firn::data {

// `png` is 1024 pixels wide, colours interleaved; row i is image i. There is one label for each row.
std::string batch_from_sprite(std::string_view png, std::span<const std::uint8_t> labels, const std::string& name);

}  // namespace firn::data
