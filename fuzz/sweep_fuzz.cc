// Sweep files: a grid over configurations.
#include <filesystem>

#include "firn/base/file.h"
#include "firn/study/sweep_file.h"
#include "fuzz/run_target.h"
#include "fuzz/scratch_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    const std::filesystem::path file = scratch_folder() / "sweep.toml";
    write_file(file, bytes);
    const SweepFile sweep = load_sweep(file);
    for (const SweepPoint& point : sweep.points) {
      FIRN_CHECK(point.run < sweep.runs.size() && point.values.size() == sweep.axes.size());
      for (std::size_t a = 0; a < sweep.axes.size(); ++a) FIRN_CHECK(point.values[a] < sweep.axes[a].values.size());
    }
  });
}
