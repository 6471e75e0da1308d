// Sixteen samples in double, side by side, and how a change of its inputs changes a gate.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/network/layer.h"

namespace firn::diagnose {

inline constexpr std::size_t kLanes = 16;  // samples that go through the network together

// Not zeroed unless asked for, Lanes{}: scratch rows are always written first.
struct alignas(64) Lanes {
  double v[kLanes];

  double& operator[](std::size_t l) { return v[l]; }
  double operator[](std::size_t l) const { return v[l]; }
};

inline constexpr Lanes kZeroLanes{};

// c0 + c1 a + c2 b + c3 ab
using Terms = std::array<double, 4>;

// Results are computed in a row of their own and copied: the compiler may then use vectors without asking whether what
// is written is what is read.
inline void gate_values(const Terms& c, const Lanes& a, const Lanes& b, Lanes& out) {
  const double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  Lanes value;
  for (std::size_t l = 0; l < kLanes; ++l) value.v[l] = c0 + c1 * a.v[l] + (c2 + c3 * a.v[l]) * b.v[l];
  out = value;
}

// The change of one value when a neuron is replaced takes kChangeRows rows: four replacements followed at once by their
// difference, or two by their first and second derivative.
inline constexpr std::size_t kChangeRows = 4;

// The realized change, exactly as large as it is: differences of 1e-12 keep all their digits, because nobody ever
// subtracts two values that are almost equal.
struct Difference {
  static constexpr std::size_t kParts = 1, kTogether = kChangeRows;

  // Both operands move.
  static void both(double c3, const Lanes& slope_a, const Lanes& slope_b, const Lanes* da, const Lanes* db,
                   Lanes* out) {
    Lanes change;
    for (std::size_t l = 0; l < kLanes; ++l)
      change.v[l] = (slope_a.v[l] + c3 * db->v[l]) * da->v[l] + slope_b.v[l] * db->v[l];
    *out = change;
  }
};

// First and second derivative in t when the neuron's output moves by t times the displacement, at t = 0.
struct Derivatives {
  static constexpr std::size_t kParts = 2, kTogether = kChangeRows / 2;

  static void both(double c3, const Lanes& slope_a, const Lanes& slope_b, const Lanes* da, const Lanes* db,
                   Lanes* out) {
    Lanes first, second;
    for (std::size_t l = 0; l < kLanes; ++l) first.v[l] = slope_a.v[l] * da[0].v[l] + slope_b.v[l] * db[0].v[l];
    for (std::size_t l = 0; l < kLanes; ++l)
      second.v[l] = slope_a.v[l] * da[1].v[l] + slope_b.v[l] * db[1].v[l] + 2 * c3 * da[0].v[l] * db[0].v[l];
    out[0] = first;
    out[1] = second;
  }
};

// The change of a gate's output for `together` replacements; da or db is null where that operand does not move.
template <class Rule>
void gate_change(const Terms& c, const Lanes& a, const Lanes& b, const Lanes* da, const Lanes* db, std::size_t together,
                 Lanes* out) {
  const std::size_t rows = together * Rule::kParts;
  const double c1 = c[1], c2 = c[2], c3 = c[3];
  Lanes slope_a, slope_b;
  for (std::size_t l = 0; l < kLanes; ++l) slope_a.v[l] = c1 + c3 * b.v[l];
  for (std::size_t l = 0; l < kLanes; ++l) slope_b.v[l] = c2 + c3 * a.v[l];
  if (da != nullptr && db != nullptr) {
    for (std::size_t r = 0; r < rows; r += Rule::kParts) Rule::both(c3, slope_a, slope_b, da + r, db + r, out + r);
    return;
  }
  const Lanes& slope = da != nullptr ? slope_a : slope_b;
  const Lanes* d = da != nullptr ? da : db;
  for (std::size_t r = 0; r < rows; ++r) {
    Lanes change;
    for (std::size_t l = 0; l < kLanes; ++l) change.v[l] = slope.v[l] * d[r].v[l];
    out[r] = change;
  }
}

// Rows of one stage that moved.
class ChangeSet {
 public:
  explicit ChangeSet(std::size_t features = 0) : rows_(features * kChangeRows), is_changed_(features, 0) {}

  // Null where the feature did not move.
  const Lanes* find(std::uint32_t feature) const {
    return feature != kOutside && is_changed_[feature] != 0 ? &rows_[feature * kChangeRows] : nullptr;
  }
  Lanes* row(std::uint32_t feature) { return &rows_[feature * kChangeRows]; }
  void mark(std::uint32_t feature) {
    is_changed_[feature] = 1;
    list_.push_back(feature);
  }
  const std::vector<std::uint32_t>& list() const { return list_; }
  void clear() {
    for (std::uint32_t feature : list_) is_changed_[feature] = 0;
    list_.clear();
  }

 private:
  std::vector<Lanes> rows_;  // [features][kChangeRows]
  std::vector<std::uint8_t> is_changed_;
  std::vector<std::uint32_t> list_;
};

}  // namespace firn::diagnose
