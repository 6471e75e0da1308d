// Circuits on a few samples: a value is a byte (up to 8 samples) or a word (up to 64), and instructions of one kind
// follow each other for as long as possible.
#pragma once

#include <cstddef>
#include <cstdint>

#include "firn/kernels/circuit.h"

namespace firn::kernels {

// The instructions of circuit.h without their results: instruction i writes row first_result + i. They run one after
// the other, so that an instruction may read what one before it has written. Exactly one of the two arrays is used.
struct NarrowProgram {
  const GateRun* runs = nullptr;
  std::size_t run_count = 0;
  const std::uint16_t* short_operands = nullptr;
  const std::uint32_t* long_operands = nullptr;
  std::size_t first_result = 0;
};

// Bit s of a row is sample s. Bits that are zero in all inputs are zero in all results.
void run_narrow_gates(const NarrowProgram& program, std::uint8_t* rows);
void run_narrow_gates(const NarrowProgram& program, std::uint64_t* rows);

// The count of each of up to 8 samples; bits beyond them are zero in every row.
void count_narrow_rows(const CountGroup& group, std::size_t samples, const std::uint8_t* rows, std::uint32_t* counts);

}  // namespace firn::kernels
