#include "firn/encode/encodings/raw.h"

#include <fmt/format.h>

#include <cmath>

#include "firn/base/error.h"

namespace firn::encode {
namespace {

void check_unit_interval(const MatrixView<float>& values, std::string_view part, const std::string& name) {
  for (std::size_t example = 0; example < values.rows(); ++example)
    for (float v : values[example])
      if (!(v >= 0.f && v <= 1.f))
        throw Error(
            fmt::format("{}: {} example {} has the value {}, but the encoding \"raw\" takes values from 0 to "
                        "1; choose uniform or distributive, or rescale the data",
                        name, part, example, v));
}

}  // namespace

Matrix<float> fit_raw(const TrainingSplit& split, const EncodeSettings&) {
  const Dataset& data = split.dataset;
  check_unit_interval(data.train.reals, "training", data.name);
  check_unit_interval(data.test.reals, "test", data.name);
  Matrix<float> threshold(1, 1);
  // x >= 1/2, as a strict comparison: with the byte below, and with the float below.
  threshold[0][0] = data.train.has_reals() ? std::nextafter(0.5f, 0.f) : 127.f;
  return threshold;
}

}  // namespace firn::encode
