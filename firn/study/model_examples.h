// Examples that a compiled model was trained or tested on, found by the configuration that it carries.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/data/dataset.h"
#include "firn/infer/model_file.h"
#include "firn/study/config_text.h"

namespace firn::study {

bool is_named_data_set(std::string_view name);  // such as cifar10; others are read from files of the user

struct ModelExamplesParams {
  std::string file;                      // of the model, for sentences
  std::string data_root = {};            // where data sources look for their files
  std::string split = "test";            // "train", "val" or "test"
  std::vector<Override> overrides = {};  // keys of the configuration, for other data than the model's own
};

struct ModelExamples {
  Examples examples;
  std::string data;                          // the name of the data set
  std::vector<std::filesystem::path> files;  // that the data were read from
  std::optional<std::string> warning = {};   // the examples are not those that the model knows
};

// Refuses models whose configuration is unknown, data that do not fit, and a split that the data do not have.
ModelExamples load_model_examples(const CircuitModel& model, const ModelExamplesParams& params);

}  // namespace firn::study
