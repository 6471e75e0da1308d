// The extension module firn._firn: the front door, bound to Python. What it knows is arrays, threads and errors.
#include <pybind11/stl.h>

#include "arrays.h"

namespace firn::python {

namespace {

// Made once and kept for as long as the interpreter lives: exceptions may be thrown until the very end.
PyObject* error_class = nullptr;
PyObject* shape_error_class = nullptr;
PyObject* internal_error_class = nullptr;

PyObject* new_class(py::module_& m, const char* name, const char* doc, const py::tuple& bases) {
  PyObject* made = PyErr_NewExceptionWithDoc((std::string("firn.") + name).c_str(), doc, bases.ptr(), nullptr);
  if (made == nullptr) throw py::error_already_set();
  m.attr(name) = py::handle(made);
  return made;
}

}  // namespace

void throw_shape_error(const std::string& sentence) {
  PyErr_SetString(shape_error_class, sentence.c_str());
  throw py::error_already_set();
}

void bind_errors(py::module_& m) {
  const auto builtins = py::module_::import("builtins");
  error_class = new_class(m, "Error", "Something outside Firn is wrong: a file, a configuration, data, an argument.",
                          py::make_tuple(builtins.attr("Exception")));
  const py::handle error(error_class);
  new_class(m, "ConfigError", "A configuration is wrong; the message says where and what was probably meant.",
            py::make_tuple(error, builtins.attr("ValueError")));
  shape_error_class = new_class(m, "ShapeError", "An array has another shape than what it is given to.",
                                py::make_tuple(error, builtins.attr("ValueError")));
  internal_error_class = new_class(m, "InternalError", "A bug in Firn.", py::make_tuple(error));
  new_class(m, "StopTraining", "Raised in a callback, this ends training early and without an error.",
            py::make_tuple(builtins.attr("Exception")));
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& e) {
      PyErr_SetString(error_class, e.what());
    } catch (const InternalError& e) {
      PyErr_SetString(internal_error_class, e.what());
    }
  });
}

// pybind11 before 2.12 reads the arrays of numpy 2 wrongly.
void check_numpy() {
  const std::string version = py::str(py::module_::import("numpy").attr("__version__"));
  if (PYBIND11_VERSION_HEX < 0x020C0000 && version[0] != '1')
    throw py::import_error(
        "firn was built with pybind11 " PYBIND11_TOSTRING(PYBIND11_VERSION_MAJOR) "." PYBIND11_TOSTRING(
            PYBIND11_VERSION_MINOR) ", which needs numpy 1, but numpy is " +
        version + "; install numpy 1, or build firn with pybind11 2.12 or later");
}

}  // namespace firn::python

PYBIND11_MODULE(_firn, m) {
  m.doc() = "Firn's front door, bound to Python; import firn instead.";
  m.attr("__version__") = FIRN_VERSION;
  firn::python::check_numpy();
  firn::python::bind_errors(m);
  firn::python::bind_config(m);
  firn::python::bind_dataset(m);
  firn::python::bind_circuit(m);
  firn::python::bind_network(m);
  firn::python::bind_train(m);
}
