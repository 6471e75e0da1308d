// Circuits as files for other tools, and back: what goes into a file, and what a file says about a model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firn/exchange/format.h"
#include "firn/infer/model_file.h"
#include "firn/study/circuit_source.h"

namespace firn::study {

struct ExportParams {
  std::string name;    // of the function or module; made an identifier
  std::string source;  // where the model came from, for the notes at the head of the file
  bool with_encoder = false, with_head = false;
  WriteOptions options = {};
};

// A circuit with what surrounds it, in one of the four ways.
struct CircuitVariant {
  bool encoder = false, head = false;
  Netlist netlist;
};
// All the ways that the model allows: alone, with encoder, with head, with both.
std::vector<CircuitVariant> circuit_variants(const CircuitModel& model);

// The text of the file. An Error where the encoder cannot be put in or nothing is left to export.
std::string export_circuit(const CircuitModel& model, const FormatEntry& format, const ExportParams& params);

// The model with the circuit of a file in place of its own. Nothing is proved by that.
CircuitModel import_circuit(const std::string& file, CircuitModel model);

// Two netlists to compare, and what they are. They are as stored, or as a checkpoint's layers have them: what
// simplification did is proved as well.
struct ComparedCircuits {
  Netlist first, second;
  std::string what;
};

// Why two models cannot be the same, before their circuits are looked at; empty where nothing speaks against it.
std::string different_surroundings(const CircuitModel& first, const CircuitModel& second);
// What there is to compare: one pair as a rule, more where the size of a file does not tell what is inside.
std::vector<ComparedCircuits> comparisons_of(const CircuitSource& first, const CircuitSource& second);

}  // namespace firn::study
