#include "firn/report/answers_record.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "firn/base/error.h"
#include "firn/data/rows.h"
#include "firn/report/packed.h"

namespace firn::report {
namespace {

constexpr std::size_t kShown = 30;  // of the disagreements and of the mistakes

struct Answer {
  std::size_t predicted;
  double probability;  // of the class that is predicted
};

// Softmax of the class sums; a single sum is the logit of the second class where classes are divided at 0, else its
// probability.
Answer answer_of(const Head& head, std::span<const float> sums) {
  if (head.groups == 1) {
    const double second =
        head.threshold == 0 ? 1 / (1 + std::exp(-static_cast<double>(sums[0]))) : std::clamp<double>(sums[0], 0, 1);
    const bool is_second = sums[0] > head.threshold;
    return {is_second, is_second ? second : 1 - second};
  }
  const auto best = std::ranges::max_element(sums);  // the first of equal ones
  double total = 0;
  for (const float sum : sums) total += std::exp(static_cast<double>(sum - *best));
  return {static_cast<std::size_t>(best - sums.begin()), 1 / total};
}

void count(AnswersRecord::Network& network, const Answer& answer, std::size_t label) {
  ++network.confusion[label][answer.predicted];
  const std::size_t bins = network.bin_count.size();
  const auto bin = std::min(bins - 1, static_cast<std::size_t>(answer.probability * static_cast<double>(bins)));
  ++network.bin_count[bin];
  network.bin_probability[bin] += answer.probability;
  network.bin_accuracy[bin] += answer.predicted == label;
}

void finish(AnswersRecord::Network& network) {
  for (std::size_t b = 0; b < network.bin_count.size(); ++b) {
    const auto examples = static_cast<double>(network.bin_count[b]);  // 0 of 0 is not a number, and left out
    network.bin_probability[b] /= examples;
    network.bin_accuracy[b] /= examples;
  }
}

struct Candidate {
  std::size_t example;
  AnswersRecord::Shown shown;
};

std::vector<Candidate> surest(std::vector<Candidate> all) {
  std::ranges::stable_sort(all, std::greater(), [](const Candidate& c) { return c.shown.discrete_probability; });
  if (all.size() > kShown) all.erase(all.begin() + kShown, all.end());
  return all;
}

// Pixels as bytes; reals go from their smallest value to their largest.
class Pixels {
 public:
  explicit Pixels(const Examples& examples) : examples_(examples) {
    if (!examples.has_reals()) return;
    low_ = std::numeric_limits<float>::max(), high_ = std::numeric_limits<float>::lowest();
    for (std::size_t i = 0; i < examples.count(); ++i)
      for (const float value : examples.reals[i]) low_ = std::min(low_, value), high_ = std::max(high_, value);
  }

  void add(std::size_t example) {
    if (!examples_.has_reals()) {
      const auto row = examples_.bytes[example];
      bytes_.insert(bytes_.end(), row.begin(), row.end());
      return;
    }
    for (const float value : examples_.reals[example])
      bytes_.push_back(static_cast<std::uint8_t>(high_ > low_ ? 255 * (value - low_) / (high_ - low_) : 0));
  }

  std::string text() const { return packed(std::span<const std::uint8_t>(bytes_)); }

 private:
  const Examples& examples_;
  float low_ = 0, high_ = 255;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

AnswersRecord answers_record(const Answers& answers) {
  const std::size_t classes = answers.head.classes();
  FIRN_CHECK(classes > 0 && answers.examples.labels.size() == answers.numbers.size());
  AnswersRecord record;
  record.split = answers.split;
  record.available = answers.available;
  record.shape = {answers.shape.channels, answers.shape.height, answers.shape.width};
  for (std::size_t c = 0; c < classes; ++c)
    record.classes.push_back(c < answers.class_names.size() ? answers.class_names[c] : std::to_string(c));
  for (AnswersRecord::Network* network : {&record.relaxed, &record.discrete})
    network->confusion.assign(classes, std::vector<std::size_t>(classes));

  std::vector<Candidate> disagreements, mistakes;
  for (std::size_t i = 0; i < answers.numbers.size(); ++i) {
    const std::size_t label = answers.examples.labels[i];
    if (label == kNoLabel) continue;
    const Answer relaxed = answer_of(answers.head, answers.relaxed[i]);
    const Answer discrete = answer_of(answers.head, answers.discrete[i]);
    count(record.relaxed, relaxed, label);
    count(record.discrete, discrete, label);
    ++record.examples;
    const Candidate candidate{
        i,
        {answers.numbers[i], label, relaxed.predicted, discrete.predicted, relaxed.probability, discrete.probability}};
    if (relaxed.predicted != discrete.predicted) disagreements.push_back(candidate);
    if (discrete.predicted != label) mistakes.push_back(candidate);
  }
  finish(record.relaxed);
  finish(record.discrete);
  record.all_disagreements = disagreements.size();
  record.all_mistakes = mistakes.size();
  Pixels pixels(answers.examples);
  for (const Candidate& c : surest(std::move(disagreements)))
    record.disagreements.push_back(c.shown), pixels.add(c.example);
  for (const Candidate& c : surest(std::move(mistakes))) record.mistakes.push_back(c.shown), pixels.add(c.example);
  if (answers.shape.width > 1) record.pixels = pixels.text();
  return record;
}

}  // namespace firn::report
