// Risk and accuracy on whole data parts: relaxed on floats, discrete on bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/base/ranks.h"
#include "firn/base/threads.h"
#include "firn/data/dataset.h"
#include "firn/encode/encoder.h"
#include "firn/model/model.h"
#include "firn/train/loss.h"
#include "firn/train/quality.h"

namespace firn::training {

// Where values are predicted, accuracy is 0 and r2 is the share of their variance that is explained.
struct Risk {
  double loss = 0, accuracy = 0;
  std::optional<double> r2 = {};
};

struct Evaluation {
  LossSum sum;
  std::size_t count = 0;
  std::vector<std::uint32_t> confusion;  // [true class][predicted class]; empty where values are predicted
  std::optional<double> auc = {};        // where it was asked for, see Quality
  std::optional<ValueQuality> values = {};

  Quality quality() const;
  double loss() const { return sum.loss / static_cast<double>(count); }
  double accuracy() const { return static_cast<double>(sum.correct) / static_cast<double>(count); }
  Risk risk() const { return {loss(), accuracy(), values ? std::optional(values->r2) : std::nullopt}; }
};

// Which network is evaluated.
enum class EvaluationMode {
  kRelaxed,        // mixtures on floats; frozen neurons are their gate
  kArgmaxOnReals,  // chosen gates, but on real-valued wires: differs from kDiscrete only where inputs are not binary
  kDiscrete,       // chosen gates on bits: the circuit
};

// Evaluates the listed examples, each rank some of them; all get the same results. The model's weights are recomputed,
// so a training step must prepare its own.
class Evaluator {
 public:
  Evaluator(Model& model, const Encoder& encoder, const Loss& loss, double temperature, std::size_t classes,
            Threads& threads, Ranks& ranks = one_rank());

  // `with_auc` takes the area under the ROC curve as well, for which all samples are sorted.
  Evaluation run(const Examples& examples, std::span<const std::uint32_t> indices, EvaluationMode mode,
                 bool with_auc = false);

  // Class sums of the relaxed network, [example][output].
  Matrix<float> relaxed_sums(const Examples& examples, std::span<const std::uint32_t> indices);

 private:
  // `all_sums`, [sample][output], gets what samples are ranked by, unless it is empty: class sums, or the counts that
  // they are made from, where equal ones are exactly equal.
  Evaluation run_on_floats(const Examples& examples, std::span<const std::uint32_t> indices, const WeightPlan& plan,
                           std::span<float> all_sums);
  Evaluation run_on_bits(const Examples& examples, std::span<const std::uint32_t> indices, std::span<float> all_sums);
  // Loss and confusion of samples whose class sums are known.
  void add_class_sums(const Matrix<float>& sums, const Truths& truths, Evaluation& into) const;
  // What all parts of `samples` samples give together, of which this rank has evaluated its share. Completes all_sums.
  Evaluation merge(const std::vector<Evaluation>& parts, std::size_t samples, std::span<float> all_sums) const;

  Model& model_;
  const Encoder& encoder_;
  const Loss& loss_;
  float temperature_;  // of the gate softmax, as in training
  std::size_t classes_;
  Threads& threads_;
  Ranks& ranks_;
  std::vector<Workspace> workspaces_;  // one per worker, without gradients; made when first needed
};

}  // namespace firn::training
