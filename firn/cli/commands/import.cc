#include "firn/cli/commands/import.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/progress.h"
#include "firn/circuit/recover_xors.h"
#include "firn/circuit/simplify.h"
#include "firn/exchange/format.h"
#include "firn/exchange/topological.h"
#include "firn/study/circuit_source.h"

namespace firn {
namespace {

class Import final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("CIRCUIT", file_, "Circuit in .aig, .aag, .blif, .c or .v, exported without encoder and head")
        .required()
        .type_name("");
    options.add("--model", model_, "The model or checkpoint it came from, which has encoder and head")
        .required()
        .type_name("FILE");
    options.add("-o,--output", output_, "Model file to write").required().type_name("FILE");
  }

  int run() override {
    CircuitSource source = load_circuit(model_);
    if (!source.model) throw Error(fmt::format("{} is not a compiled model or checkpoint", model_));
    CircuitModel& model = *source.model;
    const Netlist before = simplified_netlist_of(model);
    const FormatEntry* format = format_of_file(file_);
    if (format == nullptr) throw Error(fmt::format("{} does not end in .aig, .aag, .blif, .c or .v", file_));
    Netlist netlist = in_bus_order(format->read(read_text(file_), file_), before.inputs, before.outputs.size(), file_);
    simplify(netlist);
    recover_xors(netlist);
    simplify(netlist);
    sort_by_depth(netlist);
    fmt::print("{} gates in {}, {} in {}\n", format_count(before.gates.size()), model_,
               format_count(netlist.gates.size()), file_);
    model.netlist = std::move(netlist);
    write_model(output_, model);
    fmt::print("Written: {}. Nothing is proved yet: firn verify {} {}\n", output_, model_, output_);
    return kDone;
  }

 private:
  std::string file_, model_, output_;
};

}  // namespace

std::unique_ptr<Command> make_import() {
  return std::make_unique<Import>();
}

}  // namespace firn
