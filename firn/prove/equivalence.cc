#include "firn/prove/equivalence.h"

#include <algorithm>
#include <bit>
#include <cadical.hpp>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/random.h"
#include "firn/circuit/builder.h"

namespace firn::prove {

namespace {

constexpr int kSatisfiable = 10, kUnsatisfiable = 20;  // what CaDiCaL returns; anything else is "gave up"

// Values of all nodes on many input patterns, 64 a word; more words can be added.
class Patterns {
 public:
  explicit Patterns(const Netlist& netlist) : netlist_(netlist), values_(netlist.nodes()) {}

  void add_word(std::span<const std::uint64_t> inputs) {
    values_[0].push_back(0);
    for (std::size_t i = 0; i < netlist_.inputs; ++i) values_[1 + i].push_back(inputs[i]);
    for (std::size_t g = 0; g < netlist_.gates.size(); ++g) {
      const NetGate& gate = netlist_.gates[g];
      values_[netlist_.first_gate() + g].push_back(apply_words(gate.op, last_word(gate.a), last_word(gate.b)));
    }
    ++words_;
  }
  void clear() {
    for (std::vector<std::uint64_t>& words : values_) words.clear();
    words_ = 0;
  }
  // The first pattern of the last word on which a pair of outputs differs.
  std::optional<Equivalence::Difference> last_difference(Wire a, Wire b, std::size_t output) const {
    const std::size_t last = words_ - 1;
    const std::uint64_t differ = word(a, last) ^ word(b, last);
    if (differ == 0) return std::nullopt;
    const int bit = std::countr_zero(differ);
    std::vector<bool> inputs;
    for (std::size_t i = 0; i < netlist_.inputs; ++i) inputs.push_back(values_[1 + i][last] >> bit & 1);
    return Equivalence::Difference{output, std::move(inputs), (word(a, last) >> bit & 1) != 0,
                                   (word(b, last) >> bit & 1) != 0};
  }
  std::uint64_t word(Wire wire, std::size_t w) const {
    const std::uint64_t value = values_[wire.node()][w];
    return wire.inverted() ? ~value : value;
  }
  // A hash that is the same for a node and its complement.
  std::uint64_t signature(std::uint32_t node) const {
    const std::uint64_t flip = polarity(node) ? ~std::uint64_t{0} : 0;
    std::uint64_t hash = 0x9e3779b97f4a7c15u;
    for (std::uint64_t word : values_[node]) hash = (hash ^ word ^ flip) * 0xd6e8feb86659fd93u, hash ^= hash >> 32;
    return hash;
  }
  bool polarity(std::uint32_t node) const { return values_[node][0] & 1; }

 private:
  std::uint64_t last_word(Wire wire) const { return word(wire, words_); }

  const Netlist& netlist_;
  std::vector<std::vector<std::uint64_t>> values_;
  std::size_t words_ = 0;
};

// Clauses of a growing netlist, added when a question first needs them.
class Prover {
 public:
  explicit Prover(const Netlist& netlist) : netlist_(netlist) { solver_.set("quiet", 1); }

  enum class Answer { kEqual, kDifferent, kUnknown };

  // After kDifferent, input_value() tells on which inputs.
  Answer compare(Wire a, Wire b, int conflicts) {
    require(a.node());
    require(b.node());
    for (const bool a_is_true : {true, false}) {
      solver_.limit("conflicts", conflicts);
      solver_.assume(a_is_true ? literal(a) : -literal(a));
      solver_.assume(a_is_true ? -literal(b) : literal(b));
      const int answer = solver_.solve();
      if (answer == kSatisfiable) return Answer::kDifferent;
      if (answer != kUnsatisfiable) return Answer::kUnknown;
    }
    add_clause({literal(a), -literal(b)});
    add_clause({-literal(a), literal(b)});
    return Answer::kEqual;
  }

  bool input_value(std::size_t i) {
    const std::size_t node = 1 + i;
    return node < known_.size() && known_[node] && solver_.val(variable(static_cast<std::uint32_t>(node))) > 0;
  }

 private:
  static int variable(std::uint32_t node) { return static_cast<int>(node) + 1; }
  static int literal(Wire wire) { return wire.inverted() ? -variable(wire.node()) : variable(wire.node()); }

  void add_clause(std::initializer_list<int> literals) {
    for (int l : literals) solver_.add(l);
    solver_.add(0);
  }

  void require(std::uint32_t root) {
    known_.resize(netlist_.nodes());
    stack_.push_back(root);
    while (!stack_.empty()) {
      const std::uint32_t node = stack_.back();
      stack_.pop_back();
      if (known_[node]) continue;
      known_[node] = true;
      if (node == 0) add_clause({-variable(0)});
      if (!netlist_.is_gate(node)) continue;
      const NetGate& gate = netlist_.gate_of(node);
      add_gate(variable(node), literal(gate.a), literal(gate.b), gate.op);
      stack_.push_back(gate.a.node());
      stack_.push_back(gate.b.node());
    }
  }

  // One clause for each row of the truth table; an AND does with shorter ones.
  void add_gate(int y, int a, int b, Gate op) {
    if (op == Gate::kAnd) {
      add_clause({-y, a});
      add_clause({-y, b});
      add_clause({y, -a, -b});
      return;
    }
    for (const bool x : {false, true})
      for (const bool z : {false, true}) add_clause({eval(op, x, z) ? y : -y, x ? -a : a, z ? -b : b});
  }

  const Netlist& netlist_;  // may grow
  CaDiCaL::Solver solver_;
  std::vector<bool> known_;  // nodes whose clauses the solver has
  std::vector<std::uint32_t> stack_;
};

// Circuits whose outputs are compared in pairs, all in one netlist.
struct Joint {
  const Netlist& netlist;
  std::span<const Wire> first, second;
};

// Tries random patterns, word by word, until a pair of outputs differs. The patterns stay only where `keep` says so.
void try_random(const Joint& joint, const EquivalenceSettings& settings, bool keep, Patterns& patterns,
                Equivalence& result) {
  RandomSequence random(settings.seed, "equivalence");
  std::vector<std::uint64_t> inputs(joint.netlist.inputs);
  const std::size_t words = std::max<std::size_t>(1, (settings.patterns + 63) / 64);
  for (std::size_t w = 0; w < words; ++w) {
    for (std::uint64_t& word : inputs) word = std::uint64_t{random.next()} << 32 | random.next();
    if (!keep) patterns.clear();
    patterns.add_word(inputs);
    result.patterns += 64;
    for (std::size_t o = 0; o < joint.first.size(); ++o)
      if ((result.difference = patterns.last_difference(joint.first[o], joint.second[o], o))) return;
  }
}

// Adds the answer that the prover has just given about a pair of outputs to the result.
void take_answer(Prover::Answer answer, Prover& prover, const Joint& joint, std::size_t output, Equivalence& result) {
  if (answer == Prover::Answer::kEqual) ++result.by_proof;
  if (answer == Prover::Answer::kUnknown) ++result.unknown;
  if (answer != Prover::Answer::kDifferent) return;
  std::vector<std::uint64_t> inputs;
  for (std::size_t i = 0; i < joint.netlist.inputs; ++i) inputs.push_back(prover.input_value(i));
  Patterns one(joint.netlist);
  one.add_word(inputs);
  result.difference = one.last_difference(joint.first[output], joint.second[output], output);
  FIRN_CHECK(result.difference);  // the solver's word is checked
}

// Both circuits in one netlist; its inner nodes are merged from the inputs to the outputs where they are proved equal,
// so that the proofs of the outputs find their cones almost the same.
class Sweeper {
 public:
  Sweeper(const Joint& joint, const EquivalenceSettings& settings)
      : joint_(joint),
        netlist_(joint.netlist),
        settings_(settings),
        patterns_(netlist_),
        swept_(netlist_.inputs),
        prover_(swept_.netlist()),
        now_(netlist_.nodes()),
        pending_(netlist_.inputs, 0) {}

  Equivalence run(const EquivalenceProgress& progress) {
    const std::span<const Wire> first = joint_.first, second = joint_.second;
    Equivalence result;
    try_random(joint_, settings_, /*keep=*/true, patterns_, result);
    if (result.difference) return result;
    merge_nodes(cones_of_different(), progress);
    for (std::size_t o = 0; o < first.size(); ++o) {
      if (first[o] == second[o]) {
        ++result.by_structure;
        continue;
      }
      prove_output(o, result);
      if (result.difference) return result;
    }
    return result;
  }

 private:
  Wire renamed(Wire wire) const { return now_[wire.node()] ^ wire.inverted(); }

  // Nodes behind outputs that are not the same wire already.
  std::vector<bool> cones_of_different() const {
    const std::span<const Wire> first = joint_.first, second = joint_.second;
    std::vector<bool> needed(netlist_.nodes());
    for (std::size_t o = 0; o < first.size(); ++o)
      if (first[o] != second[o]) needed[first[o].node()] = needed[second[o].node()] = true;
    for (std::size_t g = netlist_.gates.size(); g-- > 0;)
      if (needed[netlist_.gate(g).node()])
        needed[netlist_.gates[g].a.node()] = needed[netlist_.gates[g].b.node()] = true;
    return needed;
  }

  void merge_nodes(const std::vector<bool>& needed, const EquivalenceProgress& progress) {
    now_[0] = kFalse;
    for (std::size_t i = 0; i < netlist_.inputs; ++i) now_[1 + i] = swept_.input(i);
    for (std::uint32_t node = 0; node < netlist_.first_gate(); ++node) remember(node);
    for (std::size_t g = 0; g < netlist_.gates.size(); ++g) {
      const std::uint32_t node = netlist_.gate(g).node();
      if (!needed[node]) continue;
      const std::size_t gates = swept_.gates();
      now_[node] = swept_.make(netlist_.gates[g].op, renamed(netlist_.gates[g].a), renamed(netlist_.gates[g].b));
      if (swept_.gates() > gates) merge(node);
      if (progress && g % 1024 == 0) progress(g, netlist_.gates.size());
    }
  }

  // Earlier nodes with equal values on all patterns are candidates; a node that is none of them is one for later nodes.
  void merge(std::uint32_t node) {
    const auto found = classes_.find(patterns_.signature(node));
    const std::vector<std::uint32_t> candidates =
        found == classes_.end() ? std::vector<std::uint32_t>{} : found->second;
    for (std::uint32_t other : candidates) {
      const Wire candidate = now_[other] ^ (patterns_.polarity(node) != patterns_.polarity(other));
      const auto answer = prover_.compare(now_[node], candidate, settings_.merge_conflicts);
      if (answer == Prover::Answer::kEqual) {
        now_[node] = candidate;
        return;
      }
      if (answer == Prover::Answer::kDifferent) learn_pattern();
    }
    remember(node);
  }

  void remember(std::uint32_t node) {
    remembered_.push_back(node);
    add_to_class(node);
  }

  void add_to_class(std::uint32_t node) {
    constexpr std::size_t kMostCandidates = 8;  // more would cost more proofs than they save
    std::vector<std::uint32_t>& members = classes_[patterns_.signature(node)];
    if (members.size() < kMostCandidates) members.push_back(node);
  }

  // The inputs that tell two nodes apart become a pattern; 64 of them make a word, and classes are formed anew.
  void learn_pattern() {
    for (std::size_t i = 0; i < netlist_.inputs; ++i)
      if (prover_.input_value(i)) pending_[i] |= std::uint64_t{1} << pending_count_;
    if (++pending_count_ < 64) return;
    patterns_.add_word(pending_);
    std::ranges::fill(pending_, 0);
    pending_count_ = 0;
    classes_.clear();
    for (std::uint32_t node : remembered_) add_to_class(node);
  }

  void prove_output(std::size_t output, Equivalence& result) {
    const Wire a = renamed(joint_.first[output]), b = renamed(joint_.second[output]);
    const auto answer = a == b ? Prover::Answer::kEqual : prover_.compare(a, b, settings_.output_conflicts);
    take_answer(answer, prover_, joint_, output, result);
  }

  const Joint& joint_;
  const Netlist& netlist_;
  const EquivalenceSettings& settings_;
  Patterns patterns_;
  NetBuilder swept_;
  Prover prover_;
  std::vector<Wire> now_;  // where each node of the joint netlist is found in the swept one
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> classes_;  // signature -> nodes of the joint netlist
  std::vector<std::uint32_t> remembered_;
  std::vector<std::uint64_t> pending_;
  int pending_count_ = 0;
};

// Both circuits on the same inputs, gates and outputs of the first before those of the second.
Netlist side_by_side(const Netlist& first, const Netlist& second) {
  Netlist joint = first;
  const auto moved = [&](Wire wire) {
    return second.is_gate(wire.node())
               ? joint.gate(first.gates.size() + wire.node() - second.first_gate()) ^ wire.inverted()
               : wire;
  };
  for (const NetGate& gate : second.gates) joint.gates.push_back({moved(gate.a), moved(gate.b), gate.op, gate.layer});
  for (Wire output : second.outputs) joint.outputs.push_back(moved(output));
  return joint;
}

// Proves each pair of outputs by the solver alone.
Equivalence prove_plainly(const Joint& joint, const EquivalenceSettings& settings,
                          const EquivalenceProgress& progress) {
  Equivalence result;
  Patterns patterns(joint.netlist);
  try_random(joint, settings, /*keep=*/false, patterns, result);
  Prover prover(joint.netlist);
  const std::size_t outputs = joint.first.size(), gates = joint.netlist.gates.size();
  for (std::size_t o = 0; o < outputs && !result.difference; ++o) {
    const auto answer = prover.compare(joint.first[o], joint.second[o], settings.output_conflicts);
    take_answer(answer, prover, joint, o, result);
    if (progress && o % 64 == 0) progress(o * gates / outputs, gates);
  }
  return result;
}

}  // namespace

Equivalence check_equivalence(const Netlist& first, const Netlist& second, const EquivalenceSettings& settings,
                              const EquivalenceProgress& progress) {
  FIRN_CHECK(first.inputs == second.inputs && first.outputs.size() == second.outputs.size());
  if (!settings.sharing) {
    const Netlist both = side_by_side(first, second);
    const auto outputs = std::span(both.outputs);
    return prove_plainly({both, outputs.first(first.outputs.size()), outputs.last(first.outputs.size())}, settings,
                         progress);
  }
  NetBuilder builder(first.inputs);
  const std::vector<Wire> inputs = builder.inputs();
  const std::vector<Wire> a = builder.embed(first, inputs), b = builder.embed(second, inputs);
  const Joint joint{builder.netlist(), a, b};
  return Sweeper(joint, settings).run(progress);
}

}  // namespace firn::prove
