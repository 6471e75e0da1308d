#include "firn/study/output_file.h"

#include <fmt/format.h>

#include <string>

#include "firn/data/input_files.h"
#include "firn/study/argument_error.h"
#include "firn/study/run.h"

namespace firn::study {

void check_output(const std::filesystem::path& output, std::span<const std::filesystem::path> inputs) {
  std::error_code ignored;  // a file that is missing is reported by whoever reads it
  if (!std::filesystem::exists(output, ignored)) return;
  for (const std::filesystem::path& input : inputs) {
    if (!std::filesystem::is_regular_file(input, ignored)) continue;  // terminals may be both
    if (std::filesystem::equivalent(output, input, ignored))
      throw ArgumentError(fmt::format("{} would replace {}, which is being read; choose another name", output.string(),
                                      input.string()));
  }
}

void check_output(const std::filesystem::path& output, std::initializer_list<std::filesystem::path> inputs) {
  check_output(output, std::span(inputs.begin(), inputs.size()));
}

std::vector<std::filesystem::path> files_of_data(const Config& config, const std::string& data_root) {
  return data_files(experiment_settings(config, data_root).data);
}

std::vector<std::filesystem::path> files_of_folders(std::span<const std::filesystem::path> folders) {
  using std::filesystem::directory_options;
  constexpr auto kOptions = directory_options::follow_directory_symlink | directory_options::skip_permission_denied;
  constexpr int kDeepest = 3;  // SWEEP/runs/RUN and DIAGNOSIS/RUN/STEP; links may go round in circles
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& folder : folders) {
    std::error_code failed;  // whoever reads the folder says what is wrong with it
    for (std::filesystem::recursive_directory_iterator entry(folder, kOptions, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      if (entry.depth() == kDeepest) entry.disable_recursion_pending();
      if (entry->path().extension() != ".html") files.push_back(entry->path());
    }
  }
  return files;
}

bool is_stream(const std::filesystem::path& output) {
  const std::string name = output.string();
  // By name: the standard output may be a file, and its descriptor is written to as it stands.
  if (name == "/dev/stdout" || name == "/dev/stderr" || name.starts_with("/dev/fd/") ||
      name.starts_with("/proc/self/fd/"))
    return true;
  std::error_code ignored;
  return std::filesystem::is_other(output, ignored);
}

}  // namespace firn::study
