// Backward pass of trees of which freezing has left little: values and gradients of a block of placements are in rows
// that stay in L1, and gradients replace the values they belong to.
#if defined(FIRN_KERNELS_TREE_PRUNED_BACKWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRN_KERNELS_TREE_PRUNED_BACKWARD_INL_H_
#undef FIRN_KERNELS_TREE_PRUNED_BACKWARD_INL_H_
#else
#define FIRN_KERNELS_TREE_PRUNED_BACKWARD_INL_H_
#endif

#include <hwy/highway.h>

#include "firn/kernels/tree-inl.h"
#include "firn/kernels/tree_push-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

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

// The sums of a tree's gates from those of its learners: zero for gates that learn but are not read.
HWY_INLINE void WriteSums(FloatTag d, const TreeProgram& program, std::size_t learners, std::size_t gates,
                          const LaneSums& lanes, float* HWY_RESTRICT sums) {
  for (std::size_t i = 0; i < 4 * gates; ++i) sums[i] = 0;
  if (learners == 0) return;
  float total[4 * kMostGates];
  lanes.AddUp(d, learners, total);
  const float* from = total;
  for (const TreeStep& step : program.steps) {
    if (!step.learns) continue;
    for (int t = 0; t < 4; ++t) sums[4 * step.gate + t] = from[t];
    from += 4;
  }
}

// One filter at a time.
class BackwardBlock {
  static constexpr std::size_t kFloats = 256;        // of each node
  static constexpr std::size_t kRow = kFloats + 16;  // as in TreeGradient

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
    if (conv_.pool > 1) pushes_ = (*conv_.pushes)[k];
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

  // The same with a pool of four placements and the winner of each lane, as for whole trees.
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
    WriteSums(d, program_, learners_, static_cast<std::size_t>(leaves_ - 1), sums_, sums);
  }

 private:
  float* Row(std::size_t node) { return rows_ + node * kRow; }

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
        PushLeaves(d, {used_, winners_, position_, rows_, kRow}, pushes_, LeavesRead(program_), first_, shift_,
                   grad_in_);
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

  const TreeConv& conv_;
  const float* in_;
  float* grad_in_;
  int leaves_;
  std::size_t samples_;
  std::size_t shift_[4] = {0, 0, 0, 0};  // of the four placements of a pool
  TreeProgram program_;
  std::span<const PushStep> pushes_;
  const float* coefficients_ = nullptr;
  std::size_t first_[kMostLeaves];
  std::size_t learners_ = 0;
  std::size_t used_ = 0;
  std::size_t position_[kFloats / kLanes];
  LaneSums sums_;
  HWY_ALIGN std::int32_t winners_[kFloats];
  HWY_ALIGN float rows_[(kMostLeaves + kMostGates) * kRow];
};

inline void BackwardPruned(const TreeConv& conv, std::size_t k, std::size_t samples, const float* in,
                           const float* grad_out, const std::uint8_t* winners, const float* grad_in,
                           BackwardBlock& block, float* sums) {
  const FloatTag d;
  const IntTag di;
  const hn::Rebind<std::uint8_t, FloatTag> db;
  const std::size_t pool = conv.pool;
  PlanesAhead ahead(conv, k, samples);
  block.Begin(d, k);
  for (std::size_t y = 0; block.IsNeeded() && y < conv.out_height; ++y)
    for (std::size_t x = 0; x < conv.out_width; ++x) {
      if (grad_in != nullptr) ahead.Advance(in, grad_in);
      const float* from = GradientRow(conv, k, y, x, samples, grad_out);
      const std::size_t position = (pool * y * conv.in_line + pool * x) * conv.stride * samples;
      for (std::size_t s = 0; s < samples; s += kLanes) {
        const FloatVec grad = hn::Load(d, from + s);
        if (pool == 1)
          block.Add(d, position + s, grad);
        else if (!hn::AllTrue(d, hn::Eq(grad, hn::Zero(d))))
          block.AddPooled(d, position + s, grad,
                          hn::PromoteTo(di, hn::LoadU(db, winners + (y * conv.out_width + x) * samples + s)));
      }
    }
  block.Finish(d, sums);
}

// A tree that is placed once has a vector or two of work for each gate: no block pays for it.
HWY_INLINE void BackwardPrunedOnce(FloatTag d, const TreeConv& conv, std::size_t k, std::size_t samples,
                                   const float* in, const float* grad_out, float* grad_in, float* sums) {
  const TreeProgram program = (*conv.programs)[k];
  const std::size_t leaves = std::size_t{1} << conv.depth;
  const std::uint32_t* leaf_rows = conv.leaves + k * leaves;
  const float* coefficients = conv.coefficients + k * 4 * (leaves - 1);
  const float* grad = GradientRow(conv, k, 0, 0, samples, grad_out);
  std::size_t learners = 0;
  for (const TreeStep& step : program.steps) learners += step.learns;
  LaneSums lanes;
  lanes.Clear(d, learners);
  HWY_ALIGN float rows[(kMostLeaves + kMostGates) * kLanes];  // of nodes: values, which gradients replace
  const auto row = [&](std::size_t node) HWY_ATTR { return rows + node * kLanes; };
  for (std::size_t s = 0; s < samples; s += kLanes) {
    for (const std::uint8_t l : program.leaves) hn::Store(hn::Load(d, in + leaf_rows[l] * samples + s), d, row(l));
    for (const TreeStep& step : program.steps) {
      const float* c = coefficients + 4 * step.gate;
      if (step.kind == StepKind::kConstant)
        Fill(d, c[0], kLanes, row(step.out));
      else if (step.kind == StepKind::kUnary)
        EvaluateUnary(d, c, step.linear, row(step.a), kLanes, row(step.out));
      else
        EvaluateBinary(d, c, row(step.a), row(step.b), kLanes, row(step.out));
    }
    hn::Store(hn::Load(d, grad + s), d, row(program.root));
    std::size_t learner = learners;
    for (std::size_t i = program.steps.size(); i-- > 0;) {
      const TreeStep& step = program.steps[i];
      const float* c = coefficients + 4 * step.gate;
      learner -= step.learns;
      if (step.kind == StepKind::kUnary)
        hn::Store(hn::Mul(hn::Load(d, row(step.out)), hn::Set(d, c[step.linear])), d, row(step.a));
      else if (step.learns)
        BackThroughBinary<true, true>(d, c, row(step.out), row(step.a), row(step.b), kLanes, lanes.of(learner));
      else if (step.kind == StepKind::kBinary)
        BackThroughBinary<true, false>(d, c, row(step.out), row(step.a), row(step.b), kLanes, nullptr);
    }
    if (grad_in == nullptr) continue;
    for (const std::uint8_t l : program.leaves) AddTo(d, hn::Load(d, row(l)), grad_in + leaf_rows[l] * samples + s);
  }
  WriteSums(d, program, learners, leaves - 1, lanes, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
