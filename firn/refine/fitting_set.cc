#include "firn/refine/fitting_set.h"

#include <algorithm>
#include <memory>
#include <string>

#include "firn/base/random.h"
#include "firn/data/gather.h"

namespace firn::refine {

FittingSet::FittingSet(const Plan& plan, const CountLoss& loss, const FittingData& data, std::size_t copies,
                       std::uint64_t seed, Ranks& ranks)
    : plan_(plan), loss_(loss), data_(data), copies_(copies), ranks_(ranks) {
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
  const std::vector<std::size_t> own = own_batches(0, batches());
  threads.for_each(own.size() * copies_, [&](std::size_t work, std::size_t w) {
    Worker& worker = workers[w];
    if (!worker.simulator) {
      worker.simulator = std::make_unique<BlockSimulator>(plan_, loss_);
      worker.bits = Matrix<std::uint64_t>(plan_.inputs, kBlockWords);
    }
    const std::size_t batch = own[work / copies_], copy = work % copies_;
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
    worker.simulator->fill(worker.bits, blocks(batch)[copy]);
  });
}

bool FittingSet::owns(int rank, std::size_t batch) const {
  return batch % static_cast<std::size_t>(ranks_.size()) == static_cast<std::size_t>(rank);
}

std::vector<std::size_t> FittingSet::own_batches(std::size_t first, std::size_t last) const {
  std::vector<std::size_t> own;
  for (std::size_t batch = first; batch < last; ++batch)
    if (owns(ranks_.rank(), batch)) own.push_back(batch);
  return own;
}

void FittingSet::share_bytes(std::size_t first, std::size_t each, std::span<std::byte> values) {
  if (ranks_.is_alone()) return;
  const std::size_t count = values.size() / each;
  const auto part = [&](std::size_t number) { return reinterpret_cast<char*>(values.data() + number * each); };
  std::string own;
  for (std::size_t number = 0; number < count; ++number)
    if (owns(ranks_.rank(), first + number)) own.append(part(number), each);
  const std::vector<std::string> all = ranks_.gather(own);
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    const char* next = all[static_cast<std::size_t>(rank)].data();
    for (std::size_t number = 0; number < count; ++number)
      if (owns(rank, first + number)) {
        std::copy_n(next, each, part(number));
        next += each;
      }
  }
}

}  // namespace firn::refine
