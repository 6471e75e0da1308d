// Results, lists of checksums and tables of a run folder: each reader gets the same bytes as its file.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "firn/base/file.h"
#include "firn/base/sealed_json.h"
#include "firn/base/table_sums.h"
#include "firn/report/read_run.h"
#include "firn/report/table_file.h"
#include "firn/train/test_result.h"
#include "fuzz/run_target.h"
#include "fuzz/scratch_folder.h"

namespace {

using namespace firn;

template <class Read>
void read_as(const char* name, std::string_view bytes, const Read& read) {
  const std::filesystem::path file = scratch_folder() / name;
  write_file(file, bytes);
  try {
    read();
  } catch (const Error&) {
  }
  std::filesystem::remove(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return run_target(data, size, [](std::string_view bytes) {
    const RunFolder run(scratch_folder());
    read_as("result.json", bytes, [&] { read_result(run); });
    read_as(TableSums::kFile, bytes, [] { TableSums sums(scratch_folder()); });
    read_as("metrics.jsonl", bytes, [] { report::read_run(scratch_folder()); });
    read_as("freezes.csv", bytes, [] { report::TableFile table(scratch_folder() / "freezes.csv"); });
    const nlohmann::json object = open_sealed_json(bytes, "fuzz", "");
    if (object.contains("format") || object.contains("checksum")) return;
    nlohmann::json again;
    try {
      again = open_sealed_json(seal_json(object, "fuzz"), "again", "");
    } catch (const nlohmann::json::type_error&) {  // a string that is not UTF-8 cannot be written
      return;
    }
    FIRN_CHECK(again == object);
  });
}
