// The bytes of NumPy files, made by hand.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace firn {

// A .npy file of one array; `type` and `shape` are as NumPy writes them: "<f4", "(2, 3)".
inline std::string npy(const std::string& type, const std::string& shape, std::string_view values,
                       bool fortran = false) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, fortran ? "True" : "False", shape);
  header.resize(117, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += {1, 0, static_cast<char>(header.size()), 0};
  return bytes + header + std::string(values);
}

// Values as they lie in memory.
template <class T>
std::string raw(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace firn
