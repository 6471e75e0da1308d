#include "firn/cli/commands/draw.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/report/draw.h"
#include "firn/study/circuit_source.h"
#include "firn/study/output_file.h"

namespace firn::cli {
namespace {

class Draw final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("MODEL", file_, "Model file, made by `firn compile`, or a checkpoint").required().type_name("");
    options.add("-o,--output", output_, "Picture to write").type_name("FILE").show_default();
    options.add("--layer", layer_, "Layer whose filters are drawn; else the first").type_name("NAME");
    options.add("--most", most_, "Filters that are drawn at most").between(1, 1000).type_name("N").show_default();
    cone_option_ = options.add("--cone", cone_, "Draw the cone of this output instead, counted from 0").type_name("N");
    view_option_ = options.add("--view", view_, "Draw what this output can see of the input instead").type_name("N");
  }

  int run() override {
    check_output(output_, {file_});
    const CircuitSource source = load_circuit(file_);
    if (!source.model) throw Error(fmt::format("{} has no layers; draw the model that it came from", file_));
    DrawSettings settings{.layer = layer_, .most = most_};
    if (cone_option_.given()) settings.cone = cone_;
    if (view_option_.given()) settings.view = view_;
    const std::string picture = draw(source.model->network, settings);
    write_file(output_, picture);
    fmt::print("{}: {:.1f} kB of SVG\n", output_, static_cast<double>(picture.size()) / 1e3);
    return kDone;
  }

 private:
  std::string file_, output_ = "circuit.svg", layer_;
  std::size_t most_ = kMostFilters, cone_ = 0, view_ = 0;
  Option cone_option_, view_option_;
};

}  // namespace

std::unique_ptr<Command> make_draw() {
  return std::make_unique<Draw>();
}

}  // namespace firn::cli
