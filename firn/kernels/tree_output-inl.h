// Places trees, and puts their values where they go.
#if defined(FIRN_KERNELS_TREE_OUTPUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRN_KERNELS_TREE_OUTPUT_INL_H_
#undef FIRN_KERNELS_TREE_OUTPUT_INL_H_
#else
#define FIRN_KERNELS_TREE_OUTPUT_INL_H_
#endif

#include <hwy/highway.h>

#include "firn/kernels/tree-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

// The first of four values with the maximum wins.
HWY_INLINE void StoreMaximum(FloatTag d, const FloatVec (&value)[4], float* HWY_RESTRICT to,
                             std::uint8_t* HWY_RESTRICT winners) {
  const hn::RebindToSigned<FloatTag> di;
  const hn::Rebind<std::uint8_t, FloatTag> db;
  FloatVec best = value[0];
  auto winner = hn::Zero(di);
  for (int p = 1; p < 4; ++p) {
    const auto better = hn::Gt(value[p], best);
    best = hn::IfThenElse(better, value[p], best);
    winner = hn::IfThenElse(hn::RebindMask(di, better), hn::Set(di, p), winner);
  }
  hn::Store(best, d, to);
  hn::StoreU(hn::DemoteTo(db, winner), db, winners);
}

// Where the values of a filter go: one row of outputs and, with a pool, one of winners for each placement.
class FilterOutput {
 public:
  FilterOutput(const TreeConv& conv, std::size_t k, std::size_t samples, float* out, std::uint8_t* winners)
      : out_(out + (conv.out_first + k * conv.out_plane) * samples),
        winners_(conv.pool == 1 ? nullptr : winners + k * conv.out_height * conv.out_width * samples),
        line_(conv.out_line * samples),
        winner_line_(conv.out_width * samples),
        samples_(samples) {}

  float* row(std::size_t y, std::size_t x) const { return out_ + y * line_ + x * samples_; }
  std::uint8_t* winners(std::size_t y, std::size_t x) const { return winners_ + y * winner_line_ + x * samples_; }

 private:
  float* out_;
  std::uint8_t* winners_;
  std::size_t line_, winner_line_, samples_;
};

// A Tree evaluates itself for some placements at once, of which it is given the distance from the first, in floats.
template <class Tree>
void ForwardPlain(const TreeConv& conv, std::size_t samples, const Tree& tree, const FilterOutput& out) {
  const FloatTag d;
  for (std::size_t y = 0; y < conv.out_height; ++y)
    for (std::size_t x = 0; x < conv.out_width; ++x) {
      const std::size_t position = (y * conv.in_line + x) * conv.stride * samples;
      float* to = out.row(y, x);
      std::size_t s = 0;
      for (; s + 2 * kLanes <= samples; s += 2 * kLanes) {
        FloatVec value[2];
        tree.Evaluate(d, {position + s, position + s + kLanes}, value);
        hn::Store(value[0], d, to + s);
        hn::Store(value[1], d, to + s + kLanes);
      }
      for (; s < samples; s += kLanes) {
        FloatVec value[1];
        tree.Evaluate(d, {position + s}, value);
        hn::Store(value[0], d, to + s);
      }
    }
}

template <class Tree>
void ForwardPooled(const TreeConv& conv, std::size_t samples, const Tree& tree, const FilterOutput& out) {
  const FloatTag d;
  const std::size_t right = conv.stride * samples;
  for (std::size_t y = 0; y < conv.out_height; ++y)
    for (std::size_t x = 0; x < conv.out_width; ++x)
      for (std::size_t s = 0; s < samples; s += kLanes) {
        const std::size_t first = (2 * y * conv.in_line + 2 * x) * right + s, below = first + conv.in_line * right;
        FloatVec value[4];
        tree.Evaluate(d, {first, first + right, below, below + right}, value);
        StoreMaximum(d, value, out.row(y, x) + s, out.winners(y, x) + s);
      }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
