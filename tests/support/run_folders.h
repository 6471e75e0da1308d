// Small folders as `firn train` and `firn diagnose` leave them, for tests that only read them.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "firn/base/file.h"

namespace firn {

// One line of metrics.jsonl with two layers, of which only the first is in the scope of freezing.
inline std::string metrics_line(int step, double relaxed, double discrete, double frozen) {
  return fmt::format(
      R"({{"step":{},"train_loss":1.5,"relaxed":{{"loss":1.25,"accuracy":{}}},"discrete":{{"loss":1.75,"accuracy":{}}},)"
      R"("frozen":{},"layers":[{{"name":"conv1","entropy":0.5,"frozen":{}}},{{"name":"fc1","entropy":0.5,"frozen":0}}]}})"
      "\n",
      step, relaxed, discrete, frozen, frozen);
}

inline constexpr const char* kFreezesHeader = "step,layer,neuron,slot,opcode,score,entropy\n";

// A run of eight neurons in conv1: two are frozen at step 12, two more at step 17.
inline void write_run_folder(const std::filesystem::path& folder, const std::string& config) {
  std::filesystem::create_directories(folder);
  write_file(folder / "config.toml", config);
  write_file(folder / "metrics.jsonl", metrics_line(10, 0.5, 0.25, 0) + metrics_line(20, 0.625, 0.5, 0.5));
  write_file(folder / "freezes.csv",
             kFreezesHeader + std::string("12,conv1,0,3,3,-0.5,0.25\n12,conv1,1,3,3,-0.5,0.25\n"
                                          "17,conv1,2,3,3,-0.5,0.25\n17,conv1,7,3,3,-0.5,0.25\n"));
  write_file(folder / "result.json",
             R"({"name":"a","seed":1,"last":{"step":20,"images":9,"relaxed_accuracy":0.75,"relaxed_loss":1,)"
             R"("discrete_accuracy":0.5,"discrete_loss":2,"frozen":0.5}})");
}

inline constexpr const char* kSummary = R"({
  "checkpoint": "runs/a/step-20.safetensors", "step": 20, "split": "val", "seed": 1, "samples": 40,
  "effects": {"all": {"neurons": 2, "spearman": {"entropy": {"value": 0.5, "interval": [0.25, 0.75]},
      "selected": {"value": null, "interval": [null, null]}, "argmax": {"value": 1, "interval": [1, 1]}},
      "median_displacement": {"argmax": 1e-6, "selected": 0.25}}},
  "heldout": {"rates": [{"fraction": 0.5, "choices": 7, "wins_on_same_half": 0.75, "wins_on_other_half": 0.25}]}
})";

inline void write_diagnose_folder(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  write_file(folder / "summary.json", kSummary);
  write_file(folder / "effects.csv",
             "layer,neuron,entropy,argmax_score,argmax_effect,argmax_displacement,selected_score,selected_effect,"
             "selected_displacement\n"
             "conv1,0,0.5,-1e-9,-2e-9,1e-12,-0.5,0.25,0.125\n"
             "conv2,0,0.25,1e-9,2e-9,1e-13,-0.25,0.5,0.0625\n");
}

}  // namespace firn
