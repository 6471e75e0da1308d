#include "firn/circuit/assemble.h"

#include <bit>
#include <utility>

#include "firn/base/error.h"
#include "firn/circuit/builder.h"
#include "firn/circuit/simplify.h"

namespace firn::circuit {

namespace {

// A class that leads a part of the groups.
struct Leader {
  Word count, number;
};

Word choose_word(NetBuilder& builder, Wire condition, const Word& then, const Word& otherwise) {
  Word word;
  for (std::size_t i = 0; i < then.size(); ++i) word.push_back(builder.choose(condition, then[i], otherwise[i]));
  return word;
}

Word number_word(std::size_t number, std::size_t bits) {
  Word word;
  for (std::size_t i = 0; i < bits; ++i) word.push_back(kFalse ^ ((number >> i & 1) != 0));
  return word;
}

// A tournament; the right side, which has the higher numbers, wins only with more.
Leader largest(NetBuilder& builder, std::vector<Leader> leaders) {
  while (leaders.size() > 1) {
    std::vector<Leader> winners;
    for (std::size_t i = 0; i + 1 < leaders.size(); i += 2) {
      const Leader &left = leaders[i], &right = leaders[i + 1];
      const Wire wins = is_greater(builder, right.count, left.count);
      winners.push_back(
          {choose_word(builder, wins, right.count, left.count), choose_word(builder, wins, right.number, left.number)});
    }
    if (leaders.size() % 2 != 0) winners.push_back(leaders.back());
    leaders = std::move(winners);
  }
  return leaders.front();
}

// The largest count that does not reach the threshold, found in the arithmetic that the engine decides in; nothing is
// counted beyond `most`.
std::size_t largest_count_below(const Head& head, std::size_t most) {
  std::size_t count = 0;
  while (count < most && !(head.offset + head.factor * static_cast<float>(count + 1) > head.threshold)) ++count;
  return count;
}

Wire exceeds_threshold(NetBuilder& builder, const Word& count, const Head& head, std::size_t most) {
  if (head.offset > head.threshold) return kTrue;  // with no output set already
  return is_greater_than(builder, count, largest_count_below(head, most));
}

}  // namespace

Netlist with_encoder(const Netlist& circuit, const Comparators& encoder) {
  Netlist whole = with_comparators(circuit, encoder);
  simplify(whole);
  return whole;
}

std::size_t class_bits(std::size_t groups) {
  return groups == 1 ? 1 : static_cast<std::size_t>(std::bit_width(groups - 1));
}

std::size_t head_bits(const Head& head, std::size_t outputs) {
  return head.is_value ? static_cast<std::size_t>(std::bit_width(outputs)) : class_bits(head.groups);
}

Netlist with_head(const Netlist& circuit, const Head& head) {
  const std::size_t groups = head.groups;
  FIRN_CHECK(groups > 0 && circuit.outputs.size() % groups == 0);
  NetBuilder builder(circuit.inputs);
  std::vector<Wire> inputs;
  for (std::size_t i = 0; i < circuit.inputs; ++i) inputs.push_back(builder.input(i));
  const std::vector<Wire> outputs = builder.embed(circuit, inputs);
  const std::size_t size = outputs.size() / groups;
  std::vector<Leader> leaders;
  for (std::size_t g = 0; g < groups; ++g)
    leaders.push_back(
        {count_ones(builder, std::span(outputs).subspan(g * size, size)), number_word(g, class_bits(groups))});
  Word decision = head.is_value ? leaders[0].count
                  : groups == 1 ? Word{exceeds_threshold(builder, leaders[0].count, head, size)}
                                : largest(builder, std::move(leaders)).number;
  Netlist whole = std::move(builder).take(std::move(decision));
  simplify(whole);
  return whole;
}

}  // namespace firn::circuit
