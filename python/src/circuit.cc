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
  return predict_with(circuit, samples.samples, threads);
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

Circuit prune_unvisited(const Circuit& circuit, const py::object& x) {
  const SampleArray samples = samples_of(x, "X", circuit.shape());
  const py::gil_scoped_release release;
  return circuit.prune_unvisited(samples.samples);
}

py::ssize_t size(std::size_t n) {
  return static_cast<py::ssize_t>(n);
}

py::object labels_or_none(const std::vector<std::int32_t>& labels) {
  return labels.empty() ? py::object(py::none()) : py::object(owned(labels));
}

py::tuple read_samples(const Circuit& circuit, const Path& file, bool header) {
  FileSamples samples;
  {
    const py::gil_scoped_release release;
    samples = circuit.read_samples(file.string(), header);
  }
  const Shape shape = circuit.shape();
  std::vector<py::ssize_t> axes = {size(samples.count), size(shape.channels)};
  if (shape.height > 1 || shape.width > 1) axes.insert(axes.end(), {size(shape.height), size(shape.width)});
  py::array array = circuit.takes_floats() ? py::array(owned(std::move(samples.floats), axes))
                                           : py::array(owned(std::move(samples.bytes), axes));
  return py::make_tuple(std::move(array), labels_or_none(samples.labels));
}

// Predictions together with what the classes are called.
struct NamedPredictions {
  FilePredictions found;
  std::vector<std::string> class_names;

  py::list names() const {
    py::list list;
    for (const std::uint16_t c : found.classes)
      list.append(c < class_names.size() ? class_names[c] : std::to_string(c));
    return list;
  }
  std::size_t samples() const { return found.values.empty() ? found.classes.size() : found.values.size(); }
  py::array table(const auto& values) const {
    const std::size_t count = samples();
    return owned(values, {size(count), size(count == 0 ? 0 : values.size() / count)});
  }
};

NamedPredictions predict_file(const Circuit& circuit, const Path& file, int threads, bool header) {
  const py::gil_scoped_release release;
  return {circuit.predict_file(file.string(), threads, header), circuit.class_names()};
}

void bind_predictions(py::module_& m) {
  py::class_<NamedPredictions>(m, "FilePredictions", "What is predicted for the samples of a file.")
      .def_property_readonly("names", &NamedPredictions::names, "The name of every sample's class.")
      .def_property_readonly("classes", [](const NamedPredictions& p) { return owned(p.found.classes); })
      .def_property_readonly(
          "labels", [](const NamedPredictions& p) { return labels_or_none(p.found.labels); },
          "Class numbers in the file, -1 where a sample has none; None if the file has no labels.")
      .def_property_readonly(
          "values", [](const NamedPredictions& p) { return owned(p.found.values); },
          "float32, where values are predicted; there are no classes then.")
      .def_property_readonly(
          "targets", [](const NamedPredictions& p) { return owned(p.found.targets); },
          "Values in the file, NaN where a sample has none; empty where there are none.")
      .def_property_readonly("class_sums", [](const NamedPredictions& p) { return p.table(p.found.class_sums); })
      .def_property_readonly(
          "probabilities", [](const NamedPredictions& p) { return p.table(p.found.probabilities); },
          "(samples, classes); not calibrated.")
      .def_property_readonly(
          "ids", [](const NamedPredictions& p) { return p.found.ids; },
          "Such as names of image files; empty where samples are numbered.")
      .def("__len__", [](const NamedPredictions& p) { return p.samples(); })
      .def("__repr__", [](const NamedPredictions& p) {
        return py::str("<firn.FilePredictions for {} samples>").format(p.samples());
      });
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
               bool with_encoder, bool with_head, bool unrolled, std::size_t pipeline, const std::string& input,
               const std::string& head, bool hierarchical, std::size_t stream, const std::string& clock,
               const std::string& clock_target, const std::string& delays) {
  const Format chosen = format.empty() ? format_of_file(file.string()) : format_from_name(format);
  const py::gil_scoped_release release;
  circuit.export_to(file.string(), chosen,
                    {name, with_encoder, with_head, unrolled, pipeline, input, head, hierarchical, stream, clock,
                     clock_target, delays});
}

void export_testbench(const Circuit& circuit, const Path& file, const py::object& samples, const std::string& name,
                      bool with_encoder, bool with_head, std::size_t pipeline, const std::string& input,
                      const std::string& head) {
  const SampleArray given = samples_of(samples, "X", circuit.shape());
  const py::gil_scoped_release release;
  circuit.export_testbench(file.string(), given.samples, {name, with_encoder, with_head, false, pipeline, input, head});
}

void play(const Circuit& circuit, const Path& file, const py::object& x, const py::object& y, const std::string& title,
          std::size_t examples) {
  PlayOptions options{.title = title, .examples = examples};
  SampleArray samples;  // both keep their arrays alive
  LabelArrayView labels;
  if (!x.is_none()) {
    samples = samples_of(x, "X", circuit.shape());
    options.samples = samples.samples;
  }
  if (!y.is_none()) {
    labels = labels_of(y, "y");
    if (labels.count != samples.count) throw_shape_error("X and y must have the same length");
    options.labels = labels.labels;
  }
  const py::gil_scoped_release release;
  circuit.play(file.string(), options);
}

// Ctrl-C is noticed while tools run.
bool python_goes_on() {
  const py::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  return true;
}

py::object synthesize(const Circuit& circuit, std::vector<std::string> targets, std::vector<std::string> circuits,
                      const std::string& input, std::size_t pipeline, const std::string& clock,
                      const std::string& clock_target, const std::string& delays, double timeout) {
  const SynthesisOptions options{.targets = std::move(targets),
                                 .circuits = std::move(circuits),
                                 .input = input,
                                 .pipeline = pipeline,
                                 .clock = clock,
                                 .clock_target = clock_target,
                                 .delays = delays,
                                 .timeout = timeout,
                                 .may_go_on = python_goes_on};
  std::string json;
  {
    const py::gil_scoped_release release;
    json = circuit.synthesize(options).json;
  }
  return py::module_::import("json").attr("loads")(json);
}

py::array netlist(const Circuit& circuit) {
  NetlistArrays arrays;
  {
    const py::gil_scoped_release release;
    arrays = circuit.netlist();
  }
  return owned(std::move(arrays.gates));
}

// (features, thresholds)
py::array thresholds(const Circuit& circuit) {
  std::vector<float> values;
  std::size_t features = 0, each = 0;
  for (const FeatureThresholds& group : circuit.thresholds()) {
    for (std::size_t f = 0; f < group.count; ++f) values.insert(values.end(), group.values.begin(), group.values.end());
    features += group.count;
    each = group.values.size();
  }
  return owned(std::move(values), {static_cast<py::ssize_t>(features), static_cast<py::ssize_t>(each)});
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
  bind_predictions(m);
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
           "The class number of every sample, uint16; its value, float32, where values are predicted.\n\n"
           ">>> classes = circuit.predict(X)")
      .def("prune_unvisited", &prune_unvisited, py::arg("X"),
           "A smaller circuit that predicts the same for these samples, and not always for others.\n\n"
           ">>> smaller = circuit.prune_unvisited(X_train)")
      .def("class_sums", &class_sums, py::arg("X"), py::kw_only(), py::arg("threads") = 0,
           "How many outputs of each class are set, uint32, (samples, classes).")
      .def("read_samples", &read_samples, py::arg("file"), py::kw_only(), py::arg("header") = true,
           "(X, y) of a file, its columns found by their names; y is None without labels, -1 where one is unknown.\n"
           "header=False is for a table without a header, whose columns are in the order of training.\n\n"
           ">>> X, y = circuit.read_samples('new.csv')")
      .def("predict_file", &predict_file, py::arg("file"), py::kw_only(), py::arg("threads") = 0,
           py::arg("header") = true,
           "What is predicted for the samples of a file, labelled or not; `header` as in read_samples.\n\n"
           ">>> circuit.predict_file('new.csv').names")
      .def("predict_bits", &predict_bits, py::arg("rows"),
           "Rows of bits in, (input_bits, words) of uint64 with one sample per bit; rows of bits out.")
      .def(
          "export", &export_to, py::arg("file"), py::arg("format") = "", py::kw_only(), py::arg("name") = "",
          py::arg("with_encoder") = false, py::arg("with_head") = false, py::arg("unrolled") = false,
          py::arg("pipeline") = 0, py::arg("input") = "", py::arg("head") = "", py::arg("hierarchical") = false,
          py::arg("stream") = 0, py::arg("clock") = "", py::arg("clock_target") = "osu018", py::arg("delays") = "",
          "Writes C (with a header beside it), Verilog, BLIF or AIGER; the format is that of the file's name unless it "
          "is given. With the encoder, features arrive as input says: 'uint8', 'float32' or 'fixed:I.F'. The head is "
          "'binary', as with_head=True, or 'one-hot'. A clock such as '5ns' chooses the stages of Verilog by the "
          "delays "
          "of levels on a target.\n\n"
          ">>> circuit.export('a.c', with_encoder=True, with_head=True, input='fixed:8.8')\n"
          ">>> circuit.export('a.v', with_encoder=True, with_head=True, pipeline=4)")
      .def("play", &play, py::arg("file"), py::arg("X") = py::none(), py::arg("y") = py::none(), py::kw_only(),
           py::arg("title") = "", py::arg("examples") = 200,
           "Writes one HTML page that runs the circuit in a browser, with some of the samples as examples.\n\n"
           ">>> circuit.play('play.html', X_test, y_test)")
      .def(
          "draw",
          [](const Circuit& c, const std::string& layer, std::size_t most, std::optional<std::size_t> cone,
             std::optional<std::size_t> view) {
            return c.draw({layer, most, cone, view});
          },
          py::kw_only(), py::arg("layer") = "", py::arg("most") = 32, py::arg("cone") = py::none(),
          py::arg("view") = py::none(),
          "SVG of the filters of a layer, or of the cone or the field of view of an output.\n\n"
          ">>> open('filters.svg', 'w').write(circuit.draw(layer='conv1'))")
      .def(
          "export_testbench", &export_testbench, py::arg("file"), py::arg("X"), py::kw_only(), py::arg("name") = "",
          py::arg("with_encoder") = false, py::arg("with_head") = false, py::arg("pipeline") = 0, py::arg("input") = "",
          py::arg("head") = "",
          "Writes a Verilog testbench for what export() writes with the same options: the samples, and what the engine "
          "makes of them.\n\n"
          ">>> circuit.export_testbench('a_tb.v', X[:100], with_encoder=True, with_head=True)")
      .def(
          "synthesize", &synthesize, py::kw_only(), py::arg("targets") = std::vector<std::string>(),
          py::arg("circuits") = std::vector<std::string>(), py::arg("input") = "", py::arg("pipeline") = 0,
          py::arg("clock") = "", py::arg("clock_target") = "osu018", py::arg("delays") = "", py::arg("timeout") = 300.0,
          "Look-up tables, area and delay by yosys, ABC, OpenSTA and nextpnr, where they are installed, as a\n"
          "dictionary: tools, circuits (with and without encoder and head) and notes about what was skipped.\n\n"
          ">>> circuit.synthesize(targets=['abc'], circuits=['alone', 'both'])['circuits'][0]['targets'][0]['figures']")
      .def(
          "verify",
          [](const Circuit& one, const Circuit& other) {
            const py::gil_scoped_release release;
            return one.verify(other);
          },
          py::arg("other"), "Proves that another circuit computes the same, or finds where it does not.")
      .def(
          "verify_file",
          [](const Circuit& c, const Path& file, const std::string& input) {
            const py::gil_scoped_release release;
            return c.verify_file(file.string(), input);
          },
          py::arg("file"), py::kw_only(), py::arg("input") = "",
          "Proves that an exported file, a model or a checkpoint computes what the circuit computes. Of Verilog, BLIF\n"
          "and AIGER on fixed-point features, name the input, as for export().")
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
      .def_property_readonly("tau", &Circuit::tau, "Counts are divided by it to become logits, or values.")
      .def_property_readonly("offset", &Circuit::offset, "What is then added; 0 where there is one sum per class.")
      .def_property_readonly("class_names", &Circuit::class_names)
      .def_property_readonly("feature_names", &Circuit::feature_names,
                             "\"age\", \"colour=red\"; empty where features have no names.")
      .def_property_readonly(
          "thresholds", &thresholds,
          "What the encoder compares with, float32, (features, thresholds): bit t of a feature is value > threshold t.")
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
