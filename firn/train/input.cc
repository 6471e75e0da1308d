#include "firn/train/input.h"

#include <algorithm>
#include <utility>

namespace firn::training {

TrainingInput::TrainingInput(const Examples& examples, const Encoder& encoder, const Augmenter& augmenter,
                             BatchOrder order, const RowLayout& layout, std::size_t shard, int workers,
                             const Teacher* teacher)
    : examples_(examples),
      encoder_(encoder),
      augmenter_(augmenter),
      order_(std::move(order)),
      layout_(layout),
      teacher_(teacher) {
  for (int w = 0; w < workers; ++w) shard_scratch_.push_back(make_scratch(shard));
}

TrainingInput::Scratch TrainingInput::make_scratch(std::size_t samples) const {
  const std::size_t features = encoder_.input_shape().size();
  Scratch scratch;
  if (examples_.has_reals())
    scratch.reals = Matrix<float>(samples, features);
  else
    scratch.bytes = Matrix<std::uint8_t>(samples, features);
  return scratch;
}

void TrainingInput::select(std::uint64_t step) {
  epoch_ = order_.epoch(step);
  batch_ = order_.batch(step);
  const auto choose = [this](const auto& of_all, auto& of_batch) {
    if (of_all.empty()) return;
    of_batch.resize(batch_.size());
    std::ranges::transform(batch_, of_batch.begin(), [&](std::uint32_t i) { return of_all[i]; });
  };
  choose(examples_.labels, batch_truths_.labels);
  choose(examples_.targets, batch_truths_.targets);
  if (teacher_ != nullptr) lesson_ = teacher_->lesson(batch_, lesson_rows_);
}

void TrainingInput::write_sample(std::size_t i, Scratch& scratch, std::size_t to) const {
  if (examples_.has_reals())
    std::ranges::copy(examples_.reals[batch_[i]], scratch.reals.row(to));
  else
    augmenter_.write(examples_.bytes.row(batch_[i]), epoch_, batch_[i], scratch.bytes.row(to));
}

void TrainingInput::write_rows(std::size_t first, std::size_t count, std::size_t worker, Matrix<float>& rows) {
  Scratch& scratch = shard_scratch_[worker];
  for (std::size_t i = 0; i < count; ++i) write_sample(first + i, scratch, i);
  encoder_.encode_rows(scratch.block(count), layout_, rows);
}

void TrainingInput::write_bits(std::size_t first, std::size_t count, Matrix<std::uint64_t>& bits, Threads& threads) {
  Scratch& scratch = batch_scratch_;
  if (scratch.bytes.rows() + scratch.reals.rows() == 0) scratch = make_scratch(order_.batch_size());
  constexpr std::size_t kTogether = 16;
  threads.for_each((count + kTogether - 1) / kTogether, [&](std::size_t part, std::size_t) {
    const std::size_t end = std::min(count, (part + 1) * kTogether);
    for (std::size_t i = part * kTogether; i < end; ++i) write_sample(first + i, scratch, i);
  });
  encoder_.encode_bits(scratch.block(count), bits);
}

}  // namespace firn::training
