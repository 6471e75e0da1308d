#include "firn/cli/commands/play.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/cli/app.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/usage_error.h"
#include "firn/data/input_files.h"
#include "firn/data/samples.h"
#include "firn/report/page.h"
#include "firn/report/play.h"
#include "firn/study/circuit_source.h"
#include "firn/study/model_examples.h"
#include "firn/study/output_file.h"
#include "firn/study/predict_samples.h"
#include "firn/study/words.h"

namespace firn::cli {
namespace {

class Play final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("MODEL", file_, "Model file, made by `firn compile`, or a checkpoint").required().type_name("");
    options.add("FILE", samples_, "Samples to hold as examples; else those the model was tested on").type_name("");
    options.add("-o,--output", output_, "Page to write").type_name("FILE").show_default();
    options.add("--examples", count_, "Examples on the page, evenly spread over all; 0 for none")
        .between(0, 10000)
        .type_name("N")
        .show_default();
    options.add("--split", split_, "Without FILE: which examples: train, val or test")
        .one_of({"train", "val", "test"})
        .type_name("NAME");
    options.add("--title", title_, "Heading of the page; else the name of the file").type_name("TEXT");
    data_root_.add_to(options);
  }

  int run() override {
    require_figures();
    if (!samples_.empty() && !split_.empty())
      throw UsageError(fmt::format("{} is what is shown; leave --split out", samples_));
    check_output(output_, {file_});
    check_output(output_, sample_files(samples_));
    const CircuitModel model = load_model();
    PlaySettings settings{.title = title_.empty() ? std::filesystem::path(file_).stem().string() : title_};
    const PlayExamples shown = load_examples(model, settings);
    const std::string page = play_page(model, shown, settings);
    write_file(output_, page);
    fmt::print("{}: {} examples; {:.1f} MB, opens in any browser without a network\n", output_, shown.examples.count(),
               static_cast<double>(page.size()) / 1e6);
    return kDone;
  }

 private:
  CircuitModel load_model() const {
    CircuitSource source = load_circuit(file_);
    if (!source.model)
      throw Error(fmt::format("{} has no encoder and no classes; play with the model that it came from", file_));
    return *std::move(source.model);
  }

  PlayExamples load_examples(const CircuitModel& model, PlaySettings& settings) const {
    if (count_ == 0) return {};
    if (!samples_.empty()) {
      settings.source = std::filesystem::path(samples_).filename().string();
      const SampleFile samples = read_samples(samples_, needs_of(model));
      return spread_examples(samples.examples, samples.ids, count_);
    }
    const std::string split = split_.empty() ? "test" : split_;
    const ModelExamples found =
        load_model_examples(model, {.file = file_, .data_root = data_root_.resolve(), .split = split});
    check_output(output_, found.files);
    if (found.warning) print_note(*found.warning);
    settings.source = fmt::format("{}, {} set", found.data,
                                  split == "val"     ? "validation"
                                  : split == "train" ? "training"
                                                     : "test");
    return spread_examples(found.examples, {}, count_);
  }

  std::string file_, samples_, output_ = "play.html", split_, title_;
  std::size_t count_ = 200;
  DataRootOption data_root_;
};

}  // namespace

std::unique_ptr<Command> make_play() {
  return std::make_unique<Play>();
}

}  // namespace firn::cli
