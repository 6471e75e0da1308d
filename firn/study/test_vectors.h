// Samples as the inputs of an exported circuit, and what the engine says comes out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firn/base/matrix.h"
#include "firn/data/dataset.h"
#include "firn/infer/model_file.h"
#include "firn/study/export_circuit.h"

namespace firn::study {

// Rows of bits, one sample per bit. Outputs do not come from the gates that are exported: encoder, layers and decision
// are those of the engine that predicts.
struct TestVectors {
  std::size_t samples = 0;
  Matrix<std::uint64_t> inputs, outputs;
};

// The first `samples` examples, or all if there are fewer. Numbers of a fixed-point format are rounded down first, as
// a caller of the circuit has to.
TestVectors test_vectors(const CircuitModel& model, const Examples& examples, std::size_t samples,
                         const ExportParams& params);

}  // namespace firn::study
