#include "firn/study/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "firn/base/checksum.h"
#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/left_behind.h"
#include "firn/base/parse_json.h"
#include "firn/base/safetensors.h"
#include "firn/base/sealed_json.h"
#include "firn/base/table_sums.h"
#include "firn/infer/model_file.h"
#include "firn/study/config_text.h"
#include "firn/synth/delays.h"
#include "firn/train/checkpoint.h"
#include "firn/train/run_folder.h"

namespace firn::study {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

// What a sound file is, and whether anything but its form says so.
struct Finding {
  std::string about;
  bool has_checksum = true;
};

Finding describe_tensors(const fs::path& file) {
  SafetensorsFile tensors = SafetensorsFile::read(file);
  const bool has_checksum = tensors.has_checksums();
  if (Checkpoint::recognizes(tensors)) {
    const Checkpoint checkpoint = Checkpoint::parse(std::move(tensors));
    checkpoint.encoder();
    return {fmt::format("checkpoint after step {}", checkpoint.header().step), has_checksum};
  }
  if (tensors.metadata().contains("format")) {
    const CircuitModel model = parse_model(tensors);
    return {fmt::format("compiled model, {} layers", model.network.layers.size()), has_checksum};
  }
  if (tensors.metadata().contains("identity")) return {"refinement in progress", has_checksum};
  return {"safetensors file of another program", has_checksum};
}

bool is_delays_format(std::string_view format) {
  return format == kDelaysFormat || format == kEarlierDelaysFormat;
}

Finding describe_json(const fs::path& file) {
  const std::string text = read_text(file);
  const json object = parse_json(text);
  const bool has_format = object.is_object() && object.contains("format") && object["format"].is_string();
  const std::string format = has_format ? object["format"].get<std::string>() : "";
  const bool is_of_delays = is_delays_format(format);
  if (is_of_delays)
    parse_delays(text, file.string());
  else
    open_sealed_json(text, file.string(), "restore it, or remove it and make it again");
  const bool has_checksum = object.contains("checksum");
  return {has_checksum || is_of_delays ? format : "JSON object", has_checksum};
}

Finding describe_config(const fs::path& file) {
  read_stored_config(read_text(file), file.string());
  return {"configuration; people may change it", true};
}

// Pipes and devices have no end, or none that comes by itself.
bool is_endless(const fs::path& file) {
  std::error_code error;
  return fs::is_other(file, error);
}

Finding describe_table(const fs::path& file, const TableSums& sums) {
  const bool has_sums = !is_endless(file.parent_path() / TableSums::kFile);
  const std::string text = has_sums ? read_checked_table(file) : read_text(file);
  const auto sum = sums.all().find(file.filename().string());
  if (sum == sums.all().end()) return {fmt::format("table of {} bytes", text.size()), false};
  const std::uint64_t covered = sum->second.bytes;
  return {covered == text.size() ? fmt::format("table of {} bytes", covered)
                                 : fmt::format("table of {} bytes, {} of them checked", text.size(), covered),
          true};
}

bool is_of_tensors(const fs::path& file) {
  const fs::path ending = file.extension();
  return ending == ".safetensors" || ending == ".firn" || ending == ".partial";
}

bool is_table(const fs::path& file, const TableSums& sums) {
  const std::string name = file.filename().string();
  return name == "metrics.jsonl" || name == "freezes.csv" || sums.all().contains(name);
}

std::string first_bytes_of(const fs::path& file) {
  std::string text(4096, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

// The opening of either member of a seal is enough, so that damage to the other one is found.
bool begins_sealed(std::string_view text) {
  constexpr std::string_view kChecksum = "\n  \"checksum\": \"", kFormat = "\n  \"format\": \"firn ";
  if (text.find(kFormat) != std::string_view::npos) return true;
  const std::size_t at = text.find(kChecksum);
  if (at == std::string_view::npos) return false;
  const std::string_view rest = text.substr(at + kChecksum.size());
  return rest.find_first_not_of("0123456789abcdef") == Checksum::kDigits && rest[Checksum::kDigits] == '"';
}

// The length before the header of a safetensors file may begin with a brace, too, but ends in a zero.
bool begins_json(std::string_view text) {
  return text.starts_with('{') && text.substr(0, sizeof(std::uint64_t)).find('\0') == std::string_view::npos;
}

// Of Firn: by its name, so that one that is nothing but damage is found, or by how it begins.
bool is_json(const fs::path& file) {
  const fs::path name = file.filename();
  if (name == "result.json" || name == "summary.json" || name == TableSums::kFile) return true;
  if (name == "sample.json" && file.parent_path().parent_path().filename() == "samples") return true;
  return file.extension() == ".json" && begins_sealed(first_bytes_of(file));
}

class Checker {
 public:
  void check(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status))
      throw Error(fmt::format("cannot check {}: there is no such file or folder", path.string()));
    if (fs::is_other(status))
      throw Error(
          fmt::format("cannot check {}: it is a pipe, a socket or a device; name a file or a folder", path.string()));
    if (!fs::is_directory(status)) return check_file(path, sums_of(fs::absolute(path).parent_path()));
    const std::size_t before = result_.files.size();
    check_folder(path);
    if (result_.files.size() == before)
      throw Error(
          fmt::format("{} holds nothing that Firn has written; name a run, sweep, diagnosis or model", path.string()));
  }

  CheckResult take() && { return std::move(result_); }

 private:
  void check_folder(const fs::path& folder) {
    std::vector<fs::path> files, folders;
    std::error_code error, ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      if (!entry.is_directory(ignored) && !entry.is_other(ignored))
        files.push_back(entry.path());
      else if (entry.is_directory(ignored) && !entry.is_symlink(ignored))  // links may lead round in circles
        folders.push_back(entry.path());
    }
    if (error) throw Error(fmt::format("cannot read {}: {}", folder.string(), error.message()));
    std::ranges::sort(files);
    std::ranges::sort(folders);
    const TableSums sums = sums_of(folder);
    const std::size_t first = result_.files.size();
    for (const fs::path& file : files)
      if (is_table(file, sums) || is_of_tensors(file) || is_json(file) || file.filename() == "config.toml")
        check_file(file, sums);
    for (const auto& [table, sum] : sums.all())
      if (!fs::exists(folder / table) || is_endless(folder / table))
        result_.files.push_back(
            {folder / table, FileState::kDamaged, fmt::format("{} is missing", (folder / table).string())});
    for (const fs::path& file : left_behind(folder))
      result_.files.push_back({file, FileState::kLeftBehind, "temporary file; the next run in this folder removes it"});
    find_way_back(folder, first);
    for (const fs::path& inner : folders) check_folder(inner);
  }

  // A damaged list is reported as a file of its own.
  static TableSums sums_of(const fs::path& folder) {
    try {
      return TableSums(is_endless(folder / TableSums::kFile) ? folder / "no such folder" : folder);
    } catch (const Error&) {
      return TableSums(folder / "no such folder");
    }
  }

  void check_file(const fs::path& file, const TableSums& sums) {
    add(file, [&] {
      if (is_table(file, sums)) return describe_table(file, sums);
      if (file.filename() == "config.toml") return describe_config(file);
      const bool has_braces = file.extension() == ".json" || begins_json(first_bytes_of(file));
      return has_braces ? describe_json(file) : describe_tensors(file);
    });
  }

  template <class Describe>
  void add(const fs::path& file, const Describe& describe) {
    try {
      const Finding found = describe();
      result_.files.push_back({file, found.has_checksum ? FileState::kSound : FileState::kUnchecked, found.about});
    } catch (const Error& error) {
      result_.files.push_back({file, FileState::kDamaged, error.what()});
    } catch (const std::bad_alloc&) {  // one file must not hide what is wrong with the others
      result_.files.push_back(
          {file, FileState::kDamaged,
           fmt::format("{} takes more memory than there is; close other programs, or restore it", file.string())});
    }
  }

  // A run that has lost a checkpoint goes on from another one.
  void find_way_back(const fs::path& folder, std::size_t first) {
    const RunFolder run(folder);
    const auto own = std::span(result_.files).subspan(first);
    const bool has_lost = std::ranges::any_of(own, [](const CheckedFile& f) {
      return f.state == FileState::kDamaged && f.file.extension() == ".safetensors";
    });
    if (!run.holds_run() || (!has_lost && fs::exists(run.last()))) return;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".safetensors" && entry.is_other(error)) return;  // a run would wait for it
    try {
      const auto newest = run.newest([](std::string_view) {});
      result_.recovery.push_back(fmt::format("{}: the run can be resumed from {}, after step {}", folder.string(),
                                             newest->source(), newest->header().step));
    } catch (const Error&) {
      result_.recovery.push_back(
          fmt::format("{}: no checkpoint can be read, so the run cannot be resumed; start it again in a new folder",
                      folder.string()));
    } catch (const std::bad_alloc&) {
      result_.recovery.push_back(
          fmt::format("{}: there is too little memory to look for a checkpoint to resume from", folder.string()));
    }
  }

  CheckResult result_;
};

// A run that has just started covers its tables when it stores its first checkpoint.
std::vector<fs::path> tables_without_checksum(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  if (fs::exists(folder / TableSums::kFile, error) || !fs::exists(RunFolder(folder).last(), error)) return found;
  for (const char* name : {"metrics.jsonl", "freezes.csv"})
    if (fs::exists(folder / name, error)) found.push_back(folder / name);
  return found;
}

// Safetensors: the length of the header in eight bytes, then the header.
bool lacks_tensor_checksum(const fs::path& file) {
  constexpr std::uint64_t kMostBytes = 100'000'000;
  std::ifstream in(file, std::ios::binary);
  std::uint64_t length = 0;
  if (!in.read(reinterpret_cast<char*>(&length), sizeof length) || length > kMostBytes || in.peek() != '{')
    return false;
  std::error_code error;
  if (length > fs::file_size(file, error) || error) return false;
  std::string header(length, '\0');
  in.read(header.data(), static_cast<std::streamsize>(length));
  return in && header.find("\"checksum.") == std::string::npos && header.find("\"format\":\"firn") != std::string::npos;
}

bool lacks_delays_checksum(const fs::path& file) {
  const std::string text = first_bytes_of(file);
  return begins_json(text) && text.find(fmt::format("\"{}\"", kEarlierDelaysFormat)) != std::string::npos;
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

}  // namespace

std::string_view name_of(FileState state) {
  switch (state) {
    case FileState::kSound:
      return "sound";
    case FileState::kUnchecked:
      return "unchecked";
    case FileState::kDamaged:
      return "damaged";
    case FileState::kLeftBehind:
      return "left behind";
  }
  return "";
}

bool CheckResult::is_sound() const {
  return std::ranges::none_of(files, [](const CheckedFile& f) { return f.state == FileState::kDamaged; });
}

CheckResult check_files(std::span<const fs::path> paths) {
  Checker checker;
  for (const fs::path& path : paths) checker.check(path);
  return std::move(checker).take();
}

std::vector<fs::path> files_without_checksum(const fs::path& path) {
  std::error_code error;
  std::vector<fs::path> found;
  const auto add_tables = [&](const fs::path& folder) {
    std::ranges::move(tables_without_checksum(folder), std::back_inserter(found));
  };
  if (is_file(path)) {
    const bool lacks =
        is_json(path) ? !is_sealed_json(read_text(path)) : lacks_tensor_checksum(path) || lacks_delays_checksum(path);
    if (lacks) found.push_back(path);
    if (path.filename() == "result.json") add_tables(path.parent_path());  // it stands for its run
    return found;
  }
  if (!fs::is_directory(path, error)) return found;
  if (const fs::path last = RunFolder(path).last(); is_file(last) && lacks_tensor_checksum(last)) found.push_back(last);
  for (const char* name : {"result.json", "summary.json"})
    if (is_file(path / name) && !is_sealed_json(read_text(path / name))) found.push_back(path / name);
  add_tables(path);
  return found;
}

std::string no_checksum_sentence(const fs::path& file) {
  return fmt::format("{} has no checksum, so damage to it would go unnoticed", file.string());
}

}  // namespace firn::study
