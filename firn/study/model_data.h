// The data that a compiled model is for, or others that suit it.
#pragma once

#include <string>
#include <vector>

#include "firn/data/dataset.h"
#include "firn/data/settings.h"
#include "firn/infer/model_file.h"
#include "firn/study/config_text.h"

namespace firn::study {

bool is_named_data_set(std::string_view name);  // such as cifar10; others are read from files of the user

struct ModelData {
  Dataset data;
  DataSettings settings;
};
// The data set of the model's own configuration, changed by `overrides`. An Error where the model does not say which or
// the data do not suit it; `file` names the model.
ModelData load_model_data(const CircuitModel& model, const std::string& file, const std::vector<Override>& overrides,
                          const std::string& root);

}  // namespace firn::study
