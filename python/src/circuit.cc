// Circuit: a compiled network.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>

#include "arrays.h"

namespace firn::python {

namespace {

using Path = std::filesystem::path;

py::array predict(const Circuit& circuit, const py::object& x, int threads) {
  const SampleArray samples = samples_of(x, "X", circuit.shape());
  std::vector<std::uint16_t> classes;
  {
    const py::gil_scoped_release release;
    classes = circuit.predict(samples.samples, threads);
  }
  return owned(std::move(classes));
}

py::array class_sums(const Circuit& circuit, const py::object& x, int threads) {
  const SampleArray samples = samples_of(x, "X", circuit.shape());
  std::vector<std::uint32_t> sums;
  {
    const py::gil_scoped_release release;
    sums = circuit.class_sums(samples.samples, threads);
  }
  return owned(std::move(sums), {static_cast<py::ssize_t>(samples.count), static_cast<py::ssize_t>(circuit.groups())});
}

py::array predict_bits(const Circuit& circuit, const py::array& rows) {
  if (rows.dtype().kind() != 'u' || rows.itemsize() != 8 || (rows.flags() & py::array::c_style) == 0)
    throw py::type_error(
        "rows must be a C-contiguous array of uint64; use np.ascontiguousarray(rows, dtype=np.uint64)");
  if (rows.ndim() != 2 || static_cast<std::size_t>(rows.shape(0)) != circuit.input_bits())
    throw_shape_error("rows must be [input bits][words], with " + std::to_string(circuit.input_bits()) + " rows");
  const auto words = static_cast<std::size_t>(rows.shape(1));
  const std::span given(static_cast<const std::uint64_t*>(rows.data()), static_cast<std::size_t>(rows.size()));
  std::vector<std::uint64_t> out;
  {
    const py::gil_scoped_release release;
    out = circuit.predict_bits(given, words);
  }
  return owned(std::move(out), {static_cast<py::ssize_t>(circuit.output_bits()), static_cast<py::ssize_t>(words)});
}

void export_to(const Circuit& circuit, const Path& file, const std::string& format, const std::string& name,
               bool with_encoder, bool with_head, bool unrolled, std::size_t pipeline) {
  const Format chosen = format.empty() ? format_of_file(file.string()) : format_from_name(format);
  const py::gil_scoped_release release;
  circuit.export_to(file.string(), chosen, {name, with_encoder, with_head, unrolled, pipeline});
}

py::array netlist(const Circuit& circuit) {
  NetlistArrays arrays;
  {
    const py::gil_scoped_release release;
    arrays = circuit.netlist();
  }
  return owned(std::move(arrays.gates));
}

Circuit from_bytes(const py::bytes& bytes) {
  const std::string_view view = bytes;
  const py::gil_scoped_release release;
  return Circuit::from_bytes(std::as_bytes(std::span(view)));
}

py::list layers(const Circuit& circuit) {
  py::list list;
  for (const LayerSummary& layer : summarize_layers(circuit)) {
    py::dict row;
    row["name"] = layer.name;
    row["kind"] = layer.kind;
    row["input"] = to_tuple(layer.input);
    row["output"] = to_tuple(layer.output);
    row["neurons"] = layer.neurons;
    row["gates"] = layer.gates;
    list.append(row);
  }
  return list;
}

void bind_proof(py::module_& m) {
  py::class_<Proof>(m, "Proof", "What a comparison of two circuits found.")
      .def_readonly("is_proved", &Proof::is_proved, "Every output is the same function.")
      .def_readonly("by_structure", &Proof::by_structure)
      .def_readonly("by_sat", &Proof::by_sat)
      .def_readonly("unknown", &Proof::unknown)
      .def_readonly("difference", &Proof::difference, "A sentence, if they differ.")
      .def("__bool__", [](const Proof& proof) { return proof.is_proved; })
      .def("__repr__", [](const Proof& proof) {
        return py::str("<firn.Proof {}: {} outputs by structure, {} by SAT, {} unknown{}{}>")
            .format(proof.is_proved ? "proved" : "not proved", proof.by_structure, proof.by_sat, proof.unknown,
                    proof.difference.empty() ? "" : "; ", proof.difference);
      });
}

}  // namespace

void bind_circuit(py::module_& m) {
  PYBIND11_NUMPY_DTYPE(NetlistGate, a, b, gate, layer);
  bind_proof(m);
  py::class_<Circuit> circuit(
      m, "Circuit", "A compiled network: Boolean gates only, with its encoder. May be used from many threads at once.");
  circuit
      .def_static(
          "load",
          [](const Path& file) {
            const py::gil_scoped_release release;
            return Circuit::load(file.string());
          },
          py::arg("file"), "The circuit in a .firn file.")
      .def_static("from_bytes", &from_bytes, py::arg("bytes"), "The circuit in the bytes of a .firn file.")
      .def_static(
          "import_file",
          [](const Path& file, const Circuit& model) {
            const py::gil_scoped_release release;
            return Circuit::import(file.string(), model);
          },
          py::arg("file"), py::arg("model"),
          "A circuit in another tool's format, with encoder and head of the circuit that it came from.")
      .def_static(
          "from_layers",
          [](const py::list& layers, const py::object& shape, const py::object& thresholds, std::size_t classes,
             const std::string& dtype, double tau, std::vector<std::string> class_names) {
            const WrittenNetwork written =
                written_network(layers, shape, thresholds, classes, dtype, tau, std::move(class_names));
            const py::gil_scoped_release release;
            return circuit_from(written);
          },
          py::arg("layers"), py::kw_only(), py::arg("shape"), py::arg("thresholds"), py::arg("classes"),
          py::arg("dtype") = "uint8", py::arg("tau") = 1.0, py::arg("class_names") = std::vector<std::string>{},
          "A circuit from arrays of wires, gates and thresholds: see docs/python.md.")
      .def(
          "save",
          [](const Circuit& c, const Path& file) {
            const py::gil_scoped_release release;
            c.save(file.string());
          },
          py::arg("file"), "Writes a .firn file.")
      .def(
          "to_bytes", [](const Circuit& c) { return to_bytes(c.to_bytes()); }, "The bytes of the .firn file.")
      .def("predict", &predict, py::arg("X"), py::kw_only(), py::arg("threads") = 0,
           "The class number of every sample, uint16.\n\n>>> classes = circuit.predict(X)")
      .def("class_sums", &class_sums, py::arg("X"), py::kw_only(), py::arg("threads") = 0,
           "How many outputs of each class are set, uint32, (samples, classes).")
      .def("predict_bits", &predict_bits, py::arg("rows"),
           "Rows of bits in, (input_bits, words) of uint64 with one sample per bit; rows of bits out.")
      .def("export", &export_to, py::arg("file"), py::arg("format") = "", py::kw_only(), py::arg("name") = "",
           py::arg("with_encoder") = false, py::arg("with_head") = false, py::arg("unrolled") = false,
           py::arg("pipeline") = 0,
           "Writes C, Verilog, BLIF or AIGER; the format is that of the file's name unless it is given.\n\n"
           ">>> circuit.export('a.v', with_encoder=True, with_head=True, pipeline=4)")
      .def(
          "verify",
          [](const Circuit& one, const Circuit& other) {
            const py::gil_scoped_release release;
            return one.verify(other);
          },
          py::arg("other"), "Proves that another circuit computes the same, or finds where it does not.")
      .def_property_readonly(
          "netlist", &netlist,
          "The gates as a structured array: a, b (literals: 2 * node + inverted), gate, layer. Node 0 "
          "is constant false, then come the inputs, then the gates.")
      .def_property_readonly(
          "outputs", [](const Circuit& c) { return owned(c.netlist().outputs); },
          "The outputs of the netlist as literals, uint32.")
      .def_property_readonly("layers", &layers, "A dictionary per layer: name, kind, shapes, neurons, gates.")
      .def_property_readonly(
          "shape", [](const Circuit& c) { return to_tuple(c.shape()); }, "Of one sample: (channels, height, width).")
      .def_property_readonly("takes_floats", &Circuit::takes_floats, "float32 samples; else uint8.")
      .def_property_readonly("classes", &Circuit::classes)
      .def_property_readonly("tau", &Circuit::tau, "Class sums are divided by it to become logits.")
      .def_property_readonly("class_names", &Circuit::class_names)
      .def_property_readonly("gates", &Circuit::gates)
      .def_property_readonly("depth", &Circuit::depth)
      .def_property_readonly("input_bits", &Circuit::input_bits)
      .def_property_readonly("output_bits", &Circuit::output_bits)
      .def(
          "__repr__",
          [](const Circuit& c) {
            return py::str("<firn.Circuit of {} gates, {} deep, {} classes>").format(c.gates(), c.depth(), c.classes());
          })
      .def(py::pickle([](const Circuit& c) { return to_bytes(c.to_bytes()); }, &from_bytes));
}

}  // namespace firn::python
