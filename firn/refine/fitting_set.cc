#include "firn/refine/fitting_set.h"

#include <algorithm>
#include <memory>

#include "firn/base/random.h"
#include "firn/data/gather.h"

namespace firn::refine {

FittingSet::FittingSet(const Plan& plan, const CountLoss& loss, const FittingData& data, std::size_t copies,
                       std::uint64_t seed)
    : plan_(plan), loss_(loss), data_(data), copies_(copies) {
  RandomSequence random(seed, "refine/order");
  for (std::uint32_t place : permutation(static_cast<std::uint32_t>(data.indices.size()), random))
    order_.push_back(data.indices[place]);
  for (std::size_t first = 0; first < order_.size(); first += kBlockSamples) {
    labels_.emplace_back();
    for (std::size_t i = first; i < std::min(first + kBlockSamples, order_.size()); ++i)
      labels_.back().push_back(data.examples.labels[order_[i]]);
  }
  wires_ = Matrix<std::uint64_t>(labels_.size() * copies * plan.rows, kBlockWords);
  blocks_.reserve(labels_.size() * copies);
  for (const auto& labels : labels_)
    for (std::size_t c = 0; c < copies; ++c)
      blocks_.emplace_back(plan, loss, labels, wires_.data() + blocks_.size() * plan.rows * kBlockWords);
}

std::size_t FittingSet::bytes(const Plan& plan, std::size_t images, std::size_t copies) {
  return (images + kBlockSamples - 1) / kBlockSamples * copies * FittingBlock::bytes(plan);
}

void FittingSet::draw(std::uint32_t sweep, Threads& threads) {
  struct Worker {
    std::unique_ptr<BlockSimulator> simulator;
    Matrix<std::uint64_t> bits;
    Matrix<std::uint8_t> copies;
  };
  std::vector<Worker> workers(static_cast<std::size_t>(threads.count()));
  threads.for_each(blocks_.size(), [&](std::size_t number, std::size_t w) {
    Worker& worker = workers[w];
    if (!worker.simulator) {
      worker.simulator = std::make_unique<BlockSimulator>(plan_, loss_);
      worker.bits = Matrix<std::uint64_t>(plan_.inputs, kBlockWords);
    }
    const std::size_t batch = number / copies_, copy = number % copies_;
    const std::span<const std::uint32_t> indices =
        std::span(order_).subspan(batch * kBlockSamples, batch_images(batch));
    const Examples originals = gather_examples(data_.examples, indices);
    if (copy == 0) {
      data_.encoder.encode_bits(SampleBlock::of(originals), worker.bits);
    } else {
      if (worker.copies.rows() == 0) worker.copies = Matrix<std::uint8_t>(kBlockSamples, originals.features());
      const auto epoch = static_cast<std::uint32_t>(sweep * (copies_ - 1) + copy - 1);
      for (std::size_t i = 0; i < indices.size(); ++i)
        data_.augmenter.write(originals.bytes.row(i), epoch, indices[i], worker.copies.row(i));
      data_.encoder.encode_bits(SampleBlock(worker.copies, 0, indices.size()), worker.bits);
    }
    worker.simulator->fill(worker.bits, blocks_[number]);
  });
}

}  // namespace firn::refine
