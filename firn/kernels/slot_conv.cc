#include "firn/kernels/slot_conv.h"

#include "firn/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/slot_conv.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "firn/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

// All slots of a convolution's neuron look at the same few rows, so the mixture is one quadratic form in them:
// constant + sum of linear[t] x_t + sum of pairs c x_a x_b. It is folded once per kernel and used at every position.
struct QuadraticForm {
  struct Term {
    std::uint32_t tap, other;  // "other" is the second factor of a pair
    float factor;
  };
  float constant = 0;
  float linear[kMaxTaps] = {};
  Term pairs[kSlots];
  std::size_t pair_count = 0;
  bool used[kMaxTaps] = {};
  // slopes[slope_start[t] .. slope_start[t + 1]): the pairs that contain tap t, seen from t
  Term slopes[2 * kSlots];
  std::size_t slope_start[kMaxTaps + 1] = {};

  QuadraticForm(const SlotConv& layer, std::size_t k) {
    const std::uint8_t* taps = layer.taps + k * 2 * kSlots;
    const int frozen = layer.frozen[k];
    for (std::size_t j = 0; j < kSlots; ++j) {
      if (frozen >= 0 && static_cast<std::size_t>(frozen) != j) continue;
      const float weight = frozen >= 0 ? 1.f : layer.weights[k * kSlots + j];
      const float* c = kGateTerms[layer.opcodes[k * kSlots + j]];
      const std::uint32_t a = taps[2 * j], b = taps[2 * j + 1];
      constant += weight * c[0];
      linear[a] += weight * c[1];
      linear[b] += weight * c[2];
      used[a] |= c[1] != 0 || c[3] != 0;
      used[b] |= c[2] != 0 || c[3] != 0;
      if (c[3] != 0) pairs[pair_count++] = {a, b, weight * c[3]};
    }
    std::size_t count = 0;
    for (std::uint32_t t = 0; t < kMaxTaps; ++t) {
      slope_start[t] = count;
      for (std::size_t p = 0; p < pair_count; ++p) {
        if (pairs[p].tap == t) slopes[count++] = {t, pairs[p].other, pairs[p].factor};
        if (pairs[p].other == t) slopes[count++] = {t, pairs[p].tap, pairs[p].factor};
      }
    }
    slope_start[kMaxTaps] = count;
  }
};

// Where the rows under the window are, relative to tap 0.
struct Window {
  std::size_t taps;
  std::size_t offset[kMaxTaps];

  Window(const SlotConv& layer, std::size_t samples) : taps(layer.side * layer.side) {
    for (std::size_t t = 0; t < taps; ++t) offset[t] = (t / layer.side * layer.in_line + t % layer.side) * samples;
  }
};

// kStreams neighbouring positions at once: they share the loads of the coefficients.
template <std::size_t kStreams>
HWY_INLINE void SlotConvPositions(FloatTag d, const QuadraticForm& form, const Window& window,
                                  const float* HWY_RESTRICT from, std::size_t from_step, float* HWY_RESTRICT to,
                                  std::size_t to_step) {
  FloatVec y[kStreams];
  for (std::size_t i = 0; i < kStreams; ++i) y[i] = hn::Set(d, form.constant);
  for (std::size_t t = 0; t < window.taps; ++t) {
    if (!form.used[t]) continue;
    const FloatVec c = hn::Set(d, form.linear[t]);
    for (std::size_t i = 0; i < kStreams; ++i) {
      y[i] = hn::MulAdd(c, hn::Load(d, from + i * from_step + window.offset[t]), y[i]);
    }
  }
  for (std::size_t p = 0; p < form.pair_count; ++p) {
    const FloatVec c = hn::Set(d, form.pairs[p].factor);
    const float *a = from + window.offset[form.pairs[p].tap], *b = from + window.offset[form.pairs[p].other];
    for (std::size_t i = 0; i < kStreams; ++i) {
      y[i] = hn::MulAdd(hn::Mul(c, hn::Load(d, a + i * from_step)), hn::Load(d, b + i * from_step), y[i]);
    }
  }
  for (std::size_t i = 0; i < kStreams; ++i) hn::Store(y[i], d, to + i * to_step);
}

void SlotConvForward(const SlotConv& layer, std::size_t samples, const float* HWY_RESTRICT in,
                     float* HWY_RESTRICT out) {
  const FloatTag d;
  const Window window(layer, samples);
  const std::size_t from_step = layer.stride * samples;
  for (std::size_t k = 0; k < layer.filters; ++k) {
    const QuadraticForm form(layer, k);
    for (std::size_t y = 0; y < layer.out_height; ++y) {
      const float* from = in + (layer.first_rows[k] + y * layer.stride * layer.in_line) * samples;
      float* to = out + (layer.out_first + k * layer.out_plane + y * layer.out_line) * samples;
      for (std::size_t s = 0; s < samples; s += kLanes) {
        std::size_t x = 0;
        for (; x + 4 <= layer.out_width; x += 4) {
          SlotConvPositions<4>(d, form, window, from + x * from_step + s, from_step, to + x * samples + s, samples);
        }
        for (; x < layer.out_width; ++x) {
          SlotConvPositions<1>(d, form, window, from + x * from_step + s, from_step, to + x * samples + s, samples);
        }
      }
    }
  }
}

// Sums over samples and positions of the gradient times 1, x_t, and x_a x_b of every slot: all that sixteen weight
// gradients need. Values of a block of positions wait in a scratch that stays in L1.
class SlotConvSums {
  static constexpr std::size_t kBlock = 256;  // floats per tap
  static constexpr std::size_t kVectors = (1 + kMaxTaps + 15) / 16 * 16 + kSlots;

 public:
  SlotConvSums(const SlotConv& layer, std::size_t k, const Window& window)
      : taps_(window.taps), pair_taps_(layer.taps + k * 2 * kSlots), opcodes_(layer.opcodes + k * kSlots) {
    for (float& sum : sums_) sum = 0;
  }

  HWY_INLINE void Add(FloatTag d, const Window& window, const float* HWY_RESTRICT from, FloatVec up) {
    hn::Store(up, d, ups_ + used_);
    for (std::size_t t = 0; t < taps_; ++t) {
      const FloatVec x = hn::Load(d, from + window.offset[t]);
      hn::Store(x, d, values_ + t * kBlock + used_);
      hn::Store(hn::Mul(up, x), d, products_ + t * kBlock + used_);
    }
    used_ += kLanes;
    if (used_ == kBlock) Flush(d);
  }

  void Finish(FloatTag d, float* HWY_RESTRICT grad_weights) {
    Flush(d);
    HWY_ALIGN float total[kVectors];
    SumEach(d, sums_, kVectors, total);
    for (std::size_t j = 0; j < kSlots; ++j) {
      const float* c = kGateTerms[opcodes_[j]];
      grad_weights[j] = c[0] * total[0] + c[1] * total[1 + pair_taps_[2 * j]] +
                        c[2] * total[1 + pair_taps_[2 * j + 1]] + c[3] * total[kPairs + j];
    }
  }

 private:
  static constexpr std::size_t kPairs = kVectors - kSlots;

  void Flush(FloatTag d) {
    AddUp(d, ups_, 0);
    for (std::size_t t = 0; t < taps_; ++t) AddUp(d, products_ + t * kBlock, 1 + t);
    constexpr std::size_t kTogether = 4;  // independent sums in flight hide the latency of the fused operation
    for (std::size_t j = 0; j < kSlots; j += kTogether) {
      const float *a[kTogether], *b[kTogether];
      FloatVec sum[kTogether];
      for (std::size_t i = 0; i < kTogether; ++i) {
        a[i] = products_ + pair_taps_[2 * (j + i)] * kBlock;
        b[i] = values_ + pair_taps_[2 * (j + i) + 1] * kBlock;
        sum[i] = hn::Load(d, sums_ + (kPairs + j + i) * kLanes);
      }
      for (std::size_t at = 0; at < used_; at += kLanes) {
        for (std::size_t i = 0; i < kTogether; ++i)
          sum[i] = hn::MulAdd(hn::Load(d, a[i] + at), hn::Load(d, b[i] + at), sum[i]);
      }
      for (std::size_t i = 0; i < kTogether; ++i) hn::Store(sum[i], d, sums_ + (kPairs + j + i) * kLanes);
    }
    used_ = 0;
  }

  HWY_INLINE void AddUp(FloatTag d, const float* HWY_RESTRICT values, std::size_t vector) {
    FloatVec sum = hn::Load(d, sums_ + vector * kLanes);
    for (std::size_t at = 0; at < used_; at += kLanes) sum = hn::Add(sum, hn::Load(d, values + at));
    hn::Store(sum, d, sums_ + vector * kLanes);
  }

  std::size_t taps_;
  const std::uint8_t* pair_taps_;
  const std::uint8_t* opcodes_;
  std::size_t used_ = 0;
  HWY_ALIGN float sums_[kVectors * kLanes];
  HWY_ALIGN float ups_[kBlock];
  HWY_ALIGN float values_[kMaxTaps * kBlock];
  HWY_ALIGN float products_[kMaxTaps * kBlock];
};

// Adds the gradient of every row under the window: the form's slope in that row, times the gradient of the output.
HWY_INLINE void AddSlopes(FloatTag d, const QuadraticForm& form, const Window& window, const float* HWY_RESTRICT from,
                          FloatVec up, float* HWY_RESTRICT grad_from) {
  for (std::size_t t = 0; t < window.taps; ++t) {
    if (!form.used[t]) continue;
    FloatVec slope = hn::Set(d, form.linear[t]);
    for (std::size_t e = form.slope_start[t]; e < form.slope_start[t + 1]; ++e) {
      slope =
          hn::MulAdd(hn::Set(d, form.slopes[e].factor), hn::Load(d, from + window.offset[form.slopes[e].other]), slope);
    }
    float* to = grad_from + window.offset[t];
    hn::Store(hn::MulAdd(up, slope, hn::Load(d, to)), d, to);
  }
}

void SlotConvBackward(const SlotConv& layer, std::size_t samples, const float* HWY_RESTRICT in,
                      const float* HWY_RESTRICT grad_out, float* HWY_RESTRICT grad_in,
                      float* HWY_RESTRICT grad_weights) {
  const FloatTag d;
  const Window window(layer, samples);
  for (std::size_t k = 0; k < layer.filters; ++k) {
    const bool trains = layer.frozen[k] < 0;
    if (!trains && grad_in == nullptr) continue;
    const QuadraticForm form(layer, k);
    SlotConvSums sums(layer, k, window);
    for (std::size_t y = 0; y < layer.out_height; ++y) {
      for (std::size_t x = 0; x < layer.out_width; ++x) {
        const std::size_t from = (layer.first_rows[k] + layer.stride * (y * layer.in_line + x)) * samples;
        const float* up = grad_out + (layer.out_first + k * layer.out_plane + y * layer.out_line + x) * samples;
        for (std::size_t s = 0; s < samples; s += kLanes) {
          const FloatVec grad = hn::Load(d, up + s);
          if (trains) sums.Add(d, window, in + from + s, grad);
          if (grad_in != nullptr) AddSlopes(d, form, window, in + from + s, grad, grad_in + from + s);
        }
      }
    }
    if (trains) sums.Finish(d, grad_weights + k * kSlots);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
HWY_EXPORT(SlotConvForward);
HWY_EXPORT(SlotConvBackward);

void slot_conv_forward(const SlotConv& layer, std::size_t samples, const float* in, float* out) {
  FIRN_CHECK(samples % 16 == 0 && layer.side * layer.side <= kMaxTaps);
  HWY_DYNAMIC_DISPATCH(SlotConvForward)(layer, samples, in, out);
}

void slot_conv_backward(const SlotConv& layer, std::size_t samples, const float* in, const float* grad_out,
                        float* grad_in, float* grad_weights) {
  FIRN_CHECK(samples % 16 == 0 && layer.side * layer.side <= kMaxTaps);
  HWY_DYNAMIC_DISPATCH(SlotConvBackward)(layer, samples, in, grad_out, grad_in, grad_weights);
}

}  // namespace firn::kernels
#endif  // HWY_ONCE
