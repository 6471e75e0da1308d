// MD5 sums, by which the well-known data sets are recognised; they tell damage, not malice.
#pragma once

#include <string>
#include <string_view>

namespace firn::data {

std::string md5_hex(std::string_view bytes);  // 32 lower-case digits

}  // namespace firn::data
