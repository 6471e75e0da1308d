// A compiled network: Boolean gates only, with its encoder and head. What ships.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/api/dataset.h"
#include "firn/api/samples.h"

namespace firn::api {

enum class Format { kC, kVerilog, kBlif, kAiger, kAsciiAiger };

Format format_from_name(std::string_view name);  // c, verilog, blif, aiger or aag
Format format_of_file(const std::string& file);  // by the end of its name

struct ExportOptions {
  std::string name = {};      // of the function or module; else that of the file
  bool with_encoder = false;  // inputs are then the features of a sample
  bool with_head = false;     // outputs are then the bits of the class number
  bool unrolled = false;      // C: one statement per gate
  std::size_t pipeline = 0;   // Verilog: stages of registers
  // With encoder, how features arrive: "uint8", "float32" or "fixed:I.F". Else real numbers are floats, and bytes are
  // bytes in C for tables and bits for images, and bits in all other formats.
  std::string input = {};
  // "binary", as with_head does, or "one-hot": an output for each class, exactly one of them set. Empty: with_head
  // says.
  std::string head = {};
  bool hierarchical = false;  // Verilog: a module for each filter and layer, and instances for positions
  // Verilog: bits of the words in which the module NAME_stream, in a file of its own, takes samples; 0: no such module.
  std::size_t stream = 0;
  // Verilog: as many stages as a clock such as "5ns" or "200MHz" needs on a target whose delays are known ("osu018",
  // "ice40"), by a file that calibration wrote or by what is built in.
  std::string clock = {}, clock_target = "osu018", delays = {};
};

// How the tools of others judge a circuit; what is empty means everything.
struct SynthesisOptions {
  std::vector<std::string> targets = {};   // "xilinx", "abc", "ice40", "osu018"
  std::vector<std::string> circuits = {};  // "alone", "encoder", "head", "both": what is in besides the circuit
  std::string input = {};                  // as in ExportOptions
  std::size_t pipeline = 0;                // stages of registers
  std::string clock = {}, clock_target = "osu018", delays = {};  // as in ExportOptions, instead of `pipeline`
  double timeout = 300;                  // seconds that a single tool may take; 0: as long as it likes
  std::function<bool()> may_go_on = {};  // asked while tools run; false ends them and throws Error
};

// A quantity of a circuit as tools found it and as we estimate it from the gates; nothing where there is none.
struct SynthesisFigure {
  std::string target, quantity;  // "xilinx", "lut6"
  std::optional<double> measured, estimated;
};
struct SynthesizedCircuit {
  bool encoder = false, head = false;  // are in
  std::size_t gates = 0, depth = 0, stages = 0;
  std::vector<SynthesisFigure> figures;
};
struct Synthesis {
  std::vector<SynthesizedCircuit> circuits;
  std::vector<std::string> notes;  // what was skipped or failed, and why
  std::string json;                // all of it, with the versions of the tools
  bool misses_clock = false;       // a tool found a longer period than was asked for
};

// What a comparison of two circuits found.
struct Proof {
  bool is_proved = false;                                 // every output is the same function, by structure or by SAT
  std::size_t by_structure = 0, by_sat = 0, unknown = 0;  // outputs
  std::string difference = {};                            // a sentence, if they differ
};

// A gate of a netlist. An operand is a literal, 2 * node + inverted: node 0 is constant false, then come the inputs,
// then the gates. The gate is numbered by its truth table, as everywhere.
struct NetlistGate {
  std::uint32_t a = 0, b = 0;
  std::uint8_t gate = 0;
  std::uint16_t layer = 0;  // of the network that it comes from
};
struct NetlistArrays {
  std::size_t inputs = 0;
  std::vector<NetlistGate> gates;      // in topological order
  std::vector<std::uint32_t> outputs;  // literals
};

// Consecutive features that share their thresholds: one feature, those of a channel, or all.
struct FeatureThresholds {
  std::string name;                  // of the feature; "channel 2", or "every feature"
  std::size_t first = 0, count = 0;  // features
  std::vector<float> values;         // input bit t of these features is 1 where their value is above values[t]
};

// What a page that runs a circuit shows besides it.
struct PlayOptions {
  std::string title = {};                             // else the name of the page's file
  Samples samples = std::span<const std::uint8_t>();  // to choose examples from, evenly spread; may be none
  Labels labels = std::span<const std::uint16_t>();   // of the samples, or none
  std::size_t examples = 200;                         // at most
};

// Which picture of a circuit: filters of a layer, or the cone or the field of view of an output, counted from 0.
struct DrawOptions {
  std::string layer = {};  // by its name; else the first
  std::size_t most = 32;   // filters
  std::optional<std::size_t> cone = {}, view = {};
};

// Measures the delays of levels on a target, for ExportOptions::clock, and writes them to a file.
void calibrate_delays(const std::string& file, const std::string& target = "osu018", double timeout = 300);

class Circuit {
 public:
  // A .firn file; or a circuit in another tool's format together with the model that it came from.
  static Circuit load(const std::string& file);
  static Circuit from_bytes(std::span<const std::byte> bytes);  // of a .firn file
  static Circuit import(const std::string& file, const Circuit& model);
  void save(const std::string& file) const;
  std::vector<std::byte> to_bytes() const;  // of the file

  Shape shape() const;          // of a sample
  bool takes_floats() const;    // else bytes
  std::size_t classes() const;  // 0: values are predicted
  std::size_t groups() const;   // class sums per sample: one per class, or a single one for two classes
  double tau() const;           // counts are divided by it to become logits, or values
  double offset() const;        // what is then added: 0 where there is one sum per class
  const std::vector<std::string>& class_names() const;  // may be empty
  std::vector<std::string> feature_names() const;       // "age", "colour=red"; empty where features have no names
  std::vector<FeatureThresholds> thresholds() const;    // what the encoder compares with
  std::size_t gates() const;
  std::size_t depth() const;  // gates on the longest path; 0 where the network runs layer by layer
  std::size_t input_bits() const;
  std::size_t output_bits() const;  // before they are counted
  NetlistArrays netlist() const;    // every gate of the layers where the network runs layer by layer

  // The class of every sample. `threads` = 0 uses every core.
  std::vector<std::uint16_t> predict(Samples samples, int threads = 0) const;
  // The value of every sample, where values are predicted: offset() + count / tau().
  std::vector<float> predict_values(Samples samples, int threads = 0) const;
  // How many outputs of each group are set, [sample][group].
  std::vector<std::uint32_t> class_sums(Samples samples, int threads = 0) const;
  // What is in a file: a table with or without labels, whose columns are found by their names; "-" is standard input.
  // A cell that does not fit, an unknown or missing column, and an unknown class are refused by name. A table without
  // a header is read only if `has_header` is false; its columns must be in the order of training.
  FileSamples read_samples(const std::string& file, bool has_header = true) const;
  FilePredictions predict_file(const std::string& file, int threads = 0, bool has_header = true) const;
  // Rows of bits in, [input_bits()][words], one sample per bit; rows of bits out, [output_bits()][words].
  std::vector<std::uint64_t> predict_bits(std::span<const std::uint64_t> rows, std::size_t words) const;

  // A smaller circuit that predicts the same for these samples: rows of gates that none of them visits are free. It is
  // not what the network computes for other samples, so compare the two on data that it was not pruned with.
  Circuit prune_unvisited(Samples samples) const;

  void export_to(const std::string& file, Format format, const ExportOptions& options = {}) const;
  // A Verilog testbench for the module that export_to() writes with the same options: the samples as stimulus, and what
  // the engine makes of them. Without a name in the options the module is called as the file is, without "_tb".
  void export_testbench(const std::string& file, Samples samples, const ExportOptions& options = {}) const;
  // One HTML page that runs the circuit in a browser, to draw on and to look inside: what `firn play` writes.
  void play(const std::string& file, const PlayOptions& options = {}) const;
  std::string draw(const DrawOptions& options = {}) const;  // a picture as SVG: what `firn draw` writes
  // Runs yosys, ABC, OpenSTA and nextpnr where they are installed.
  Synthesis synthesize(const SynthesisOptions& options = {}) const;
  Proof verify(const Circuit& other) const;
  // Does the file compute what the circuit computes? It holds the circuit alone, or with encoder, head or both, in any
  // of the formats; `input` is as in ExportOptions, and C says itself what it takes.
  Proof verify_file(const std::string& file, const std::string& input = {}) const;

  struct Inner;
  explicit Circuit(std::shared_ptr<const Inner> inner) : inner_(std::move(inner)) {}
  const Inner& inner() const { return *inner_; }

 private:
  std::shared_ptr<const Inner> inner_;
};

}  // namespace firn::api
