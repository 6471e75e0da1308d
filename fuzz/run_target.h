// What all fuzz targets share: any bytes may be refused with firn::Error, and nothing else may happen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "firn/base/error.h"

namespace firn {

template <class Parser>
int run_target(const std::uint8_t* data, std::size_t size, Parser&& parse) {
  try {
    parse(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error&) {  // refused in a sentence: that is what should happen to damaged input
  }
  return 0;
}

}  // namespace firn
