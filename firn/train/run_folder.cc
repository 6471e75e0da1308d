#include "firn/train/run_folder.h"

#include <fmt/core.h>

#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>

#include "firn/base/error.h"

namespace firn::training {

namespace fs = std::filesystem;

bool RunFolder::holds_run() const {
  return fs::exists(last()) || fs::exists(previous());
}

void RunFolder::make() const {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error)
    throw Error(fmt::format("cannot make the run folder {}: {}; choose another", path_.string(), error.message()));
}

std::string RunFolder::fmt_step(std::uint64_t step) {
  return fmt::format("step-{}.safetensors", step);
}

void RunFolder::rotate(const std::function<void(const fs::path&)>& write) const {
  const fs::path next = path_ / "next.safetensors";
  write(next);
  if (fs::exists(last())) fs::rename(last(), previous());
  fs::rename(next, last());
}

std::optional<Checkpoint> RunFolder::newest(const std::function<void(std::string_view)>& warn) const {
  std::string damage;
  for (const fs::path& candidate : {last(), previous()}) {
    if (!fs::exists(candidate)) continue;
    try {
      Checkpoint checkpoint = Checkpoint::read(candidate);
      if (!damage.empty()) warn(fmt::format("{}; going on from {} instead", damage, candidate.string()));
      return checkpoint;
    } catch (const Error& error) {
      damage = error.what();
    }
  }
  if (!damage.empty())
    throw Error(fmt::format("{}; no other checkpoint is left, so start again in a new folder", damage));
  return std::nullopt;
}

std::uint64_t length_up_to_step(const fs::path& file, std::uint64_t step,
                                const std::function<std::optional<std::uint64_t>(std::string_view)>& step_of) {
  std::ifstream in(file, std::ios::binary);
  std::uint64_t length = 0;
  for (std::string line; std::getline(in, line) && !in.eof();) {
    const auto found = step_of(line);
    if (found && *found > step) break;
    length += line.size() + 1;
  }
  return length;
}

JsonLines RunFolder::open_metrics(std::uint64_t step) const {
  if (!fs::exists(metrics())) return JsonLines::create(metrics());
  const auto step_of = [](std::string_view line) -> std::optional<std::uint64_t> {
    const auto object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object() || !object.contains("step") || !object["step"].is_number_unsigned()) return std::nullopt;
    return object["step"].get<std::uint64_t>();
  };
  return JsonLines::resume(metrics(), length_up_to_step(metrics(), step, step_of));
}

CsvWriter RunFolder::open_freezes(std::uint64_t step) const {
  const std::vector<std::string> columns = {"step", "layer", "neuron", "slot", "opcode", "score", "entropy"};
  if (!fs::exists(freezes())) return CsvWriter::create(freezes(), columns);
  const auto step_of = [](std::string_view line) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    if (std::from_chars(line.data(), line.data() + line.size(), value).ec != std::errc())
      return std::nullopt;  // the header
    return value;
  };
  const std::uint64_t length = length_up_to_step(freezes(), step, step_of);
  return length == 0 ? CsvWriter::create(freezes(), columns) : CsvWriter::resume(freezes(), columns, length);
}

}  // namespace firn::training
