#include "firn/train/run_folder.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "firn/base/error.h"
#include "firn/base/parse_json.h"
#include "firn/base/table_sums.h"

namespace firn::training {

namespace fs = std::filesystem;

namespace {

// step-N.safetensors
bool is_kept(std::string_view name) {
  constexpr std::string_view kBefore = "step-", kAfter = ".safetensors";
  if (!name.starts_with(kBefore) || !name.ends_with(kAfter) || name.size() <= kBefore.size() + kAfter.size())
    return false;
  name.remove_prefix(kBefore.size());
  name.remove_suffix(kAfter.size());
  return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool RunFolder::holds_run() const {
  return !checkpoints().empty();
}

std::vector<fs::path> RunFolder::checkpoints() const {
  std::vector<fs::path> found;
  for (const fs::path& rotated : {last(), next(), previous()})
    if (fs::exists(rotated)) found.push_back(rotated);
  std::vector<fs::path> others;
  if (fs::exists(best())) others.push_back(best());
  std::error_code missing;  // a folder that is not there holds none
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, missing))
    if (is_kept(entry.path().filename().string())) others.push_back(entry.path());
  std::ranges::sort(others);  // the order of a folder's entries is anybody's guess
  found.insert(found.end(), others.begin(), others.end());
  return found;
}

std::string RunFolder::fmt_step(std::uint64_t step) {
  return fmt::format("step-{}.safetensors", step);
}

void RunFolder::rotate(const std::function<void(const fs::path&)>& write) const {
  write(next());
  if (fs::exists(last())) {
    // By a second name, so that there is a last checkpoint at every moment; not every file system has second names.
    std::error_code error;
    fs::remove(previous(), error);
    fs::create_hard_link(last(), previous(), error);
    if (error) fs::rename(last(), previous());
  }
  fs::rename(next(), last());
}

std::optional<Checkpoint> RunFolder::newest(const std::function<void(std::string_view)>& warn,
                                            std::uint64_t at_most) const {
  std::optional<Checkpoint> newest;
  std::string damage;
  for (const fs::path& candidate : checkpoints()) {
    try {
      Checkpoint checkpoint = Checkpoint::read(candidate);
      if (checkpoint.header().step > at_most) continue;
      if (!newest || checkpoint.header().step > newest->header().step) newest.emplace(std::move(checkpoint));
      if (candidate == last()) return newest;
    } catch (const Error& error) {
      if (damage.empty()) damage = error.what();
    }
  }
  if (newest) {
    const std::string why = damage.empty() ? fmt::format("{} is missing", last().string()) : damage;
    warn(fmt::format("{}; going on from {} instead", why, newest->source()));
  } else if (!damage.empty()) {
    throw Error(fmt::format("{}; no other checkpoint is left, so start again in a new folder", damage));
  }
  return newest;
}

std::uint64_t length_up_to_step(std::string_view text, std::uint64_t step, const StepOfLine& step_of) {
  std::uint64_t length = 0;
  for (std::size_t end; (end = text.find('\n', length)) != std::string_view::npos; length = end + 1) {
    const auto found = step_of(text.substr(length, end - length));
    if (found && *found > step) break;
  }
  return length;
}

std::uint64_t RunFolder::shorten(const fs::path& table, std::uint64_t step, const StepOfLine& step_of) const {
  const std::string name = table.filename().string(), text = read_checked_table(table);
  const std::uint64_t length = length_up_to_step(text, step, step_of);
  TableSums sums(path_);
  const auto sum = sums.all().find(name);
  if (sum == sums.all().end()) return length;
  // Tables are covered before every checkpoint, so that what is not covered belongs to later steps, whatever it says.
  if (sum->second.bytes <= length) return sum->second.bytes;
  sums.cover_less(name, text, length);
  sums.store();
  return length;
}

void RunFolder::cover_nothing_of(const fs::path& table) const {
  TableSums sums(path_);
  if (!sums.all().contains(table.filename().string())) return;
  sums.forget(table.filename().string());
  sums.store();
}

JsonLines RunFolder::open_metrics(std::uint64_t step) const {
  if (!fs::exists(metrics())) {
    cover_nothing_of(metrics());
    return JsonLines::create(metrics());
  }
  const auto step_of = [](std::string_view line) -> std::optional<std::uint64_t> {
    const auto object = parse_json(line);
    if (!object.is_object() || !object.contains("step") || !object["step"].is_number_unsigned()) return std::nullopt;
    return object["step"].get<std::uint64_t>();
  };
  return JsonLines::resume(metrics(), shorten(metrics(), step, step_of));
}

CsvWriter RunFolder::open_freezes(std::uint64_t step) const {
  const std::vector<std::string> columns = {"step", "layer", "neuron", "slot", "opcode", "score", "entropy"};
  if (!fs::exists(freezes())) {
    cover_nothing_of(freezes());
    return CsvWriter::create(freezes(), columns);
  }
  const auto step_of = [](std::string_view line) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    if (std::from_chars(line.data(), line.data() + line.size(), value).ec != std::errc())
      return std::nullopt;  // the header
    return value;
  };
  const std::uint64_t length = shorten(freezes(), step, step_of);
  return length == 0 ? CsvWriter::create(freezes(), columns) : CsvWriter::resume(freezes(), columns, length);
}

}  // namespace firn::training
