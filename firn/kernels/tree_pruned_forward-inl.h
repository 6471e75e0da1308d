// Forward pass of trees of which freezing has left little: what remains runs gate after gate over a block of
// placements, as its program says, with the values between gates in rows that stay in L1.
#if defined(FIRN_KERNELS_TREE_PRUNED_FORWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRN_KERNELS_TREE_PRUNED_FORWARD_INL_H_
#undef FIRN_KERNELS_TREE_PRUNED_FORWARD_INL_H_
#else
#define FIRN_KERNELS_TREE_PRUNED_FORWARD_INL_H_
#endif

#include <hwy/highway.h>

#include "firn/kernels/tree-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

// Placements that are computed together: some lines of them, in scratch rows one after the other. Samples that lie in
// one piece, as those of neighbouring placements do unless there is a stride, are a run.
struct Runs {
  static constexpr std::size_t kMost = kPrunedRow / 16;
  std::size_t count = 0;
  std::size_t length = 0;  // floats in each
  std::size_t in[kMost];   // where they begin, from the row of a leaf
};

class ForwardBlock {
 public:
  ForwardBlock(const TreeConv& conv, std::size_t samples, const float* in) : conv_(conv), samples_(samples), in_(in) {
    // As wide as the image, if that fits, and then as many lines as fit. (A single placement that does not fit is not
    // worth pruning.)
    const std::size_t side = conv.pool;
    width_ = HWY_MAX(HWY_MIN(conv.out_width, kPrunedRow / (side * side * samples)), std::size_t{1});
    height_ = HWY_MAX(HWY_MIN(conv.out_height, kPrunedRow / (side * side * samples * width_)), std::size_t{1});
  }

  std::size_t width() const { return width_; }  // of a block, in outputs
  std::size_t height() const { return height_; }

  // The outputs [y, y + height) x [x, x + width) of filter k, before pooling.
  void Evaluate(FloatTag d, std::size_t k, std::size_t y, std::size_t x, std::size_t height, std::size_t width) {
    line_ = conv_.pool * width;
    origin_ = (conv_.pool * y * conv_.in_line + conv_.pool * x) * conv_.stride * samples_;
    FindRuns(conv_.pool * height);
    const int leaves = 1 << conv_.depth;
    const float* coefficients = conv_.coefficients + k * 4 * (leaves - 1);
    for (int l = 0; l < leaves; ++l) leaf_[l] = in_ + conv_.leaves[k * leaves + l] * samples_;
    const TreeProgram program = (*conv_.programs)[k];
    for (const TreeStep& step : program.steps) Run(d, step, coefficients + 4 * step.gate);
    root_is_leaf_ = program.root < leaves;
    root_ = root_is_leaf_ ? leaf_[program.root] : Row(program.root_row);
  }

  // The value of the tree at a placement of the block.
  const float* value(std::size_t line, std::size_t column) const {
    return root_is_leaf_ ? root_ + Offset(line, column) : root_ + (line * line_ + column) * samples_;
  }

 private:
  std::size_t Offset(std::size_t line, std::size_t column) const {
    return origin_ + (line * conv_.in_line + column) * conv_.stride * samples_;
  }

  void FindRuns(std::size_t lines) {
    const bool is_dense = conv_.stride == 1;
    runs_.count = is_dense ? lines : lines * line_;
    runs_.length = is_dense ? line_ * samples_ : samples_;
    std::size_t run = 0;
    for (std::size_t line = 0; line < lines; ++line)
      for (std::size_t column = 0; column < line_; column += is_dense ? line_ : 1)
        runs_.in[run++] = Offset(line, column);
  }

  void Run(FloatTag d, const TreeStep& step, const float* c) {
    float* out = Row(step.result);
    const int leaves = 1 << conv_.depth;
    const bool is_leaf_a = step.a < leaves, is_leaf_b = step.b < leaves;
    const float* a = is_leaf_a ? leaf_[step.a] : Row(step.in_a);
    const float* b = is_leaf_b ? leaf_[step.b] : Row(step.in_b);
    const std::size_t all = runs_.count * runs_.length;
    switch (step.kind) {
      case StepKind::kConstant:
        return Fill(d, c[0], all, out);
      case StepKind::kUnary:
        if (!is_leaf_a) return EvaluateUnary(d, c, step.linear, a, all, out);
        for (std::size_t r = 0; r < runs_.count; ++r)
          EvaluateUnary(d, c, step.linear, a + runs_.in[r], runs_.length, out + r * runs_.length);
        return;
      case StepKind::kBinary:
        if (!is_leaf_a && !is_leaf_b) return EvaluateBinary(d, c, a, b, all, out);
        for (std::size_t r = 0; r < runs_.count; ++r)
          EvaluateBinary(d, c, a + (is_leaf_a ? runs_.in[r] : r * runs_.length),
                         b + (is_leaf_b ? runs_.in[r] : r * runs_.length), runs_.length, out + r * runs_.length);
    }
  }

  float* Row(std::size_t index) { return rows_ + index * kPrunedRow; }

  const TreeConv& conv_;
  std::size_t samples_;
  const float* in_;
  std::size_t width_, height_;
  std::size_t line_ = 0, origin_ = 0;
  Runs runs_;
  const float* leaf_[kMostLeaves];
  const float* root_ = nullptr;
  bool root_is_leaf_ = false;
  HWY_ALIGN float rows_[kMaxTreeDepth * kPrunedRow];
};

// A tree that is placed once has a vector or two of work for each gate: no block pays for it.
HWY_INLINE void ForwardPrunedOnce(FloatTag d, const TreeConv& conv, std::size_t k, std::size_t samples, const float* in,
                                  float* HWY_RESTRICT to) {
  const TreeProgram program = (*conv.programs)[k];
  const std::size_t leaves = std::size_t{1} << conv.depth;
  const std::uint32_t* leaf_rows = conv.leaves + k * leaves;
  const float* coefficients = conv.coefficients + k * 4 * (leaves - 1);
  HWY_ALIGN float gates[kMostGates * kLanes];
  for (std::size_t s = 0; s < samples; s += kLanes) {
    const auto value = [&](std::size_t node) HWY_ATTR {
      return hn::Load(d, node < leaves ? in + leaf_rows[node] * samples + s : gates + (node - leaves) * kLanes);
    };
    for (const TreeStep& step : program.steps) {
      const float* c = coefficients + 4 * step.gate;
      FloatVec result = hn::Set(d, c[0]);
      if (step.kind == StepKind::kUnary) result = hn::MulAdd(hn::Set(d, c[step.linear]), value(step.a), result);
      if (step.kind == StepKind::kBinary) result = ApplyGate(d, c, value(step.a), value(step.b));
      hn::Store(result, d, gates + step.gate * kLanes);
    }
    hn::Store(value(program.root), d, to + s);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
