#include "firn/encode/encoding.h"

#include <array>

#include "firn/base/family.h"
#include "firn/encode/encodings/passthrough.h"
#include "firn/encode/encodings/raw.h"
#include "firn/encode/encodings/thermometer_distributive.h"
#include "firn/encode/encodings/thermometer_foreground.h"
#include "firn/encode/encodings/thermometer_uniform.h"

namespace firn::encode {
namespace {

constexpr std::array kEncodings = {
    Encoding{"uniform", "thermometer with evenly spaced thresholds", true, true, fit_thermometer_uniform},
    Encoding{"distributive", "thermometer with quantiles as thresholds", true, true, fit_thermometer_distributive},
    Encoding{"foreground", "thermometer with quantiles above the lowest value", true, true, fit_thermometer_foreground},
    Encoding{"passthrough", "one bit per value, for binary data", true, false, fit_passthrough},
    Encoding{"raw", "values in [0,1], rounded when deployed", false, false, fit_raw},
};

}  // namespace

std::span<const Encoding> encodings() {
  return kEncodings;
}

const Encoding& find_encoding(std::string_view name) {
  return entry_named(name, kEncodings, "encoding");
}

}  // namespace firn::encode
