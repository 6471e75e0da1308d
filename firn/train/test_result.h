// What a finished run scored on the test set, as its folder keeps it in result.json.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "firn/data/fingerprint.h"
#include "firn/train/evaluate.h"
#include "firn/train/run_folder.h"

namespace firn::training {

// One checkpoint on the test set.
struct TestRow {
  std::uint64_t step = 0;
  std::size_t images = 0;
  Risk relaxed, discrete;
  double frozen = 0;                                                      // fraction of the neurons in scope
  std::optional<Quality> relaxed_quality = {}, discrete_quality = {};     // of classes
  std::optional<ValueQuality> relaxed_values = {}, discrete_values = {};  // of values
};
struct TestResult {
  TestRow last;
  std::optional<TestRow> best;  // by discrete validation accuracy, or loss with patience; from the freeze start on
  bool is_best_result = false;  // `best` is the result of the run, because training stops when out of patience
  std::optional<std::uint64_t> stopped_at = {};  // the step at which training ran out of patience, before the last one
  std::optional<Fingerprints> data = {};         // what it was trained and tested on; older files do not say

  const TestRow& result() const { return is_best_result && best ? *best : last; }
};

nlohmann::json to_json(const Quality& quality);

// `name` and `seed` tell people which run it was.
void write_result(const RunFolder& folder, const std::string& name, std::uint64_t seed, const TestResult& result);

// Everything that the file of a result says, checked.
nlohmann::json read_result_json(const RunFolder& folder);

// Nothing if there is none yet.
std::optional<TestResult> read_result(const RunFolder& folder);

}  // namespace firn::training
