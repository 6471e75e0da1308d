// Circuits as files for other tools, and back: what goes into a file, and what a file says about a model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firn/circuit/assemble.h"
#include "firn/circuit/comparators.h"
#include "firn/data/dataset.h"
#include "firn/exchange/format.h"
#include "firn/infer/model_file.h"
#include "firn/study/circuit_source.h"
#include "firn/study/clock.h"

namespace firn::study {

struct ExportParams {
  std::string name;    // of the function or module; made an identifier
  std::string source;  // where the model came from, for the notes at the head of the file
  bool with_encoder = false;
  HeadForm head = HeadForm::kNone;
  // How features arrive at the encoder; else real numbers as floats, bytes of tables as bytes and those of images as
  // bits.
  std::optional<InputFormat> input = {};
  WriteOptions options = {};
  std::size_t stream = 0;     // Verilog: bits of the words in which a module around the circuit takes samples; 0: none
  bool hierarchical = false;  // Verilog: a module for each filter and layer, from the layers of the model
  std::optional<ClockWish> clock = {};  // chooses the stages of the pipeline
};

// A circuit with what surrounds it, in one of the four ways.
struct CircuitVariant {
  bool encoder = false;
  HeadForm head = HeadForm::kNone;
  Netlist netlist;
};
// Alone, with encoder, with head, with both.
std::vector<CircuitVariant> circuit_variants(const CircuitModel& model, const std::optional<InputFormat>& input = {},
                                             HeadForm head = HeadForm::kBinary);

struct ExportedCircuit {
  std::string circuit;                             // text of the file
  std::string header;                              // of the file beside it; empty where the format has none
  std::string testbench = {};                      // of another one; empty where none is wanted
  std::string stream = {}, stream_testbench = {};  // of the module that takes words; likewise
  std::optional<PipelineChoice> choice = {};       // where a clock was asked for
};
// An Error where the format of inputs does not suit the encoder, the form of the head does not suit the result, or
// nothing is left to export.
ExportedCircuit export_circuit(const CircuitModel& model, const FormatEntry& format, const ExportParams& params);
// The same with the stages that a clock chose, for the testbench of what was exported.
ExportParams with_stages(ExportParams params, const PipelineChoice& choice);
// A Verilog testbench for the circuit that is exported with the same parameters, with the first `samples` examples, or
// all if there are fewer, and what the engine makes of them.
std::string export_testbench(const CircuitModel& model, const ExportParams& params, const Examples& examples,
                             std::size_t samples);
// The same for the module that takes words of `params.stream` bits.
std::string export_stream_testbench(const CircuitModel& model, const ExportParams& params, const Examples& examples,
                                    std::size_t samples);
// Writes the file and beside it, under the endings .h, _tb.v, _stream.v and _stream_tb.v, what comes with it; returns
// the names.
// An Error, before anything is written, where these would replace a file that is none of Firn's. Pipes and devices get
// nothing beside them.
std::vector<std::string> write_export(const std::string& file, const ExportedCircuit& exported);

// What a format of inputs cannot express of the thresholds; empty where nothing is lost.
std::string loss_sentence(const Encoder& encoder, const InputFormat& input);

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
// What there is to compare: one pair as a rule, more where the size of a file does not tell what is inside. `input` is
// how features arrive at a file with encoder; else bytes or floats are assumed, or what the file itself says.
std::vector<ComparedCircuits> comparisons_of(const CircuitSource& first, const CircuitSource& second,
                                             const std::optional<InputFormat>& input = {});

}  // namespace firn::study
