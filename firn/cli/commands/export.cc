#include "firn/cli/commands/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/circuit/statistics.h"
#include "firn/cli/app.h"
#include "firn/cli/commands/clock_option.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/input_option.h"
#include "firn/cli/report_hint.h"
#include "firn/cli/usage_error.h"
#include "firn/data/input_files.h"
#include "firn/data/samples.h"
#include "firn/exchange/format.h"
#include "firn/study/circuit_source.h"
#include "firn/study/export_circuit.h"
#include "firn/study/model_examples.h"
#include "firn/study/output_file.h"
#include "firn/study/predict_samples.h"

namespace firn::cli {
namespace {

using Align = TextTable::Align;

class Export final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("MODEL", file_, "Compiled model or checkpoint").required().type_name("");
    options.add("--format", format_, "c, verilog, blif, aiger or aag")
        .required()
        .one_of(names_of(formats()))
        .type_name("NAME");
    options.add("-o,--output", output_, "File to write; else the model's name with the ending of the format")
        .type_name("FILE");
    options.add("--name", name_, "Name of the function or module; else that of the file").type_name("NAME");
    options.add_flag("--with-encoder", with_encoder_,
                     "Put the comparators in: inputs are then the features themselves");
    options.add("--input", input_, "With encoder: features as uint8, float32 or fixed:I.F, such as fixed:8.8")
        .type_name("FORMAT");
    options.add_flag("--with-head", with_head_, "Put counters and decision in: outputs are then the bits of the class");
    options
        .add("--head", head_,
             "Put counters and decision in: binary, as --with-head does, or one-hot, an output per class")
        .one_of(head_form_names())
        .type_name("FORM");
    options.add("--style", style_, "C: table, for any size, or unrolled, one statement per gate")
        .one_of({"table", "unrolled"})
        .type_name("NAME");
    options.add("--hierarchy", hierarchy_, "Verilog: flat, or layers: a module per filter and layer, for large models")
        .one_of({"flat", "layers"})
        .type_name("NAME");
    options.add("--testbench", testbench_, "Verilog: also write a testbench, with so many samples of the test set")
        .between(1, 1'000'000)
        .type_name("N");
    options
        .add("--stream", stream_,
             "Verilog: also write a module that takes samples in words of so many bits, with valid and ready signals")
        .between(1, 4096)
        .type_name("BITS");
    options.add("--data", data_, "For the testbench: a data set such as cifar10, or a file of samples")
        .type_name("NAME");
    data_root_.add_to(options);
    options.add("--pipeline", pipeline_, "Verilog: stages of registers; 0 is combinational")
        .between(0, 10000)
        .type_name("N");
    clock_.add_to(options);
  }

  int run() override {
    const FormatEntry& format = find_format(format_);
    if (pipeline_ > 0 && format_ != "verilog") throw UsageError("--pipeline is for --format verilog");
    const bool hierarchical = hierarchy_ == "layers";
    if (hierarchical && format_ != "verilog") throw UsageError("--hierarchy is for --format verilog");
    if (hierarchical && (pipeline_ > 0 || clock_.given()))
      throw UsageError("a pipeline cuts across modules; leave --hierarchy out");
    if (testbench_ > 0 && format_ != "verilog") throw UsageError("--testbench is for --format verilog");
    if (stream_ > 0 && format_ != "verilog") throw UsageError("--stream is for --format verilog");
    if (!data_.empty() && testbench_ == 0) throw UsageError("--data is for --testbench");
    if (clock_.given() && format_ != "verilog") throw UsageError("--clock is for --format verilog");
    if (clock_.given() && pipeline_ > 0) throw UsageError("--clock chooses the stages; leave out --pipeline");
    if (style_ == "unrolled" && format_ != "c") throw UsageError("--style is for --format c");
    if (!input_.empty() && !with_encoder_) throw UsageError("--input is for --with-encoder");
    if (with_head_ && !head_.empty() && head_ != "binary") throw UsageError("--with-head is --head binary; give one");
    const HeadForm head = !head_.empty() ? parse_head_form(head_) : with_head_ ? HeadForm::kBinary : HeadForm::kNone;
    const std::optional<InputFormat> input = input_option(input_);
    const CircuitSource source = load_circuit(file_);
    if (!source.model) throw Error(fmt::format("{} is not a compiled model or checkpoint", file_));
    const CircuitModel& model = *source.model;
    if (output_.empty()) output_ = std::filesystem::path(file_).replace_extension(format.extension).filename().string();
    ExportParams params{.name = name_.empty() ? std::filesystem::path(output_).stem().string() : name_,
                        .source = std::filesystem::path(file_).filename().string(),
                        .with_encoder = with_encoder_,
                        .head = head,
                        .input = input,
                        .options = {style_ == "unrolled", pipeline_},
                        .stream = stream_,
                        .hierarchical = hierarchical,
                        .clock = clock_.wish()};
    check_output(output_, {file_, clock_.delays()});
    ExportedCircuit exported = export_circuit(model, format, params);
    const ExportParams settled = exported.choice ? with_stages(params, *exported.choice) : params;
    if (testbench_ > 0) {
      const Examples samples = examples(model);
      exported.testbench = export_testbench(model, settled, samples, testbench_);
      if (stream_ > 0) exported.stream_testbench = export_stream_testbench(model, settled, samples, testbench_);
    }
    const std::vector<std::string> files = write_export(output_, exported);
    // What goes to a pipe or device must stay the circuit alone.
    std::FILE* out = is_stream(output_) ? stderr : stdout;
    fmt::print(out, "{}\nWritten: {} ({:.1f} MB), {}\n", costs_of(model, input, head).str(), fmt::join(files, " and "),
               static_cast<double>(exported.circuit.size()) / 1e6, contents(with_encoder_, head));
    if (exported.choice)
      fmt::print(out, "Pipeline: {} (delays: {})\n", describe(*exported.choice, *params.clock),
                 params.clock->delays.source);
    if (input)
      if (const std::string lost = loss_sentence(model.encoder, *input); !lost.empty()) fmt::print(out, "{}\n", lost);
    if (can_be_verified(format) && !hierarchical)
      fmt::print(out, "Next: firn verify {} {}{}\n", shell_word(file_), shell_word(output_),
                 input_.empty() ? "" : " --input " + input_);
    return kDone;
  }

 private:
  // By the ending alone it is known how a file is read.
  bool can_be_verified(const FormatEntry& format) const {
    const FormatEntry* found = format_of_file(output_);
    return found != nullptr && found->read == format.read && std::filesystem::is_regular_file(output_);
  }

  Examples examples(const CircuitModel& model) const {
    if (!data_.empty() && !is_named_data_set(data_)) {
      check_output(output_, sample_files(data_));
      return read_samples(data_, needs_of(model)).examples;
    }
    std::vector<Override> overrides;
    if (!data_.empty()) overrides.push_back({"data.source", data_, "--data " + data_});
    ModelExamples found = load_model_examples(
        model, {.file = file_, .data_root = data_root_.resolve(), .overrides = std::move(overrides)});
    check_output(output_, found.files);
    if (found.warning) print_note(*found.warning);
    return std::move(found.examples);
  }

  static TextTable costs_of(const CircuitModel& model, const std::optional<InputFormat>& input, HeadForm head) {
    TextTable table({{"circuit"},
                     {"inputs", Align::kRight},
                     {"outputs", Align::kRight},
                     {"gates", Align::kRight},
                     {"depth", Align::kRight},
                     {"LUT-6", Align::kRight}});
    if (head == HeadForm::kNone) head = HeadForm::kBinary;
    for (const CircuitVariant& variant : circuit_variants(model, input, head)) {
      const Netlist& netlist = variant.netlist;
      const bool has_head = variant.head != HeadForm::kNone;
      const char* what =
          variant.encoder ? (has_head ? "with both" : "with encoder") : (has_head ? "with head" : "alone");
      const auto depths = node_depths(netlist);
      table.add({what, format_count(netlist.inputs), format_count(netlist.outputs.size()),
                 format_count(netlist.gates.size()), std::to_string(*std::ranges::max_element(depths)),
                 format_count(lut_estimate(netlist))});
    }
    return table;
  }

  std::string file_, format_, output_, name_, input_, head_, data_, hierarchy_ = "flat", style_ = "table";
  bool with_encoder_ = false, with_head_ = false;
  std::size_t pipeline_ = 0, testbench_ = 0, stream_ = 0;
  DataRootOption data_root_;
  ClockOption clock_;
};

}  // namespace

std::unique_ptr<Command> make_export() {
  return std::make_unique<Export>();
}

}  // namespace firn::cli
