#include "firn/cli/commands/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/base/file.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/circuit/statistics.h"
#include "firn/cli/usage_error.h"
#include "firn/exchange/format.h"
#include "firn/study/circuit_source.h"
#include "firn/study/export_circuit.h"

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
    options.add_flag("--with-encoder", with_encoder_, "Put the comparators in: inputs are then the bits of the bytes");
    options.add_flag("--with-head", with_head_, "Put counters and decision in: outputs are then the bits of the class");
    options.add("--style", style_, "C: table, for any size, or unrolled, one statement a gate")
        .one_of({"table", "unrolled"})
        .type_name("NAME");
    options.add("--pipeline", pipeline_, "Verilog: stages of registers; 0 is combinational")
        .between(0, 10000)
        .type_name("N");
  }

  int run() override {
    const FormatEntry& format = find_format(format_);
    if (pipeline_ > 0 && format_ != "verilog") throw UsageError("--pipeline is for --format verilog");
    if (style_ == "unrolled" && format_ != "c") throw UsageError("--style is for --format c");
    const CircuitSource source = load_circuit(file_);
    if (!source.model) throw Error(fmt::format("{} is not a compiled model or checkpoint", file_));
    const CircuitModel& model = *source.model;
    if (output_.empty()) output_ = std::filesystem::path(file_).replace_extension(format.extension).filename().string();
    ExportParams params{.name = name_.empty() ? std::filesystem::path(output_).stem().string() : name_,
                        .source = std::filesystem::path(file_).filename().string(),
                        .with_encoder = with_encoder_,
                        .with_head = with_head_,
                        .options = {style_ == "unrolled", pipeline_}};
    write_file(output_, export_circuit(model, format, params));
    const TextTable costs = costs_of(model);
    fmt::print("{}\nWritten: {} ({:.1f} MB), {}\nNext: firn verify {} {}\n", costs.str(), output_,
               static_cast<double>(std::filesystem::file_size(output_)) / 1e6, contents(with_encoder_, with_head_),
               file_, output_);
    return kDone;
  }

 private:
  static TextTable costs_of(const CircuitModel& model) {
    TextTable table({{"circuit"},
                     {"inputs", Align::kRight},
                     {"outputs", Align::kRight},
                     {"gates", Align::kRight},
                     {"depth", Align::kRight},
                     {"LUT-6", Align::kRight}});
    for (const CircuitVariant& variant : circuit_variants(model)) {
      const Netlist& netlist = variant.netlist;
      const char* what =
          variant.encoder ? (variant.head ? "with both" : "with encoder") : (variant.head ? "with head" : "alone");
      const auto depths = node_depths(netlist);
      table.add({what, format_count(netlist.inputs), format_count(netlist.outputs.size()),
                 format_count(netlist.gates.size()), std::to_string(*std::ranges::max_element(depths)),
                 format_count(lut_estimate(netlist))});
    }
    return table;
  }

  std::string file_, format_, output_, name_, style_ = "table";
  bool with_encoder_ = false, with_head_ = false;
  std::size_t pipeline_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_export() {
  return std::make_unique<Export>();
}

}  // namespace firn::cli
