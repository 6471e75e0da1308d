#include "firn/kernels/encode.h"

#include <algorithm>
#include <cstring>

#include "firn/kernels/encode_reals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/encode.cc"
#include <hwy/foreach_target.h>
// After foreach_target: the order is Highway's.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kTile = 16;  // samples and features of a tile: 16 bytes are a vector on every target
constexpr std::size_t kWord = 64;

// A copy of the last features of up to kRows samples, for where loading whole groups of kCols would go beyond what is
// readable. Zero where there is no feature or no sample.
template <class T, std::size_t kRows, std::size_t kCols>
struct LastFeatures {
  void copy(const Samples<T>& samples, std::size_t first_sample, std::size_t first_feature) {
    const std::size_t features = samples.features - first_feature;
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::size_t used = first_sample + i < samples.count ? features : 0;
      if (used != 0) std::memcpy(values[i], samples.sample(first_sample + i) + first_feature, used * sizeof(T));
      std::memset(values[i] + used, 0, (kCols - used) * sizeof(T));
    }
  }
  alignas(kCacheLine) T values[kRows][kCols];
};

// Where the 16 rows of a tile are.
struct TileRows {
  // Samples from `sample` on, at their values from `feature` on; missing samples are zero.
  TileRows(const Samples<std::uint8_t>& samples, std::size_t sample, std::size_t feature) {
    alignas(kTile) static constexpr std::uint8_t kZeros[kTile] = {};
    for (std::size_t i = 0; i < kTile; ++i)
      row[i] = sample + i < samples.count ? samples.sample(sample + i) + feature : kZeros;
  }
  explicit TileRows(const std::uint8_t* tile) {  // [16][16]
    for (std::size_t i = 0; i < kTile; ++i) row[i] = tile + i * kTile;
  }
  const std::uint8_t* row[kTile];
};

#if HWY_TARGET == HWY_SCALAR

// Highway's scalar target has vectors of one lane: the two steps that need more are plain loops there.
HWY_INLINE void transpose_tile(const TileRows& rows, std::uint8_t* out, std::size_t out_stride) {
  for (std::size_t s = 0; s < kTile; ++s)
    for (std::size_t f = 0; f < kTile; ++f) out[f * out_stride + s] = rows.row[s][f];
}

template <class T>
HWY_INLINE std::uint64_t features_above(const T* values, const T* thresholds) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < kWord; ++i) word |= std::uint64_t{values[i] > thresholds[i]} << i;
  return word;
}

#else

// One of the four perfect shuffles that together transpose a 16x16 tile: the bits of an element's index
// (row, column) rotate left by one.
HWY_INLINE void shuffle_round(const TileRows& rows, std::uint8_t* out, std::size_t out_stride) {
  const hn::FixedTag<std::uint8_t, kTile> d;
  for (std::size_t i = 0; i < kTile / 2; ++i) {
    const auto a = hn::LoadU(d, rows.row[i]);
    const auto b = hn::LoadU(d, rows.row[i + kTile / 2]);
    hn::StoreU(hn::InterleaveLower(d, a, b), d, out + 2 * i * out_stride);
    hn::StoreU(hn::InterleaveUpper(d, a, b), d, out + (2 * i + 1) * out_stride);
  }
}

// out: [feature][sample]. The rounds go through memory, because targets with scalable vectors have no arrays of them.
HWY_INLINE void transpose_tile(const TileRows& rows, std::uint8_t* out, std::size_t out_stride) {
  alignas(kTile) std::uint8_t even[kTile * kTile], odd[kTile * kTile];
  const TileRows even_rows(even), odd_rows(odd);
  shuffle_round(rows, even, kTile);
  shuffle_round(even_rows, odd, kTile);
  shuffle_round(odd_rows, even, kTile);
  shuffle_round(even_rows, out, out_stride);
}

// Bit i tells whether value i is above its threshold; the low byte of a word comes first on every target.
HWY_INLINE std::uint64_t features_above(const std::uint8_t* values, const std::uint8_t* thresholds) {
  const hn::CappedTag<std::uint8_t, kWord> d;
  std::uint64_t word = 0;
  auto* bytes = reinterpret_cast<std::uint8_t*>(&word);
  for (std::size_t i = 0; i < kWord; i += hn::Lanes(d))
    hn::StoreMaskBits(d, hn::Gt(hn::LoadU(d, values + i), hn::LoadU(d, thresholds + i)), bytes + i / 8);
  return word;
}

HWY_INLINE std::uint64_t features_above(const float* values, const float* thresholds) {
  const hn::CappedTag<float, kTile> d;
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < kWord; i += hn::Lanes(d)) {
    std::uint64_t above = 0;  // four lanes fill half of a byte
    hn::StoreMaskBits(d, hn::Gt(hn::LoadU(d, values + i), hn::LoadU(d, thresholds + i)),
                      reinterpret_cast<std::uint8_t*>(&above));
    word |= above << i;
  }
  return word;
}

#endif

// The rows of features 0, 1, 2, ... without a division for each.
class RowWalk {
 public:
  explicit RowWalk(const RowLayout& layout) : layout_(layout), row_(layout.row(0, 0, 0)) {}

  std::size_t next() {
    const std::size_t row = row_++;
    if (++x_ == layout_.shape.width) {
      x_ = 0;
      row_ += 2 * layout_.border;
      if (++y_ == layout_.shape.height) {
        y_ = 0;
        row_ += 2 * layout_.border * layout_.line();
      }
    }
    return row;
  }

 private:
  const RowLayout& layout_;
  std::size_t row_, x_ = 0, y_ = 0;
};

// Writes 16 samples of one feature as 0/1, once per threshold.
struct ThresholdWriter {
  const Matrix<std::uint8_t>& thresholds;  // [thresholds][features]
  std::size_t rows_per_threshold;
  Matrix<float>& rows;

  HWY_INLINE void operator()(const std::uint8_t* values, std::size_t feature, std::size_t row,
                             std::size_t sample) const {
    const hn::CappedTag<float, kTile> df;
    const hn::Rebind<std::int32_t, decltype(df)> di;
    const hn::Rebind<std::uint8_t, decltype(df)> db;
    const auto one = hn::Set(df, 1.f);
    for (std::size_t t = 0; t < thresholds.rows(); ++t, row += rows_per_threshold) {
      const auto threshold = hn::Set(di, thresholds.row(t)[feature]);
      float* out = rows.row(row) + sample;
      for (std::size_t i = 0; i < kTile; i += hn::Lanes(df)) {
        const auto above = hn::Gt(hn::PromoteTo(di, hn::LoadU(db, values + i)), threshold);
        hn::StoreU(hn::IfThenElseZero(hn::RebindMask(df, above), one), df, out + i);
      }
    }
  }
};

// Writes 16 samples of one feature as v/255; a true division, so that the value is the nearest float.
struct UnitWriter {
  Matrix<float>& rows;

  HWY_INLINE void operator()(const std::uint8_t* values, std::size_t, std::size_t row, std::size_t sample) const {
    const hn::CappedTag<float, kTile> df;
    const hn::Rebind<std::int32_t, decltype(df)> di;
    const hn::Rebind<std::uint8_t, decltype(df)> db;
    const auto white = hn::Set(df, 255.f);
    float* out = rows.row(row) + sample;
    for (std::size_t i = 0; i < kTile; i += hn::Lanes(df)) {
      const auto v = hn::ConvertTo(df, hn::PromoteTo(di, hn::LoadU(db, values + i)));
      hn::StoreU(hn::Div(v, white), df, out + i);
    }
  }
};

// Calls writer(16 values, feature, row, first sample) for every feature and every 16 samples up to the row's end.
template <class Writer>
HWY_INLINE void write_rows(const Samples<std::uint8_t>& samples, const RowLayout& layout, std::size_t row_end,
                           const Writer& writer) {
  RowWalk walk(layout);
  alignas(kCacheLine) std::uint8_t tile[kTile * kTile];  // [feature][sample]
  for (std::size_t first = 0; first < samples.features; first += kTile) {
    const std::size_t features = std::min(kTile, samples.features - first);
    std::size_t rows[kTile];
    for (std::size_t i = 0; i < features; ++i) rows[i] = walk.next();
    for (std::size_t sample = 0; sample < row_end; sample += kTile) {
      if (first + kTile <= samples.readable) {
        transpose_tile(TileRows(samples, sample, first), tile, kTile);
      } else {
        LastFeatures<std::uint8_t, kTile, kTile> last;
        last.copy(samples, sample, first);
        transpose_tile(TileRows(last.values[0]), tile, kTile);
      }
      for (std::size_t i = 0; i < features; ++i) writer(tile + i * kTile, first + i, rows[i], sample);
    }
  }
}

}  // namespace

void threshold_rows(const Samples<std::uint8_t>& samples, const Matrix<std::uint8_t>& thresholds,
                    const RowLayout& layout, Matrix<float>& rows) {
  const std::size_t rows_per_threshold = layout.shape.channels / thresholds.rows() * layout.plane();
  write_rows(samples, layout, rows.stride(), ThresholdWriter{thresholds, rows_per_threshold, rows});
}

void unit_rows(const Samples<std::uint8_t>& samples, const RowLayout& layout, Matrix<float>& rows) {
  write_rows(samples, layout, rows.stride(), UnitWriter{rows});
}

// Exchanges the bits of x whose number has bit kShift set with those of y whose number has it clear: one step of the
// transposition of a square of bits, of which x and y are lines kShift apart.
template <int kShift, class D, class V = hn::Vec<D>>
HWY_INLINE void exchange_bits(D d, V& x, V& y) {
  const V low = hn::Set(d, ~std::uint64_t{0} / ((std::uint64_t{1} << kShift) + 1));
#if HWY_TARGET == HWY_AVX3  // selects bit by bit in one operation
  const V right = hn::ShiftRight<kShift>(x);
  x = hn::IfVecThenElse(low, x, hn::ShiftLeft<kShift>(y));
  y = hn::IfVecThenElse(low, right, y);
#else
  const V moved = hn::And(hn::Xor(hn::ShiftRight<kShift>(x), y), low);
  y = hn::Xor(y, moved);
  x = hn::Xor(x, hn::ShiftLeft<kShift>(moved));
#endif
}

// Three of the six steps for the eight lines that are kStride apart from `first` on.
template <std::size_t kStride, class D>
HWY_INLINE void transpose_eight(D d, std::uint64_t* HWY_RESTRICT first) {
  constexpr int kShift = static_cast<int>(kStride);
  const std::size_t step = kStride * hn::Lanes(d);
  auto v0 = hn::Load(d, first), v1 = hn::Load(d, first + step), v2 = hn::Load(d, first + 2 * step),
       v3 = hn::Load(d, first + 3 * step), v4 = hn::Load(d, first + 4 * step), v5 = hn::Load(d, first + 5 * step),
       v6 = hn::Load(d, first + 6 * step), v7 = hn::Load(d, first + 7 * step);
  exchange_bits<4 * kShift>(d, v0, v4);
  exchange_bits<4 * kShift>(d, v1, v5);
  exchange_bits<4 * kShift>(d, v2, v6);
  exchange_bits<4 * kShift>(d, v3, v7);
  exchange_bits<2 * kShift>(d, v0, v2);
  exchange_bits<2 * kShift>(d, v1, v3);
  exchange_bits<2 * kShift>(d, v4, v6);
  exchange_bits<2 * kShift>(d, v5, v7);
  exchange_bits<kShift>(d, v0, v1);
  exchange_bits<kShift>(d, v2, v3);
  exchange_bits<kShift>(d, v4, v5);
  exchange_bits<kShift>(d, v6, v7);
  hn::Store(v0, d, first);
  hn::Store(v1, d, first + step);
  hn::Store(v2, d, first + 2 * step);
  hn::Store(v3, d, first + 3 * step);
  hn::Store(v4, d, first + 4 * step);
  hn::Store(v5, d, first + 5 * step);
  hn::Store(v6, d, first + 6 * step);
  hn::Store(v7, d, first + 7 * step);
}

constexpr std::size_t kTogether = 4;  // thresholds that are compared in one pass over the samples

// 64 features of up to 64 * lanes samples. All 64 may be loaded, also where there are fewer.
template <class T>
struct Square {
  const T* values;  // of the first sample
  std::size_t stride, samples;
};

// A square against up to kTogether thresholds from `first_threshold` on. Comparing gives the bits of the features of
// one sample; transposing squares of 64 by 64 bits, one in each lane, gives the bits of the samples of one feature,
// which lie in its row as they are.
template <class D, class T>
void threshold_square(D d, const Square<T>& square, std::size_t first_word, std::size_t first_feature,
                      const Matrix<T>& thresholds, std::size_t first_threshold, Matrix<std::uint64_t>& bits) {
  HWY_ALIGN std::uint64_t squares[kTogether][kWord * 8];  // [threshold][sample, then feature][lane]
  const std::size_t lanes = hn::Lanes(d), count = std::min(kTogether, thresholds.rows() - first_threshold);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    for (std::size_t s = 0; s < kWord; ++s) {
      const std::size_t sample = lane * kWord + s;
      const bool exists = sample < square.samples;
      const T* values = square.values + (exists ? sample : 0) * square.stride;
      __builtin_prefetch(values + kWord, 0, 2);  // samples are far apart: the next square would wait for each of them
      for (std::size_t t = 0; t < count; ++t)
        squares[t][s * lanes + lane] =
            exists ? features_above(values, thresholds.row(first_threshold + t) + first_feature) : 0;
    }
  const std::size_t features = std::min(kWord, thresholds.cols() - first_feature);
  for (std::size_t t = 0; t < count; ++t) {
    std::uint64_t* transposed = squares[t];
    for (std::size_t i = 0; i < 8; ++i) transpose_eight<8>(d, transposed + i * lanes);
    for (std::size_t i = 0; i < 8; ++i) transpose_eight<1>(d, transposed + 8 * i * lanes);
    const std::size_t row = (first_threshold + t) * thresholds.cols() + first_feature;
    for (std::size_t f = 0; f < features; ++f)
      hn::StoreU(hn::Load(d, transposed + f * lanes), d, bits.row(row + f) + first_word);
  }
}

template <std::size_t kWords, class T>
void threshold_words(const Samples<T>& samples, const Matrix<T>& thresholds, Matrix<std::uint64_t>& bits) {
  const hn::CappedTag<std::uint64_t, kWords> d;
  LastFeatures<T, kWords * kWord, kWord> last;
  for (std::size_t word = 0; word < bits.cols(); word += hn::Lanes(d)) {
    const std::size_t first = std::min(word * kWord, samples.count);
    const std::size_t count = std::min(samples.count - first, hn::Lanes(d) * kWord);
    for (std::size_t feature = 0; feature < samples.features; feature += kWord) {
      Square<T> square{samples.sample(count == 0 ? 0 : first) + feature, samples.stride, count};
      if (feature + kWord > samples.readable) {
        last.copy(samples, first, feature);
        square = {last.values[0], kWord, count};
      }
      for (std::size_t t = 0; t < thresholds.rows(); t += kTogether)
        threshold_square(d, square, word, feature, thresholds, t, bits);
    }
  }
}

template <class T>
void threshold_bits_of(const Samples<T>& samples, const Matrix<T>& thresholds, Matrix<std::uint64_t>& bits) {
  if (bits.cols() % 8 == 0) {
    threshold_words<8>(samples, thresholds, bits);
  } else if (bits.cols() % 4 == 0) {
    threshold_words<4>(samples, thresholds, bits);
  } else if (bits.cols() % 2 == 0) {
    threshold_words<2>(samples, thresholds, bits);
  } else {
    threshold_words<1>(samples, thresholds, bits);
  }
}

void threshold_byte_bits(const Samples<std::uint8_t>& samples, const Matrix<std::uint8_t>& thresholds,
                         Matrix<std::uint64_t>& bits) {
  threshold_bits_of(samples, thresholds, bits);
}

void threshold_real_bits(const Samples<float>& samples, const Matrix<float>& thresholds, Matrix<std::uint64_t>& bits) {
  threshold_bits_of(samples, thresholds, bits);
}

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firn::kernels {
namespace {

HWY_EXPORT(threshold_rows);
HWY_EXPORT(unit_rows);
HWY_EXPORT(threshold_byte_bits);
HWY_EXPORT(threshold_real_bits);

constexpr std::size_t kGroup = 16;  // the kernels store groups of so many elements

void check_rows(const Samples<std::uint8_t>& samples, const RowLayout& layout, const Matrix<float>& rows) {
  FIRN_CHECK(rows.rows() == layout.rows() && rows.stride() % kGroup == 0 && samples.count <= rows.cols());
}

template <class T>
void check_bits(const Samples<T>& samples, const Matrix<T>& thresholds, const Matrix<std::uint64_t>& bits) {
  FIRN_CHECK(thresholds.cols() == samples.features && bits.rows() >= thresholds.rows() * samples.features);
  FIRN_CHECK(samples.count <= 64 * bits.cols() && thresholds.stride() % 64 == 0);
}

}  // namespace

void threshold_rows(const Samples<std::uint8_t>& samples, const Matrix<std::uint8_t>& thresholds,
                    const RowLayout& layout, Matrix<float>& rows) {
  check_rows(samples, layout, rows);
  FIRN_CHECK(thresholds.cols() == samples.features && layout.shape.size() == thresholds.rows() * samples.features);
  HWY_DYNAMIC_DISPATCH(threshold_rows)(samples, thresholds, layout, rows);
}

void unit_rows(const Samples<std::uint8_t>& samples, const RowLayout& layout, Matrix<float>& rows) {
  check_rows(samples, layout, rows);
  FIRN_CHECK(layout.shape.size() == samples.features);
  HWY_DYNAMIC_DISPATCH(unit_rows)(samples, layout, rows);
}

void threshold_bits(const Samples<std::uint8_t>& samples, const Matrix<std::uint8_t>& thresholds,
                    Matrix<std::uint64_t>& bits) {
  check_bits(samples, thresholds, bits);
  HWY_DYNAMIC_DISPATCH(threshold_byte_bits)(samples, thresholds, bits);
}

void threshold_bits(const Samples<float>& samples, const Matrix<float>& thresholds, Matrix<std::uint64_t>& bits) {
  check_bits(samples, thresholds, bits);
  HWY_DYNAMIC_DISPATCH(threshold_real_bits)(samples, thresholds, bits);
}

}  // namespace firn::kernels
#endif
