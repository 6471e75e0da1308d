// Training, histories, sweeps and reports. Long work runs without the interpreter's lock; what a callback raises and
// Ctrl-C end it at the next step, where a run folder gets its checkpoint, and only then arrive in Python.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <optional>

#include "arrays.h"
#include "dataset.h"

namespace firn::python {

namespace {

using Clock = std::chrono::steady_clock;
using Path = std::filesystem::path;
constexpr auto kSignalPeriod = std::chrono::milliseconds(50);

// What ends work early. Made and destroyed under the interpreter's lock.
class Stop {
 public:
  // Calls back into Python; takes the lock itself.
  template <class Call>
  void call(const Call& work) {
    const py::gil_scoped_acquire lock;
    if (requested_) return;
    try {
      work();
    } catch (py::error_already_set& error) {
      requested_ = true;
      if (!error.matches(py::module_::import("firn._firn").attr("StopTraining"))) error_.emplace(std::move(error));
    }
  }

  // Looks for Ctrl-C now and then; steps are too short to take the lock in each.
  bool requested() {
    if (requested_ || Clock::now() < next_look_) return requested_;
    call([] {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    });
    next_look_ = Clock::now() + kSignalPeriod;
    return requested_;
  }
  bool was_requested() const { return requested_; }

  void rethrow() {
    if (error_) throw std::move(*error_);
  }

 private:
  std::optional<py::error_already_set> error_;
  std::atomic<bool> requested_ = false;
  Clock::time_point next_look_ = Clock::now() + kSignalPeriod;
};

template <class T, class Rows, class Read>
py::array column(const Rows& rows, const Read& read) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(static_cast<T>(read(row)));
  return owned(std::move(values));
}

// Evaluations and freezes as arrays, one per column.
std::pair<py::dict, py::dict> to_arrays(const History& history) {
  const auto& rows = history.evaluations;
  py::dict metrics;
  metrics["step"] = column<std::int64_t>(rows, [](const TrainProgress& p) { return p.step; });
  metrics["train_loss"] = column<double>(rows, [](const TrainProgress& p) { return p.train_loss; });
  metrics["relaxed_loss"] = column<double>(rows, [](const TrainProgress& p) { return p.relaxed.loss; });
  metrics["relaxed_accuracy"] = column<double>(rows, [](const TrainProgress& p) { return p.relaxed.accuracy; });
  metrics["discrete_loss"] = column<double>(rows, [](const TrainProgress& p) { return p.discrete.loss; });
  metrics["discrete_accuracy"] = column<double>(rows, [](const TrainProgress& p) { return p.discrete.accuracy; });
  metrics["frozen"] = column<double>(rows, [](const TrainProgress& p) { return p.frozen; });
  metrics["learning_rate"] = column<double>(rows, [](const TrainProgress& p) { return p.learning_rate; });
  py::dict freezes;
  const auto& frozen = history.freezes;
  py::list layers;
  for (const FreezeRecord& f : frozen) layers.append(f.layer);
  freezes["step"] = column<std::int64_t>(frozen, [](const FreezeRecord& f) { return f.step; });
  freezes["layer"] = py::module_::import("numpy").attr("array")(layers, py::arg("dtype") = "U");
  freezes["neuron"] = column<std::int64_t>(frozen, [](const FreezeRecord& f) { return f.neuron; });
  freezes["slot"] = column<std::uint8_t>(frozen, [](const FreezeRecord& f) { return f.slot; });
  freezes["gate"] = column<std::uint8_t>(frozen, [](const FreezeRecord& f) { return f.gate; });
  freezes["score"] = column<double>(frozen, [](const FreezeRecord& f) { return f.score; });
  freezes["entropy"] = column<double>(frozen, [](const FreezeRecord& f) { return f.entropy; });
  return {metrics, freezes};
}

// Returns (network, metrics, freezes).
py::tuple train_network(const Config& config, const HeldDataset& held, const std::string& folder, bool resume,
                        int threads, const py::object& on_eval) {
  Stop stop;
  History history;
  TrainOptions options{.folder = folder, .resume = resume, .threads = threads};
  options.on_eval = [&](const TrainProgress& progress) {
    if (folder.empty()) history.evaluations.push_back(progress);
    if (!on_eval.is_none()) stop.call([&] { on_eval(progress); });
  };
  if (folder.empty()) options.on_freeze = [&](const FreezeRecord& freeze) { history.freezes.push_back(freeze); };
  options.cancelled = [&] { return stop.requested(); };
  std::optional<Network> network;
  {
    const py::gil_scoped_release release;
    network = train(config, held.data, options);
    if (!folder.empty()) history = read_history(folder);  // a resumed run has done more than this call
  }
  stop.rethrow();
  const auto [metrics, freezes] = to_arrays(history);
  return py::make_tuple(*network, metrics, freezes);
}

py::dict to_dict(const SweepResult& result) {
  py::dict row;
  row["name"] = result.name;
  row["folder"] = result.folder;
  row["relaxed_accuracy"] = result.relaxed.accuracy;
  row["relaxed_loss"] = result.relaxed.loss;
  row["discrete_accuracy"] = result.discrete.accuracy;
  row["discrete_loss"] = result.discrete.loss;
  row["frozen"] = result.frozen;
  return row;
}

py::dict compare_runs(const std::string& first, const std::string& second) {
  const Comparison comparison = compare(first, second);
  py::dict config, results, all;
  for (const Comparison::Setting& setting : comparison.config)
    config[py::str(setting.key)] = py::make_tuple(setting.first, setting.second);
  for (const Comparison::Result& result : comparison.results)
    results[py::str(result.name)] = py::make_tuple(result.first, result.second);
  all["config"] = config;
  all["results"] = results;
  return all;
}

py::dict check_paths(const std::vector<std::string>& paths) {
  const CheckReport report = [&] {
    const py::gil_scoped_release release;
    return check(paths);
  }();
  py::list files;
  for (const FileCheck& file : report.files) {
    py::dict row;
    row["file"] = file.file;
    row["state"] = file.state;
    row["about"] = file.about;
    files.append(row);
  }
  py::dict all;
  all["sound"] = report.is_sound;
  all["files"] = files;
  all["recovery"] = report.recovery;
  return all;
}

// The runs of a sweep have threads of their own, but only the interpreter's main thread hears of Ctrl-C: it waits here.
SweepOutcome run_sweep(const Path& file, const std::string& folder, const std::string& data_folder, int jobs,
                       int threads, bool shared_prefix, bool worker, double silence, int retries, bool forget_failures,
                       const py::object& on_result) {
  Stop stop;
  SweepOptions options{.folder = folder,
                       .data_folder = data_folder,
                       .jobs = jobs,
                       .threads = threads,
                       .shared_prefix = shared_prefix,
                       .worker = worker,
                       .silence = silence,
                       .retries = retries,
                       .forget_failures = forget_failures};
  if (!on_result.is_none())
    options.on_result = [&](const SweepResult& result) { stop.call([&] { on_result(to_dict(result)); }); };
  options.cancelled = [&] { return stop.was_requested(); };
  SweepOutcome outcome;
  {
    const py::gil_scoped_release release;
    auto work = std::async(std::launch::async, [&] { return sweep(file.string(), options); });
    while (work.wait_for(kSignalPeriod) != std::future_status::ready) stop.requested();
    outcome = work.get();
  }
  stop.rethrow();
  return outcome;
}

py::dict show_sweep(const Path& file, const std::string& folder, bool shared_prefix, int retries) {
  const SweepStatus status = [&] {
    const py::gil_scoped_release release;
    return sweep_status(file.string(), {.folder = folder, .shared_prefix = shared_prefix, .retries = retries});
  }();
  py::list tasks, workers;
  for (const SweepStatus::Task& task : status.tasks)
    tasks.append(py::dict(py::arg("name") = task.name, py::arg("is_prefix") = task.is_prefix,
                          py::arg("state") = task.state, py::arg("worker") = task.worker,
                          py::arg("attempts") = task.attempts, py::arg("failures") = task.failures,
                          py::arg("step") = task.step, py::arg("steps") = task.steps, py::arg("error") = task.error));
  for (const SweepStatus::Worker& worker : status.workers)
    workers.append(py::dict(py::arg("name") = worker.name, py::arg("task") = worker.task, py::arg("step") = worker.step,
                            py::arg("steps") = worker.steps, py::arg("rate") = worker.rate,
                            py::arg("quiet") = worker.quiet, py::arg("is_gone") = worker.is_gone));
  return py::dict(py::arg("tasks") = tasks, py::arg("workers") = workers, py::arg("rate") = status.rate,
                  py::arg("steps_left") = status.steps_left, py::arg("seconds_left") = status.seconds_left);
}

void bind_progress(py::module_& m) {
  py::class_<TrainProgress>(m, "Progress", "What training reports at every evaluation, on the validation set.")
      .def_readonly("step", &TrainProgress::step)
      .def_readonly("steps", &TrainProgress::steps)
      .def_readonly("train_loss", &TrainProgress::train_loss)
      .def_property_readonly("relaxed_loss", [](const TrainProgress& p) { return p.relaxed.loss; })
      .def_property_readonly("relaxed_accuracy", [](const TrainProgress& p) { return p.relaxed.accuracy; })
      .def_property_readonly("discrete_loss", [](const TrainProgress& p) { return p.discrete.loss; })
      .def_property_readonly("discrete_accuracy", [](const TrainProgress& p) { return p.discrete.accuracy; })
      .def_readonly("frozen", &TrainProgress::frozen)
      .def_readonly("learning_rate", &TrainProgress::learning_rate)
      .def_readonly("seconds_left", &TrainProgress::seconds_left)
      .def("__repr__", [](const TrainProgress& p) {
        return py::str("<firn.Progress step {} of {}: accuracy {:.4f} relaxed, {:.4f} discrete>")
            .format(p.step, p.steps, p.relaxed.accuracy, p.discrete.accuracy);
      });
}

}  // namespace

void bind_train(py::module_& m) {
  bind_progress(m);
  m.def("_train", &train_network, py::arg("config"), py::arg("data"), py::arg("folder"), py::arg("resume"),
        py::arg("threads"), py::arg("on_eval"));
  m.def(
      "_read_history",
      [](const std::string& folder) {
        return to_arrays([&] {
          const py::gil_scoped_release release;
          return read_history(folder);
        }());
      },
      py::arg("folder"));
  py::class_<SweepOutcome>(m, "Sweep", "What a sweep has come to.")
      .def_readonly("folder", &SweepOutcome::folder)
      .def_readonly("is_complete", &SweepOutcome::is_complete)
      .def_readonly("failures", &SweepOutcome::failures, "A sentence for each run that failed.")
      .def_readonly("table", &SweepOutcome::table, "Discrete test accuracy in percent at the last step.")
      .def_property_readonly(
          "results",
          [](const SweepOutcome& outcome) {
            py::list rows;
            for (const SweepResult& result : outcome.results) rows.append(to_dict(result));
            return rows;
          },
          "A dictionary per finished run.")
      .def("__repr__", [](const SweepOutcome& outcome) {
        return py::str("<firn.Sweep in {} with {} results>").format(outcome.folder, outcome.results.size());
      });
  m.def("_sweep", &run_sweep, py::arg("file"), py::arg("folder"), py::arg("data_folder"), py::arg("jobs"),
        py::arg("threads"), py::arg("shared_prefix"), py::arg("worker"), py::arg("silence"), py::arg("retries"),
        py::arg("forget_failures"), py::arg("on_result"));
  m.def("_sweep_status", &show_sweep, py::arg("file"), py::arg("folder"), py::arg("shared_prefix"), py::arg("retries"));
  m.def(
      "_report",
      [](const std::vector<std::string>& folders, const Path& file, const std::string& title, bool circuits,
         bool overlay, bool data) {
        const py::gil_scoped_release release;
        write_report(folders, file.string(), title, circuits, overlay, data);
      },
      py::arg("folders"), py::arg("file"), py::arg("title"), py::arg("circuits"), py::arg("overlay"), py::arg("data"));
  m.def("_check", &check_paths, py::arg("paths"));
  m.def("_compare", &compare_runs, py::arg("first"), py::arg("second"));
}

}  // namespace firn::python
