// The files in folders of runs, of sweeps that workers share, and of diagnoses. The bytes are the texts of several
// files with a record separator between them, or the text of each file.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "firn/api/history.h"
#include "firn/base/file.h"
#include "firn/base/sealed_json.h"
#include "firn/base/table_sums.h"
#include "firn/report/read_diagnosis.h"
#include "firn/report/read_run.h"
#include "firn/report/read_sweep.h"
#include "firn/study/failure_log.h"
#include "firn/study/heartbeat.h"
#include "firn/study/sweep_sample.h"
#include "firn/train/test_result.h"
#include "fuzz/run_target.h"
#include "fuzz/scratch_folder.h"

namespace {

namespace fs = std::filesystem;
using namespace firn;

// A folder that is there for as long as this lives.
struct Folder {
  fs::path path;

  explicit Folder(const char* name) : path(scratch_folder() / name) { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

template <class Read>
void read_or_refuse(const Read& read) {
  try {
    read();
  } catch (const Error&) {
  }
}

// The number-th text of several; the first one where there are not so many.
std::string_view text_of(std::string_view bytes, std::size_t number) {
  constexpr char kSeparator = '\x1e';
  const std::string_view first = bytes.substr(0, bytes.find(kSeparator));
  for (; number > 0; --number) {
    const std::size_t end = bytes.find(kSeparator);
    if (end == std::string_view::npos) return first;
    bytes.remove_prefix(end + 1);
  }
  return bytes.substr(0, bytes.find(kSeparator));
}

void read_run_folder(std::string_view bytes) {
  const Folder folder("run");
  const RunFolder run(folder.path);
  write_file(run.config(), "[model]\nfamily = 'dense'\n");
  write_file(run.last(), "");  // enough for a history
  write_file(run.metrics(), text_of(bytes, 0));
  write_file(run.freezes(), text_of(bytes, 1));
  read_or_refuse([&] { report::read_run(folder.path); });
  read_or_refuse([&] { api::read_history(folder.path.string()); });
  write_file(run.result(), bytes);
  read_or_refuse([&] { read_result(run); });
  write_file(run.config(), bytes);
  read_or_refuse([&] { report::read_run(folder.path); });
  write_file(folder.path / TableSums::kFile, bytes);
  read_or_refuse([&] { TableSums sums(folder.path); });
}

void read_diagnose_folder(std::string_view bytes) {
  const Folder folder("diagnosis");
  write_file(folder.path / "summary.json", text_of(bytes, 0));
  write_file(folder.path / "effects.csv", text_of(bytes, 1));
  read_or_refuse([&] { report::read_diagnosis(folder.path, /*max_neurons=*/2); });
}

// What workers leave in the folder of a sweep: a name of an attempt, a heartbeat, and any text.
void read_sweep_folder(std::string_view bytes) {
  const Folder folder("sweep");
  std::string name(text_of(bytes, 0).substr(0, 100));
  for (char& c : name)
    if (c == '/' || c == '\0') c = '_';
  const fs::path attempt = folder.path / "attempts/runs" / ("a" + name);
  fs::create_directories(attempt);
  write_file(attempt / "worker.txt", bytes);
  write_file(attempt / "config.toml", "");
  write_file(folder.path / "runs.csv", text_of(bytes, 1));
  read_or_refuse([&] { report::read_sweep(folder.path, report::sweep_runs(folder.path), 0); });

  study::Attempts attempts(folder.path, "w", folder.path / "workers/w");
  read_or_refuse([&] {
    const study::FailureLog failures(folder.path);
    for (const study::Attempt& newest : attempts.newest()) {
      failures.add(newest, std::string(bytes));
      FIRN_CHECK(failures.of(newest.place).count == 1);
      const auto next = attempts.begin(newest.place, newest);
      FIRN_CHECK(next && attempts.counts(*next) && !attempts.counts(newest));
    }
  });

  fs::create_directories(study::worker_folder(folder.path, "far"));
  write_file(study::worker_folder(folder.path, "far") / "heartbeat", text_of(bytes, 1));
  double now = 0;
  study::WorkerWatch watch(folder.path, [&] { return now; });
  watch.look();
  now = 1e9;
  watch.look();
  FIRN_CHECK(watch.is_gone("far"));  // nobody is waited for, whatever is written

  write_file(folder.path / "sample.json", text_of(bytes, 1));
  read_or_refuse([&] { study::read_sample(folder.path / "sample.json"); });
}

void read_sealed(std::string_view bytes) {
  const nlohmann::json object = open_sealed_json(bytes, "fuzz", "");
  if (object.contains("format") || object.contains("checksum")) return;
  nlohmann::json again;
  try {
    again = open_sealed_json(seal_json(object, "fuzz"), "again", "");
  } catch (const nlohmann::json::type_error&) {  // a string that is not UTF-8 cannot be written
    return;
  }
  FIRN_CHECK(again == object);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return run_target(data, size, [](std::string_view bytes) {
    read_run_folder(bytes);
    read_diagnose_folder(bytes);
    read_sweep_folder(bytes);
    read_sealed(bytes);
  });
}
