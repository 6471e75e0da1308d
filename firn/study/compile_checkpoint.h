// Compiles a checkpoint: its discrete network as a simplified circuit that is ready to run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "firn/circuit/simplify.h"
#include "firn/infer/circuit_machine.h"
#include "firn/infer/model_file.h"
#include "firn/study/parts.h"

namespace firn::study {

struct CompileParams {
  bool direct = false;  // keep the layers only; they then run without being unrolled
  const Parts* parts = &standard_parts();
  std::function<void(std::size_t done, std::size_t total, std::string_view next)> on_stage = {};
};

struct CompiledCircuit {
  CircuitModel model;  // without a netlist where it runs layer by layer
  SimplifyStats simplified;
  std::unique_ptr<CircuitMachine> machine;  // checked against the layers; none where the model has no netlist
  double seconds = 0;                       // of lowering, simplifying and scheduling
};

// Networks of more gates than a netlist should have are left as layers, too.
CompiledCircuit compile_model(CircuitModel model, const CompileParams& params);
CompiledCircuit compile_checkpoint(const std::filesystem::path& checkpoint, const CompileParams& params);

}  // namespace firn::study
