#include "firn/kernels/mixture.h"

#include <cmath>
#include <cstring>

#include "firn/base/matrix.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/mixture.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include "firn/kernels/lanes-inl.h"
#include "firn/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

// Reductions of a row (its maximum, its sum) are computed for kLanes rows at once, and for many rows before anything
// else is done with them: one row after the other would wait for each reduction.
constexpr std::size_t kTogether = 64;

// The rows of a list from `first` on, at most kTogether of them, padded to whole vectors by repeating the last.
class RowGroup {
 public:
  RowGroup(const RowList& rows, std::size_t first)
      : rows_(rows), first_(first), count_(HWY_MIN(kTogether, rows.count - first)) {}

  std::size_t Count() const { return count_; }
  std::size_t operator[](std::size_t r) const { return rows_[first_ + HWY_MIN(r, count_ - 1)] * kSlots; }

  // values[r] = the lanes of vector(row r) reduced, for all rows.
  template <class Operation, class Vector>
  HWY_INLINE void Reduce(FloatTag d, const Vector& vector, float* HWY_RESTRICT values) const {
    for (std::size_t r = 0; r < count_; r += kLanes)
      hn::Store(ReduceEach<Operation>(
                    d, [&](std::size_t i) HWY_ATTR { return vector((*this)[i]); }, r),
                d, values + r);
  }

 private:
  const RowList& rows_;
  std::size_t first_, count_;
};

HWY_INLINE FloatVec MaxOfParts(FloatTag d, const float* HWY_RESTRICT row) {
  FloatVec top = hn::Load(d, row);
  for (std::size_t i = kLanes; i < kSlots; i += kLanes) top = hn::Max(top, hn::Load(d, row + i));
  return top;
}

// hn::Exp of numbers that are not positive, and the same bits. Down to -87 powers are normal numbers: the exponent can
// be added as an integer, and nothing overflows on the way, which saves a third of the operations.
HWY_INLINE FloatVec ExpOfNegative(FloatTag d, FloatVec x) {
  if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Ge(x, hn::Set(d, -87.f))))) return hn::Exp(d, x);
  const hn::RebindToSigned<FloatTag> di;
  const FloatVec q = hn::Trunc(hn::MulAdd(x, hn::Set(d, 1.442695040888963407359924681f), hn::Set(d, -0.5f)));
  const auto integer = hn::BitCast(di, hn::Add(q, hn::Set(d, 12582912.f)));  // in the low bits
  x = hn::MulAdd(q, hn::Set(d, -0.693145751953125f), x);
  x = hn::MulAdd(q, hn::Set(d, -1.428606765330187045e-6f), x);
  const FloatVec power = hn::Add(hn::impl::ExpImpl<float>().ExpPoly(d, x), hn::Set(d, 1.f));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, power), hn::ShiftLeft<23>(integer)));
}

void SoftmaxRows(RowList rows, const float* logits, float temperature, float* weights) {
  const FloatTag d;
  const FloatVec inverse = hn::Set(d, 1 / temperature);
  alignas(kCacheLine) float values[kTogether];
  for (std::size_t first = 0; first < rows.count; first += kTogether) {
    const RowGroup group(rows, first);
    group.Reduce<MaxLanes>(
        d, [&](std::size_t row) HWY_ATTR { return MaxOfParts(d, logits + row); }, values);
    for (std::size_t r = 0; r < group.Count(); ++r) {
      const FloatVec top = hn::Set(d, values[r]);
      for (std::size_t i = group[r]; i < group[r] + kSlots; i += kLanes)
        hn::Store(ExpOfNegative(d, hn::Mul(hn::Sub(hn::Load(d, logits + i), top), inverse)), d, weights + i);
    }
    const auto sum = [&](std::size_t row) HWY_ATTR {
      FloatVec total = hn::Load(d, weights + row);
      for (std::size_t i = kLanes; i < kSlots; i += kLanes) total = hn::Add(total, hn::Load(d, weights + row + i));
      return total;
    };
    group.Reduce<AddLanes>(d, sum, values);
    for (std::size_t r = 0; r < group.Count(); r += kLanes)
      hn::Store(hn::Div(hn::Set(d, 1.f), hn::Load(d, values + r)), d, values + r);
    for (std::size_t r = 0; r < group.Count(); ++r) {
      const FloatVec scale = hn::Set(d, values[r]);
      for (std::size_t i = group[r]; i < group[r] + kSlots; i += kLanes)
        hn::Store(hn::Mul(hn::Load(d, weights + i), scale), d, weights + i);
    }
  }
}

// Sums over the slots of a mixture, with coefficients known to the compiler: most are 0, 1 or -1, so that hardly
// anything is multiplied. w[k] holds slot k of kLanes rows.
template <std::size_t kTerm>
struct Mixture {
  static constexpr bool IsEmpty(std::size_t base, std::size_t stride) {
    for (std::size_t k = base; k < kSlots; k += stride)
      if (kGateCoefficients[kTerm][k] != 0) return false;
    return true;
  }

  // Slots base, base + stride, ... in the order of SumOfLanes: those of one lane one after the other, then halves of
  // the lanes. What is zero is left out, which changes no bit.
  template <std::size_t kBase, std::size_t kStride>
  static HWY_INLINE FloatVec Sum(FloatTag d, const FloatVec* HWY_RESTRICT w) {
    if constexpr (kStride == kLanes) {
      return SumOfLane<kBase>(d, w, hn::Zero(d));
    } else if constexpr (IsEmpty(kBase, 2 * kStride)) {
      return Sum<kBase + kStride, 2 * kStride>(d, w);
    } else if constexpr (IsEmpty(kBase + kStride, 2 * kStride)) {
      return Sum<kBase, 2 * kStride>(d, w);
    } else {
      return hn::Add(Sum<kBase, 2 * kStride>(d, w), Sum<kBase + kStride, 2 * kStride>(d, w));
    }
  }

  template <std::size_t kSlot>
  static HWY_INLINE FloatVec SumOfLane(FloatTag d, const FloatVec* HWY_RESTRICT w, FloatVec sum) {
    constexpr float kFactor = kGateCoefficients[kTerm][kSlot];
    if constexpr (kFactor == 1) {
      sum = hn::Add(sum, w[kSlot]);
    } else if constexpr (kFactor == -1) {
      sum = hn::Sub(sum, w[kSlot]);
    } else if constexpr (kFactor != 0) {
      sum = hn::MulAdd(w[kSlot], hn::Set(d, kFactor), sum);
    }
    if constexpr (kSlot + kLanes < kSlots) return SumOfLane<kSlot + kLanes>(d, w, sum);
    return sum;
  }
};

void MixCoefficients(RowList rows, const float* HWY_RESTRICT weights, const std::uint32_t* place,
                     float* HWY_RESTRICT coefficients) {
  const FloatTag d;
  alignas(kCacheLine) float mixed[4 * kLanes];
  for (std::size_t first = 0; first < rows.count; first += kLanes) {
    const RowGroup group(rows, first);
    FloatVec w[kSlots];
    for (std::size_t part = 0; part < kSlots; part += kLanes) {
      for (std::size_t r = 0; r < kLanes; ++r) w[part + r] = hn::Load(d, weights + group[r] + part);
      Transpose(d, w + part);
    }
    hn::StoreInterleaved4(Mixture<0>::Sum<0, 1>(d, w), Mixture<1>::Sum<0, 1>(d, w), Mixture<2>::Sum<0, 1>(d, w),
                          Mixture<3>::Sum<0, 1>(d, w), d, mixed);
    for (std::size_t r = 0; r < HWY_MIN(kLanes, group.Count()); ++r) {
      const std::size_t row = rows[first + r];
      std::memcpy(coefficients + 4 * (place != nullptr ? place[row] : row), mixed + 4 * r, 4 * sizeof(float));
    }
  }
}

void ExpandSums(RowList rows, const float* HWY_RESTRICT sums, const std::uint32_t* place,
                float* HWY_RESTRICT grad_weights) {
  const FloatTag d;
  for (std::size_t r = 0; r < rows.count; ++r) {
    const std::size_t row = rows[r];
    const float* from = sums + 4 * (place != nullptr ? place[row] : row);
    for (std::size_t i = 0; i < kSlots; i += kLanes) {
      FloatVec grad = hn::Mul(hn::Set(d, from[0]), hn::LoadU(d, kGateCoefficients[0] + i));
      for (std::size_t t = 1; t < 4; ++t)
        grad = hn::MulAdd(hn::Set(d, from[t]), hn::LoadU(d, kGateCoefficients[t] + i), grad);
      hn::Store(grad, d, grad_weights + row * kSlots + i);
    }
  }
}

// Index of the first of a row's values that equals `top`.
HWY_INLINE std::size_t FindIn(FloatTag d, const float* HWY_RESTRICT row, FloatVec top) {
  for (std::size_t i = 0; i < kSlots; i += kLanes) {
    const intptr_t at = hn::FindFirstTrue(d, hn::Eq(hn::Load(d, row + i), top));
    if (at >= 0) return i + static_cast<std::size_t>(at);
  }
  return 0;  // only if the row holds NaN; the trainer's guard reports that
}

void ScoreRows(RowList rows, const float* grad_weights, const float* HWY_RESTRICT weights, float* scores) {
  const FloatTag d;
  alignas(kCacheLine) float values[kTogether];
  for (std::size_t first = 0; first < rows.count; first += kTogether) {
    const RowGroup group(rows, first);
    group.Reduce<MaxLanes>(
        d, [&](std::size_t row) HWY_ATTR { return MaxOfParts(d, weights + row); }, values);
    // The pivot's own difference is exactly zero, so its weight, close to one, never enters the sum.
    for (std::size_t r = 0; r < group.Count(); ++r) {
      const float* grad = grad_weights + group[r];
      const FloatVec pivot = hn::Set(d, grad[FindIn(d, weights + group[r], hn::Set(d, values[r]))]);
      for (std::size_t i = 0; i < kSlots; i += kLanes)
        hn::Store(hn::Sub(hn::Load(d, grad + i), pivot), d, scores + group[r] + i);
    }
    const auto mean = [&](std::size_t row) HWY_ATTR {
      FloatVec sum = hn::Zero(d);
      for (std::size_t i = row; i < row + kSlots; i += kLanes)
        sum = hn::MulAdd(hn::Load(d, weights + i), hn::Load(d, scores + i), sum);
      return sum;
    };
    group.Reduce<AddLanes>(d, mean, values);
    for (std::size_t r = 0; r < group.Count(); ++r) {
      const FloatVec shift = hn::Set(d, values[r]);
      for (std::size_t i = group[r]; i < group[r] + kSlots; i += kLanes)
        hn::Store(hn::Sub(hn::Load(d, scores + i), shift), d, scores + i);
    }
  }
}

void ArgmaxRows(RowList rows, const float* HWY_RESTRICT values, std::uint8_t* HWY_RESTRICT argmax) {
  const FloatTag d;
  alignas(kCacheLine) float tops[kTogether];
  for (std::size_t first = 0; first < rows.count; first += kTogether) {
    const RowGroup group(rows, first);
    group.Reduce<MaxLanes>(
        d, [&](std::size_t row) HWY_ATTR { return MaxOfParts(d, values + row); }, tops);
    for (std::size_t r = 0; r < group.Count(); ++r)
      argmax[first + r] = static_cast<std::uint8_t>(FindIn(d, values + group[r], hn::Set(d, tops[r])));
  }
}

void EntropyRows(std::size_t rows, const float* HWY_RESTRICT weights, float* HWY_RESTRICT entropy) {
  const FloatTag d;
  const FloatVec tiny = hn::Set(d, 1e-37f);  // ln 0 is kept finite; the product with 0 is 0 all the same
  const float scale = -1 / std::log(static_cast<float>(kSlots));
  for (std::size_t r = 0; r < rows; ++r) {
    FloatVec sum = hn::Zero(d);
    for (std::size_t i = r * kSlots; i < (r + 1) * kSlots; i += kLanes) {
      const FloatVec q = hn::Load(d, weights + i);
      sum = hn::MulAdd(q, hn::Log(d, hn::Max(q, tiny)), sum);
    }
    entropy[r] = HWY_MAX(0.f, scale * hn::GetLane(hn::SumOfLanes(d, sum)));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(SoftmaxRows);
HWY_EXPORT(MixCoefficients);
HWY_EXPORT(ExpandSums);
HWY_EXPORT(ScoreRows);
HWY_EXPORT(ArgmaxRows);
HWY_EXPORT(EntropyRows);

void softmax_rows(RowList rows, const float* logits, float temperature, float* weights) {
  HWY_DYNAMIC_DISPATCH(SoftmaxRows)(rows, logits, temperature, weights);
}

void mix_coefficients(RowList rows, const float* weights, const std::uint32_t* place, float* coefficients) {
  HWY_DYNAMIC_DISPATCH(MixCoefficients)(rows, weights, place, coefficients);
}

void expand_sums(RowList rows, const float* sums, const std::uint32_t* place, float* grad_weights) {
  HWY_DYNAMIC_DISPATCH(ExpandSums)(rows, sums, place, grad_weights);
}

void score_rows(RowList rows, const float* grad_weights, const float* weights, float* scores) {
  HWY_DYNAMIC_DISPATCH(ScoreRows)(rows, grad_weights, weights, scores);
}

void argmax_rows(RowList rows, const float* values, std::uint8_t* argmax) {
  HWY_DYNAMIC_DISPATCH(ArgmaxRows)(rows, values, argmax);
}

void entropy_rows(std::size_t rows, const float* weights, float* entropy) {
  HWY_DYNAMIC_DISPATCH(EntropyRows)(rows, weights, entropy);
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
