#include "firn/study/preset.h"

#include <fmt/core.h>

#include <vector>

#include "firn/base/error.h"

namespace firn {

namespace fs = std::filesystem;

fs::path preset_file(const std::string& name) {
  if (fs::is_regular_file(name)) return name;
  std::vector<fs::path> folders = {"configs"};
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    folders.push_back(program.parent_path() / "../../configs");          // build/release/firn
    folders.push_back(program.parent_path() / "../share/firn/configs");  // PREFIX/bin/firn
  }
  for (const fs::path& folder : folders)
    if (const fs::path file = folder / (name + ".toml"); fs::is_regular_file(file)) return file;
  throw Error(
      fmt::format("there is no file \"{}\" and no preset of that name in configs/; give a configuration file", name));
}

}  // namespace firn
