#include "firn/study/model_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "firn/base/error.h"
#include "firn/data/source.h"
#include "firn/study/same_data.h"

namespace firn::study {

bool is_named_data_set(std::string_view name) {
  const auto found = std::ranges::find(sources(), name, &Source::name);
  return found != sources().end() && found->is_named;
}

ModelData load_model_data(const CircuitModel& model, const std::string& file, const std::vector<Override>& overrides,
                          const std::string& root) {
  const bool is_chosen = std::ranges::any_of(overrides, [](const Override& o) { return o.key == "data.source"; });
  if (model.config.empty() && !is_chosen)
    throw Error(fmt::format("{} does not say which data it is for; name a file of samples", file));
  const Config config = parse_stored_config(model.config, fmt::format("configuration in {}", file), overrides);
  ModelData found{{}, config.data};
  found.settings.root = root;
  found.data = load_dataset(found.settings);
  check_same_data(found.data, model, file);
  return found;
}

}  // namespace firn::study
