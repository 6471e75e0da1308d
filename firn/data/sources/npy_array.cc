#include "firn/data/sources/npy_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "firn/base/error.h"

namespace firn::data {
namespace {

template <class T>
double load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return static_cast<double>(value);
}

// The text after `key` in the header, which is a Python dictionary written by NumPy.
std::string_view header_value(std::string_view header, std::string_view key, const std::string& name) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos)
    throw Error(fmt::format("{} has no '{}' in its NumPy header; save it again with numpy.save", name, key));
  std::string_view rest = header.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

void parse_type(std::string_view text, NpyArray& array) {
  const std::string_view type = text.starts_with('\'') ? text.substr(1, text.find('\'', 1) - 1) : "a structure";
  constexpr std::string_view kKnown[] = {"b1", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"};
  const bool order_fits = type.size() == 3 && (type[0] == '<' || type[0] == '|' || type[0] == '=');
  if (!order_fits || std::find(std::begin(kKnown), std::end(kKnown), type.substr(1)) == std::end(kKnown))
    throw Error(
        fmt::format("{} has values of type '{}'; convert them with astype('uint8'), astype('int32') or "
                    "astype('float32')",
                    array.name, type));
  array.kind = type[1];
  array.item_size = static_cast<std::size_t>(type[2] - '0');
}

void parse_sizes(std::string_view text, NpyArray& array) {
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos)
    throw Error(fmt::format("{} has no shape in its NumPy header; save it again with numpy.save", array.name));
  text = text.substr(1, close - 1);
  while (!text.empty()) {
    std::size_t size = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), size);
    if (parsed.ec != std::errc() || size == 0)
      throw Error(fmt::format("{} has an empty or unreadable shape; save it again with numpy.save", array.name));
    array.sizes.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
  }
  if (array.sizes.empty() || array.sizes.size() > 4)
    throw Error(fmt::format("{} has {} axes; reshape it to between 1 and 4", array.name, array.sizes.size()));
}

// The shape comes from the file: compared with what is there, without overflow, before anything relies on it.
void check_length(const NpyArray& array) {
  std::size_t rest = array.values.size() / array.item_size;
  bool fits = array.values.size() % array.item_size == 0;
  for (std::size_t size : array.sizes) {
    fits = fits && rest % size == 0;
    rest /= size;
  }
  if (!fits || rest != 1)
    throw Error(
        fmt::format("{} has {} bytes of values, which is not what its shape promises; it is cut or damaged, so "
                    "save it again",
                    array.name, array.values.size()));
}

}  // namespace

double NpyArray::at(std::size_t item) const {
  const char* from = values.data() + item * item_size;
  if (kind == 'b') return *from != 0;
  if (kind == 'f') return item_size == 4 ? load<float>(from) : load<double>(from);
  const bool is_signed = kind == 'i';
  switch (item_size) {
    case 1:
      return is_signed ? load<std::int8_t>(from) : load<std::uint8_t>(from);
    case 2:
      return is_signed ? load<std::int16_t>(from) : load<std::uint16_t>(from);
    case 4:
      return is_signed ? load<std::int32_t>(from) : load<std::uint32_t>(from);
    default:
      return is_signed ? load<std::int64_t>(from) : load<std::uint64_t>(from);
  }
}

NpyArray parse_npy(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 10)
    throw Error(fmt::format("{} does not start like a NumPy array; save it with numpy.save", name));
  // Version 1 has a header length of two bytes, later versions of four.
  const std::size_t length_bytes = bytes[6] == 1 ? 2 : 4;
  if (bytes.size() < 8 + length_bytes) throw Error(fmt::format("{} ends within its header; save it again", name));
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[8 + i]);
  const std::size_t start = 8 + length_bytes;
  if (length > bytes.size() - start) throw Error(fmt::format("{} ends within its header; save it again", name));
  const std::string_view header = bytes.substr(start, length);
  NpyArray array;
  array.name = name;
  array.values = bytes.substr(start + length);
  parse_type(header_value(header, "descr", name), array);
  array.fortran_order = header_value(header, "fortran_order", name).starts_with("True");
  parse_sizes(header_value(header, "shape", name), array);
  check_length(array);
  return array;
}

}  // namespace firn::data
