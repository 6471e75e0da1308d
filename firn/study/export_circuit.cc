#include "firn/study/export_circuit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/circuit/assemble.h"
#include "firn/circuit/recover_xors.h"
#include "firn/circuit/simplify.h"
#include "firn/exchange/comment.h"
#include "firn/exchange/identifier.h"
#include "firn/exchange/stream.h"
#include "firn/exchange/testbench.h"
#include "firn/exchange/topological.h"
#include "firn/study/export_notes.h"
#include "firn/study/output_file.h"
#include "firn/study/test_vectors.h"
#include "firn/study/thresholds.h"
#include "firn/study/words.h"

namespace firn::study {

namespace {

// How features arrive where the encoder is inside: as asked for, or as the encoder was fitted.
std::optional<InputFormat> input_of(const CircuitModel& model, const ExportParams& params) {
  if (!params.with_encoder) {
    if (params.input)
      throw Error("without its encoder a circuit takes bits, so there is no format of inputs to choose");
    return std::nullopt;
  }
  return params.input ? *params.input : natural_format(model.encoder);
}

// The bytes of images have long been passed to C as bits, and still are unless numbers are asked for.
bool takes_numbers(const CircuitModel& model, const FormatEntry& format, const ExportParams& params) {
  const bool are_pixels = model.encoder.parts().values == "bytes" && !is_table(model.encoder.input_shape());
  return format.write_header != nullptr && params.with_encoder && (params.input || !are_pixels);
}

Netlist surrounded(const Netlist& circuit, const CircuitModel& model, const std::optional<InputFormat>& encoder,
                   HeadForm head) {
  const Netlist netlist = with_head(circuit, model.network.head, head);
  return encoder ? with_encoder(netlist, input_comparators(model, *encoder)) : netlist;
}

Netlist in_own_order(const CircuitSource& file) {
  const Netlist& netlist = file.circuit->netlist;
  return in_bus_order(*file.circuit, netlist.inputs, netlist.outputs.size(), file.file);
}

// How the inputs of a file may be meant.
std::vector<std::optional<InputFormat>> input_readings(const CircuitModel& model, const CircuitSource& file,
                                                       std::size_t inputs, const std::optional<InputFormat>& given) {
  if (file.circuit->surroundings) {
    const InputFormat& own = file.circuit->surroundings->encoder.format;
    if (given && *given != own)
      throw Error(fmt::format("the inputs of {} are {}, not {}", file.file, name_of(own), name_of(*given)));
    return {own};
  }
  if (given) return {given};
  const std::size_t features = model.encoder.input_shape().size();
  const InputFormat natural = natural_format(model.encoder);
  std::vector<std::optional<InputFormat>> readings = {std::nullopt, natural};
  const bool fits = inputs == model.network.input.size() || inputs == natural.bits() * features;
  if (!fits && inputs % features == 0 && natural.kind == InputFormat::Kind::kFloat)
    throw Error(fmt::format("{} has {} inputs for each of {} features; say in which format they are, as fixed:I.F",
                            file.file, inputs / features, features));
  return readings;
}

// What the file computes from the bits of its features.
Netlist whole_circuit(const CircuitSource& file) {
  const Netlist netlist = in_own_order(file);
  return file.circuit->surroundings ? with_comparators(netlist, file.circuit->surroundings->encoder) : netlist;
}

// How the outputs of a file may be meant. Values have one form only, and functions that take numbers return numbers.
std::vector<HeadForm> head_readings(const CircuitModel& model, const CircuitSource& file) {
  if (model.network.head.is_value || file.circuit->surroundings) return {HeadForm::kNone, HeadForm::kBinary};
  return {HeadForm::kNone, HeadForm::kBinary, HeadForm::kOneHot};
}

void check_groups(const CircuitModel& model, const CircuitSource& file, HeadForm head) {
  if (!file.circuit->surroundings) return;
  const std::size_t groups = file.circuit->surroundings->groups,
                    wanted = head == HeadForm::kNone ? model.network.head.groups : 0;
  if (groups != wanted)
    throw Error(fmt::format("{} counts its outputs in {} groups, but the model has {}", file.file, groups, wanted));
}

// Two files that take numbers may count their outputs, and call numbers, differently.
void check_alike(const CircuitSource& first, const CircuitSource& second) {
  const auto &a = first.circuit->surroundings, &b = second.circuit->surroundings;
  if (!a || !b) return;
  if (a->encoder.format != b->encoder.format)
    throw Error(fmt::format("the inputs of {} are {}, but those of {} are {}", first.file, name_of(a->encoder.format),
                            second.file, name_of(b->encoder.format)));
  if (a->groups != b->groups)
    throw Error(
        fmt::format("{} counts its outputs in {} groups, but {} in {}", first.file, a->groups, second.file, b->groups));
}

// A file holds the circuit alone, or with encoder, head, or both; its size tells which.
std::vector<ComparedCircuits> readings_of_file(const CircuitModel& model, const std::string& name,
                                               const CircuitSource& file, const std::optional<InputFormat>& given) {
  const Netlist circuit = netlist_of(model), found = whole_circuit(file);
  const std::size_t features = model.encoder.input_shape().size();
  std::vector<ComparedCircuits> pairs;
  for (const HeadForm head : head_readings(model, file))
    for (const std::optional<InputFormat>& input : input_readings(model, file, found.inputs, given)) {
      if (found.inputs != (input ? input->bits() * features : circuit.inputs)) continue;
      if (found.outputs.size() != head_bits(model.network.head, circuit.outputs.size(), head)) continue;
      check_groups(model, file, head);
      const std::string format = input && input->kind != InputFormat::Kind::kByte ? ", input " + name_of(*input) : "";
      pairs.push_back({surrounded(circuit, model, input, head), found, contents(input.has_value(), head) + format});
    }
  if (pairs.empty())
    throw Error(fmt::format("{} has {} inputs and {} outputs, which is not {} in any way it is exported", file.file,
                            found.inputs, found.outputs.size(), name));
  return pairs;
}

// A file that stands beside the circuit: its header or its testbench.
struct Companion {
  std::string file, text;
  std::string_view what, comment;  // how a comment begins
};

std::vector<Companion> companions_of(const std::string& file, const ExportedCircuit& exported) {
  std::vector<Companion> companions;
  if (is_stream(file)) return companions;
  const std::filesystem::path path = file;
  if (!exported.header.empty())
    companions.push_back(
        {std::filesystem::path(file).replace_extension("h").string(), exported.header, "header", "/*"});
  const auto beside = [&](std::string_view ending, const std::string& text, std::string_view what) {
    const std::string name = fmt::format("{}{}{}", path.stem().string(), ending, path.extension().string());
    if (!text.empty())
      companions.push_back({std::filesystem::path(file).replace_filename(name).string(), text, what, "//"});
  };
  beside("_tb", exported.testbench, "testbench");
  beside("_stream", exported.stream, "module that takes words");
  beside("_stream_tb", exported.stream_testbench, "testbench");
  return companions;
}

// Nothing is written where the companion cannot be, or where it would replace a file of the user.
void check_target(const Companion& companion, const std::string& circuit) {
  if (companion.file == circuit)
    throw Error(fmt::format("{} is where the {} belongs; give the circuit another ending", circuit, companion.what));
  std::error_code ignored;
  if (!std::filesystem::exists(companion.file, ignored)) return;
  if (std::filesystem::is_directory(companion.file, ignored))
    throw Error(fmt::format("{} is a folder, but the {} belongs there; give the circuit another name", companion.file,
                            companion.what));
  if (!read_text(companion.file).starts_with(fmt::format("{} {}", companion.comment, kFirstNote)))
    throw Error(
        fmt::format("{} was not written by Firn and would be replaced by the {}; move it, or give the "
                    "circuit another name",
                    companion.file, companion.what));
}

std::string hierarchical_text(const CircuitModel& model, const FormatEntry& format, const ExportParams& params,
                              const Blueprint& blueprint, const std::optional<InputFormat>& input) {
  if (format.name != "verilog") throw Error("only Verilog has modules for layers");
  if (params.options.pipeline > 0 || params.clock)
    throw Error("a pipeline cuts across modules; export it without a hierarchy");
  std::optional<Comparators> encoder;
  if (input) encoder = input_comparators(model, *input);
  return write_verilog_hierarchy(blueprint, hierarchy_of(model.network, encoder, params.head));
}

std::string stream_text(const ExportParams& params, const Blueprint& blueprint, std::size_t stages) {
  if (params.stream == 0) return "";
  return write_stream({.name = blueprint.name,
                       .inputs = blueprint.netlist.inputs,
                       .outputs = blueprint.netlist.outputs.size(),
                       .width = params.stream,
                       .has_lanes = !params.hierarchical,
                       .stages = stages,
                       .note = fmt::format("{} from {}.", kFirstNote, in_comment(params.source))});
}

Testbench testbench_of(const CircuitModel& model, const ExportParams& params, const Examples& examples,
                       std::size_t samples) {
  if (params.clock) throw Error("a testbench must know the stages of the pipeline; give their number, not a clock");
  TestVectors vectors = test_vectors(model, examples, samples, params);
  const std::string note =
      fmt::format("{} from {}: testbench for {}, {} samples.", kFirstNote, in_comment(params.source),
                  contents(params.with_encoder, params.head), vectors.samples);
  return {.name = identifier(params.name),
          .samples = vectors.samples,
          .stimulus = std::move(vectors.inputs),
          .expected = std::move(vectors.outputs),
          .has_lanes = !params.hierarchical,
          .stages = params.options.pipeline,
          .notes = {note}};
}

std::optional<PipelineChoice> choose_pipeline(const Netlist& netlist, const std::optional<ClockWish>& clock) {
  if (!clock) return std::nullopt;
  const std::vector<std::uint32_t> depths = node_depths(netlist);
  return stages_for_clock(clock->delays, *std::ranges::max_element(depths), clock->ns);
}

}  // namespace

std::vector<CircuitVariant> circuit_variants(const CircuitModel& model, const std::optional<InputFormat>& input,
                                             HeadForm head) {
  const Netlist circuit = simplified_netlist_of(model);
  std::vector<CircuitVariant> variants;
  for (const HeadForm form : {HeadForm::kNone, head})
    for (const bool encoder : {false, true}) {
      std::optional<InputFormat> format;
      if (encoder) format = input ? *input : natural_format(model.encoder);
      variants.push_back({encoder, form, surrounded(circuit, model, format, form)});
    }
  return variants;
}

std::string loss_sentence(const Encoder& encoder, const InputFormat& input) {
  const FormatLoss loss = loss_of(encoder, input);
  if (loss.outside + loss.merged == 0) return {};
  return fmt::format(
      "In {}, {} of {} thresholds are outside the range and {} coincide with another one of their feature: the "
      "circuit sees less than the model did.",
      name_of(input), loss.outside, loss.thresholds, loss.merged);
}

ExportedCircuit export_circuit(const CircuitModel& model, const FormatEntry& format, const ExportParams& params) {
  if (params.stream > 0 && format.name != "verilog") throw Error("only Verilog has a module that takes words");
  const std::optional<InputFormat> input = input_of(model, params);
  Blueprint blueprint{.name = identifier(params.name), .netlist = {}, .classes = model.classes()};
  blueprint.class_names = model.class_names;
  blueprint.feature_names = feature_names_of(model);
  if (model.network.head.is_value) blueprint.value = model.network.head;
  const bool numbers = takes_numbers(model, format, params);
  if (numbers && params.head == HeadForm::kOneHot)
    throw Error("functions that take numbers return the number of the class; one-hot is for circuits on bits");
  if (numbers)
    blueprint.surroundings = {input_comparators(model, *input),
                              params.head == HeadForm::kNone ? model.network.head.groups : 0};
  blueprint.netlist = surrounded(simplified_netlist_of(model), model, numbers ? std::nullopt : input, params.head);
  if (blueprint.netlist.inputs == 0 || blueprint.netlist.outputs.empty())
    throw Error(fmt::format("{} has no inputs or no outputs, so there is nothing to export", params.source));
  blueprint.input_notes = input_notes(model, input, numbers);
  blueprint.notes = export_notes(model, format, params, input, blueprint);
  if (params.hierarchical) {
    ExportedCircuit exported{hierarchical_text(model, format, params, blueprint, input), ""};
    exported.stream = stream_text(params, blueprint, 0);
    return exported;
  }
  WriteOptions options = params.options;
  const std::optional<PipelineChoice> choice = choose_pipeline(blueprint.netlist, params.clock);
  if (choice) options.pipeline = choice->stages;
  ExportedCircuit exported{format.write(blueprint, options),
                           format.write_header == nullptr ? "" : format.write_header(blueprint, options)};
  exported.stream = stream_text(params, blueprint, options.pipeline);
  exported.choice = choice;
  return exported;
}

ExportParams with_stages(ExportParams params, const PipelineChoice& choice) {
  params.options.pipeline = choice.stages;
  params.clock.reset();
  return params;
}

std::string export_testbench(const CircuitModel& model, const ExportParams& params, const Examples& examples,
                             std::size_t samples) {
  return write_testbench(testbench_of(model, params, examples, samples));
}

std::string export_stream_testbench(const CircuitModel& model, const ExportParams& params, const Examples& examples,
                                    std::size_t samples) {
  return write_stream_testbench(testbench_of(model, params, examples, samples), params.stream);
}

std::vector<std::string> write_export(const std::string& file, const ExportedCircuit& exported) {
  const std::vector<Companion> companions = companions_of(file, exported);
  for (const Companion& companion : companions) check_target(companion, file);
  std::vector<std::string> written = {file};
  write_file(file, exported.circuit);
  for (const Companion& companion : companions) {
    write_file(companion.file, companion.text);
    written.push_back(companion.file);
  }
  return written;
}

CircuitModel import_circuit(const std::string& file, CircuitModel model) {
  const FormatEntry* format = format_of_file(file);
  if (format == nullptr) throw Error(fmt::format("{} does not end in .aig, .aag, .blif, .c or .v", file));
  const ParsedCircuit found = format->read(read_text(file), file);
  if (found.surroundings)
    throw Error(fmt::format("{} takes numbers; export it without encoder and head to import it again", file));
  Netlist netlist = in_bus_order(found, model.network.input.size(), model.network.outputs(), file);
  simplify(netlist);
  recover_xors(netlist);
  simplify(netlist);
  sort_by_depth(netlist);
  model.netlist = std::move(netlist);
  return model;
}

std::string different_surroundings(const CircuitModel& first, const CircuitModel& second) {
  const EncoderParts &x = first.encoder.parts(), &y = second.encoder.parts();
  bool same = x.encoding == y.encoding && x.values == y.values && x.input_shape == y.input_shape &&
              x.thresholds.rows() == y.thresholds.rows() && x.thresholds.cols() == y.thresholds.cols();
  for (std::size_t t = 0; same && t < x.thresholds.rows(); ++t)
    same = std::ranges::equal(x.thresholds[t], y.thresholds[t]);
  if (!same) return "the encoders are not the same";
  return first.network.head == second.network.head ? "" : "the heads are not the same";
}

std::vector<ComparedCircuits> comparisons_of(const CircuitSource& first, const CircuitSource& second,
                                             const std::optional<InputFormat>& input) {
  if (first.model && second.model)
    return {{netlist_of(*first.model), netlist_of(*second.model), "circuits alone, encoders and heads equal"}};
  if (first.model) return readings_of_file(*first.model, first.file, second, input);
  if (!second.model) {
    check_alike(first, second);
    return {{whole_circuit(first), whole_circuit(second), "two files"}};
  }
  std::vector<ComparedCircuits> pairs = readings_of_file(*second.model, second.file, first, input);
  for (ComparedCircuits& pair : pairs) std::swap(pair.first, pair.second);
  return pairs;
}

}  // namespace firn::study
