// A plain rows-by-columns array: aligned, zeroed, each row padded to whole vectors so that kernels have no tails.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "firn/base/error.h"

namespace firn {

inline constexpr std::size_t kCacheLine = 64;

template <class T>
class Matrix {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Matrix() = default;

  // Rows start at multiples of `row_alignment` bytes; kCacheLine suits every vector unit that Firn knows.
  Matrix(std::size_t rows, std::size_t cols, std::size_t row_alignment = kCacheLine)
      : rows_(rows), cols_(cols), stride_(stride_of(cols, row_alignment)) {
    data_.reset(allocate(bytes_of_rows(rows, stride_)));
  }

  // The same in memory that somebody else owns: zeroed, aligned, at least bytes_of() long. Copies own theirs.
  Matrix(std::size_t rows, std::size_t cols, std::size_t row_alignment, std::byte* memory)
      : rows_(rows),
        cols_(cols),
        stride_(stride_of(cols, row_alignment)),
        data_(reinterpret_cast<T*>(memory), Free{.owns = false}) {}

  static std::size_t bytes_of(std::size_t rows, std::size_t cols, std::size_t row_alignment = kCacheLine) {
    return bytes_of_rows(rows, stride_of(cols, row_alignment));
  }

  Matrix(const Matrix& other) : rows_(other.rows_), cols_(other.cols_), stride_(other.stride_) {
    data_.reset(allocate(bytes()));
    if (bytes() != 0) std::memcpy(data_.get(), other.data_.get(), bytes());
  }
  Matrix& operator=(const Matrix& other) {
    Matrix copy(other);
    swap(copy);
    return *this;
  }
  Matrix(Matrix&& other) noexcept { swap(other); }
  Matrix& operator=(Matrix&& other) noexcept {
    swap(other);
    return *this;
  }

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t stride() const { return stride_; }  // elements from one row to the next
  std::size_t bytes() const { return rows_ * stride_ * sizeof(T); }

  T* row(std::size_t r) {
    FIRN_DCHECK(r < rows_);
    return data_.get() + r * stride_;
  }
  const T* row(std::size_t r) const {
    FIRN_DCHECK(r < rows_);
    return data_.get() + r * stride_;
  }
  std::span<T> operator[](std::size_t r) { return {row(r), cols_}; }
  std::span<const T> operator[](std::size_t r) const { return {row(r), cols_}; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

  void clear() {
    if (bytes() != 0) std::memset(static_cast<void*>(data_.get()), 0, bytes());
  }

 private:
  struct Free {
    bool owns = true;
    void operator()(T* p) const {
      if (owns) std::free(p);
    }
  };

  static constexpr std::size_t kMostBytes = std::numeric_limits<std::ptrdiff_t>::max();

  // A product that wraps round would allocate too little.
  static std::size_t bytes_of_rows(std::size_t rows, std::size_t stride) {
    if (stride > kMostBytes / sizeof(T) || (stride > 0 && rows > kMostBytes / sizeof(T) / stride))
      throw std::bad_alloc();
    return rows * stride * sizeof(T);
  }

  static std::size_t stride_of(std::size_t cols, std::size_t row_alignment) {
    FIRN_CHECK(row_alignment % sizeof(T) == 0);
    const std::size_t unit = row_alignment / sizeof(T);
    if (cols > kMostBytes) throw std::bad_alloc();
    return (cols + unit - 1) / unit * unit;
  }

  // Big arrays get huge pages: touching new memory is six times cheaper then.
  static T* allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    constexpr std::size_t kHugePage = std::size_t{2} << 20;
    const std::size_t alignment = bytes >= kHugePage ? kHugePage : kCacheLine;
    const std::size_t padded = (bytes + alignment - 1) / alignment * alignment;
    void* p = std::aligned_alloc(alignment, padded);
    if (p == nullptr) throw std::bad_alloc();
    if (alignment == kHugePage) madvise(p, padded, MADV_HUGEPAGE);
    std::memset(p, 0, padded);
    return static_cast<T*>(p);
  }

  void swap(Matrix& other) noexcept {
    std::swap(rows_, other.rows_);
    std::swap(cols_, other.cols_);
    std::swap(stride_, other.stride_);
    std::swap(data_, other.data_);
  }

  std::size_t rows_ = 0, cols_ = 0, stride_ = 0;
  std::unique_ptr<T[], Free> data_;
};

}  // namespace firn
