#include "arrays.h"

#include <pybind11/stl.h>

namespace firn::python {

namespace {

std::string dtype_name(const py::array& array) {
  return py::str(array.dtype());
}

// An array of the caller; anything else is named with the way out.
py::array array_of(const py::object& object, const char* name, const char* way_out) {
  if (!py::isinstance<py::array>(object))
    throw py::type_error(std::string(name) + " must be a numpy array, not " +
                         std::string(py::str(py::type::of(object).attr("__name__"))) + "; use " + way_out);
  return py::reinterpret_borrow<py::array>(object);
}

void check_layout(const py::array& array, const char* name) {
  const int flags = py::detail::array_proxy(array.ptr())->flags;
  const bool is_plain = (flags & py::array::c_style) != 0 && (flags & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
  if (!is_plain)
    throw py::type_error(std::string(name) + " is not C-contiguous in memory; use np.ascontiguousarray(" + name + ")");
}

// Of the machine's own byte order.
bool is_native(const py::array& array) {
  const char order = array.dtype().byteorder();
  return order == '=' || order == '|' || order == '<';
}

[[noreturn]] void refuse_samples(const py::array& array, const char* name) {
  const std::string x = name;
  std::string way_out = x + ".astype(np.float32)";
  if (array.dtype().kind() == 'b') way_out = x + ".astype(np.uint8) * 255";
  if (array.dtype().kind() == 'i' || array.dtype().kind() == 'u')
    way_out += ", or .astype(np.uint8) for values from 0 to 255";
  throw py::type_error(x + " has the dtype " + dtype_name(array) +
                       ", but samples are uint8 or float32 of the machine's byte order; use " + way_out);
}

std::size_t size_at(const py::array& array, py::ssize_t axis) {
  return static_cast<std::size_t>(array.shape(axis));
}

Shape shape_by_axes(const py::array& array, const char* name) {
  switch (array.ndim()) {
    case 2:
      return {size_at(array, 1), 1, 1};
    case 3:
      return {1, size_at(array, 1), size_at(array, 2)};
    case 4:
      return {size_at(array, 1), size_at(array, 2), size_at(array, 3)};
    default:
      throw_shape_error(std::string(name) + " has " + std::to_string(array.ndim()) +
                        " axes; samples are [example][feature], [example][line][column] or "
                        "[example][channel][line][column]");
  }
}

std::string text(const Shape& shape) {
  return std::to_string(shape.channels) + "x" + std::to_string(shape.height) + "x" + std::to_string(shape.width);
}

template <class T>
std::span<const T> span_of(const py::array& array) {
  return {static_cast<const T*>(array.data()), static_cast<std::size_t>(array.size())};
}

}  // namespace

SampleArray samples_of(const py::object& object, const char* name) {
  SampleArray result;
  result.owner = array_of(object, name, (std::string("np.asarray(") + name + ", dtype=np.float32)").c_str());
  const py::array& array = result.owner;
  const bool is_byte = array.dtype().kind() == 'u' && array.itemsize() == 1;
  const bool is_float = array.dtype().kind() == 'f' && array.itemsize() == 4 && is_native(array);
  if (!is_byte && !is_float) refuse_samples(array, name);
  result.shape = shape_by_axes(array, name);
  check_layout(array, name);
  result.count = size_at(array, 0);
  if (is_byte)
    result.samples = span_of<std::uint8_t>(array);
  else
    result.samples = span_of<float>(array);
  return result;
}

SampleArray samples_of(const py::object& object, const char* name, const Shape& wanted) {
  SampleArray result = samples_of(object, name);
  const bool is_row = result.owner.ndim() == 2 && result.features() == wanted.size();
  if (result.shape != wanted && !is_row)
    throw_shape_error(std::string(name) + " has samples of " + text(result.shape) + ", but the network takes " +
                      text(wanted) + "; reshape them");
  result.shape = wanted;
  return result;
}

LabelArrayView labels_of(const py::object& object, const char* name) {
  LabelArrayView result;
  result.owner = array_of(object, name, (std::string("np.asarray(") + name + ")").c_str());
  const py::array& array = result.owner;
  const char kind = array.dtype().kind();
  const auto bytes = array.itemsize();
  const bool is_whole = kind == 'i' ? bytes == 4 || bytes == 8 : kind == 'u' && bytes <= 2;
  const bool is_value = kind == 'f' && bytes == 4;
  if ((!is_whole && !is_value) || !is_native(array)) {
    const std::string y = name;
    const bool is_number = kind == 'i' || kind == 'u' || kind == 'f' || kind == 'b';
    throw py::type_error(y + " has the dtype " + dtype_name(array) + ", but labels are class numbers from 0; use " +
                         (is_number ? y + ".astype(np.int64), or " + y + ".astype(np.float32) for values to predict"
                                    : "np.unique(" + y + ", return_inverse=True)[1]"));
  }
  if (array.ndim() != 1)
    throw_shape_error(std::string(name) + " has " + std::to_string(array.ndim()) + " axes; labels are one per example");
  check_layout(array, name);
  result.count = size_at(array, 0);
  if (is_value)
    result.labels = span_of<float>(array);
  else if (kind == 'u' && bytes == 1)
    result.labels = span_of<std::uint8_t>(array);
  else if (kind == 'u')
    result.labels = span_of<std::uint16_t>(array);
  else if (bytes == 4)
    result.labels = span_of<std::int32_t>(array);
  else
    result.labels = span_of<std::int64_t>(array);
  return result;
}

std::vector<std::uint32_t> whole_numbers(const py::object& object, const char* name, std::size_t limit) {
  const py::array array = array_of(object, name, (std::string("np.asarray(") + name + ")").c_str());
  const char kind = array.dtype().kind();
  if (kind != 'i' && kind != 'u')
    throw py::type_error(std::string(name) + " has the dtype " + dtype_name(array) +
                         ", but whole numbers are needed; use .astype(np.int64)");
  const auto numbers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!numbers) throw py::error_already_set();
  std::vector<std::uint32_t> result;
  result.reserve(static_cast<std::size_t>(numbers.size()));
  for (const std::int64_t number : std::span(numbers.data(), static_cast<std::size_t>(numbers.size()))) {
    if (number < 0 || static_cast<std::uint64_t>(number) > limit)
      throw Error(std::string(name) + " holds " + std::to_string(number) + ", but 0 to " + std::to_string(limit) +
                  " are possible");
    result.push_back(static_cast<std::uint32_t>(number));
  }
  return result;
}

std::vector<float> real_numbers(const py::object& object, const char* name) {
  const py::array array = array_of(object, name, (std::string("np.asarray(") + name + ", np.float32)").c_str());
  const char kind = array.dtype().kind();
  if (kind != 'i' && kind != 'u' && kind != 'f')
    throw py::type_error(std::string(name) + " has the dtype " + dtype_name(array) + ", but numbers are needed");
  const auto numbers = py::array_t<float, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!numbers) throw py::error_already_set();
  return {numbers.data(), numbers.data() + numbers.size()};
}

Shape shape_of(const py::object& object) {
  if (object.is_none()) return {0, 1, 1};
  std::vector<std::size_t> sizes;
  try {
    sizes = py::cast<std::vector<std::size_t>>(object);
  } catch (const py::cast_error&) {
    throw py::type_error("shape must be a tuple of sizes, such as (channels, height, width)");
  }
  if (sizes.size() == 1) return {sizes[0], 1, 1};
  if (sizes.size() == 2) return {1, sizes[0], sizes[1]};
  if (sizes.size() == 3) return {sizes[0], sizes[1], sizes[2]};
  throw_shape_error("shape must be (channels, height, width), (height, width) or (features,)");
}

py::tuple to_tuple(const Shape& shape) {
  return py::make_tuple(shape.channels, shape.height, shape.width);
}

}  // namespace firn::python
