#include "firn/kernels/circuit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/matrix.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/circuit.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int kOperation, class V>
HWY_INLINE V Apply(V a, V b) {
  if constexpr (kOperation == gate_kind::kAnd) return hn::And(a, b);
  if constexpr (kOperation == gate_kind::kOr) return hn::Or(a, b);
  if constexpr (kOperation == gate_kind::kAndNot) return hn::AndNot(b, a);
  if constexpr (kOperation == gate_kind::kXor) return hn::Xor(a, b);
  if constexpr (kOperation == gate_kind::kNotAnd) return hn::AndNot(a, b);
}

// The value of one instruction of kind kKind, from vectors that `load` delivers by operand number.
template <int kKind, class Load>
HWY_INLINE auto Value(const Load& load) {
  using namespace gate_kind;
  if constexpr (operands(kKind) == 2) {
    return Apply<kKind>(load(0), load(1));
  } else if constexpr (operands(kKind) == 3) {
    constexpr int kCode = kKind - chain(0, 0);
    return Apply<kCode % kOuterOperations>(Apply<kCode / kOuterOperations>(load(0), load(1)), load(2));
  } else {
    constexpr int kCode = kKind - pair(0, 0, 0), kInner = kCode / kOperations;
    return Apply<kCode % kOperations>(Apply<kInner / kOperations>(load(0), load(1)),
                                      Apply<kInner % kOperations>(load(2), load(3)));
  }
}

// Runs `count` instructions of one kind on rows of `words` words, kVector words at a time, and returns where the next
// one's rows are. kWords is `words` where that is known, else 0.
template <int kKind, std::size_t kVector, std::size_t kWords, class Number>
const Number* RunKind(const Number* HWY_RESTRICT at, std::size_t count, std::size_t words, std::uint64_t* rows) {
  const hn::CappedTag<std::uint64_t, kVector> d;
  constexpr int kOperands = gate_kind::operands(kKind);
  if constexpr (kWords != 0) words = kWords;
  for (const Number* end = at + count * (kOperands + 1); at != end; at += kOperands + 1) {
    const std::uint64_t* from[kOperands];
    for (int i = 0; i < kOperands; ++i) from[i] = rows + at[i] * words;
    std::uint64_t* to = rows + at[kOperands] * words;
    for (std::size_t w = 0; w < words; w += hn::Lanes(d)) {
      hn::Store(Value<kKind>([&](int i) { return hn::Load(d, from[i] + w); }), d, to + w);
    }
  }
  return at;
}

template <class Number>
using KindFunction = const Number* (*)(const Number*, std::size_t, std::size_t, std::uint64_t*);

template <int kKind, std::size_t kVector, std::size_t kWords, class Number>
constexpr KindFunction<Number> FunctionOf() {
  if constexpr (gate_kind::is_used(kKind)) {
    return &RunKind<kKind, kVector, kWords, Number>;
  } else {
    return nullptr;
  }
}

template <std::size_t kVector, std::size_t kWords, class Number, int... kKinds>
void RunAll(const GateProgram& program, const Number* at, std::size_t words, std::uint64_t* rows,
            std::integer_sequence<int, kKinds...>) {
  static constexpr KindFunction<Number> kFunctions[] = {FunctionOf<kKinds, kVector, kWords, Number>()...};
  for (const GateRun *run = program.runs, *end = run + program.run_count; run != end; ++run) {
    at = kFunctions[run->kind](at, run->count, words, rows);
  }
}

template <class Number>
void RunRows(const GateProgram& program, const Number* at, std::size_t words, std::uint64_t* rows) {
  const auto kinds = std::make_integer_sequence<int, gate_kind::kCount>();
  if (words == 2) return RunAll<2, 2>(program, at, words, rows, kinds);
  if (words == 4) return RunAll<4, 4>(program, at, words, rows, kinds);
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_SSE4
  // The usual width. Elsewhere the loop over a row is long enough to hide that its length is not known.
  if (words == 8) return RunAll<8, 8>(program, at, words, rows, kinds);
#endif
  RunAll<8, 0>(program, at, words, rows, kinds);
}

void RunGates(const GateProgram& program, std::size_t words, std::uint64_t* rows) {
  if (program.short_rows != nullptr) {
    RunRows(program, program.short_rows, words, rows);
  } else {
    RunRows(program, program.long_rows, words, rows);
  }
}

// Bit by bit `yes` where the mask is set and `no` elsewhere. Highway's own has a whole-lane mask on most targets.
template <class V>
HWY_INLINE V Select(V mask, V yes, V no) {
#if HWY_TARGET == HWY_AVX3
  return hn::IfVecThenElse(mask, yes, no);  // bit by bit here, and in one operation
#else
  return hn::Or(hn::And(mask, yes), hn::AndNot(mask, no));
#endif
}

// Full adder on every bit: `sum` becomes the sum of the three, the result is the carry.
template <class V>
HWY_INLINE V AddBits(V& sum, V b, V c) {
  const V either = hn::Xor(sum, b);
  sum = hn::Xor(either, c);
  return Select(either, c, b);  // where sum and b are equal, each of them is the carry
}

// Counters for one vector of samples. The four low planes stay in registers while blocks of sixteen rows are added
// through a tree of carry-save adders; one carry of weight 16 a block goes on to the planes in memory.
template <class D>
class Counter {
  using V = hn::Vec<D>;

 public:
  Counter(std::uint32_t base, std::size_t planes, std::size_t stride, std::uint64_t* out)
      : planes_(planes), stride_(stride), out_(out) {
    for (std::size_t p = 0; p < planes; ++p) Store(p, hn::Set(d_, base >> p & 1 ? ~std::uint64_t{0} : 0));
  }

  template <class Load>
  HWY_INLINE void AddRows(std::size_t count, const Load& load) {
    std::size_t r = 0;
    if (count >= 16 && planes_ >= 5) {
      V ones = Plane(0), twos = Plane(1), fours = Plane(2), eights = Plane(3);
      for (; r + 16 <= count; r += 16) {
        const V carry = AddSixteen(ones, twos, fours, eights, [&](std::size_t i) { return load(r + i); });
        Ripple(carry, 4);
      }
      Store(0, ones);
      Store(1, twos);
      Store(2, fours);
      Store(3, eights);
    }
    for (; r < count; ++r) Ripple(load(r), 0);
  }

 private:
  HWY_INLINE V Plane(std::size_t p) const { return hn::Load(d_, out_ + p * stride_); }
  HWY_INLINE void Store(std::size_t p, V v) { hn::Store(v, d_, out_ + p * stride_); }

  HWY_INLINE void Ripple(V carry, std::size_t first) {
    for (std::size_t p = first; p < planes_; ++p) {
      const V plane = Plane(p);
      Store(p, hn::Xor(plane, carry));
      carry = hn::And(plane, carry);
      if (hn::AllTrue(d_, hn::Eq(carry, hn::Zero(d_)))) return;
    }
  }

  template <class Load>
  static HWY_INLINE V AddFour(V& ones, V& twos, const Load& load, std::size_t i) {
    const V a = AddBits(ones, load(i), load(i + 1));
    const V b = AddBits(ones, load(i + 2), load(i + 3));
    return AddBits(twos, a, b);
  }
  template <class Load>
  static HWY_INLINE V AddSixteen(V& ones, V& twos, V& fours, V& eights, const Load& load) {
    const V a = AddFour(ones, twos, load, 0), b = AddFour(ones, twos, load, 4);
    const V left = AddBits(fours, a, b);
    const V c = AddFour(ones, twos, load, 8), e = AddFour(ones, twos, load, 12);
    const V right = AddBits(fours, c, e);
    return AddBits(eights, left, right);
  }

  const D d_{};
  std::size_t planes_, stride_;
  std::uint64_t* out_;
};

template <std::size_t kVector>
void CountRowsOf(const CountGroup& group, std::size_t planes, std::size_t words, const std::uint64_t* rows,
                 std::uint64_t* out) {
  const hn::CappedTag<std::uint64_t, kVector> d;
  for (std::size_t w = 0; w < words; w += hn::Lanes(d)) {
    Counter<decltype(d)> counter(group.base, planes, words, out + w);
    const std::uint32_t* plain = group.literals;
    const std::uint32_t* inverted = plain + group.plain;
    counter.AddRows(group.plain, [&](std::size_t r) { return hn::Load(d, rows + plain[r] / 2 * words + w); });
    counter.AddRows(group.inverted,
                    [&](std::size_t r) { return hn::Not(hn::Load(d, rows + inverted[r] / 2 * words + w)); });
  }
}

void CountRows(const CountGroup& group, std::size_t planes, std::size_t words, const std::uint64_t* rows,
               std::uint64_t* out) {
  if (words % 8 == 0) {
    CountRowsOf<8>(group, planes, words, rows, out);
  } else if (words == 4) {
    CountRowsOf<4>(group, planes, words, rows, out);
  } else if (words == 1) {
    CountRowsOf<1>(group, planes, words, rows, out);
  } else {
    CountRowsOf<2>(group, planes, words, rows, out);
  }
}

// Numbers of one word of samples from their bit planes, which are `stride` words apart.
HWY_INLINE void UnpackNumbers(std::size_t bits, std::size_t stride, const std::uint64_t* HWY_RESTRICT planes,
                              std::uint16_t* HWY_RESTRICT numbers) {
  const hn::CappedTag<std::uint16_t, 16> d;
  // Lane i of a vector looks at bit i of the bits broadcast to all lanes.
  const auto lane_bit = hn::Shl(hn::Set(d, 1), hn::Iota(d, 0));
  for (std::size_t s = 0; s < 64; s += hn::Lanes(d)) {
    auto number = hn::Zero(d);
    for (std::size_t b = 0; b < bits; ++b) {
      const auto word = hn::Set(d, static_cast<std::uint16_t>(planes[b * stride] >> s));
      const auto set = hn::Ne(hn::And(word, lane_bit), hn::Zero(d));
      number = hn::Or(number, hn::IfThenElseZero(set, hn::Set(d, static_cast<std::uint16_t>(1u << b))));
    }
    hn::StoreU(number, d, numbers + s);
  }
}

// Compares numbers plane by plane from the lowest: the highest plane that differs decides.
template <std::size_t kVector>
void LargestGroupOf(std::size_t groups, std::size_t planes, std::size_t words, const std::uint64_t* counts,
                    std::uint16_t* numbers) {
  const hn::CappedTag<std::uint64_t, kVector> d;
  constexpr std::size_t kMaxPlanes = 32, kNumberBits = 16;
  HWY_ALIGN std::uint64_t best[kMaxPlanes * kVector], number[kNumberBits * kVector];
  const auto bits = static_cast<std::size_t>(std::bit_width(groups - 1));
  for (std::size_t w = 0; w < words; w += hn::Lanes(d)) {
    for (std::size_t p = 0; p < planes; ++p) hn::Store(hn::Load(d, counts + p * words + w), d, best + p * kVector);
    for (std::size_t b = 0; b < bits; ++b) hn::Store(hn::Zero(d), d, number + b * kVector);
    for (std::size_t g = 1; g < groups; ++g) {
      const std::uint64_t* group = counts + g * planes * words + w;
      auto larger = hn::Zero(d);
      for (std::size_t p = 0; p < planes; ++p) {
        const auto mine = hn::Load(d, group + p * words), other = hn::Load(d, best + p * kVector);
        larger = Select(hn::Xor(mine, other), mine, larger);
      }
      for (std::size_t p = 0; p < planes; ++p) {
        const auto mine = hn::Load(d, group + p * words), other = hn::Load(d, best + p * kVector);
        hn::Store(Select(larger, mine, other), d, best + p * kVector);
      }
      for (std::size_t b = 0; b < bits; ++b) {
        const auto old = hn::Load(d, number + b * kVector);
        hn::Store(g >> b & 1 ? hn::Or(old, larger) : hn::AndNot(larger, old), d, number + b * kVector);
      }
    }
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) UnpackNumbers(bits, kVector, number + i, numbers + 64 * (w + i));
  }
}

void LargestGroup(std::size_t groups, std::size_t planes, std::size_t words, const std::uint64_t* counts,
                  std::uint16_t* numbers) {
  if (words % 8 == 0) {
    LargestGroupOf<8>(groups, planes, words, counts, numbers);
  } else if (words == 1) {
    LargestGroupOf<1>(groups, planes, words, counts, numbers);
  } else {
    LargestGroupOf<2>(groups, planes, words, counts, numbers);
  }
}

void UnpackCounts(std::size_t planes, std::size_t words, const std::uint64_t* HWY_RESTRICT group,
                  std::uint32_t* HWY_RESTRICT counts) {
  const hn::CappedTag<std::uint32_t, 16> d;
  // Lane i of a vector looks at bit i of the bits broadcast to all lanes.
  const auto lane_bit = hn::Shl(hn::Set(d, 1), hn::Iota(d, 0));
  for (std::size_t s = 0; s < 64 * words; s += hn::Lanes(d)) {
    auto sum = hn::Zero(d);
    for (std::size_t p = 0; p < planes; ++p) {
      const auto bits = hn::Set(d, static_cast<std::uint32_t>(group[p * words + s / 64] >> s % 64));
      const auto set = hn::Ne(hn::And(bits, lane_bit), hn::Zero(d));
      sum = hn::Or(sum, hn::IfThenElseZero(set, hn::Set(d, std::uint32_t{1} << p)));
    }
    hn::StoreU(sum, d, counts + s);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(RunGates);
HWY_EXPORT(CountRows);
HWY_EXPORT(LargestGroup);
HWY_EXPORT(UnpackCounts);

namespace {

constexpr std::size_t kMaxCountBits = 32;

bool is_row_size(std::size_t words) {
  return words == 1 || words == 2 || words == 4 || (words > 0 && words % 8 == 0);
}

}  // namespace

void run_gates(const GateProgram& program, std::size_t words, std::uint64_t* rows) {
  if (program.run_count == 0) return;
  FIRN_CHECK(is_row_size(words) && words != 1 && (program.short_rows == nullptr) != (program.long_rows == nullptr));
  HWY_DYNAMIC_DISPATCH(RunGates)(program, words, rows);
}

void count_rows(const CountGroup& group, std::size_t planes, std::size_t words, const std::uint64_t* rows,
                std::uint64_t* out) {
  FIRN_CHECK(is_row_size(words) && planes <= kMaxCountBits);
  FIRN_DCHECK((group.base + group.plain + group.inverted) >> planes == 0);
  HWY_DYNAMIC_DISPATCH(CountRows)(group, planes, words, rows, out);
}

void largest_group(std::size_t groups, std::size_t planes, std::size_t words, const std::uint64_t* counts,
                   std::uint16_t* numbers) {
  FIRN_CHECK(is_row_size(words) && groups > 0 && groups <= 0x10000 && planes <= kMaxCountBits);
  HWY_DYNAMIC_DISPATCH(LargestGroup)(groups, planes, words, counts, numbers);
}

void unpack_counts(std::size_t planes, std::size_t words, const std::uint64_t* group, std::uint32_t* counts) {
  FIRN_CHECK(is_row_size(words) && planes <= kMaxCountBits);
  HWY_DYNAMIC_DISPATCH(UnpackCounts)(planes, words, group, counts);
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
