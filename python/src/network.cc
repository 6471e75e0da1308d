// Network: a trained network, relaxed or partly frozen.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>

#include "arrays.h"
#include "dataset.h"

namespace firn::python {

namespace {

using Path = std::filesystem::path;

struct Examples {
  SampleArray samples;
  LabelArrayView labels;
};

Examples examples_of(const Network& network, const py::object& x, const py::object& y) {
  Examples examples{samples_of(x, "X", network.shape()), labels_of(y, "y")};
  if (examples.samples.count != examples.labels.count)
    throw_shape_error("X has " + std::to_string(examples.samples.count) + " examples but y has " +
                      std::to_string(examples.labels.count) + " labels; give one label per example");
  return examples;
}

py::ssize_t size(std::size_t n) {
  return static_cast<py::ssize_t>(n);
}

// A layer together with the network whose memory it shows.
struct Layer {
  LayerView view;
  py::object network;

  py::array wires() const { return python::view(view.wires.data(), {size(view.units), size(view.taps)}, network); }
  py::array logits() const { return python::view(view.logits.data(), {size(view.gates.size()), 16}, network); }
  py::array frozen() const { return python::view(view.frozen.data(), {size(view.gates.size())}, network); }
  py::array gates() const {
    py::array array = owned(view.gates);
    array.attr("flags").attr("writeable") = false;
    return array;
  }
  py::object places() const {
    if (view.places.empty()) return py::none();
    return python::view(view.places.data(), {size(view.units), size(view.taps)}, network);
  }
};

std::vector<Layer> layers(const py::object& network) {
  std::vector<Layer> result;
  for (LayerView& view : layers_of(py::cast<const Network&>(network))) result.push_back({std::move(view), network});
  return result;
}

// One array per layer, by the names of the layers.
template <py::array (Layer::*array)() const>
py::dict by_name(const py::object& network) {
  py::dict arrays;
  for (const Layer& layer : layers(network)) arrays[py::str(layer.view.name)] = (layer.*array)();
  return arrays;
}

Evaluation evaluate(const Network& network, const py::object& x, const py::object& y, int threads) {
  const Examples examples = examples_of(network, x, y);
  const py::gil_scoped_release release;
  return network.evaluate(examples.samples.samples, examples.labels.labels, threads);
}

py::array predict(const Network& network, const py::object& x, int threads) {
  const SampleArray samples = samples_of(x, "X", network.shape());
  return predict_with(network, samples.samples, threads);
}

py::dict scores(const Network& network, const py::object& x, const py::object& y, int threads) {
  const Examples examples = examples_of(network, x, y);
  std::vector<LayerScores> layers;
  {
    const py::gil_scoped_release release;
    layers = network.scores(examples.samples.samples, examples.labels.labels, threads);
  }
  py::dict result;
  for (LayerScores& layer : layers)
    result[py::str(layer.layer)] = owned(std::move(layer.scores), {size(layer.neurons), 16});
  return result;
}

py::list diagnose(const Network& network, const py::object& x, const py::object& y, int threads) {
  const Examples examples = examples_of(network, x, y);
  std::vector<LayerEffects> layers;
  {
    const py::gil_scoped_release release;
    layers = network.diagnose(examples.samples.samples, examples.labels.labels, threads);
  }
  py::list result;
  for (const LayerEffects& layer : layers) {
    py::dict row;
    row["layer"] = layer.layer;
    row["neurons"] = layer.neurons;
    row["entropy"] = layer.entropy;
    row["selected"] = layer.selected;
    row["argmax"] = layer.argmax;
    result.append(row);
  }
  return result;
}

Network discretize(const Network& network, const py::object& x, const py::object& y, const std::string& rule,
                   std::size_t samples, std::uint64_t seed, int threads) {
  const Examples examples = examples_of(network, x, y);
  const py::gil_scoped_release release;
  return network.discretize(examples.samples.samples, examples.labels.labels, {rule, samples, seed}, threads);
}

Network refine(const Network& network, const py::object& x, const py::object& y, const std::string& objective,
               const std::vector<std::string>& layers, std::size_t sweeps, std::size_t copies, double held_out,
               double memory, std::uint64_t seed, int threads) {
  const Examples examples = examples_of(network, x, y);
  const RefineOptions options{objective, layers, sweeps, copies, held_out, memory, seed, {}};
  const py::gil_scoped_release release;
  return network.refine(examples.samples.samples, examples.labels.labels, options, threads);
}

Network from_bytes(const py::bytes& bytes) {
  const std::string_view view = bytes;
  const py::gil_scoped_release release;
  return Network::from_bytes(std::as_bytes(std::span(view)));
}

py::array per_class(const Quality& quality, double ClassQuality::*measure) {
  std::vector<double> values;
  for (const ClassQuality& c : quality.classes) values.push_back(c.*measure);
  return owned(std::move(values));
}

void bind_quality(py::module_& m) {
  py::class_<Quality>(m, "Quality", "Measures of a classifier beyond loss and accuracy.")
      .def_readonly("balanced_accuracy", &Quality::balanced_accuracy, "Mean recall of the classes that occur.")
      .def_readonly("macro_f1", &Quality::macro_f1, "Mean F1 of the classes that occur or are predicted.")
      .def_readonly("auc", &Quality::auc,
                    "Area under the ROC curve of the class sums, of several classes the mean of one against the rest; "
                    "None where there is nothing to compare.")
      .def_property_readonly("precision", [](const Quality& q) { return per_class(q, &ClassQuality::precision); })
      .def_property_readonly("recall", [](const Quality& q) { return per_class(q, &ClassQuality::recall); })
      .def_property_readonly("f1", [](const Quality& q) { return per_class(q, &ClassQuality::f1); })
      .def("__repr__", [](const Quality& q) {
        return py::str("<firn.Quality: balanced accuracy {:.4f}, macro F1 {:.4f}>")
            .format(q.balanced_accuracy, q.macro_f1);
      });
}

void bind_value_quality(py::module_& m) {
  py::class_<ValueQuality>(m, "ValueQuality", "How far predicted values are from the true ones.")
      .def_readonly("r2", &ValueQuality::r2, "Share of the variance that is explained.")
      .def_readonly("rmse", &ValueQuality::rmse, "In the unit of the values, as mae.")
      .def_readonly("mae", &ValueQuality::mae)
      .def("__repr__", [](const ValueQuality& q) {
        return py::str("<firn.ValueQuality: R2 {:.4f}, RMSE {:.6g}, MAE {:.6g}>").format(q.r2, q.rmse, q.mae);
      });
}

void bind_evaluation(py::module_& m) {
  bind_quality(m);
  bind_value_quality(m);
  py::class_<Evaluation>(m, "Evaluation", "Loss and accuracy of the relaxed and of the discrete network.")
      .def_property_readonly("relaxed_loss", [](const Evaluation& e) { return e.relaxed.loss; })
      .def_property_readonly("relaxed_accuracy", [](const Evaluation& e) { return e.relaxed.accuracy; })
      .def_property_readonly("discrete_loss", [](const Evaluation& e) { return e.discrete.loss; })
      .def_property_readonly("discrete_accuracy", [](const Evaluation& e) { return e.discrete.accuracy; })
      .def_readonly("relaxed_quality", &Evaluation::relaxed_quality)
      .def_readonly("discrete_quality", &Evaluation::discrete_quality)
      .def_readonly("relaxed_values", &Evaluation::relaxed_values, "None where classes are predicted.")
      .def_readonly("discrete_values", &Evaluation::discrete_values, "None where classes are predicted.")
      .def_readonly("samples", &Evaluation::samples)
      .def_property_readonly(
          "confusion",
          [](const Evaluation& e) {
            py::ssize_t classes = 0;
            while (classes * classes < size(e.confusion.size())) ++classes;
            return owned(e.confusion, {classes, classes});
          },
          "Of the discrete network: [true class][predicted class].")
      .def("__repr__", [](const Evaluation& e) {
        if (e.discrete_values)
          return py::str("<firn.Evaluation of {} samples: R2 {:.4f} relaxed, {:.4f} discrete>")
              .format(e.samples, e.relaxed_values->r2, e.discrete_values->r2);
        return py::str("<firn.Evaluation of {} samples: accuracy {:.4f} relaxed, {:.4f} discrete>")
            .format(e.samples, e.relaxed.accuracy, e.discrete.accuracy);
      });
}

void bind_layer(py::module_& m) {
  py::class_<Layer>(m, "Layer", "One layer of a network; its arrays are read-only views.")
      .def_property_readonly("name", [](const Layer& l) { return l.view.name; })
      .def_property_readonly("kind", [](const Layer& l) { return l.view.kind; })
      .def_property_readonly("input", [](const Layer& l) { return to_tuple(l.view.input); })
      .def_property_readonly("output", [](const Layer& l) { return to_tuple(l.view.output); })
      .def_property_readonly("neurons", [](const Layer& l) { return l.view.gates.size(); })
      .def_property_readonly("wires", &Layer::wires,
                             "(units, taps): the channel of each tap; the input feature in dense layers.")
      .def_property_readonly("places", &Layer::places,
                             "(units, taps): line * window width + column of each tap; None without a window.")
      .def_property_readonly("logits", &Layer::logits, "(neurons, 16)")
      .def_property_readonly("gates", &Layer::gates, "(neurons,): the gate when discrete.")
      .def_property_readonly("frozen", &Layer::frozen, "(neurons,): the slot, or -1.")
      .def("__repr__", [](const Layer& l) {
        return py::str("<firn.Layer {} ({}) of {} neurons>").format(l.view.name, l.view.kind, l.view.gates.size());
      });
}

void bind_inspection(py::class_<Network>& network) {
  network.def_property_readonly("layers", &layers, "The layers, from the input to the head.")
      .def_property_readonly("logits", &by_name<&Layer::logits>, "By layer: (neurons, 16), read-only.")
      .def_property_readonly("gates", &by_name<&Layer::gates>, "By layer: the gate of each neuron when discrete.")
      .def_property_readonly("wires", &by_name<&Layer::wires>, "By layer: (units, taps), read-only.")
      .def_property_readonly("config", [](const Network& n) { return n.config(); })
      .def_property_readonly("step", &Network::step)
      .def_property_readonly(
          "shape", [](const Network& n) { return to_tuple(n.shape()); }, "Of one sample: (channels, height, width).")
      .def_property_readonly("takes_floats", &Network::takes_floats, "float32 samples; else uint8.")
      .def_property_readonly("classes", &Network::classes)
      .def_property_readonly("class_names", &Network::class_names)
      .def_property_readonly("feature_names", &Network::feature_names,
                             "\"age\", \"colour=red\"; empty where features have no names.")
      .def_property_readonly("neurons", &Network::neurons)
      .def_property_readonly("frozen", &Network::frozen, "Neurons that are frozen.")
      .def("__repr__", [](const Network& n) {
        return py::str("<firn.Network of {} neurons, {} frozen, after step {}>")
            .format(n.neurons(), n.frozen(), n.step());
      });
}

}  // namespace

void bind_network(py::module_& m) {
  bind_evaluation(m);
  bind_layer(m);
  py::class_<Network> network(m, "Network", "A trained network, relaxed or partly frozen.");
  network
      .def_static(
          "load",
          [](const Path& file) {
            const py::gil_scoped_release release;
            return Network::load(file.string());
          },
          py::arg("file"), "The network in a checkpoint, whoever wrote it.")
      .def_static("from_bytes", &from_bytes, py::arg("bytes"), "The network in the bytes of a checkpoint.")
      .def_static(
          "from_layers",
          [](const py::list& list, const py::object& shape, const py::object& thresholds, std::size_t classes,
             const std::string& dtype, double tau, std::vector<std::string> class_names) {
            const WrittenNetwork written =
                written_network(list, shape, thresholds, classes, dtype, tau, std::move(class_names));
            const py::gil_scoped_release release;
            return network_from(written);
          },
          py::arg("layers"), py::kw_only(), py::arg("shape"), py::arg("thresholds"), py::arg("classes"),
          py::arg("dtype") = "uint8", py::arg("tau") = 1.0, py::arg("class_names") = std::vector<std::string>{},
          "A network from arrays of wires, logits or gates, and thresholds: see docs/python.md.")
      .def(
          "save",
          [](const Network& n, const Path& file) {
            const py::gil_scoped_release release;
            n.save(file.string());
          },
          py::arg("file"), "Writes a checkpoint that anything can load; training cannot be resumed from it.")
      .def(
          "to_bytes", [](const Network& n) { return to_bytes(n.to_bytes()); }, "The bytes of the checkpoint.")
      .def("evaluate", &evaluate, py::arg("X"), py::arg("y"), py::kw_only(), py::arg("threads") = 0,
           "Relaxed and discrete loss and accuracy.\n\n>>> network.evaluate(X, y).discrete_accuracy")
      .def(
          "evaluate_test",
          [](const Network& n, const HeldDataset& held, int threads) {
            const py::gil_scoped_release release;
            return n.evaluate_test(held.data, threads);
          },
          py::arg("data"), py::kw_only(), py::arg("threads") = 0, "The same on the test set of a data set.")
      .def("predict", &predict, py::arg("X"), py::kw_only(), py::arg("threads") = 0,
           "The class number of every sample by the discrete network, or its value; compile() first to predict often.")
      .def("scores", &scores, py::arg("X"), py::arg("y"), py::kw_only(), py::arg("threads") = 0,
           "By layer: (neurons, 16), the predicted change of the loss when a neuron becomes a slot.")
      .def("diagnose", &diagnose, py::arg("X"), py::arg("y"), py::kw_only(), py::arg("threads") = 0,
           "A dictionary per layer: rank correlations with measured effects of freezing single neurons.")
      .def("discretize", &discretize, py::arg("X"), py::arg("y"), py::kw_only(), py::arg("rule") = "argmax",
           py::arg("samples") = 512, py::arg("seed") = 1, py::arg("threads") = 0,
           "The same network with every neuron frozen by a rule; the samples are training examples.")
      .def("refine", &refine, py::arg("X"), py::arg("y"), py::kw_only(), py::arg("objective") = "loss",
           py::arg("layers") = std::vector<std::string>(), py::arg("sweeps") = RefineOptions().sweeps,
           py::arg("copies") = RefineOptions().copies, py::arg("held_out") = RefineOptions().held_out,
           py::arg("memory") = RefineOptions().memory, py::arg("seed") = 1, py::arg("threads") = 0,
           "The discrete network with gates changed by their exact effect on the loss; the samples are training "
           "examples, of which a share is held out to say when to stop.")
      .def(
          "compile",
          [](const Network& n) {
            const py::gil_scoped_release release;
            return n.compile();
          },
          "The circuit: lowered, simplified, scheduled and checked.")
      .def(py::pickle([](const Network& n) { return to_bytes(n.to_bytes()); }, &from_bytes));
  bind_inspection(network);
}

}  // namespace firn::python
