#include "firn/kernels/encode.h"

#include <algorithm>
#include <cstring>

#include "firn/kernels/encode_reals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "firn/kernels/encode.cc"
#include <hwy/foreach_target.h>
// After foreach_target: the order is Highway's.
#include <hwy/highway.h>

#include "firn/kernels/transpose-inl.h"

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

template <std::size_t kCount, class T>
HWY_INLINE void features_above(const T* values, const T* const* thresholds, std::uint64_t* words, std::size_t step) {
  for (std::size_t t = 0; t < kCount; ++t) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < kWord; ++i) word |= std::uint64_t{values[i] > thresholds[t][i]} << i;
    words[t * step] = word;
  }
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

// Bit i of word t * step tells whether value i is above its threshold t; the low byte of a word comes first on every
// target. Values are loaded once for all thresholds: a load across two cache lines takes twice as long.
template <std::size_t kCount>
HWY_INLINE void features_above(const std::uint8_t* values, const std::uint8_t* const* thresholds, std::uint64_t* words,
                               std::size_t step) {
  const hn::CappedTag<std::uint8_t, kWord> d;
  for (std::size_t i = 0; i < kWord; i += hn::Lanes(d)) {
    const auto v = hn::LoadU(d, values + i);
    for (std::size_t t = 0; t < kCount; ++t)
      hn::StoreMaskBits(d, hn::Gt(v, hn::LoadU(d, thresholds[t] + i)),
                        reinterpret_cast<std::uint8_t*>(words + t * step) + i / 8);
  }
}

template <std::size_t kCount>
HWY_INLINE void features_above(const float* values, const float* const* thresholds, std::uint64_t* words,
                               std::size_t step) {
  const hn::CappedTag<float, kTile> d;
  std::uint64_t found[kCount] = {};
  for (std::size_t i = 0; i < kWord; i += hn::Lanes(d)) {
    const auto v = hn::LoadU(d, values + i);
    for (std::size_t t = 0; t < kCount; ++t) {
      std::uint64_t above = 0;  // four lanes fill half of a byte
      hn::StoreMaskBits(d, hn::Gt(v, hn::LoadU(d, thresholds[t] + i)), reinterpret_cast<std::uint8_t*>(&above));
      found[t] |= above << i;
    }
  }
  for (std::size_t t = 0; t < kCount; ++t) words[t * step] = found[t];
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

constexpr std::size_t kTogether = 4;  // thresholds that are compared in one pass over the samples

// 64 features of up to 64 * lanes samples. All 64 may be loaded, also where there are fewer.
template <class T>
struct Square {
  const T* sample(std::size_t s) const { return s < in_place ? values + s * stride : copied + (s - in_place) * kWord; }

  const T* values;  // of the first sample
  std::size_t stride, samples;
  std::size_t in_place;  // samples that stand where they are; copies of the others follow
  const T* copied;
};

// A square against up to kTogether thresholds from `first_threshold` on. Comparing gives the bits of the features of
// one sample; transposing squares of 64 by 64 bits, one in each lane, gives the bits of the samples of one feature,
// which lie in its row as they are.
template <std::size_t kCount, class D, class T>
void threshold_square(D d, const Square<T>& square, std::size_t first_word, std::size_t first_feature,
                      const Matrix<T>& thresholds, std::size_t first_threshold, Matrix<std::uint64_t>& bits) {
  HWY_ALIGN std::uint64_t squares[kCount][kWord * 8];  // [threshold][sample, then feature][lane]
  const std::size_t lanes = hn::Lanes(d);
  const T* rows[kCount];
  for (std::size_t t = 0; t < kCount; ++t) rows[t] = thresholds.row(first_threshold + t) + first_feature;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    for (std::size_t s = 0; s < kWord; ++s) {
      const std::size_t sample = lane * kWord + s;
      const bool exists = sample < square.samples;
      const T* values = square.sample(exists ? sample : 0);
      // Samples are far apart: the next square would wait for each of them. Its last element is asked for, because at
      // any alignment that is in a cache line which has not been touched yet.
      __builtin_prefetch(values + 2 * kWord - 1, 0, 2);
      std::uint64_t* words = &squares[0][s * lanes + lane];
      if (exists)
        features_above<kCount>(values, rows, words, kWord * 8);
      else
        for (std::size_t t = 0; t < kCount; ++t) words[t * kWord * 8] = 0;
    }
  const std::size_t features = std::min(kWord, thresholds.cols() - first_feature);
  for (std::size_t t = 0; t < kCount; ++t) {
    std::uint64_t* transposed = squares[t];
    for (std::size_t i = 0; i < 8; ++i) transpose_eight<8>(d, transposed + i * lanes);
    for (std::size_t i = 0; i < 8; ++i) transpose_eight<1>(d, transposed + 8 * i * lanes);
    const std::size_t row = (first_threshold + t) * thresholds.cols() + first_feature;
    for (std::size_t f = 0; f < features; ++f)
      hn::StoreU(hn::Load(d, transposed + f * lanes), d, bits.row(row + f) + first_word);
  }
}

// The first sample from which `elements` would reach beyond the memory. Behind the features of a sample comes the next
// one: what is loaded of it is compared and thrown away, so that only the last samples of all need a copy.
template <class T>
std::size_t first_unreadable(const Samples<T>& samples, std::size_t elements) {
  if (elements <= samples.readable) return samples.count;
  const std::size_t short_of = (elements - samples.readable + samples.stride - 1) / samples.stride;
  return samples.count - std::min(samples.count, short_of);
}

template <std::size_t kWords, class T>
void threshold_words(const Samples<T>& samples, const Matrix<T>& thresholds, Matrix<std::uint64_t>& bits) {
  const hn::CappedTag<std::uint64_t, kWords> d;
  LastFeatures<T, kWord, kWord> last;
  for (std::size_t word = 0; word < bits.cols(); word += hn::Lanes(d)) {
    const std::size_t first = std::min(word * kWord, samples.count);
    const std::size_t count = std::min(samples.count - first, hn::Lanes(d) * kWord);
    for (std::size_t feature = 0; feature < samples.features; feature += kWord) {
      const std::size_t in_place = std::min(count, std::max(first, first_unreadable(samples, feature + kWord)) - first);
      if (in_place < count) last.copy(samples, first + in_place, feature);
      const Square<T> square{samples.sample(count == 0 ? 0 : first) + feature, samples.stride, count, in_place,
                             last.values[0]};
      for (std::size_t t = 0; t < thresholds.rows(); t += kTogether) switch (thresholds.rows() - t) {
          case 1:
            threshold_square<1>(d, square, word, feature, thresholds, t, bits);
            break;
          case 2:
            threshold_square<2>(d, square, word, feature, thresholds, t, bits);
            break;
          case 3:
            threshold_square<3>(d, square, word, feature, thresholds, t, bits);
            break;
          default:
            threshold_square<kTogether>(d, square, word, feature, thresholds, t, bits);
        }
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
