// The encoder of a model: turns blocks of samples into the rows and bits that networks read, by thresholds fitted once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "firn/base/matrix.h"
#include "firn/base/shape.h"
#include "firn/data/dataset.h"
#include "firn/encode/encoding.h"
#include "firn/kernels/encode.h"

namespace firn::encode {

// Consecutive rows of a matrix [sample][feature], of bytes or of reals. Looks at the memory and must not outlive it.
class SampleBlock {
 public:
  SampleBlock(const Matrix<std::uint8_t>& bytes, std::size_t first, std::size_t count)
      : samples_(Samples<std::uint8_t>(bytes, first, count)) {}
  SampleBlock(const Matrix<float>& reals, std::size_t first, std::size_t count)
      : samples_(Samples<float>(reals, first, count)) {}
  static SampleBlock of(const Examples& examples, std::size_t first, std::size_t count) {
    if (examples.has_reals()) return SampleBlock(Samples<float>(examples.reals, first, count));
    return SampleBlock(Samples<std::uint8_t>(examples.bytes, first, count));
  }
  static SampleBlock of(const Examples& examples) { return of(examples, 0, examples.count()); }

  const Samples<std::uint8_t>* bytes() const { return std::get_if<Samples<std::uint8_t>>(&samples_); }
  const Samples<float>* reals() const { return std::get_if<Samples<float>>(&samples_); }

 private:
  using Either = std::variant<Samples<std::uint8_t>, Samples<float>>;
  explicit SampleBlock(Either samples) : samples_(samples) {}

  Either samples_;
};

// What a file must keep to rebuild an encoder.
struct EncoderParts {
  std::string encoding;  // a name in encodings()
  std::string values;    // "bytes" or "reals": what the samples are made of
  Shape input_shape;
  Matrix<float> thresholds;  // [thresholds][1 | channels | features], in the unit of the values
};

class Encoder {
 public:
  // An Error says which part does not fit the others.
  static Encoder from_parts(EncoderParts parts);
  const EncoderParts& parts() const { return parts_; }

  const Shape& input_shape() const { return parts_.input_shape; }
  // Channels are threshold-major: threshold t of channel c is channel t * C + c. Feature f of a sample therefore
  // becomes the output features t * input_shape().size() + f.
  Shape output_shape() const;
  bool is_binary() const { return binary_; }  // false: rows hold values between 0 and 1
  // Bit t is value > threshold t. Thresholds of bytes are whole numbers from 0 to 255.
  const Matrix<float>& thresholds() const { return parts_.thresholds; }
  std::size_t bits_per_value() const { return thresholds().rows(); }

  // All may be called from many threads at once and allocate nothing.

  // Rows at layout.row(...) with one column per sample; layout.shape is output_shape(). Border rows are left alone, and
  // columns beyond the block are zero up to the stride.
  void encode_rows(const SampleBlock& block, const RowLayout& layout,
                   Matrix<float>& rows) const;  // [layout.rows()][samples]
  // Bit s % 64 of word s / 64 is sample s; bits beyond the block are zero, rows behind the features are left
  // alone. Values of `raw` are rounded.
  void encode_bits(const SampleBlock& block,
                   Matrix<std::uint64_t>& bits) const;  // [at least output_shape().size()][words]
  // The same for up to eight samples: bit s of a row is sample s.
  void encode_bytes(const SampleBlock& block,
                    std::span<std::uint8_t> rows) const;  // [at least output_shape().size()]

 private:
  explicit Encoder(EncoderParts parts);

  EncoderParts parts_;
  bool binary_;
  Matrix<std::uint8_t> byte_thresholds_;  // [thresholds][features], empty for reals
  Matrix<float> real_thresholds_;         // [thresholds][features], empty for bytes
};

// Fits on the listed examples of dataset.train only.
Encoder fit_encoder(const EncodeSettings& settings, const Dataset& dataset,
                    std::span<const std::uint32_t> training_indices);

}  // namespace firn::encode
