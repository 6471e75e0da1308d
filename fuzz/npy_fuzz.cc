// NumPy arrays, alone or as the entries of an archive, as features and as labels; and the archive as a file.
#include "firn/base/file.h"
#include "firn/data/archive.h"
#include "firn/data/sources/npy.h"
#include "firn/data/sources/npy_files.h"
#include "fuzz/run_target.h"
#include "fuzz/scratch_folder.h"

namespace {

void use(std::string_view bytes) {
  using namespace firn;
  const NpyArray array = parse_npy(bytes, "fuzz");
  const std::string zeros(array.sizes[0], '\0');
  NpyArray labels;
  labels.sizes = {array.sizes[0]};
  labels.values = zeros;
  const NpyPart part{array, labels}, as_labels{labels, array};
  FIRN_CHECK(dataset_from_npy(part, &part).train.count() == array.sizes[0]);
  dataset_from_npy(as_labels, nullptr);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  run_target(data, size, [](std::string_view bytes) {
    const auto file = scratch_folder() / "fuzz.npz";
    write_file(file, bytes);
    const NpyFiles arrays(file, NpySet::kTraining);
    arrays.test();
    arrays.part();
  });
  return run_target(data, size, [](std::string_view bytes) {
    constexpr std::size_t kLimit = std::size_t{1} << 20;
    if (!bytes.starts_with("PK")) return use(bytes);
    read_archive(
        bytes, "fuzz", kLimit, [](std::string_view) { return true; },
        [](std::string_view, const std::string& contents) { use(contents); });
  });
}
