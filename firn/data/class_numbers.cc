#include "firn/data/class_numbers.h"

#include <fmt/format.h>

#include <algorithm>

#include "firn/base/error.h"
#include "firn/data/limits.h"

namespace firn::data {

void assign_classes(Dataset& dataset, const std::vector<std::int64_t>& train, const std::vector<std::int64_t>& test,
                    const std::string& name) {
  std::vector<std::int64_t> values = train;
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() > kMaxClasses)
    throw Error(
        fmt::format("{} has {} different labels; at most {} classes are possible", name, values.size(), kMaxClasses));
  dataset.classes = values.size();
  dataset.class_names.clear();
  const auto last = static_cast<std::int64_t>(values.size()) - 1;
  if (values.front() != 0 || values.back() != last)
    for (const std::int64_t value : values) dataset.class_names.push_back(std::to_string(value));
  const auto number = [&](const std::vector<std::int64_t>& labels) {
    std::vector<std::uint16_t> classes;
    classes.reserve(labels.size());
    for (const std::int64_t label : labels) {
      const auto found = std::ranges::lower_bound(values, label);
      if (found == values.end() || *found != label)
        throw Error(fmt::format("a test example has the label {}, which no training example of {} has", label, name));
      classes.push_back(static_cast<std::uint16_t>(found - values.begin()));
    }
    return classes;
  };
  dataset.train.labels = number(train);
  dataset.test.labels = number(test);
}

}  // namespace firn::data
