#include "firn/encode/encodings/passthrough.h"

#include <fmt/format.h>

#include "firn/base/error.h"

namespace firn::encode {
namespace {

// `one` is the value that stands for true: the first that is not zero.
template <class T>
void check_binary(const MatrixView<T>& values, std::string_view part, const std::string& name, T& one) {
  for (std::size_t example = 0; example < values.rows(); ++example)
    for (T v : values[example]) {
      if (one == 0 && (v == 1 || v == static_cast<T>(255))) one = v;
      if (v != 0 && v != one)
        throw Error(
            fmt::format("{}: {} example {} has the value {}, but the encoding \"passthrough\" is for binary "
                        "data; choose uniform or distributive",
                        name, part, example, v));
    }
}

template <class T>
void check_parts(const MatrixView<T>& train, const MatrixView<T>& test, const std::string& name, T one) {
  check_binary(train, "training", name, one);
  check_binary(test, "test", name, one);
}

}  // namespace

Matrix<float> fit_passthrough(const TrainingSplit& split, const EncodeSettings&) {
  const Dataset& data = split.dataset;
  if (data.train.has_reals())
    check_parts(data.train.reals, data.test.reals, data.name, 1.f);
  else
    check_parts(data.train.bytes, data.test.bytes, data.name, std::uint8_t{0});
  return Matrix<float>(1, 1);
}

}  // namespace firn::encode
