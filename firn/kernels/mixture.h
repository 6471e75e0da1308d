// Per-neuron arithmetic over sixteen slots: softmax, mixture coefficients, and gradients back to scores.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firn/logic/gate.h"

namespace firn::kernels {

// Which rows of sixteen a kernel works on: all of the first `count`, or `count` of them by their number. Kernels take
// several rows at a time, so that a few rows together are cheaper than one by one.
struct RowList {
  RowList(std::size_t rows, const std::uint32_t* numbers = nullptr) : count(rows), index(numbers) {}
  std::size_t operator[](std::size_t i) const { return index != nullptr ? index[i] : i; }

  std::size_t count;
  const std::uint32_t* index;  // [count], each number once, or null
};

// weights = softmax(logits / temperature), row by row. [rows][16] both; may work in place.
void softmax_rows(RowList rows, const float* logits, float temperature, float* weights);

// coefficients of row r = sum over k of weights[r][k] * table[.][k], written to row place[r] (row r where place is
// null).
void mix_coefficients(RowList rows, const float* weights, const std::uint32_t* place,
                      float* coefficients);  // [rows][4]

// grad_weights[r][k] = sum over t of table[t][k] * sums[place[r]][t]: the gradient of the loss in each mixture weight.
void expand_sums(RowList rows, const float* sums, const std::uint32_t* place,
                 float* grad_weights);  // [rows][16]

// First-order scores S_k = G_k - sum over h of q_h G_h, computed around the largest weight so that the sign survives
// when that weight is almost one. `weights` are the softmax weights of the backward pass. May work in place.
void score_rows(RowList rows, const float* grad_weights, const float* weights, float* scores);  // [rows][16]

// Index of the largest of each row's sixteen values; the lowest index wins ties. argmax[i] is that of the i-th row of
// the list.
void argmax_rows(RowList rows, const float* values, std::uint8_t* argmax);

// Entropy of each row of weights divided by ln 16, in [0, 1].
void entropy_rows(std::size_t rows, const float* weights, float* entropy);

}  // namespace firn::kernels
