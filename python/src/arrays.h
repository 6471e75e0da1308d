// Arrays on their way between numpy and the front door: looked at where they are, never converted.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "firn/firn.h"

namespace firn::python {

namespace py = pybind11;

// Samples in the caller's memory: [example][feature], [example][line][column] or [example][channel][line][column].
struct SampleArray {
  py::array owner;
  Samples samples;
  std::size_t count = 0;
  Shape shape;  // as the axes say; two axes are that many features

  std::size_t features() const { return shape.size(); }
};

// A TypeError names the way out for arrays that would have to be converted. `name` is what the caller calls it.
SampleArray samples_of(const py::object& array, const char* name);
// The same for a network or circuit that takes samples of `wanted`; a row of all features will do, too.
SampleArray samples_of(const py::object& array, const char* name, const Shape& wanted);

struct LabelArrayView {
  py::array owner;
  Labels labels;
  std::size_t count = 0;
};
LabelArrayView labels_of(const py::object& array, const char* name);

// The elements of an array of whole numbers of any type, each checked to be at most `limit`.
std::vector<std::uint32_t> whole_numbers(const py::object& array, const char* name, std::size_t limit);
std::vector<float> real_numbers(const py::object& array, const char* name);

Shape shape_of(const py::object& shape);  // None: an empty one
py::tuple to_tuple(const Shape& shape);

// An array that owns its memory.
template <class T>
py::array_t<T> owned(std::vector<T> values, std::vector<py::ssize_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const py::capsule owner(kept, [](void* memory) { delete static_cast<std::vector<T>*>(memory); });
  return py::array_t<T>(std::move(shape), kept->data(), owner);
}
template <class T>
py::array_t<T> owned(std::vector<T> values) {
  const auto size = static_cast<py::ssize_t>(values.size());
  return owned(std::move(values), {size});
}

// An array that shows memory of `owner` and cannot be written to.
template <class T>
py::array view(const T* data, std::vector<py::ssize_t> shape, const py::object& owner) {
  py::array array = py::array_t<T>(std::move(shape), data, owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

// Classes, or values where the network or circuit predicts those.
template <class Model>
py::array predict_with(const Model& model, const Samples& samples, int threads) {
  const auto without_lock = [](const auto& work) {
    const py::gil_scoped_release release;
    return work();
  };
  if (model.classes() == 0) return owned(without_lock([&] { return model.predict_values(samples, threads); }));
  return owned(without_lock([&] { return model.predict(samples, threads); }));
}

inline py::bytes to_bytes(const std::vector<std::byte>& bytes) {
  return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// The classes of exceptions that the package defines.
[[noreturn]] void throw_shape_error(const std::string& sentence);

// Each adds its part to the module.
void bind_errors(py::module_& m);
void bind_config(py::module_& m);
void bind_dataset(py::module_& m);
void bind_network(py::module_& m);
void bind_circuit(py::module_& m);
void bind_train(py::module_& m);

// The network that from_layers() of both classes describes.
WrittenNetwork written_network(const py::list& layers, const py::object& shape, const py::object& thresholds,
                               std::size_t classes, const std::string& dtype, double tau,
                               std::vector<std::string> class_names);

}  // namespace firn::python
