#include "firn/circuit/largest.h"

#include <numeric>
#include <utility>

#include "firn/base/error.h"

namespace firn::circuit {

namespace {

constexpr std::size_t kWidestElimination = 5;  // bits of a count

// Contestants are numbered: the counts first, and then the winner of each match.
struct Match {
  std::size_t left, right;
  Wire right_wins;
};

Word choose_word(NetBuilder& builder, Wire condition, const Word& then, const Word& otherwise) {
  Word word;
  for (std::size_t i = 0; i < then.size(); ++i) word.push_back(builder.choose(condition, then[i], otherwise[i]));
  return word;
}

// In the order in which they are played. The right side, which comes later, wins only with more.
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
Word winner_number(NetBuilder& builder, std::span<const Match> matches, std::size_t counts, std::size_t bits) {
  std::vector<Word> numbers;
  for (std::size_t c = 0; c < counts; ++c) numbers.push_back(number_word(c, bits));
  for (const Match& match : matches)
    numbers.push_back(choose_word(builder, match.right_wins, numbers[match.right], numbers[match.left]));
  return numbers.back();
}

// From the final back to the first round: who won a match that the winner came through.
Word winner_one_hot(NetBuilder& builder, std::span<const Match> matches, std::size_t counts) {
  Word leads(counts + matches.size(), kTrue);
  for (std::size_t m = matches.size(); m-- > 0;) {
    const Match& match = matches[m];
    leads[match.left] = builder.make_and(leads[counts + m], !match.right_wins);
    leads[match.right] = builder.make_and(leads[counts + m], match.right_wins);
  }
  leads.resize(counts);
  return leads;
}

// Those of the largest counts; the first of them is the result.
Word not_eliminated(NetBuilder& builder, const std::vector<Word>& counts) {
  Word left(counts.size(), kTrue);
  for (std::size_t b = counts[0].size(); b-- > 0;) {
    Word have;
    for (std::size_t c = 0; c < counts.size(); ++c) have.push_back(builder.make_and(left[c], counts[c][b]));
    const Wire any = any_of(builder, have);
    for (std::size_t c = 0; c < counts.size(); ++c) left[c] = builder.make_or(have[c], builder.make_and(left[c], !any));
  }
  return left;
}

Word first_set(NetBuilder& builder, const Word& wires) {
  Word first;
  Wire none = kTrue;
  for (const Wire wire : wires) {
    first.push_back(builder.make_and(wire, none));
    none = builder.make_and(none, !wire);
  }
  return first;
}

}  // namespace

Decision decision_for(const std::vector<Word>& counts) {
  return counts[0].size() <= kWidestElimination ? Decision::kElimination : Decision::kTournament;
}

Word largest_one_hot(NetBuilder& builder, const std::vector<Word>& counts, Decision decision) {
  FIRN_CHECK(!counts.empty());
  if (decision == Decision::kElimination) return first_set(builder, not_eliminated(builder, counts));
  return winner_one_hot(builder, play(builder, counts), counts.size());
}

Word largest_number(NetBuilder& builder, const std::vector<Word>& counts, Decision decision, std::size_t bits) {
  FIRN_CHECK(!counts.empty());
  if (decision == Decision::kTournament) return winner_number(builder, play(builder, counts), counts.size(), bits);
  const Word leads = largest_one_hot(builder, counts, decision);
  Word number;
  for (std::size_t b = 0; b < bits; ++b) {
    Word with_bit;
    for (std::size_t c = 0; c < leads.size(); ++c)
      if (c >> b & 1) with_bit.push_back(leads[c]);
    number.push_back(any_of(builder, with_bit));
  }
  return number;
}

}  // namespace firn::circuit
