#include "firn/circuit/constant_comparison.h"

#include <algorithm>
#include <optional>

#include "firn/base/error.h"

namespace firn::circuit {

ConstantComparison::ConstantComparison(std::size_t bits, std::span<const std::uint64_t> constants) : bits_(bits) {
  FIRN_CHECK(bits > 0 && bits < 64);
  for (const std::uint64_t constant : constants) {
    std::optional<Term> run;  // of the bits so far, from the lowest up; ones at the bottom leave nothing greater
    for (std::size_t b = 0; b < bits; ++b) {
      const bool is_and = constant >> b & 1;
      if (!run && is_and) continue;
      if (!run) {
        run = Term{is_and, {b}};
        continue;
      }
      if (run->operands.size() > 1 && run->is_and != is_and) run = Term{is_and, {operand_of(*std::move(run))}};
      run->is_and = is_and;
      run->operands.push_back(b);
      std::ranges::sort(run->operands);
    }
    results_.push_back(!run || constant >> bits != 0 ? kNothing : operand_of(*std::move(run)));
  }
  share_pairs();
}

ConstantComparison::Operand ConstantComparison::operand_of(Term term) {
  if (term.operands.size() == 1) return term.operands[0];
  const auto [found, fresh] = known_.try_emplace(term, bits_ + terms_.size());
  if (fresh) terms_.push_back(std::move(term));
  return found->second;
}

// The pair of operands that most terms have in common becomes a term of its own, until no pair is in two terms. A new
// term reads the operands of terms that exist, so that there is no cycle.
void ConstantComparison::share_pairs() {
  for (;;) {
    std::map<Term, std::size_t> pairs;
    for (const Term& term : terms_)
      for (std::size_t i = 0; term.operands.size() > 2 && i < term.operands.size(); ++i)
        for (std::size_t j = i + 1; j < term.operands.size(); ++j)
          ++pairs[{term.is_and, {term.operands[i], term.operands[j]}}];
    for (auto& [pair, uses] : pairs) uses += known_.count(pair);  // a term of two operands may be the pair itself
    const auto most = std::ranges::max_element(pairs, {}, [](const auto& entry) { return entry.second; });
    if (most == pairs.end() || most->second < 2) return;
    const Term pair = most->first;
    const Operand made = operand_of(pair);
    for (Term& term : terms_) {
      if (term.is_and != pair.is_and || term.operands.size() == 2) continue;
      if (!std::ranges::includes(term.operands, pair.operands)) continue;
      std::erase_if(term.operands, [&](Operand o) { return std::ranges::count(pair.operands, o) > 0; });
      term.operands.insert(std::ranges::upper_bound(term.operands, made), made);
    }
  }
}

Wire ConstantComparison::build_term(NetBuilder& builder, Operand operand, std::span<const Wire> number,
                                    Word& built) const {
  if (operand < bits_) return number[operand];
  Wire& wire = built[operand - bits_];
  if (wire != kFalse) return wire;  // no term is constant
  const Term& term = terms_[operand - bits_];
  Word operands;
  for (const Operand o : term.operands) operands.push_back(build_term(builder, o, number, built) ^ term.is_and);
  return wire = any_of(builder, operands) ^ term.is_and;
}

Word ConstantComparison::build(NetBuilder& builder, std::span<const Wire> number) const {
  FIRN_CHECK(number.size() == bits_);
  Word built(terms_.size(), kFalse), results;
  for (const Operand result : results_)
    results.push_back(result == kNothing ? kFalse : build_term(builder, result, number, built));
  return results;
}

}  // namespace firn::circuit
