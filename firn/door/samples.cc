#include "firn/api/samples.h"

#include <utility>

#include "firn/base/threads.h"
#include "firn/data/rows.h"
#include "firn/data/samples.h"
#include "firn/door/arrays.h"
#include "firn/door/inner.h"
#include "firn/infer/probabilities.h"
#include "firn/study/predict_samples.h"

namespace firn::api {
namespace {

std::vector<std::int32_t> labels_in(const data::Examples& examples) {
  std::vector<std::int32_t> labels;
  for (const std::uint16_t label : examples.labels) labels.push_back(label == data::kNoLabel ? -1 : label);
  return labels;
}

data::SampleFile samples_in(const std::string& file, const infer::CircuitModel& model, bool has_header) {
  data::SampleNeeds needs = study::needs_of(model);
  needs.has_header = has_header;
  return data::read_samples(file, needs);
}

}  // namespace

FileSamples Circuit::read_samples(const std::string& file, bool has_header) const {
  data::SampleFile samples = samples_in(file, inner_->model, has_header);
  return {samples.examples.count(),
          door::values_in(samples.examples.bytes),
          door::values_in(samples.examples.reals),
          labels_in(samples.examples),
          std::move(samples.ids),
          std::move(samples.examples.targets)};
}

FilePredictions Circuit::predict_file(const std::string& file, int threads, bool has_header) const {
  data::SampleFile samples = samples_in(file, inner_->model, has_header);
  Threads workers(threads);
  study::SamplePredictions found = study::predict_samples(inner_->model, samples.examples, workers);
  FilePredictions result{std::move(found.classes), labels_in(samples.examples),        {}, {}, std::move(samples.ids),
                         std::move(found.values),  std::move(samples.examples.targets)};
  if (inner_->model.network.head.is_value) result.classes.clear();
  for (std::size_t s = 0; s < found.counts.rows(); ++s) {
    result.class_sums.insert(result.class_sums.end(), found.counts[s].begin(), found.counts[s].end());
    if (inner_->model.network.head.is_value) continue;
    const std::vector<double> all = infer::probabilities(inner_->model.network.head, found.counts[s]);
    result.probabilities.insert(result.probabilities.end(), all.begin(), all.end());
  }
  return result;
}

}  // namespace firn::api
