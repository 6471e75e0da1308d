#include "firn/discretize/noise.h"

#include <cmath>

#include "firn/base/random.h"

namespace firn::discretize {

GumbelNoise::GumbelNoise(const Model& model, std::uint64_t seed, Threads& threads) : seed_(seed), threads_(threads) {
  for (const Neurons* group : model.neurons()) {
    streams_.push_back(stream_id("gumbel/" + group->name));
    noise_.emplace_back(group->count(), kSlots);
  }
}

void GumbelNoise::draw(std::uint64_t step) {
  for (std::size_t g = 0; g < noise_.size(); ++g) {
    Matrix<float>& noise = noise_[g];
    const Random random(seed_, streams_[g]);
    constexpr std::size_t kBlocks = kSlots / 4;  // of random words per row
    for_each_block(noise.rows(), threads_, [&](std::size_t first, std::size_t rows) {
      for (std::size_t block = first * kBlocks; block < (first + rows) * kBlocks; ++block) {
        const auto words = random.block(step * noise.rows() * kBlocks + block);
        for (std::size_t k = 0; k < 4; ++k) {
          const float uniform = (static_cast<float>(words[k] >> 9) + 0.5f) * 0x1p-23f;  // inside (0, 1), exactly
          noise.data()[4 * block + k] = -std::log(-std::log(uniform));
        }
      }
    });
  }
}

}  // namespace firn::discretize
