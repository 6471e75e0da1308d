// One number compared with several constants, as gates that the comparisons share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "firn/circuit/builder.h"

namespace firn::circuit {

// x > c from the top bit down: where c has a 1, x must have one as well, and where c has a 0, a 1 of x decides. So
// every run of equal bits of c is one AND, or one OR, of the same bits of x and of what is below. The operands of a run
// have no order, and that is what is shared: 70, 117 and 167, one after the other from the lowest bit up, are 17 gates;
// with x2 & x1 and x4 | x3 made once they are 15, which no effort of ABC (&deepsyn) could reduce further.
class ConstantComparison {
 public:
  ConstantComparison(std::size_t bits, std::span<const std::uint64_t> constants);

  // A wire for each constant, set where the number is greater; the bits are those that were announced.
  Word build(NetBuilder& builder, std::span<const Wire> number) const;

 private:
  using Operand = std::size_t;  // a bit of the number, or behind the bits a term
  // An AND, or an OR, of operands.
  struct Term {
    bool is_and = false;
    std::vector<Operand> operands;  // in ascending order, which is also that of the terms
    friend auto operator<=>(const Term&, const Term&) = default;
  };

  Operand operand_of(Term term);
  void share_pairs();
  Wire build_term(NetBuilder& builder, Operand operand, std::span<const Wire> number, Word& built) const;

  static constexpr Operand kNothing = ~Operand{0};  // where no number is greater
  std::size_t bits_;
  std::vector<Term> terms_;
  std::map<Term, Operand> known_;
  std::vector<Operand> results_;  // [constant]
};

}  // namespace firn::circuit
