// What can be done with a checkpoint: evaluate, discretize, diagnose, compile, describe.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "firn/base/file.h"
#include "firn/base/sealed_json.h"
#include "firn/data/gather.h"
#include "firn/infer/machine.h"
#include "firn/infer/predictor.h"
#include "firn/study/argument_error.h"
#include "firn/study/compile_checkpoint.h"
#include "firn/study/diagnose_checkpoint.h"
#include "firn/study/discretize_checkpoint.h"
#include "firn/study/evaluate_checkpoint.h"
#include "firn/study/explain.h"
#include "firn/study/model_info.h"
#include "firn/study/prune_circuit.h"
#include "firn/study/session.h"
#include "firn/study/start.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_config.h"
#include "tests/support/temporary_folder.h"

namespace firn {
namespace {

using ::testing::HasSubstr;

class CheckpointsTest : public ::testing::Test {
 protected:
  CheckpointsTest() {
    Config config = small_config("final-argmax", 0);
    config.train.keep_at = {30, 60};
    result_ = train(config, run_)->test(run_).value();
  }

  std::unique_ptr<study::Run> train(const Config& config, const RunFolder& folder) {
    auto run = start_run(config, folder, {}, threads_);
    run->train(folder, {.on_step = [](std::uint64_t, double, std::optional<double>) {}, .on_metrics = [](auto&) {}});
    return run;
  }

  Threads threads_{1};
  TemporaryFolder folder_;
  RunFolder run_{folder_ / "run"};
  TestResult result_;
};

TEST_F(CheckpointsTest, AnEvaluationIsThatOfTheRun) {
  const CheckpointEvaluation evaluation = evaluate_checkpoint({.checkpoint = run_.last()}, threads_);
  EXPECT_EQ(evaluation.step, 60u);
  EXPECT_EQ(evaluation.classes, 2u);
  ASSERT_EQ(evaluation.evaluations.size(), 2u);
  EXPECT_EQ(evaluation.evaluations[0].accuracy(), result_.last.relaxed.accuracy);
  EXPECT_EQ(evaluation.evaluations[1].loss(), result_.last.discrete.loss);
  const CheckpointEvaluation other =
      evaluate_checkpoint({.checkpoint = run_.last(), .subset = Subset::kValidation}, threads_);
  EXPECT_EQ(other.evaluations[0].count, 60u) << "a tenth";
}

TEST_F(CheckpointsTest, DiscretizingFreezesEveryNeuron) {
  const auto out = folder_ / "frozen.safetensors";
  std::uint64_t last = 0, of = 0;
  DiscretizeParams params{.checkpoint = run_.last(), .output = out};
  params.settings.rule = "first-order";
  params.on_decision = [&](std::uint64_t done, std::uint64_t total) {
    last = done;
    of = total;
  };
  const DiscretizeResult result = discretize_checkpoint(params, threads_);
  EXPECT_EQ(last, 3 * 64u);
  EXPECT_EQ(last, of);
  const auto after = evaluate_checkpoint({.checkpoint = out, .subset = Subset::kValidation}, threads_);
  EXPECT_EQ(after.evaluations[0].accuracy(), after.evaluations[1].accuracy()) << "nothing is relaxed any more";
  EXPECT_EQ(after.evaluations[1].accuracy(), result.validation_after.accuracy());
  params.output = run_.path() / "../run/last.safetensors";
  EXPECT_THROW(discretize_checkpoint(params, threads_), ArgumentError);
}

TEST_F(CheckpointsTest, DiagnosesAreWrittenForEveryKeptCheckpoint) {
  DiagnoseParams params{.samples = 40};
  params.settings = {.effects = false, .locality = false, .held_out = false};
  std::vector<std::uint64_t> steps;
  const std::filesystem::path runs[] = {run_.path()};
  const nlohmann::json spread = diagnose_runs(runs, folder_ / "out", params, threads_,
                                              [&](const CheckpointDiagnosis& own) { steps.push_back(own.step); });
  EXPECT_EQ(steps, (std::vector<std::uint64_t>{30, 60}));
  EXPECT_EQ(open_sealed_json(read_text(folder_ / "out/summary.json"), "summary", ""), spread);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/run/step-30/gaps.csv"));
  params.samples = 61;
  EXPECT_THAT(error_of([&] { diagnose_checkpoint(run_.last(), folder_ / "o", params, threads_); }),
              HasSubstr("has 60 examples, not 61"));
  params = {.samples = 10};
  const CheckpointDiagnosis dense = diagnose_checkpoint(run_.last(), folder_ / "dense", params, threads_);
  EXPECT_GT(dense.diagnosis.relaxed_neurons, 0u);  // where there are no convolutions, every layer is in scope
  EXPECT_EQ(dense.diagnosis.effects.size(), dense.diagnosis.relaxed_neurons);
  for (const std::string& text :
       {explain_effects(dense.diagnosis.effect_summaries), explain_locality(*dense.diagnosis.locality),
        explain_held_out(*dense.diagnosis.held_out, "rows"), explain_gaps(*dense.diagnosis.gaps)})
    EXPECT_FALSE(text.empty());
  const std::filesystem::path twice[] = {run_.path(), run_.path() / "."};
  EXPECT_THROW(diagnose_runs(twice, folder_ / "o", params, threads_, {}), ArgumentError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "o"));
}

TEST_F(CheckpointsTest, ACompiledCircuitIsReadyToRun) {
  std::size_t stages = 0;
  CompileParams params;
  params.on_stage = [&](std::size_t done, std::size_t, std::string_view) { stages = done; };
  const CompiledCircuit compiled = compile_checkpoint(run_.last(), params);
  EXPECT_EQ(stages, 4u);
  ASSERT_TRUE(compiled.machine && compiled.model.netlist);
  EXPECT_EQ(compiled.machine->gates(), compiled.model.netlist->gates.size());
  params.direct = true;
  EXPECT_FALSE(compile_checkpoint(run_.last(), params).model.netlist);
}

TEST_F(CheckpointsTest, ACircuitPrunedByDataAgreesOnTheExamplesThatItWasPrunedWith) {
  Config config = small_config("final-argmax", 0);
  config.model.init = "gaussian";  // many gates of all kinds
  config.train.steps = 1;
  const RunFolder random(folder_ / "random");
  train(config, random);
  CompiledCircuit compiled = compile_checkpoint(random.last(), {});
  const CircuitModel exact = compiled.model;
  const PruneReport report = prune_circuit(compiled, random.last(), "", threads_);
  EXPECT_EQ(report.stats.gates_before, exact.netlist->gates.size());
  EXPECT_EQ(report.stats.gates_after, compiled.model.netlist->gates.size());
  EXPECT_EQ(compiled.machine->gates(), report.stats.gates_after);
  EXPECT_LT(report.stats.gates_after, report.stats.gates_before);
  ASSERT_FALSE(report.agreements.empty());
  EXPECT_EQ(report.agreements[0].part, "validation");
  EXPECT_LE(report.agreements[0].alike, report.agreements[0].examples);

  const LoadedCheckpoint loaded = load_checkpoint(random.last(), "");
  const Examples training = gather_examples(loaded.experiment.data.train, loaded.experiment.split.train);
  std::vector<std::uint16_t> classes[2];
  for (const bool is_pruned : {false, true}) {
    const CircuitModel& model = is_pruned ? compiled.model : exact;
    const auto machine = make_machine(model);
    classes[is_pruned].resize(training.count());
    Predictor(model, *machine, threads_).predict(training, 0, classes[is_pruned]);
  }
  EXPECT_EQ(classes[0], classes[1]);
}

TEST_F(CheckpointsTest, OnlyUnrolledCircuitsArePruned) {
  CompiledCircuit compiled = compile_checkpoint(run_.last(), {.direct = true});
  EXPECT_THROW(prune_circuit(compiled, run_.last(), "", threads_), Error);
}

// A file of a few kilobytes must not ask for gigabytes.
TEST_F(CheckpointsTest, AConfigurationThatDescribesAnotherNetworkThanTheFileHoldsIsRefused) {
  const Checkpoint sound = Checkpoint::read(run_.last());
  const auto refusal = [&](const std::string& width, const std::string& layers) {
    std::string changed = sound.header().config;
    for (const auto& [from, to] :
         {std::pair("width = 64", "width = " + width), std::pair("layers = 3", "layers = " + layers)}) {
      EXPECT_NE(changed.find(from), std::string::npos);
      changed.replace(changed.find(from), std::string(from).size(), to);
    }
    CheckpointHeader header = sound.header();
    header.config = changed;
    const RebuiltModel rebuilt = rebuild_model(sound);
    const auto bytes =
        checkpoint_bytes(header, rebuilt.encoder, [&](StateVisitor& visitor) { rebuilt.model->visit_state(visitor); });
    return error_or_none([&] { rebuild_model(Checkpoint::parse(SafetensorsFile::parse(bytes, "c.safetensors"))); });
  };
  EXPECT_EQ(refusal("64", "3"), kNoError);
  EXPECT_THAT(refusal("60000000", "3"),
              testing::AllOf(HasSubstr("c.safetensors holds"), HasSubstr("the logits of the network")));
  EXPECT_THAT(refusal("64", "65535"), HasSubstr("the logits of the network"));
}

TEST_F(CheckpointsTest, AModelIsDescribedWithAndWithoutTraining) {
  const RebuiltModel rebuilt = rebuild_model(Checkpoint::read(run_.last()));
  const ModelInfo trained = info_of(*rebuilt.model, rebuilt.config), planned = info_of(rebuilt.config, "");
  EXPECT_EQ(trained.logits, 3u * 64 * kSlots);
  EXPECT_EQ(planned.logits, trained.logits);
  EXPECT_EQ(planned.layers.size(), trained.layers.size());
  EXPECT_GT(planned.training_megabytes, 0);
}

}  // namespace
}  // namespace firn
