// What a finished run scored on the test set, as its folder keeps it in result.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "firn/train/evaluate.h"
#include "firn/train/run_folder.h"

namespace firn::training {

// One checkpoint on the test set.
struct TestRow {
  std::uint64_t step = 0;
  std::size_t images = 0;
  Risk relaxed, discrete;
  double frozen = 0;  // fraction of the neurons in scope
};
struct TestResult {
  TestRow last;                 // the result of the run
  std::optional<TestRow> best;  // by discrete validation accuracy, from the freeze start on
};

// `name` and `seed` tell people which run it was.
void write_result(const RunFolder& folder, const std::string& name, std::uint64_t seed, const TestResult& result);

// Nothing if there is none yet.
std::optional<TestResult> read_result(const RunFolder& folder);

}  // namespace firn::training
