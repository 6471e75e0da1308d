// A rows-by-columns array that is only read: a matrix shared by everyone who looks at it, or memory of the caller.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "firn/base/matrix.h"

namespace firn {

// Copies are cheap and see the same elements. What was borrowed must outlive the view and all copies of it, and may be
// at any address that suits T; its owner may change elements while nobody reads them.
template <class T>
class MatrixView {
 public:
  MatrixView() = default;

  // Takes the matrix over; it lives as long as the last copy of the view.
  MatrixView(Matrix<T>&& matrix) : MatrixView(std::make_shared<const Matrix<T>>(std::move(matrix))) {}  // NOLINT

  static MatrixView borrow(const Matrix<T>& matrix) {
    return MatrixView(matrix.data(), matrix.rows(), matrix.cols(), matrix.stride(), matrix.stride());
  }
  // Rows one after the other, without gaps.
  static MatrixView borrow(const T* data, std::size_t rows, std::size_t cols) {
    return MatrixView(data, rows, cols, cols, cols);
  }

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t stride() const { return stride_; }  // elements from one row to the next
  // So many elements may be loaded from the start of every row, the last one included: the columns and their padding.
  std::size_t readable_cols() const { return readable_cols_; }

  const T* row(std::size_t r) const {
    FIRN_DCHECK(r < rows_);
    return data_ + r * stride_;
  }
  std::span<const T> operator[](std::size_t r) const { return {row(r), cols_}; }
  const T* data() const { return data_; }

 private:
  explicit MatrixView(std::shared_ptr<const Matrix<T>> owner) : MatrixView(borrow(*owner)) {
    owner_ = std::move(owner);
  }
  MatrixView(const T* data, std::size_t rows, std::size_t cols, std::size_t stride, std::size_t readable_cols)
      : data_(data), rows_(rows), cols_(cols), stride_(stride), readable_cols_(readable_cols) {}

  const T* data_ = nullptr;
  std::size_t rows_ = 0, cols_ = 0, stride_ = 0, readable_cols_ = 0;
  std::shared_ptr<const Matrix<T>> owner_;  // empty: borrowed
};

}  // namespace firn
