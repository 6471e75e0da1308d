#include "firn/study/attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/move_folder.h"
#include "firn/base/table_sums.h"
#include "firn/train/run_folder.h"

namespace firn::study {

namespace fs = std::filesystem;

namespace {

constexpr const char *kAttempts = "attempts", *kWorker = "worker.txt", *kReleased = "released";

// NAME.N, from 1; names have dots themselves.
std::optional<std::uint64_t> number_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + dot + 1, name.data() + name.size(), number);
  const bool is_whole = error == std::errc() && end == name.data() + name.size();
  return is_whole && number > 0 ? std::optional(number) : std::nullopt;
}

// Empty where there is none: an attempt that is just being removed.
std::string text_or_nothing(const fs::path& file) {
  try {
    return read_text(file);
  } catch (const Error&) {
    return "";
  }
}

// A second name where the file system has such; checkpoints are replaced and never changed, so both stay as they are.
void take_along(const fs::path& file, const fs::path& to) {
  std::error_code error;
  fs::create_hard_link(file, to, error);
  if (error) fs::copy_file(file, to);
}

}  // namespace

bool copy_progress(const fs::path& from, const fs::path& to) {
  const training::RunFolder source(from), target(to);
  if (!source.holds_run()) return false;
  if (fs::exists(source.config())) write_file(target.config(), read_text(source.config()));
  // Tables grow before they are covered, and are covered before a checkpoint is stored. So the checkpoint comes first
  // and the tables last: they may know of later steps, which are cut off, but never of fewer.
  for (const fs::directory_entry& entry : fs::directory_iterator(from))
    if (entry.path().extension() == ".safetensors" && !entry.path().filename().string().starts_with("."))
      take_along(entry.path(), to / entry.path().filename());
  for (const fs::path& file : {from / TableSums::kFile, source.metrics(), source.freezes(), source.log()})
    if (fs::exists(file)) write_file(to / file.filename(), read_text(file));
  return true;
}

Attempts::Attempts(fs::path sweep, std::string worker, fs::path own)
    : sweep_(std::move(sweep)), worker_(std::move(worker)), own_(std::move(own)) {}

fs::path Attempts::folder_of(const fs::path& place, std::uint64_t number) const {
  return sweep_ / kAttempts / (place.string() + fmt::format(".{}", number));
}

fs::path Attempts::unused() {
  return own_ / std::to_string(++used_);
}

void Attempts::remove(const fs::path& folder) {
  remove_folder(folder, unused());
}

std::vector<Attempt> Attempts::all(const fs::path& group) const {
  std::vector<Attempt> found;
  const fs::path folder = sweep_ / kAttempts / group;
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  // To take an unreadable folder for an empty one would be to give up what is being trained in it.
  if (error && error != std::errc::no_such_file_or_directory)
    throw Error(fmt::format("cannot read {}: {}", folder.string(), error.message()));
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (const auto number = number_of(name))
      found.push_back({group / name.substr(0, name.rfind('.')), *number, entry.path()});
  }
  return found;
}

std::vector<Attempt> Attempts::all_of(const fs::path& place) const {
  std::vector<Attempt> found = all(place.parent_path());
  std::erase_if(found, [&](const Attempt& attempt) { return attempt.place != place; });
  std::ranges::sort(found, std::ranges::greater(), &Attempt::number);
  return found;
}

std::vector<Attempt> Attempts::newest() const {
  std::map<fs::path, Attempt> newest;
  for (const char* group : {"prefixes", "runs"})
    for (const Attempt& attempt : all(group))
      if (Attempt& known = newest[attempt.place]; attempt.number > known.number) known = attempt;
  std::vector<Attempt> found;
  for (auto& [place, attempt] : newest) {
    attempt.worker = text_or_nothing(attempt.folder / kWorker);
    attempt.is_released = attempt.worker.empty() || fs::exists(attempt.folder / kReleased);
    found.push_back(std::move(attempt));
  }
  return found;
}

std::optional<Attempt> Attempts::begin(const fs::path& place, const std::optional<Attempt>& before) {
  const std::vector<Attempt> earlier = all_of(place);
  const std::uint64_t number = before ? before->number + 1 : 1;
  if (number == 0)
    throw Error(fmt::format("{} has the last number that an attempt can have, and Firn has not made it; remove it",
                            before->folder.string()));
  if (!earlier.empty() && earlier.front().number >= number) return std::nullopt;
  Attempt attempt{place, number, folder_of(place, number), worker_};
  const fs::path prepared = unused();
  fs::create_directories(prepared);
  try {
    bool found = false;
    for (std::size_t i = 0; i < earlier.size() && !found; ++i) found = copy_progress(earlier[i].folder, prepared);
    if (!found) copy_progress(sweep_ / place, prepared);
    write_file(prepared / kWorker, worker_);
  } catch (...) {
    remove_folder(prepared, unused());
    // Removed under our hands by somebody who has begun the same attempt, or has even finished it.
    if (!std::ranges::equal(all_of(place), earlier, {}, &Attempt::number, &Attempt::number)) return std::nullopt;
    throw;
  }
  if (!move_folder(prepared, attempt.folder)) {
    remove(prepared);
    return std::nullopt;
  }
  for (const Attempt& old : earlier) remove(old.folder);
  return attempt;
}

bool Attempts::counts(const Attempt& attempt) const {
  const std::vector<Attempt> found = all_of(attempt.place);
  return !found.empty() && found.front().number == attempt.number;
}

bool Attempts::publish(const Attempt& attempt, const std::function<bool()>& is_done) {
  while (!is_done()) {
    if (move_folder(attempt.folder, sweep_ / attempt.place)) {
      clear(attempt.place);
      return true;
    }
    if (!fs::exists(attempt.folder)) return false;
    const fs::path aside = unused();
    if (!move_folder(sweep_ / attempt.place, aside)) continue;
    // It is half of a run, whose checkpoints this attempt has gone on from; or else a whole one, by somebody who has
    // taken over from this attempt, and removed it, since we looked.
    if (!fs::exists(attempt.folder) && move_folder(aside, sweep_ / attempt.place)) return false;
    remove(aside);
  }
  return false;
}

void Attempts::release(const Attempt& attempt) const {
  write_file(attempt.folder / kReleased, "");
}

void Attempts::clear(const fs::path& place) {
  for (const Attempt& attempt : all_of(place)) remove(attempt.folder);
}

void adopt_attempts(const fs::path& sweep, const std::function<bool(const fs::path& place)>& is_done) {
  if (!fs::exists(sweep / kAttempts)) return;
  Attempts attempts(sweep, "", sweep / kAttempts / "adopted");
  for (const Attempt& attempt : attempts.newest()) {
    std::error_code ignored;
    fs::remove(attempt.folder / kReleased, ignored);
    if (training::RunFolder(attempt.folder).holds_run())
      attempts.publish(attempt, [&] { return is_done(attempt.place); });
    attempts.clear(attempt.place);
  }
  std::error_code left;
  fs::remove_all(sweep / kAttempts, left);
}

}  // namespace firn::study
