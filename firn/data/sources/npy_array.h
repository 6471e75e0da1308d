// One NumPy array in its file format: a magic number, a header in Python's notation, then the values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace firn::data {

// An array as the file holds it; `values` points into the bytes that were parsed. Little-endian b1, u1, u2, u4, u8,
// i1, i2, i4, i8, f4 and f8 are understood, in C or Fortran order.
struct NpyArray {
  std::string name;           // of the file or of the array in the archive, for messages
  char kind = 'u';            // b, u, i or f
  std::size_t item_size = 1;  // bytes
  bool fortran_order = false;
  std::vector<std::size_t> sizes;  // of the axes
  std::string_view values;

  double at(std::size_t item) const;  // by place in memory
};

NpyArray parse_npy(std::string_view bytes, const std::string& name);

}  // namespace firn::data
