#include "firn/study/model_examples.h"

#include <fmt/format.h>

#include <algorithm>

#include "firn/base/error.h"
#include "firn/data/gather.h"
#include "firn/data/input_files.h"
#include "firn/data/source.h"
#include "firn/data/split.h"
#include "firn/study/same_data.h"

namespace firn::study {
namespace {

Examples select(const Dataset& data, const DataSettings& settings, const std::string& split) {
  if (split == "test" && data.test.count() == 0)
    throw Error(fmt::format("\"{}\" has no test set; choose the validation set, or name a file of samples", data.name));
  if (split == "test") return data.test;
  const Split parts = split_train(data, settings);
  return gather_examples(data.train, split == "val" ? parts.validation : parts.train);
}

}  // namespace

bool is_named_data_set(std::string_view name) {
  const auto found = std::ranges::find(sources(), name, &Source::name);
  return found != sources().end() && found->is_named;
}

ModelExamples load_model_examples(const CircuitModel& model, const ModelExamplesParams& params) {
  if (model.config.empty() && params.overrides.empty())
    throw Error(fmt::format("{} does not say which data it is for; name a file of samples", params.file));
  const Config config =
      parse_stored_config(model.config, fmt::format("configuration in {}", params.file), params.overrides);
  DataSettings settings = config.data;
  settings.root = params.data_root;
  const Dataset data = load_dataset(settings);
  check_same_data(data, model, params.file);
  ModelExamples found{
      .examples = select(data, settings, params.split), .data = data.name, .files = data_files(settings)};
  // Other data than the model's own were asked for, and are no surprise.
  if (params.overrides.empty())
    found.warning = warn_of_changed_split(data, params.split == "test", model.data, params.file);
  return found;
}

}  // namespace firn::study
