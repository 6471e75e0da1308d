#include "firn/api/circuit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/safetensors.h"
#include "firn/door/arrays.h"
#include "firn/door/inner.h"
#include "firn/infer/prune.h"
#include "firn/prove/equivalence.h"
#include "firn/report/draw.h"
#include "firn/report/play.h"
#include "firn/study/circuit_source.h"
#include "firn/study/export_circuit.h"
#include "firn/study/synthesize.h"
#include "firn/study/thresholds.h"
#include "firn/synth/delays.h"
#include "firn/synth/target.h"

namespace firn::api {

namespace door {

namespace {

// Is the kind of values what the encoder was made for?
void check_kind(const Samples& samples, const encode::Encoder& encoder) {
  const std::string given = samples.index() == 0 ? "bytes" : "reals", wanted = encoder.parts().values;
  if (given != wanted)
    throw Error(fmt::format("the samples are {}, but the network was trained on {}",
                            given == "bytes" ? given : "floats", wanted == "bytes" ? wanted : "floats"));
}

}  // namespace

std::shared_ptr<const Circuit::Inner> make_circuit(infer::CircuitModel model) {
  return std::make_shared<const Circuit::Inner>(std::move(model));
}

std::unique_ptr<PredictSession> IdleSessions::take(int wanted_threads) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(idle_, wanted_threads, [](const auto& session) { return session->wanted; });
  if (found == idle_.end()) return nullptr;
  auto session = std::move(*found);
  idle_.erase(found);
  return session;
}

void IdleSessions::put(std::unique_ptr<PredictSession> session) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(session));
}

data::Examples examples_of(const Samples& samples, const encode::Encoder& encoder) {
  check_kind(samples, encoder);
  return data::make_examples(values_of(samples), encoder.input_shape());
}

data::Examples examples_of(const Samples& samples, const Labels& labels, const encode::Encoder& encoder,
                           std::size_t classes) {
  check_kind(samples, encoder);
  const bool are_values = std::holds_alternative<std::span<const float>>(labels);
  if (are_values && classes != 0) throw Error("the network predicts classes; give class numbers, not floats");
  if (!are_values && classes == 0) throw Error("the network predicts values; give floats, not class numbers");
  const data::DatasetArrays arrays{
      .shape = encoder.input_shape(), .train = {values_of(samples), labels_of(labels)}, .classes = classes};
  return data::make_dataset(arrays).train;
}

}  // namespace door

namespace {

constexpr std::string_view kFormatNames[] = {"c", "verilog", "blif", "aiger", "aag"};

std::string_view name_of(Format format) {
  return kFormatNames[static_cast<std::size_t>(format)];
}

struct Predictions {
  std::vector<std::uint16_t> classes;
  Matrix<std::uint32_t> counts;  // [sample][group]
};

Predictions predict_all(const Circuit::Inner& inner, const Samples& samples, bool with_counts, int threads) {
  const data::Examples examples = door::examples_of(samples, inner.model.encoder);
  auto session = inner.sessions.take(threads);
  if (session == nullptr) session = std::make_unique<door::PredictSession>(inner.model, *inner.machine, threads);
  Predictions all{std::vector<std::uint16_t>(examples.count()),
                  Matrix<std::uint32_t>(with_counts ? examples.count() : 0, inner.model.network.head.groups)};
  session->predictor.predict(examples, 0, all.classes, with_counts ? &all.counts : nullptr);
  inner.sessions.put(std::move(session));
  return all;
}

std::optional<circuit::InputFormat> input_format(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return circuit::parse_input_format(name);
}

// Of options for export or synthesis.
template <class Options>
std::optional<study::ClockWish> clock_of(const Options& options) {
  if (options.clock.empty()) return std::nullopt;
  return study::clock_wish(options.clock, options.clock_target, options.delays);
}

circuit::HeadForm head_form(const ExportOptions& options) {
  if (options.head.empty()) return options.with_head ? circuit::HeadForm::kBinary : circuit::HeadForm::kNone;
  const circuit::HeadForm form = circuit::parse_head_form(options.head);
  if (options.with_head && form != circuit::HeadForm::kBinary)
    throw Error("with_head asks for the number of the class in binary; leave it out for a one-hot head");
  return form;
}

study::ExportParams export_params(const ExportOptions& options, const std::string& name) {
  return {.name = options.name.empty() ? name : options.name,
          .source = "a program",
          .with_encoder = options.with_encoder,
          .head = head_form(options),
          .input = input_format(options.input),
          .options = {options.unrolled, options.pipeline},
          .stream = options.stream,
          .hierarchical = options.hierarchical,
          .clock = clock_of(options)};
}

study::SynthesisParams params_of(const SynthesisOptions& options) {
  if (!options.clock.empty() && options.pipeline > 0) throw Error("a clock chooses the stages itself; leave them at 0");
  study::SynthesisParams params{.input = input_format(options.input),
                                .pipeline = options.pipeline,
                                .clock = clock_of(options),
                                .bench = {options.timeout, options.may_go_on}};
  for (const std::string& name : options.targets) params.targets.push_back(&synth::find_target(name));
  for (const std::string& name : options.circuits) params.contents.push_back(study::contents_named(name));
  return params;
}

SynthesizedCircuit synthesized_circuit(const study::SynthesizedCircuit& found) {
  SynthesizedCircuit circuit{.encoder = found.contents.encoder,
                             .head = found.contents.head,
                             .gates = found.gates,
                             .depth = found.depth,
                             .stages = found.stages,
                             .figures = {}};
  for (const synth::TargetResult& result : found.results)
    for (std::size_t q = 0; q < result.target->quantities.size(); ++q)
      circuit.figures.push_back({std::string(result.target->name), std::string(result.target->quantities[q].key),
                                 result.measurement.values[q], result.estimates[q]});
  return circuit;
}

Proof proof_of(const study::ComparedCircuits& pair) {
  if (pair.first.inputs != pair.second.inputs || pair.first.outputs.size() != pair.second.outputs.size())
    return {.difference = "the circuits have different numbers of inputs or outputs"};
  const prove::Equivalence result = prove::check_equivalence(pair.first, pair.second);
  Proof proof{result.proved(), result.by_structure, result.by_proof, result.unknown};
  if (result.difference) proof.difference = fmt::format("output {} differs for some inputs", result.difference->output);
  return proof;
}

}  // namespace

Format format_from_name(std::string_view name) {
  const auto* found = std::ranges::find(kFormatNames, name);
  if (found == std::end(kFormatNames))
    throw Error(fmt::format("there is no format \"{}\"; choose {}", name, fmt::join(kFormatNames, ", ")));
  return static_cast<Format>(found - std::begin(kFormatNames));
}

Format format_of_file(const std::string& file) {
  if (const exchange::FormatEntry* entry = exchange::format_of_file(file)) return format_from_name(entry->name);
  throw Error(fmt::format("{} does not end like a file of a known format; name the format: {}", file,
                          fmt::join(kFormatNames, ", ")));
}

Circuit Circuit::load(const std::string& file) {
  return Circuit(door::make_circuit(infer::read_model(file)));
}

Circuit Circuit::from_bytes(std::span<const std::byte> bytes) {
  SafetensorsFile file = SafetensorsFile::parse({bytes.begin(), bytes.end()}, "the model in memory");
  return Circuit(door::make_circuit(infer::parse_model(file)));
}

Circuit Circuit::import(const std::string& file, const Circuit& model) {
  return Circuit(door::make_circuit(study::import_circuit(file, model.inner_->model)));
}

Circuit Circuit::prune_unvisited(Samples samples) const {
  infer::CircuitModel model = inner_->model;
  infer::prune_unvisited(model, door::examples_of(samples, model.encoder));
  return Circuit(door::make_circuit(std::move(model)));
}

void Circuit::save(const std::string& file) const {
  infer::write_model(file, inner_->model);
}

std::vector<std::byte> Circuit::to_bytes() const {
  return infer::model_bytes(inner_->model);
}

Shape Circuit::shape() const {
  return inner_->model.encoder.input_shape();
}
bool Circuit::takes_floats() const {
  return inner_->model.encoder.parts().values == "reals";
}
std::size_t Circuit::groups() const {
  return inner_->model.network.head.groups;
}
std::size_t Circuit::classes() const {
  return inner_->model.classes();
}
double Circuit::tau() const {
  return 1 / inner_->model.network.head.factor;
}
double Circuit::offset() const {
  return inner_->model.network.head.offset;
}
const std::vector<std::string>& Circuit::class_names() const {
  return inner_->model.class_names;
}
std::vector<std::string> Circuit::feature_names() const {
  return inner_->model.schema ? data::feature_names(*inner_->model.schema) : std::vector<std::string>();
}
std::vector<FeatureThresholds> Circuit::thresholds() const {
  std::vector<FeatureThresholds> all;
  for (study::ThresholdGroup& group : study::threshold_groups(inner_->model))
    all.push_back({std::move(group.name), group.first, group.count, std::move(group.thresholds)});
  return all;
}
std::size_t Circuit::gates() const {
  return inner_->machine->gates();
}
std::size_t Circuit::depth() const {
  if (!inner_->model.netlist) return 0;
  const auto depths = circuit::node_depths(*inner_->model.netlist);
  return *std::ranges::max_element(depths);
}
std::size_t Circuit::input_bits() const {
  return inner_->model.network.input.size();
}
std::size_t Circuit::output_bits() const {
  return inner_->model.network.outputs();
}

NetlistArrays Circuit::netlist() const {
  const circuit::Netlist netlist = study::netlist_of(inner_->model);
  NetlistArrays arrays{.inputs = netlist.inputs, .gates = {}, .outputs = {}};
  arrays.gates.reserve(netlist.gates.size());
  for (const circuit::NetGate& gate : netlist.gates)
    arrays.gates.push_back({gate.a.literal(), gate.b.literal(), static_cast<std::uint8_t>(gate.op), gate.layer});
  for (const circuit::Wire output : netlist.outputs) arrays.outputs.push_back(output.literal());
  return arrays;
}

std::vector<std::uint16_t> Circuit::predict(Samples samples, int threads) const {
  if (classes() == 0) throw Error("the circuit predicts values, not classes; ask for the values");
  return predict_all(*inner_, samples, /*with_counts=*/false, threads).classes;
}

std::vector<float> Circuit::predict_values(Samples samples, int threads) const {
  const network::Head& head = inner_->model.network.head;
  if (!head.is_value) throw Error("the circuit predicts classes, not values; ask for the classes");
  std::vector<float> values;
  for (const std::uint32_t count : class_sums(samples, threads))
    values.push_back(head.offset + head.factor * static_cast<float>(count));
  return values;
}

std::vector<std::uint32_t> Circuit::class_sums(Samples samples, int threads) const {
  const Matrix<std::uint32_t> counts = predict_all(*inner_, samples, /*with_counts=*/true, threads).counts;
  std::vector<std::uint32_t> sums;
  for (std::size_t s = 0; s < counts.rows(); ++s) sums.insert(sums.end(), counts[s].begin(), counts[s].end());
  return sums;
}

std::vector<std::uint64_t> Circuit::predict_bits(std::span<const std::uint64_t> rows, std::size_t words) const {
  if (words == 0 || rows.size() != input_bits() * words)
    throw Error(fmt::format("{} words are not {} rows of {} words each", rows.size(), input_bits(), words));
  std::vector<std::uint64_t> out(output_bits() * words);
  infer::run_rows(*inner_->machine, words, rows, out);
  return out;
}

void Circuit::export_to(const std::string& file, Format format, const ExportOptions& options) const {
  if (options.unrolled && format != Format::kC) throw Error("only C can be unrolled");
  if (options.pipeline > 0 && format != Format::kVerilog) throw Error("only Verilog can be pipelined");
  if (!options.clock.empty() && format != Format::kVerilog) throw Error("only Verilog has a clock");
  if (!options.clock.empty() && options.pipeline > 0) throw Error("a clock chooses the stages itself; leave them at 0");
  const study::ExportParams params = export_params(options, std::filesystem::path(file).stem().string());
  study::write_export(file, study::export_circuit(inner_->model, exchange::find_format(name_of(format)), params));
}

void Circuit::export_testbench(const std::string& file, Samples samples, const ExportOptions& options) const {
  std::string stem = std::filesystem::path(file).stem().string();
  if (stem.ends_with("_tb")) stem.resize(stem.size() - 3);
  const data::Examples examples = door::examples_of(samples, inner_->model.encoder);
  write_file(file, study::export_testbench(inner_->model, export_params(options, stem), examples, examples.count()));
}

void Circuit::play(const std::string& file, const PlayOptions& options) const {
  const infer::CircuitModel& model = inner_->model;
  const auto size = [](const auto& any) { return std::visit([](const auto& values) { return values.size(); }, any); };
  report::PlayExamples shown;
  if (size(options.samples) > 0) {
    const data::Examples all = size(options.labels) == 0
                                   ? door::examples_of(options.samples, model.encoder)
                                   : door::examples_of(options.samples, options.labels, model.encoder, model.classes());
    shown = report::spread_examples(all, {}, options.examples);
  }
  const std::string title = options.title.empty() ? std::filesystem::path(file).stem().string() : options.title;
  write_file(file, report::play_page(model, shown, {.title = title}));
}

std::string Circuit::draw(const DrawOptions& options) const {
  return report::draw(inner_->model.network,
                      {.layer = options.layer, .most = options.most, .cone = options.cone, .view = options.view});
}

Synthesis Circuit::synthesize(const SynthesisOptions& options) const {
  const study::Synthesis found = study::synthesize(inner_->model, params_of(options));
  Synthesis synthesis{.circuits = {},
                      .notes = found.notes,
                      .json = study::to_json(found).dump(1),
                      .misses_clock = found.misses_clock()};
  for (const study::SynthesizedCircuit& circuit : found.circuits)
    synthesis.circuits.push_back(synthesized_circuit(circuit));
  return synthesis;
}

void calibrate_delays(const std::string& file, const std::string& target, double timeout) {
  const std::vector<synth::DelayTable> tables = {study::calibrate_delays(nullptr, target, {.seconds = timeout})};
  write_file(file, synth::delays_text(tables));
}

Proof Circuit::verify(const Circuit& other) const {
  const std::string difference = study::different_surroundings(inner_->model, other.inner_->model);
  if (!difference.empty()) return {.difference = difference};
  return proof_of({study::netlist_of(inner_->model), study::netlist_of(other.inner_->model), {}});
}

Proof Circuit::verify_file(const std::string& file, const std::string& input) const {
  const study::CircuitSource source = study::load_circuit(file);
  if (source.model) return verify(Circuit(door::make_circuit(*source.model)));
  const auto pairs = study::comparisons_of({"the circuit", inner_->model, {}}, source, input_format(input));
  // Where the size of the file does not tell what is inside, one way to read it must fit.
  Proof proof;
  for (const study::ComparedCircuits& pair : pairs) {
    proof = proof_of(pair);
    if (proof.difference.empty()) break;
  }
  return proof;
}

}  // namespace firn::api
