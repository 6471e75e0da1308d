// Reads and writes safetensors files: named arrays and a map of strings, described by one JSON header.
//
// Layout: the header's length (8 bytes, little-endian), the header, then the arrays one after the other without gaps.
// Files are written whole or not at all, and equal content gives equal bytes. A reader refuses a file that is not
// exactly as its header says, and names the part that is wrong. Files carry a checksum of the header and one of every
// array as two entries of the metadata; files of other programs, and of Firn before it had checksums, have neither.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "firn/base/matrix.h"

namespace firn {

static_assert(std::endian::native == std::endian::little, "safetensors arrays are little-endian and used as they are");

enum class DType : std::uint8_t { kBool, kU8, kI8, kU16, kI16, kF16, kBF16, kU32, kI32, kF32, kU64, kI64, kF64 };

std::string_view name(DType dtype);  // as in the file: "F32"
std::size_t bytes_per(DType dtype);  // of one element

// The type of the file for a type of C++. kBool, kF16 and kBF16 have no twin and are handled as bytes.
template <class T>
constexpr DType dtype_of() {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8);
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? DType::kF32 : DType::kF64;
  constexpr bool negative = std::is_signed_v<T>;
  switch (sizeof(T)) {
    case 1:
      return negative ? DType::kI8 : DType::kU8;
    case 2:
      return negative ? DType::kI16 : DType::kU16;
    case 4:
      return negative ? DType::kI32 : DType::kU32;
    default:
      return negative ? DType::kI64 : DType::kU64;
  }
}

using Dimensions = std::vector<std::size_t>;

// One array as a view; the bytes belong to somebody else and need not be aligned.
struct Tensor {
  std::string name;
  DType dtype = DType::kU8;
  Dimensions shape;                  // row-major; {} is a single value
  std::span<const std::byte> bytes;  // the product of shape, times bytes_per(dtype)
};

// Collects views of arrays, in the order in which they will stand in the file. They must live until write().
class SafetensorsWriter {
 public:
  void add(const Tensor& tensor);

  template <class T>
  void add(std::string name, Dimensions shape, std::span<const T> values) {
    add(Tensor{std::move(name), dtype_of<T>(), std::move(shape), std::as_bytes(values)});
  }

  // The padding of the rows stays behind.
  template <class T>
  void add(std::string name, const Matrix<T>& matrix) {
    add_rows({std::move(name), dtype_of<T>(), {matrix.rows(), matrix.cols()}, {}},
             {reinterpret_cast<const std::byte*>(matrix.data()), matrix.rows(), matrix.cols() * sizeof(T),
              matrix.stride() * sizeof(T)});
  }
  template <class T>
  void add(std::string name, const Matrix<T>&& temporary) = delete;  // would be gone before write()

  void set_metadata(std::string key, std::string value);

  void write(const std::filesystem::path& path) const;
  std::vector<std::byte> bytes() const;  // what write() would put into a file

 private:
  struct Rows {
    const std::byte* data;
    std::size_t count, bytes, stride;  // stride in bytes
  };
  struct Entry {
    Tensor tensor;
    Rows rows;
  };

  void add_rows(Tensor tensor, Rows rows);
  std::string header() const;
  std::string tensor_checksums() const;  // digits of one after the other
  // Hands over the file piece by piece; `target` is what error messages call it.
  void emit(const std::string& target, const std::function<void(std::span<const std::byte>)>& sink) const;

  std::vector<Entry> entries_;
  std::set<std::string> names_;
  std::map<std::string, std::string> metadata_;
};

// A file that has been read and checked. Movable; not copyable, because the tensors are views of its bytes.
class SafetensorsFile {
 public:
  static SafetensorsFile read(const std::filesystem::path& path);
  // `source` is what error messages call the bytes, usually a path.
  static SafetensorsFile parse(std::vector<std::byte> bytes, std::string source);

  SafetensorsFile(SafetensorsFile&&) = default;
  SafetensorsFile& operator=(SafetensorsFile&&) = default;

  const std::string& source() const { return source_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }                   // in the order of the file
  const std::map<std::string, std::string>& metadata() const { return metadata_; }  // without the checksums
  bool has_checksums() const { return has_checksums_; }
  const std::string& metadata(const std::string& key) const;  // throws Error when it is missing

  bool contains(std::string_view name) const { return find(name) != nullptr; }
  const Tensor& tensor(std::string_view name) const;  // throws Error when it is missing

  // The values of a tensor that must have this type and shape.
  template <class T>
  std::vector<T> tensor(std::string_view name, const Dimensions& shape) const {
    const Tensor& found = expect(name, dtype_of<T>(), shape);
    std::vector<T> values(found.bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), found.bytes.data(), found.bytes.size());
    return values;
  }

  // Fills a matrix whose shape the tensor must have; the padding of the rows is left alone.
  template <class T>
  void read_into(std::string_view name, Matrix<T>& matrix) const {
    const std::byte* from = expect(name, dtype_of<T>(), {matrix.rows(), matrix.cols()}).bytes.data();
    const std::size_t row_bytes = matrix.cols() * sizeof(T);
    if (row_bytes == 0) return;
    for (std::size_t r = 0; r < matrix.rows(); ++r) std::memcpy(matrix.row(r), from + r * row_bytes, row_bytes);
  }

 private:
  SafetensorsFile() = default;
  SafetensorsFile(const SafetensorsFile&) = delete;

  const Tensor* find(std::string_view name) const;
  const Tensor& expect(std::string_view name, DType dtype, const Dimensions& shape) const;

  std::string source_;
  std::vector<std::byte> bytes_;
  std::vector<Tensor> tensors_;
  std::map<std::string, std::string> metadata_;
  bool has_checksums_ = false;
};

}  // namespace firn
