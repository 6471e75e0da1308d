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

// Parts are added in their order, so that the sum does not depend on threads.
Evaluation merge(const std::vector<Evaluation>& parts, std::size_t classes) {
  Evaluation total = empty_evaluation(classes);
  for (const Evaluation& part : parts) {
    total.sum += part.sum;
    total.count += part.count;
    for (std::size_t i = 0; i < total.confusion.size(); ++i) total.confusion[i] += part.confusion[i];
  }
  return total;
}

}  // namespace

Evaluator::Evaluator(Model& model, const Encoder& encoder, const Loss& loss, double temperature, std::size_t classes,
                     Threads& threads)
    : model_(model),
      encoder_(encoder),
      loss_(loss),
      temperature_(static_cast<float>(temperature)),
      classes_(std::max<std::size_t>(classes, 2)),
      threads_(threads) {}

void Evaluator::add_class_sums(const Matrix<float>& sums, std::span<const std::uint16_t> labels,
                               Evaluation& into) const {
  into.sum += loss_.function(sums, labels, 1, nullptr);
  into.count += labels.size();
  for (std::size_t s = 0; s < labels.size(); ++s)
    ++into.confusion[labels[s] * classes_ + predicted_class(sums, s, loss_.threshold)];
}

Evaluation Evaluator::run(const Examples& examples, std::span<const std::uint32_t> indices, EvaluationMode mode) {
  switch (mode) {
    case EvaluationMode::kRelaxed:
      return run_on_floats(examples, indices,
                           {.forward_temperature = temperature_, .backward_temperature = temperature_});
    case EvaluationMode::kArgmaxOnReals:
      return run_on_floats(examples, indices, {.hard = true});
    default:
      return run_on_bits(examples, indices);
  }
}

Evaluation Evaluator::run_on_floats(const Examples& examples, std::span<const std::uint32_t> indices,
                                    const WeightPlan& plan) {
  model_.prepare({plan}, threads_);
  while (workspaces_.size() < static_cast<std::size_t>(threads_.count()))
    workspaces_.push_back(model_.make_workspace(kFloatSamples, /*with_gradients=*/false));
  std::vector<Evaluation> parts((indices.size() + kFloatSamples - 1) / kFloatSamples, empty_evaluation(classes_));
  threads_.for_each(parts.size(), [&](std::size_t part, std::size_t worker) {
    const std::size_t first = part * kFloatSamples;
    const Examples samples =
        gather_examples(examples, indices.subspan(first, std::min(kFloatSamples, indices.size() - first)));
    Workspace& workspace = workspaces_[worker];
    encoder_.encode_rows(SampleBlock::of(samples), model_.input(), workspace.values.front());
    model_.forward(workspace);
    add_class_sums(workspace.class_sums, samples.labels, parts[part]);
  });
  return merge(parts, classes_);
}

Evaluation Evaluator::run_on_bits(const Examples& examples, std::span<const std::uint32_t> indices) {
  const BooleanNetwork network = model_.harden();
  const Head& head = network.head;
  constexpr std::size_t kSamples = 64 * kWords;
  std::vector<Evaluation> parts((indices.size() + kSamples - 1) / kSamples, empty_evaluation(classes_));
  struct Worker {
    std::unique_ptr<BitEvaluator> evaluator;
    Matrix<std::uint64_t> bits;
  };
  std::vector<Worker> workers(static_cast<std::size_t>(threads_.count()));
  threads_.for_each(parts.size(), [&](std::size_t part, std::size_t w) {
    Worker& worker = workers[w];
    if (!worker.evaluator) {
      worker.evaluator = std::make_unique<BitEvaluator>(network, kWords);
      worker.bits = Matrix<std::uint64_t>(network.input.size(), kWords);
    }
    const std::size_t first = part * kSamples;
    const Examples samples =
        gather_examples(examples, indices.subspan(first, std::min(kSamples, indices.size() - first)));
    encoder_.encode_bits(SampleBlock::of(samples), worker.bits);
    Threads alone(1);  // blocks already run in parallel
    const auto& counts = worker.evaluator->count(worker.bits, alone);
    Matrix<float> sums(head.groups, kSamples);
    for (std::size_t c = 0; c < head.groups; ++c)
      for (std::size_t s = 0; s < samples.labels.size(); ++s)
        sums.row(c)[s] = head.offset + head.factor * static_cast<float>(counts[c * kSamples + s]);
    add_class_sums(sums, samples.labels, parts[part]);
  });
  return merge(parts, classes_);
}

}  // namespace firn::training
