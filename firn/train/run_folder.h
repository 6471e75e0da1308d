// The folder of a run: which file is where, and how a run finds its way back into it.
#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firn/base/table.h"
#include "firn/train/checkpoint.h"

namespace firn::training {

// The step of a line of a table, or nothing for a line without one.
using StepOfLine = std::function<std::optional<std::uint64_t>(std::string_view line)>;

class RunFolder {
 public:
  // Only names the files: nothing needs to be there, and nothing is made.
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  bool holds_run() const;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config() const { return path_ / "config.toml"; }
  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path freezes() const { return path_ / "freezes.csv"; }
  std::filesystem::path last() const { return path_ / "last.safetensors"; }
  std::filesystem::path previous() const { return path_ / "previous.safetensors"; }
  std::filesystem::path best() const { return path_ / "best.safetensors"; }
  std::filesystem::path result() const { return path_ / "result.json"; }
  std::filesystem::path log() const { return path_ / "log.txt"; }
  std::filesystem::path kept(std::uint64_t step) const { return path_ / fmt_step(step); }

  // Calls write(path) for a new last checkpoint; the one before stays as "previous" until the new one is complete.
  void rotate(const std::function<void(const std::filesystem::path&)>& write) const;

  // The checkpoint to go on from: the last one or, where that is damaged or missing, the newest that can be read of all
  // that the run has kept; `warn` then hears why. Checkpoints of steps after `at_most` do not count. Nothing: a fresh
  // start.
  std::optional<Checkpoint> newest(const std::function<void(std::string_view)>& warn,
                                   std::uint64_t at_most = std::numeric_limits<std::uint64_t>::max()) const;

  // The metrics file, continued after the lines of steps up to `step`; later lines of an interrupted run are dropped.
  // An Error where the file was damaged since it was written.
  JsonLines open_metrics(std::uint64_t step) const;
  // The same for the log of freezes: step, layer, neuron, slot, opcode, score, entropy.
  CsvWriter open_freezes(std::uint64_t step) const;

 private:
  std::filesystem::path next() const { return path_ / "next.safetensors"; }  // until it is the last one
  std::vector<std::filesystem::path> checkpoints() const;                    // that are there, the last one first
  static std::string fmt_step(std::uint64_t step);
  // How much of a table belongs to steps up to `step`. Its checksum covers no more than that afterwards.
  std::uint64_t shorten(const std::filesystem::path& table, std::uint64_t step, const StepOfLine& step_of) const;
  void cover_nothing_of(const std::filesystem::path& table) const;

  std::filesystem::path path_;
};

// Length of the whole lines at the start of a text whose steps are at most `step`. Lines without a step are kept.
std::uint64_t length_up_to_step(std::string_view text, std::uint64_t step, const StepOfLine& step_of);

}  // namespace firn::training
