// Dataset: examples in numpy arrays, or from a data source.
#include "dataset.h"

#include <pybind11/stl.h>

namespace firn::python {

namespace {

void check_counts(const SampleArray& samples, const LabelArrayView& labels, const char* x, const char* y) {
  if (samples.count != labels.count)
    throw_shape_error(std::string(x) + " has " + std::to_string(samples.count) + " examples but " + y + " has " +
                      std::to_string(labels.count) + " labels; give one label per example");
}

HeldDataset make(const py::object& x, const py::object& y, const py::object& shape) {
  SampleArray samples = samples_of(x, "X");
  const LabelArrayView labels = labels_of(y, "y");
  check_counts(samples, labels, "X", "y");
  if (!shape.is_none()) {
    const Shape wanted = shape_of(shape);
    if (wanted.size() != samples.features())
      throw_shape_error("X has " + std::to_string(samples.features()) + " features per example, but shape has " +
                        std::to_string(wanted.size()));
    samples.shape = wanted;
  }
  HeldDataset held{[&] {
                     const py::gil_scoped_release release;
                     return Dataset::view(samples.samples, labels.labels, samples.shape);
                   }(),
                   {samples.owner}};
  return held;
}

HeldDataset with_test(const HeldDataset& held, const py::object& x, const py::object& y) {
  const SampleArray samples = samples_of(x, "X_test", held.data.shape());
  const LabelArrayView labels = labels_of(y, "y_test");
  check_counts(samples, labels, "X_test", "y_test");
  HeldDataset result{held.data.with_test(samples.samples, labels.labels), held.arrays};
  result.arrays.push_back(samples.owner);
  return result;
}

HeldDataset with_validation(const HeldDataset& held, const py::object& x, const py::object& y) {
  const SampleArray samples = samples_of(x, "X_validation", held.data.shape());
  const LabelArrayView labels = labels_of(y, "y_validation");
  check_counts(samples, labels, "X_validation", "y_validation");
  const py::gil_scoped_release release;
  return {held.data.with_validation(samples.samples, labels.labels), held.arrays};
}

py::tuple arrays_of(const Dataset& data, Dataset::Copy copy) {
  const Shape shape = data.shape();
  const bool has_targets = !copy.targets.empty();
  const auto count = static_cast<py::ssize_t>(has_targets ? copy.targets.size() : copy.labels.size());
  std::vector<py::ssize_t> axes = {count, static_cast<py::ssize_t>(shape.channels)};
  if (shape.height > 1 || shape.width > 1)
    axes.insert(axes.end(), {static_cast<py::ssize_t>(shape.height), static_cast<py::ssize_t>(shape.width)});
  py::array samples = data.has_floats() ? py::array(owned(std::move(copy.floats), axes))
                                        : py::array(owned(std::move(copy.bytes), axes));
  if (has_targets) return py::make_tuple(std::move(samples), owned(std::move(copy.targets)));
  return py::make_tuple(std::move(samples), owned(std::move(copy.labels)));
}

template <Dataset::Copy (Dataset::*copy)() const>
py::tuple copied(const HeldDataset& held) {
  Dataset::Copy arrays = [&] {
    const py::gil_scoped_release release;
    return (held.data.*copy)();
  }();
  return arrays_of(held.data, std::move(arrays));
}

}  // namespace

void bind_dataset(py::module_& m) {
  py::class_<HeldDataset>(
      m, "Dataset",
      "Examples to train on and, if there are any, to test on. Arrays are looked at where they are: "
      "do not change them while they are in use.\n\n>>> data = firn.Dataset(X, y)")
      .def(py::init(&make), py::arg("X"), py::arg("y"), py::kw_only(), py::arg("shape") = py::none(),
           "X: uint8 or float32, (examples, features), (examples, height, width) or (examples, channels, height, "
           "width). y: class numbers from 0. shape: of one sample, where the axes do not say it.")
      .def("with_test", &with_test, py::arg("X"), py::arg("y"), "The same with a test set.")
      .def("with_validation", &with_validation, py::arg("X"), py::arg("y"),
           "The same with a validation set, instead of a part of the training examples. Copies the samples.")
      .def(
          "with_class_names",
          [](const HeldDataset& held, std::vector<std::string> names) {
            return HeldDataset{held.data.with_class_names(std::move(names)), held.arrays};
          },
          py::arg("names"), "The same with names of all classes.")
      .def(
          "with_feature_names",
          [](const HeldDataset& held, std::vector<std::string> names) {
            return HeldDataset{held.data.with_feature_names(std::move(names)), held.arrays};
          },
          py::arg("names"), "The same with a name for every feature; models carry them.")
      .def_static(
          "_load",
          [](const Config& config, const std::string& folder) {
            const py::gil_scoped_release release;
            return HeldDataset{Dataset::load(config, folder), {}};
          },
          py::arg("config"), py::arg("folder"))
      .def("train_arrays", &copied<&Dataset::copy_train>, "Copies of the training examples: (X, y).")
      .def("test_arrays", &copied<&Dataset::copy_test>, "Copies of the test examples: (X, y).")
      .def_property_readonly(
          "shape", [](const HeldDataset& held) { return to_tuple(held.data.shape()); },
          "Of one sample: (channels, height, width).")
      .def_property_readonly("classes", [](const HeldDataset& held) { return held.data.classes(); })
      .def_property_readonly("train_count", [](const HeldDataset& held) { return held.data.train_count(); })
      .def_property_readonly("test_count", [](const HeldDataset& held) { return held.data.test_count(); })
      .def_property_readonly("class_names", [](const HeldDataset& held) { return held.data.class_names(); })
      .def_property_readonly("feature_names", [](const HeldDataset& held) { return held.data.feature_names(); })
      .def_property_readonly(
          "source", [](const HeldDataset& held) { return held.data.source(); },
          "The name of the data source; \"memory\" for arrays.")
      .def("__repr__", [](const HeldDataset& held) {
        const Shape shape = held.data.shape();
        return py::str("<firn.Dataset of {} training and {} test examples, {}x{}x{}, {} classes>")
            .format(held.data.train_count(), held.data.test_count(), shape.channels, shape.height, shape.width,
                    held.data.classes());
      });
  m.def("data_folder", &data_folder, py::arg("named") = "",
        "Where data sets are: the folder that is named, else $FIRN_DATA, else ./data.");
}

}  // namespace firn::python
