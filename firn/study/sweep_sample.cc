#include "firn/study/sweep_sample.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/base/move_folder.h"
#include "firn/base/sealed_json.h"
#include "firn/kernels/target.h"
#include "firn/study/config_values.h"
#include "firn/study/run.h"
#include "firn/study/same_data.h"

namespace firn::study {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

constexpr std::uint64_t kSteps = 3;
constexpr const char *kFile = "sample.json", *kFormat = "firn sample of training";

// What is left of a run when everything is taken away that cannot tell two machines apart.
Config sample_config(const Config& config) {
  Config sample = config;
  sample.name = "sample";
  sample.seed = 1;
  sample.freeze = {};
  sample.resample = {};
  sample.train.steps = kSteps;
  sample.train.eval_every = kSteps;
  sample.train.keep_at.clear();
  sample.train.checkpoint_every = 0;
  sample.train.patience = 0;
  return sample;
}

SweepSample take_sample(const Config& config, const std::string& data_root, Threads& threads) {
  Run run(config, data_root, threads);
  try {
    run.train(TrainObserver{});
  } catch (const Error&) {  // a loss that is not finite: every machine stops there, and the run says so itself
  }
  return {kernels::active_target(), run.trainer().fingerprints(), run.digest()};
}

json to_json(const SweepSample& sample) {
  json object = {{"simd", sample.target},
                 {"train", sample.data.train},
                 {"test", sample.data.test},
                 {"steps", kSteps},
                 {"digest", sample.digest}};
  if (!sample.data.teacher.empty()) object["teacher"] = sample.data.teacher;
  return object;
}

void check_equal(const SweepSample& here, const SweepSample& there, const fs::path& folder, const std::string& run) {
  const auto refuse = [&](const std::string& why) {
    throw Error(
        fmt::format("this machine would not train the same bits as the others in {}: {}", folder.string(), why));
  };
  if (const auto other = changed_part(here.data, there.data))
    refuse(fmt::format("the {} of {} are not the same; give it the same data", *other, run));
  if (here.target != there.target)
    refuse(
        fmt::format("it computes with {} and they with {}; choose one SIMD target for all", here.target, there.target));
  if (here.digest != there.digest)
    refuse(fmt::format("{} steps of {} end in {} here and in {} there; use the same version of Firn and its libraries",
                       kSteps, run, here.digest, there.digest));
}

}  // namespace

SweepSample read_sample(const fs::path& file) {
  const json object = open_sealed_json(read_text(file), file.string(), "remove the folder it is in");
  try {
    return {
        object.at("simd"), {object.at("train"), object.at("test"), object.value("teacher", "")}, object.at("digest")};
  } catch (const json::exception&) {
    throw Error(fmt::format("{} is not a sample of training; remove the folder it is in", file.string()));
  }
}

void check_sweep_samples(const SweepBoard& board, const std::string& data_root, Threads& threads, const fs::path& own) {
  std::set<std::string> checked;
  for (const SweepRun& run : board.runs()) {
    const Config config = sample_config(run.config);
    const std::string name = fingerprint(config);
    if (!checked.insert(name).second) continue;
    const SweepSample sample = take_sample(config, data_root, threads);
    const fs::path known = board.folder() / "samples" / name;
    if (!fs::exists(known / kFile)) {
      const fs::path prepared = own / "sample";
      fs::create_directories(prepared);
      write_file(prepared / kFile, seal_json(to_json(sample), kFormat));
      if (!move_folder(prepared, known)) fs::remove_all(prepared);
    }
    check_equal(sample, read_sample(known / kFile), board.folder(), run.name);
  }
}

}  // namespace firn::study
