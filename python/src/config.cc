// Config: configurations with the same keys, checks and suggestions as everywhere.
#include <pybind11/stl.h>

#include "arrays.h"

namespace firn::python {

namespace {

// What is wrong in a configuration arrives as firn.ConfigError.
template <class Work>
auto checked(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    PyErr_SetString(py::module_::import("firn._firn").attr("ConfigError").ptr(), error.what());
    throw py::error_already_set();
  }
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

}  // namespace

void bind_config(py::module_& m) {
  py::class_<Config>(m, "Config", "What is trained, and how: the keys of configuration files, checked.")
      .def(py::init<>(), "Every key at its default.")
      .def_static(
          "preset", [](const std::string& name) { return checked([&] { return Config::preset(name); }); },
          py::arg("name"), "A preset that Firn brings, such as \"treelogicnet-xs\".")
      .def_static("preset_names", &Config::preset_names, "The names of the presets.")
      .def_static(
          "from_toml", [](const std::string& text) { return checked([&] { return Config::from_toml(text); }); },
          py::arg("text"), "The configuration in a TOML text.")
      .def_static(
          "named", [](const std::string& name) { return checked([&] { return Config::named(name); }); },
          py::arg("file_or_preset"), "The configuration in a file or, where there is none of that name, a preset.")
      .def_static(
          "suggest",
          [](const std::string& data, const std::string& label, const std::string& test_data, const std::string& layout,
             const std::string& data_folder) {
            return checked([&] { return Config::suggest(data, {label, test_data, layout, data_folder}); });
          },
          py::arg("data"), py::kw_only(), py::arg("label") = "", py::arg("test_data") = "", py::arg("layout") = "auto",
          py::arg("data_folder") = "",
          "A configuration that suits a CSV file, another table, .npy, .npz or a folder of PNG images, which is "
          "read.\n\n"
          ">>> firn.Config.suggest('flowers.csv', label='species')")
      .def(
          "_with",
          [](const Config& config, const Pairs& values) {
            return checked([&] {
              Config copy = config;
              copy.set(values);
              return copy;
            });
          },
          py::arg("values"))
      .def(
          "get", [](const Config& config, const std::string& key) { return checked([&] { return config.get(key); }); },
          py::arg("key"), "The value of a key, as TOML writes it.\n\n>>> firn.Config().get('train.batch')\n'128'")
      .def("to_toml", &Config::to_toml, "The whole configuration, with every default written down.")
      .def("__repr__", [](const Config& config) { return "firn.Config(name=" + config.get("name") + ", ...)"; })
      .def("__eq__", [](const Config& a, const Config& b) { return a.to_toml() == b.to_toml(); })
      .def("__hash__", [](const Config& a) { return py::hash(py::str(a.to_toml())); })
      .def(py::pickle([](const Config& config) { return config.to_toml(); },
                      [](const std::string& text) { return Config::from_toml(text); }));
}

}  // namespace firn::python
