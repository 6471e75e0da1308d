#include "firn/cli/commands/import.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/progress.h"
#include "firn/study/circuit_source.h"
#include "firn/study/export_circuit.h"
#include "firn/study/output_file.h"

namespace firn::cli {
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
    check_output(output_, {file_, model_});
    CircuitSource source = load_circuit(model_);
    if (!source.model) throw Error(fmt::format("{} is not a compiled model or checkpoint", model_));
    const std::size_t before = simplified_netlist_of(*source.model).gates.size();
    const CircuitModel model = import_circuit(file_, *std::move(source.model));
    fmt::print("{} gates in {}, {} in {}\n", format_count(before), model_, format_count(model.netlist->gates.size()),
               file_);
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

}  // namespace firn::cli
