// Trees of which freezing has left little: what remains runs gate after gate over a block of placements, as its program
// says, with the values between gates in rows that stay in L1.
#if defined(FIRN_KERNELS_TREE_PRUNED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRN_KERNELS_TREE_PRUNED_INL_H_
#undef FIRN_KERNELS_TREE_PRUNED_INL_H_
#else
#define FIRN_KERNELS_TREE_PRUNED_INL_H_
#endif

#include <hwy/highway.h>

#include "firn/kernels/tree-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

// out = gate(a, b) over `count` floats; out may be a or b.
HWY_INLINE void EvaluateBinary(FloatTag d, const float* HWY_RESTRICT c, const float* a, const float* b,
                               std::size_t count, float* out) {
  const FloatVec c0 = hn::Set(d, c[0]), ca = hn::Set(d, c[1]), cb = hn::Set(d, c[2]), cab = hn::Set(d, c[3]);
  for (std::size_t i = 0; i < count; i += kLanes) {
    const FloatVec va = hn::Load(d, a + i);
    hn::Store(hn::MulAdd(hn::MulAdd(cab, va, cb), hn::Load(d, b + i), hn::MulAdd(ca, va, c0)), d, out + i);
  }
}

HWY_INLINE void EvaluateUnary(FloatTag d, const float* HWY_RESTRICT c, int linear, const float* a, std::size_t count,
                              float* out) {
  const FloatVec c0 = hn::Set(d, c[0]), ca = hn::Set(d, c[linear]);
  for (std::size_t i = 0; i < count; i += kLanes) hn::Store(hn::MulAdd(ca, hn::Load(d, a + i), c0), d, out + i);
}

HWY_INLINE void Fill(FloatTag d, float value, std::size_t count, float* out) {
  const FloatVec v = hn::Set(d, value);
  for (std::size_t i = 0; i < count; i += kLanes) hn::Store(v, d, out + i);
}

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

// Back through one gate: gradients of the operands replace their values.
template <bool kDeltas, bool kLearns>
HWY_INLINE void BackThroughBinary(FloatTag d, const float* HWY_RESTRICT c, const float* HWY_RESTRICT delta,
                                  float* HWY_RESTRICT a, float* HWY_RESTRICT b, std::size_t count,
                                  float* HWY_RESTRICT lanes) {
  const FloatVec ca = hn::Set(d, c[1]), cb = hn::Set(d, c[2]), cab = hn::Set(d, c[3]);
  GateSums sums;
  if constexpr (kLearns) sums.Load(d, lanes);
  for (std::size_t i = 0; i < count; i += kLanes) {
    const FloatVec up = hn::Load(d, delta + i), va = hn::Load(d, a + i), vb = hn::Load(d, b + i);
    if constexpr (kLearns) sums.Add(up, va, vb);
    if constexpr (kDeltas) {
      hn::Store(hn::Mul(up, hn::MulAdd(cab, vb, ca)), d, a + i);
      hn::Store(hn::Mul(up, hn::MulAdd(cab, va, cb)), d, b + i);
    }
  }
  if constexpr (kLearns) sums.Store(d, lanes);
}

// One filter at a time.
class BackwardBlock {
  static constexpr std::size_t kFloats = 256;  // in a row, one for each node

 public:
  BackwardBlock(const TreeConv& conv, std::size_t samples, const float* in, float* grad_in)
      : conv_(conv), in_(in), grad_in_(grad_in), leaves_(1 << conv.depth) {
    const std::size_t right = conv.stride * samples;
    shift_[1] = right;
    shift_[2] = conv.in_line * right;
    shift_[3] = shift_[2] + right;
    for (int l = 0; l < leaves_; ++l) first_[l] = 0;
    samples_ = samples;
  }

  void Begin(FloatTag d, std::size_t k) {
    program_ = (*conv_.programs)[k];
    coefficients_ = conv_.coefficients + k * 4 * (leaves_ - 1);
    for (const std::uint8_t l : program_.leaves) first_[l] = conv_.leaves[k * leaves_ + l] * samples_;
    learners_ = 0;
    for (const TreeStep& step : program_.steps) learners_ += step.learns;
    sums_.Clear(d, learners_);
  }

  // Is there anything to learn or to pass on?
  bool IsNeeded() const { return learners_ > 0 || (grad_in_ != nullptr && !program_.leaves.empty()); }

  // A vector of samples at a placement, `position` floats from the leaves' rows, and the gradient of its value.
  HWY_INLINE void Add(FloatTag d, std::size_t position, FloatVec grad) {
    if (program_.root >= leaves_) {
      for (const std::uint8_t l : program_.leaves)
        hn::Store(hn::Load(d, in_ + first_[l] + position), d, Row(l) + used_);
    }
    Push(d, position, grad);
  }

  // The same with a pool of four placements and the winner of each lane. Lanes have different winners. Blending the
  // four candidate rows of each leaf costs four loads, and then the tree is evaluated once; evaluating it under a mask
  // for each placement would cost four times the arithmetic.
  HWY_INLINE void AddPooled(FloatTag d, std::size_t position, FloatVec grad, hn::Vec<IntTag> winner) {
    const IntTag di;
    hn::Store(winner, di, winners_ + used_);
    if (program_.root >= leaves_) {
      const auto second = Wins(d, winner, 1), third = Wins(d, winner, 2), fourth = Wins(d, winner, 3);
      for (const std::uint8_t l : program_.leaves) {
        const float* row = in_ + first_[l] + position;
        FloatVec value = hn::Load(d, row);
        value = hn::IfThenElse(second, hn::Load(d, row + shift_[1]), value);
        value = hn::IfThenElse(third, hn::Load(d, row + shift_[2]), value);
        value = hn::IfThenElse(fourth, hn::Load(d, row + shift_[3]), value);
        hn::Store(value, d, Row(l) + used_);
      }
    }
    Push(d, position, grad);
  }

  void Finish(FloatTag d, float* HWY_RESTRICT sums) {
    Flush(d);
    for (int i = 0; i < 4 * (leaves_ - 1); ++i) sums[i] = 0;  // also of gates that learn but are not read
    if (learners_ == 0) return;
    float total[4 * kMostGates];
    sums_.AddUp(d, learners_, total);
    const float* from = total;
    for (const TreeStep& step : program_.steps) {
      if (!step.learns) continue;
      for (int t = 0; t < 4; ++t) sums[4 * step.gate + t] = from[t];
      from += 4;
    }
  }

 private:
  float* Row(std::size_t node) { return rows_ + node * kFloats; }

  HWY_INLINE void Push(FloatTag d, std::size_t position, FloatVec grad) {
    hn::Store(grad, d, Row(program_.root) + used_);
    position_[used_ / kLanes] = position;
    used_ += kLanes;
    if (used_ == kFloats) Flush(d);
  }

  void Flush(FloatTag d) {
    if (used_ == 0) return;
    for (const TreeStep& step : program_.steps)
      if (step.out != program_.root) Evaluate(d, step);  // the row of the root holds its gradient
    std::size_t learner = learners_;
    for (std::size_t i = program_.steps.size(); i-- > 0;) {
      const TreeStep& step = program_.steps[i];
      learner -= step.learns;
      GoBack(d, step, sums_.of(learner));
    }
    if (grad_in_ != nullptr) {
      if (conv_.pool == 1)
        Scatter(d);
      else
        ScatterPooled(d);
    }
    used_ = 0;
  }

  void Evaluate(FloatTag d, const TreeStep& step) {
    const float* c = coefficients_ + 4 * step.gate;
    switch (step.kind) {
      case StepKind::kConstant:
        return Fill(d, c[0], used_, Row(step.out));
      case StepKind::kUnary:
        return EvaluateUnary(d, c, step.linear, Row(step.a), used_, Row(step.out));
      case StepKind::kBinary:
        return EvaluateBinary(d, c, Row(step.a), Row(step.b), used_, Row(step.out));
    }
  }

  void GoBack(FloatTag d, const TreeStep& step, float* lanes) {
    const float* c = coefficients_ + 4 * step.gate;
    const float* delta = Row(step.out);
    float* a = Row(step.a);
    float* b = Row(step.b);
    const bool is_wanted = grad_in_ != nullptr || step.a >= leaves_ || step.b >= leaves_;
    if (step.kind == StepKind::kUnary) {
      const FloatVec slope = hn::Set(d, c[step.linear]);
      for (std::size_t i = 0; i < used_; i += kLanes) hn::Store(hn::Mul(hn::Load(d, delta + i), slope), d, a + i);
    } else if (step.kind == StepKind::kBinary) {
      if (!step.learns)
        BackThroughBinary<true, false>(d, c, delta, a, b, used_, lanes);
      else if (is_wanted)
        BackThroughBinary<true, true>(d, c, delta, a, b, used_, lanes);
      else
        BackThroughBinary<false, true>(d, c, delta, a, b, used_, lanes);
    }
  }

  void Scatter(FloatTag d) {
    for (std::size_t i = 0; i < used_; i += kLanes)
      for (const std::uint8_t l : program_.leaves)
        AddTo(d, hn::Load(d, Row(l) + i), grad_in_ + first_[l] + position_[i / kLanes]);
  }

  void ScatterPooled(FloatTag d) {
    const IntTag di;
    for (std::size_t i = 0; i < used_; i += kLanes) {
      const auto winner = hn::Load(di, winners_ + i);
      for (int p = 0; p < 4; ++p) {
        const auto wins = Wins(d, winner, p);
        if (hn::AllFalse(d, wins)) continue;
        float* to = grad_in_ + position_[i / kLanes] + shift_[p];
        for (const std::uint8_t l : program_.leaves) {
          AddTo(d, hn::IfThenElseZero(wins, hn::Load(d, Row(l) + i)), to + first_[l]);
        }
      }
    }
  }

  const TreeConv& conv_;
  const float* in_;
  float* grad_in_;
  int leaves_;
  std::size_t samples_;
  std::size_t shift_[4] = {0, 0, 0, 0};  // of the four placements of a pool
  TreeProgram program_;
  const float* coefficients_ = nullptr;
  std::size_t first_[kMostLeaves];
  std::size_t learners_ = 0;
  std::size_t used_ = 0;
  std::size_t position_[kFloats / kLanes];
  LaneSums sums_;
  HWY_ALIGN std::int32_t winners_[kFloats];
  HWY_ALIGN float rows_[(kMostLeaves + kMostGates) * kFloats];
};

inline void BackwardPruned(const TreeConv& conv, std::size_t k, std::size_t samples, const float* grad_out,
                           const std::uint8_t* winners, BackwardBlock& block, float* sums) {
  const FloatTag d;
  const IntTag di;
  const hn::Rebind<std::uint8_t, FloatTag> db;
  const std::size_t pool = conv.pool;
  block.Begin(d, k);
  for (std::size_t y = 0; block.IsNeeded() && y < conv.out_height; ++y)
    for (std::size_t x = 0; x < conv.out_width; ++x, winners += samples) {
      const float* from = GradientRow(conv, k, y, x, samples, grad_out);
      const std::size_t position = (pool * y * conv.in_line + pool * x) * conv.stride * samples;
      for (std::size_t s = 0; s < samples; s += kLanes) {
        const FloatVec grad = hn::Load(d, from + s);
        if (pool == 1)
          block.Add(d, position + s, grad);
        else if (!hn::AllTrue(d, hn::Eq(grad, hn::Zero(d))))
          block.AddPooled(d, position + s, grad, hn::PromoteTo(di, hn::LoadU(db, winners + s)));
      }
    }
  block.Finish(d, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
