// The sixteen two-input gates: truth tables, names and multilinear coefficients, known in this one place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "firn/base/rooms.h"

namespace firn::logic {

inline constexpr int kGates = 16;
inline constexpr std::size_t kSlots = 16;  // of a neuron: candidates, each with a gate

// The number of a gate is its truth table read as bits f(0,0) f(0,1) f(1,0) f(1,1), most significant first.
enum class Gate : std::uint8_t {
  kFalse = 0,
  kAnd = 1,
  kAndNot = 2,
  kA = 3,
  kNotAnd = 4,
  kB = 5,
  kXor = 6,
  kOr = 7,
  kNor = 8,
  kXnor = 9,
  kNotB = 10,
  kOrNot = 11,
  kNotA = 12,
  kNotOr = 13,
  kNand = 14,
  kTrue = 15,
};

constexpr bool eval(Gate g, bool a, bool b) {
  return (static_cast<unsigned>(g) >> (3 - (2 * a + b))) & 1;
}

// {c0, ca, cb, cab}: on bits and, by multilinear extension, on [0,1] the gate equals c0 + ca*a + cb*b + cab*a*b.
constexpr std::array<float, 4> coefficients(Gate g) {
  const float f00 = eval(g, 0, 0), f01 = eval(g, 0, 1), f10 = eval(g, 1, 0), f11 = eval(g, 1, 1);
  return {f00, f10 - f00, f01 - f00, f11 - f10 - f01 + f00};
}

constexpr std::string_view name(Gate g) {
  constexpr std::array<std::string_view, kGates> names = {
      "false", "a and b", "a and not b", "a",           "not a and b", "b",           "xor",  "or",
      "nor",   "xnor",    "not b",       "b implies a", "not a",       "a implies b", "nand", "true"};
  return names[static_cast<std::size_t>(g)];
}

// Does the gate's value depend on the operand at all?
constexpr bool depends_on_a(Gate g) {
  return eval(g, 0, 0) != eval(g, 1, 0) || eval(g, 0, 1) != eval(g, 1, 1);
}
constexpr bool depends_on_b(Gate g) {
  return eval(g, 0, 0) != eval(g, 0, 1) || eval(g, 1, 0) != eval(g, 1, 1);
}

// The gate from its four values f(0,0), f(0,1), f(1,0), f(1,1).
constexpr Gate gate_of(bool f00, bool f01, bool f10, bool f11) {
  return static_cast<Gate>(8 * f00 + 4 * f01 + 2 * f10 + f11);
}
constexpr Gate complement(Gate g) {
  return static_cast<Gate>(15 - static_cast<unsigned>(g));
}
// The gate h with h(a, b) = g(a ^ invert_a, b ^ invert_b).
constexpr Gate with_inputs_inverted(Gate g, bool invert_a, bool invert_b) {
  const auto f = [=](bool a, bool b) { return eval(g, a != invert_a, b != invert_b); };
  return gate_of(f(0, 0), f(0, 1), f(1, 0), f(1, 1));
}
// The gate h with h(a, b) = g(b, a).
constexpr Gate with_inputs_swapped(Gate g) {
  return gate_of(eval(g, 0, 0), eval(g, 1, 0), eval(g, 0, 1), eval(g, 1, 1));
}

// All coefficients, operand-major: kGateCoefficients[t][g] is term t (1, a, b, ab) of gate g.
inline constexpr auto kGateCoefficients = [] {
  std::array<float[kGates], 4> table{};
  for (int g = 0; g < kGates; ++g)
    for (int t = 0; t < 4; ++t) table[t][g] = coefficients(static_cast<Gate>(g))[t];
  return table;
}();

// The same, gate-major: kGateTerms[g] = {c0, ca, cb, cab}.
inline constexpr auto kGateTerms = [] {
  std::array<float[4], kGates> table{};
  for (int g = 0; g < kGates; ++g)
    for (int t = 0; t < 4; ++t) table[g][t] = coefficients(static_cast<Gate>(g))[t];
  return table;
}();

// Algebraic normal form on words: gate = m[0] ^ (m[1] & a) ^ (m[2] & b) ^ (m[3] & a & b), where each mask is all ones
// or zero. Any gate is then the same straight line of operations, without a branch.
inline constexpr auto kGateMasks = [] {
  std::array<std::uint64_t[4], kGates> table{};
  for (int g = 0; g < kGates; ++g) {
    const auto value = [g](bool a, bool b) { return eval(static_cast<Gate>(g), a, b); };
    const bool terms[4] = {value(0, 0), value(0, 0) != value(1, 0), value(0, 0) != value(0, 1),
                           (value(0, 0) != value(0, 1)) != (value(1, 0) != value(1, 1))};
    for (int t = 0; t < 4; ++t) table[g][t] = terms[t] ? ~std::uint64_t{0} : 0;
  }
  return table;
}();
constexpr std::uint64_t apply(Gate g, std::uint64_t a, std::uint64_t b) {
  const auto& m = kGateMasks[static_cast<std::size_t>(g)];
  return m[0] ^ (m[1] & a) ^ (m[2] & b) ^ (m[3] & a & b);
}

namespace gate_proofs {

constexpr bool extension_agrees_with_truth_table() {
  for (int g = 0; g < kGates; ++g)
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b) {
        const auto c = coefficients(static_cast<Gate>(g));
        const float fa = static_cast<float>(a), fb = static_cast<float>(b);
        if (c[0] + c[1] * fa + c[2] * fb + c[3] * fa * fb != static_cast<float>(eval(static_cast<Gate>(g), a, b)))
          return false;
      }
  return true;
}

// The gate with number 15 - g is the negation of g.
constexpr bool complements_negate() {
  for (int g = 0; g < kGates; ++g)
    for (int ab = 0; ab < 4; ++ab)
      if (eval(static_cast<Gate>(g), ab / 2, ab % 2) == eval(static_cast<Gate>(15 - g), ab / 2, ab % 2)) return false;
  return true;
}

// Inverting or swapping twice gives the gate back, and once what the truth table says.
constexpr bool rearrangements_agree() {
  for (int i = 0; i < kGates; ++i) {
    const Gate g = static_cast<Gate>(i);
    if (with_inputs_swapped(with_inputs_swapped(g)) != g || complement(complement(g)) != g) return false;
    for (int ab = 0; ab < 4; ++ab)
      for (int inverted = 0; inverted < 4; ++inverted) {
        const bool a = ab / 2, b = ab % 2, not_a = inverted / 2, not_b = inverted % 2;
        if (eval(with_inputs_inverted(g, not_a, not_b), a, b) != eval(g, a != not_a, b != not_b)) return false;
        if (eval(with_inputs_swapped(g), a, b) != eval(g, b, a)) return false;
      }
  }
  return true;
}

static_assert(extension_agrees_with_truth_table());
static_assert(complements_negate());
static_assert(rearrangements_agree());
static_assert(coefficients(Gate::kXor) == std::array{0.f, 1.f, 1.f, -2.f});
static_assert(coefficients(Gate::kOr) == std::array{0.f, 1.f, 1.f, -1.f});
static_assert(eval(Gate::kAndNot, 1, 0) && !eval(Gate::kAndNot, 1, 1) && !eval(Gate::kAndNot, 0, 0));
static_assert(eval(Gate::kNotOr, 0, 0) && eval(Gate::kNotOr, 1, 1) && !eval(Gate::kNotOr, 1, 0));
static_assert(depends_on_a(Gate::kA) && !depends_on_b(Gate::kA) && !depends_on_a(Gate::kTrue));

}  // namespace gate_proofs

}  // namespace firn::logic
