// Many runs at once, and a page about runs: what `firn sweep` and `firn report` do.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firn/api/network.h"

namespace firn::api {

// A finished run of a sweep, on the test set.
struct SweepResult {
  std::string name, folder;
  Risk relaxed, discrete;  // at the last step
  double frozen = 0;       // fraction of the neurons that may be frozen
};

struct SweepOptions {
  std::string folder = {};       // else runs/NAME; finished runs in it are not repeated
  std::string data_folder = {};  // where data sources look for their files
  int jobs = 0;                  // runs at a time, which share the threads; 0: one for each thread
  int threads = 0;               // 0: every core
  bool shared_prefix = false;    // train what runs have in common up to the freeze start only once
  // Works on the sweep together with other processes, on any machines that see the folder, until every run has a result
  // or was given up. Machines that would train other bits are refused. The rest is for workers alone.
  bool worker = false;
  double silence = 120;          // seconds without a sign of life after which others take over what a worker does
  int retries = 2;               // of a run that has failed
  bool forget_failures = false;  // try again what was given up
  std::function<void(const SweepResult&)> on_result = {};
  std::function<void(std::uint64_t done, std::uint64_t total)> on_step = {};
  std::function<bool()> cancelled = {};
};

struct SweepOutcome {
  std::string folder;
  std::vector<SweepResult> results;   // of finished runs, in the order of the grid
  std::vector<std::string> failures;  // a sentence for each run that failed
  bool is_complete = false;
  std::string table;  // discrete test accuracy in percent at the last step
};

// The sweep that a TOML file describes. The outcome of a worker has the results of all.
SweepOutcome sweep(const std::string& file, const SweepOptions& options = {});

// Who does what in a sweep that workers share, and when it will be done.
struct SweepStatus {
  struct Task {
    std::string name;
    bool is_prefix = false;  // a beginning that runs share
    std::string state;       // "waiting", "running", "left" (by a worker that is gone), "done" or "given up"
    std::string worker;      // of the newest attempt
    std::uint64_t attempts = 0, failures = 0;
    std::uint64_t step = 0, steps = 0;
    std::string error;  // of the last failure
  };
  struct Worker {
    std::string name, task;  // task: its name; empty while it waits
    std::uint64_t step = 0, steps = 0;
    double rate = 0;   // steps per second
    double quiet = 0;  // seconds without a sign of life
    bool is_gone = false;
  };
  std::vector<Task> tasks;
  std::vector<Worker> workers;
  double rate = 0;  // steps per second of all
  std::uint64_t steps_left = 0;
  std::optional<double> seconds_left;  // nothing where nobody trains
};

// Of the options, `folder`, `shared_prefix` and `retries` count. Listens to the workers for a few seconds.
SweepStatus sweep_status(const std::string& file, const SweepOptions& options = {});

// One HTML page about folders of runs, sweeps and diagnoses. The title may be empty. `overlay` adds a figure with all
// runs, even if they differ in length or data. `with_data` asks the networks of runs about 2,000 examples of their test
// set, found by data_folder(), and shows those that they get wrong.
void write_report(const std::vector<std::string>& folders, const std::string& file, const std::string& title = {},
                  bool with_circuits = true, bool overlay = false, bool with_data = true);

// What two runs differ in, and what each of them reached.
struct Comparison {
  struct Setting {
    std::string key, first, second;  // values as TOML writes them, or "absent"
  };
  struct Result {
    std::string name;  // such as "validation.discrete.accuracy"
    std::optional<double> first, second;
  };
  std::vector<Setting> config;  // keys whose values differ
  std::vector<Result> results;  // every number that one of them has
};

// Each is the folder of a run, a checkpoint, a compiled model or a result.json.
Comparison compare(const std::string& first, const std::string& second);

// Where data sets are: the folder that is named, else the environment variable FIRN_DATA, else ./data.
std::string data_folder(const std::string& named = {});

}  // namespace firn::api
