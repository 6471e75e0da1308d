#include "firn/circuit/assemble.h"

#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/circuit/builder.h"
#include "firn/circuit/simplify.h"

namespace firn::circuit {

namespace {

struct HeadName {
  std::string_view name;
  HeadForm form;
};
constexpr std::array kHeadNames = {HeadName{"binary", HeadForm::kBinary}, HeadName{"one-hot", HeadForm::kOneHot}};

// A tournament of groups: contestants are numbered, the groups first, and then the winner of each match.
struct Match {
  std::size_t left, right;
  Wire right_wins;
};

Word choose_word(NetBuilder& builder, Wire condition, const Word& then, const Word& otherwise) {
  Word word;
  for (std::size_t i = 0; i < then.size(); ++i) word.push_back(builder.choose(condition, then[i], otherwise[i]));
  return word;
}

// In the order in which they are played. The right side, which has the higher numbers, wins only with more.
std::vector<Match> play(NetBuilder& builder, std::vector<Word> counts) {
  std::vector<Match> matches;
  std::vector<std::size_t> round(counts.size());
  std::iota(round.begin(), round.end(), std::size_t{0});
  while (round.size() > 1) {
    std::vector<std::size_t> winners;
    for (std::size_t i = 0; i + 1 < round.size(); i += 2) {
      const Word &left = counts[round[i]], &right = counts[round[i + 1]];
      const Wire right_wins = is_greater(builder, right, left);
      matches.push_back({round[i], round[i + 1], right_wins});
      winners.push_back(counts.size());
      counts.push_back(choose_word(builder, right_wins, right, left));
    }
    if (round.size() % 2 != 0) winners.push_back(round.back());
    round = std::move(winners);
  }
  return matches;
}

Word number_word(std::size_t number, std::size_t bits) {
  Word word;
  for (std::size_t i = 0; i < bits; ++i) word.push_back(kFalse ^ ((number >> i & 1) != 0));
  return word;
}

// The number travels with the winners.
Word winner_number(NetBuilder& builder, std::span<const Match> matches, std::size_t groups) {
  std::vector<Word> numbers;
  for (std::size_t g = 0; g < groups; ++g) numbers.push_back(number_word(g, class_bits(groups)));
  for (const Match& match : matches)
    numbers.push_back(choose_word(builder, match.right_wins, numbers[match.right], numbers[match.left]));
  return numbers.back();
}

// From the final back to the first round: who won a match that the winner came through.
Word winner_one_hot(NetBuilder& builder, std::span<const Match> matches, std::size_t groups) {
  Word leads(groups + matches.size(), kTrue);
  for (std::size_t m = matches.size(); m-- > 0;) {
    const Match& match = matches[m];
    leads[match.left] = builder.make_and(leads[groups + m], !match.right_wins);
    leads[match.right] = builder.make_and(leads[groups + m], match.right_wins);
  }
  leads.resize(groups);
  return leads;
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

std::size_t head_bits(const Head& head, std::size_t outputs, HeadForm form) {
  if (form == HeadForm::kNone) return outputs;
  if (head.is_value) return static_cast<std::size_t>(std::bit_width(outputs));
  return form == HeadForm::kOneHot ? head.classes() : class_bits(head.groups);
}

HeadForm parse_head_form(std::string_view name) {
  return entry_named(name, kHeadNames, "form of a head").form;
}

std::vector<std::string> head_form_names() {
  return names_of(kHeadNames);
}

Netlist with_head(const Netlist& circuit, const Head& head, HeadForm form) {
  if (form == HeadForm::kNone) return circuit;
  const bool one_hot = form == HeadForm::kOneHot;
  if (one_hot && head.is_value)
    throw Error("the model predicts a value, which is a count in binary; one-hot is for classes");
  const std::size_t groups = head.groups;
  FIRN_CHECK(groups > 0 && circuit.outputs.size() % groups == 0);
  NetBuilder builder(circuit.inputs);
  std::vector<Wire> inputs;
  for (std::size_t i = 0; i < circuit.inputs; ++i) inputs.push_back(builder.input(i));
  const std::vector<Wire> outputs = builder.embed(circuit, inputs);
  const std::size_t size = outputs.size() / groups;
  std::vector<Word> counts;
  for (std::size_t g = 0; g < groups; ++g)
    counts.push_back(count_ones(builder, std::span(outputs).subspan(g * size, size)));
  Word decision;
  if (head.is_value) {
    decision = std::move(counts[0]);
  } else if (groups == 1) {
    const Wire second = exceeds_threshold(builder, counts[0], head, size);
    decision = one_hot ? Word{!second, second} : Word{second};
  } else {
    const std::vector<Match> matches = play(builder, std::move(counts));
    decision = one_hot ? winner_one_hot(builder, matches, groups) : winner_number(builder, matches, groups);
  }
  Netlist whole = std::move(builder).take(std::move(decision));
  simplify(whole);
  return whole;
}

}  // namespace firn::circuit
