// A whole evaluation of a discrete network, sample by sample: what refinement is judged by, and its slow twin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "firn/base/threads.h"
#include "firn/data/dataset.h"
#include "firn/encode/encoder.h"
#include "firn/network/boolean_network.h"
#include "firn/refine/count_loss.h"
#include "firn/train/evaluate.h"

namespace firn::refine {

struct Outcome {
  std::vector<double> losses;              // [sample]
  std::vector<std::uint8_t> correct;       // [sample] 0 or 1
  std::vector<std::uint16_t> predictions;  // [sample] classes

  training::Risk risk() const;
};

// Computes every wire of every listed example anew.
Outcome evaluate_outcome(const network::BooleanNetwork& network, const CountLoss& loss, const data::Examples& examples,
                         std::span<const std::uint32_t> indices, const encode::Encoder& encoder, Threads& threads);

// How much better or worse `after` is, on the same samples, with the standard error of the mean difference.
struct PairedChange {
  double loss = 0, loss_error = 0, accuracy = 0, accuracy_error = 0;
  std::size_t agreeing = 0;  // samples of which both say the same
};
PairedChange paired_change(const Outcome& before, const Outcome& after);

}  // namespace firn::refine
