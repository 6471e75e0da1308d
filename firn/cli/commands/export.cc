#include "firn/cli/commands/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/base/file.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/circuit/assemble.h"
#include "firn/circuit/statistics.h"
#include "firn/cli/usage_error.h"
#include "firn/exchange/format.h"
#include "firn/study/circuit_source.h"

namespace firn {
namespace {

using Align = TextTable::Align;

// A name that C and Verilog accept.
std::string identifier(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front()))) text = "circuit_" + text;
  return text;
}

// A file's name may hold anything; in the head of a file it must not end the line.
std::string on_one_line(std::string text) {
  for (char& c : text)
    if (std::iscntrl(static_cast<unsigned char>(c))) c = '?';
  return text;
}

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
    TextTable costs({{"circuit"},
                     {"inputs", Align::kRight},
                     {"outputs", Align::kRight},
                     {"gates", Align::kRight},
                     {"depth", Align::kRight},
                     {"LUT-6", Align::kRight}});
    Blueprint blueprint;
    blueprint.name = identifier(name_.empty() ? std::filesystem::path(output_).stem().string() : name_);
    blueprint.netlist = weigh(model, costs);
    if (blueprint.netlist.inputs == 0 || blueprint.netlist.outputs.empty())
      throw Error(fmt::format("{} has no inputs or no outputs, so there is nothing to export", file_));
    blueprint.notes = notes(model, format, blueprint.netlist);
    write_file(output_, format.write(blueprint, {style_ == "unrolled", pipeline_}));
    fmt::print("{}\nWritten: {} ({:.1f} MB), {}\nNext: firn verify {} {}\n", costs.str(), output_,
               static_cast<double>(std::filesystem::file_size(output_)) / 1e6, contents(with_encoder_, with_head_),
               file_, output_);
    return kDone;
  }

 private:
  // Builds the circuit in all four ways, adds what each costs, and returns the one that is wanted.
  Netlist weigh(const CircuitModel& model, TextTable& costs) const {
    const bool can_encode = model.encoder.parts().values == "bytes";
    const Netlist circuit = simplified_netlist_of(model);
    Netlist wanted;
    for (const bool head : {false, true}) {
      Netlist plain = head ? with_head(circuit, model.network.head) : circuit;
      add_cost(costs, head ? "with head" : "alone", plain);
      if (can_encode || with_encoder_) {  // an encoder that is wanted and has no bits is an Error
        Netlist encoded = with_encoder(plain, model.encoder);
        add_cost(costs, head ? "with both" : "with encoder", encoded);
        if (with_encoder_ && head == with_head_) wanted = std::move(encoded);
      }
      if (!with_encoder_ && head == with_head_) wanted = std::move(plain);
    }
    return wanted;
  }

  static void add_cost(TextTable& table, const char* what, const Netlist& netlist) {
    const auto depths = node_depths(netlist);
    table.add({what, format_count(netlist.inputs), format_count(netlist.outputs.size()),
               format_count(netlist.gates.size()), std::to_string(*std::ranges::max_element(depths)),
               format_count(lut_estimate(netlist))});
  }

  std::vector<std::string> notes(const CircuitModel& model, const FormatEntry& format, const Netlist& netlist) const {
    const Shape& shape = model.encoder.input_shape();
    const std::size_t classes = model.network.head.groups, thresholds = model.encoder.thresholds().rows();
    std::vector<std::string> lines = {
        fmt::format("Logic gate network exported by Firn from {}: {}.",
                    on_one_line(std::filesystem::path(file_).filename().string()), contents(with_encoder_, with_head_)),
        fmt::format("{} inputs, {} outputs, {} gates; {}.", netlist.inputs, netlist.outputs.size(),
                    netlist.gates.size(), format.summary),
        fmt::format("A sample has {} channels of {} x {}; feature f is channel * {} + line * {} + column.",
                    shape.channels, shape.height, shape.width, shape.height * shape.width, shape.width)};
    if (with_encoder_)
      lines.push_back("Input x[8 * f + b] is bit b (0 is the least significant) of the byte of feature f.");
    else
      lines.push_back(fmt::format("Input x[t * {} + f] is 1 where feature f is above threshold t, t from 0 to {}.",
                                  shape.size(), thresholds - 1));
    if (with_head_)
      lines.push_back(fmt::format("Output y[b] is bit b (0 is the least significant) of the predicted class{}.",
                                  classes == 1 ? "" : "; ties go to the lowest class"));
    else
      lines.push_back(
          fmt::format("Outputs come in {} equal groups, one for each class in order; the class with most "
                      "outputs set wins, the lowest on ties.",
                      classes));
    return lines;
  }

  std::string file_, format_, output_, name_, style_ = "table";
  bool with_encoder_ = false, with_head_ = false;
  std::size_t pipeline_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_export() {
  return std::make_unique<Export>();
}

}  // namespace firn
