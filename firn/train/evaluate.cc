#include "firn/train/evaluate.h"

#include <algorithm>
#include <memory>

#include "firn/base/error.h"
#include "firn/data/gather.h"
#include "firn/network/evaluate.h"

namespace firn::training {

namespace {

constexpr std::size_t kFloatSamples = 32;  // per shard on floats
constexpr std::size_t kWords = 8;          // 512 samples per block on bits

Evaluation empty_evaluation(std::size_t classes) {
  Evaluation evaluation;
  evaluation.confusion.resize(classes * classes);
  return evaluation;
}

// Labels or targets of the listed examples, without their values.
Examples truths_only(const Examples& examples, std::span<const std::uint32_t> indices) {
  Examples chosen;
  for (const std::uint32_t i : indices) {
    if (!examples.labels.empty()) chosen.labels.push_back(examples.labels[i]);
    if (!examples.targets.empty()) chosen.targets.push_back(examples.targets[i]);
  }
  return chosen;
}

}  // namespace

Evaluator::Evaluator(Model& model, const Encoder& encoder, const Loss& loss, double temperature, std::size_t classes,
                     Threads& threads, Ranks& ranks)
    : model_(model),
      encoder_(encoder),
      loss_(loss),
      temperature_(static_cast<float>(temperature)),
      classes_(loss.scale.predicts_values() ? 0 : std::max<std::size_t>(classes, 2)),
      threads_(threads),
      ranks_(ranks) {}

// Parts are added in their order, so that the sum does not depend on threads or ranks.
Evaluation Evaluator::merge(const std::vector<Evaluation>& parts, std::size_t samples,
                            std::span<float> all_sums) const {
  const auto each = classes_ * classes_, ranks = static_cast<std::size_t>(ranks_.size());
  std::vector<LossSum> sums(parts.size());
  std::vector<std::uint64_t> counts(parts.size());
  std::vector<std::uint32_t> confusions(ranks * each);
  const std::span<std::uint32_t> own =
      std::span(confusions).subspan(static_cast<std::size_t>(ranks_.rank()) * each, each);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    sums[part] = parts[part].sum;
    counts[part] = parts[part].count;
    for (std::size_t i = 0; i < each; ++i) own[i] += parts[part].confusion[i];
  }
  ranks_.share(std::span(sums));
  ranks_.share(std::span(counts));
  ranks_.share(std::span(confusions), std::max<std::size_t>(each, 1));
  ranks_.share(all_sums, samples * model_.outputs());
  Evaluation total = empty_evaluation(classes_);
  for (const LossSum& sum : sums) total.sum += sum;
  for (const std::uint64_t count : counts) total.count += count;
  for (std::size_t i = 0; i < confusions.size(); ++i) total.confusion[i % each] += confusions[i];
  return total;
}

void Evaluator::add_class_sums(const Matrix<float>& sums, const Truths& truths, Evaluation& into) const {
  into.sum += loss_(sums, truths, 1, nullptr);
  into.count += truths.size();
  if (classes_ == 0) return;
  for (std::size_t s = 0; s < truths.size(); ++s)
    ++into.confusion[truths.labels[s] * classes_ + predicted_class(sums, s, loss_.threshold)];
}

Quality Evaluation::quality() const {
  Quality quality = quality_of(confusion);
  quality.auc = auc;
  return quality;
}

Evaluation Evaluator::run(const Examples& examples, std::span<const std::uint32_t> indices, EvaluationMode mode,
                          bool with_auc) {
  const bool of_values = loss_.scale.predicts_values();
  FIRN_CHECK(of_values == !examples.targets.empty());
  std::vector<float> all_sums(of_values || with_auc ? indices.size() * model_.outputs() : 0);
  Evaluation evaluation;
  switch (mode) {
    case EvaluationMode::kRelaxed:
      evaluation = run_on_floats(examples, indices,
                                 {.forward_temperature = temperature_, .backward_temperature = temperature_}, all_sums);
      break;
    case EvaluationMode::kArgmaxOnReals:
      evaluation = run_on_floats(examples, indices, {.hard = true}, all_sums);
      break;
    default:
      evaluation = run_on_bits(examples, indices, all_sums);
  }
  if (all_sums.empty()) return evaluation;
  const Examples truth = truths_only(examples, indices);
  if (of_values)
    evaluation.values = value_quality_of(all_sums, truth.targets);
  else
    evaluation.auc = area_under_curve(all_sums, model_.outputs(), truth.labels,
                                      mode == EvaluationMode::kDiscrete ? model_.head().factor : 1);
  return evaluation;
}

Matrix<float> Evaluator::relaxed_sums(const Examples& examples, std::span<const std::uint32_t> indices) {
  const std::size_t outputs = model_.outputs();
  std::vector<float> all_sums(indices.size() * outputs);
  run_on_floats(examples, indices, {.forward_temperature = temperature_, .backward_temperature = temperature_},
                all_sums);
  Matrix<float> rows(indices.size(), outputs);
  for (std::size_t r = 0; r < rows.rows(); ++r) std::copy_n(all_sums.data() + r * outputs, outputs, rows.row(r));
  return rows;
}

Evaluation Evaluator::run_on_floats(const Examples& examples, std::span<const std::uint32_t> indices,
                                    const WeightPlan& plan, std::span<float> all_sums) {
  model_.prepare({plan}, threads_);
  while (workspaces_.size() < static_cast<std::size_t>(threads_.count()))
    workspaces_.push_back(model_.make_workspace(kFloatSamples, /*with_gradients=*/false));
  std::vector<Evaluation> parts((indices.size() + kFloatSamples - 1) / kFloatSamples, empty_evaluation(classes_));
  const RankShare own = ranks_.own_share(parts.size());
  threads_.for_each(own.count(), [&](std::size_t number, std::size_t worker) {
    const std::size_t part = own.first + number, first = part * kFloatSamples;
    const Examples samples =
        gather_examples(examples, indices.subspan(first, std::min(kFloatSamples, indices.size() - first)));
    Workspace& workspace = workspaces_[worker];
    encoder_.encode_rows(SampleBlock::of(samples), model_.input(), workspace.values.front());
    model_.forward(workspace);
    add_class_sums(workspace.class_sums, samples, parts[part]);
    if (all_sums.empty()) return;
    const std::size_t outputs = workspace.class_sums.rows();
    for (std::size_t c = 0; c < outputs; ++c)
      for (std::size_t s = 0; s < samples.count(); ++s)
        all_sums[(first + s) * outputs + c] = workspace.class_sums.row(c)[s];
  });
  return merge(parts, kFloatSamples, all_sums);
}

Evaluation Evaluator::run_on_bits(const Examples& examples, std::span<const std::uint32_t> indices,
                                  std::span<float> all_sums) {
  const BooleanNetwork network = model_.harden();
  const Head& head = network.head;
  constexpr std::size_t kSamples = 64 * kWords;
  std::vector<Evaluation> parts((indices.size() + kSamples - 1) / kSamples, empty_evaluation(classes_));
  struct Worker {
    std::unique_ptr<BitEvaluator> evaluator;
    Matrix<std::uint64_t> bits;
  };
  std::vector<Worker> workers(static_cast<std::size_t>(threads_.count()));
  const RankShare own = ranks_.own_share(parts.size());
  threads_.for_each(own.count(), [&](std::size_t number, std::size_t w) {
    Worker& worker = workers[w];
    if (!worker.evaluator) {
      worker.evaluator = std::make_unique<BitEvaluator>(network, kWords);
      worker.bits = Matrix<std::uint64_t>(network.input.size(), kWords);
    }
    const std::size_t part = own.first + number, first = part * kSamples;
    const Examples samples =
        gather_examples(examples, indices.subspan(first, std::min(kSamples, indices.size() - first)));
    encoder_.encode_bits(SampleBlock::of(samples), worker.bits);
    Threads alone(1);  // blocks already run in parallel
    const auto& counts = worker.evaluator->count(worker.bits, alone);
    Matrix<float> sums(head.groups, kSamples);
    for (std::size_t c = 0; c < head.groups; ++c)
      for (std::size_t s = 0; s < samples.count(); ++s) {
        const auto count = static_cast<float>(counts[c * kSamples + s]);
        sums.row(c)[s] = head.offset + head.factor * count;
        if (!all_sums.empty()) all_sums[(first + s) * head.groups + c] = head.is_value ? sums.row(c)[s] : count;
      }
    add_class_sums(sums, samples, parts[part]);
  });
  return merge(parts, kSamples, all_sums);
}

}  // namespace firn::training
