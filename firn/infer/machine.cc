#include "firn/infer/machine.h"

#include <algorithm>
#include <bit>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/kernels/narrow.h"

namespace firn::infer {

CountedRows::CountedRows(const std::vector<Wire>& outputs, std::size_t groups) {
  FIRN_CHECK(groups > 0 && outputs.size() % groups == 0);
  const std::size_t size = outputs.size() / groups;
  planes_ = std::max<std::size_t>(std::bit_width(size), 1);
  FIRN_CHECK(planes_ <= 32);
  for (std::size_t g = 0; g < groups; ++g) {
    Group group{literals_.size(), 0, 0, 0};
    for (const bool inverted : {false, true})
      for (std::size_t o = g * size; o < (g + 1) * size; ++o) {
        if (outputs[o].inverted() != inverted) continue;
        if (outputs[o].is_constant()) {
          group.base += inverted;
          continue;
        }
        literals_.push_back(outputs[o].literal() - 2);  // node 1 + r is row r
        ++(inverted ? group.inverted : group.plain);
      }
    groups_.push_back(group);
  }
}

void CountedRows::count(std::size_t words, const std::uint64_t* rows, std::uint64_t* counts) const {
  for (const Group& group : groups_) {
    count_rows(counted(group), planes_, words, rows, counts);
    counts += planes_ * words;
  }
}

void CountedRows::count(std::size_t samples, const std::uint8_t* rows, std::uint32_t* counts) const {
  for (const Group& group : groups_) {
    count_narrow_rows(counted(group), samples, rows, counts);
    counts += samples;
  }
}

Matrix<std::uint64_t> make_bit_rows(std::size_t rows, std::size_t words) {
  FIRN_CHECK(words == 1 || words == 2 || words == 4 || (words > 0 && words % 8 == 0));
  return Matrix<std::uint64_t>(rows, words, std::min(words * sizeof(std::uint64_t), kCacheLine));
}

bool count_alike(const Machine& one, const Machine& other, std::uint64_t seed) {
  constexpr std::size_t kWords = 8;
  FIRN_CHECK(one.inputs() == other.inputs() && one.counted().groups() == other.counted().groups() &&
             one.counted().planes() == other.counted().planes());
  const auto first = one.make_runner(kWords), second = other.make_runner(kWords);
  RandomSequence random(seed, "machine/check");
  for (std::size_t i = 0; i < one.inputs(); ++i)
    for (std::size_t w = 0; w < kWords; ++w) {
      const std::uint64_t word = std::uint64_t{random.next()} << 32 | random.next();
      first->input().row(i)[w] = second->input().row(i)[w] = word;
    }
  for (Runner* runner : {first.get(), second.get()}) {
    runner->run_gates();
    runner->count();
  }
  return std::equal(first->counts().data(), first->counts().data() + first->counts().rows() * kWords,
                    second->counts().data());
}

void run_rows(const Machine& machine, std::size_t words, std::span<const std::uint64_t> in,
              std::span<std::uint64_t> out) {
  const std::vector<Wire> outputs = machine.outputs();
  FIRN_CHECK(in.size() == machine.inputs() * words && out.size() == outputs.size() * words);
  std::size_t width = 2;
  while (width < kBlockWords && width < words) width *= 2;
  const auto runner = machine.make_runner(width);
  for (std::size_t first = 0; first < words; first += width) {
    const std::size_t part = std::min(width, words - first);  // what a row has beyond it is whatever was there
    for (std::size_t i = 0; i < machine.inputs(); ++i)
      std::copy_n(in.data() + i * words + first, part, runner->input().row(i));
    runner->run_gates();
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const std::uint64_t flip = outputs[o].inverted() ? ~std::uint64_t{0} : 0;
      const std::uint64_t* row = outputs[o].is_constant() ? nullptr : runner->rows() + (outputs[o].node() - 1) * width;
      for (std::size_t w = 0; w < part; ++w) out[o * words + first + w] = (row != nullptr ? row[w] : 0) ^ flip;
    }
  }
}

}  // namespace firn::infer
