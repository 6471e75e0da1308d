#include "firn/infer/order.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "firn/kernels/circuit.h"

namespace firn::infer {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

std::span<const std::uint32_t> operands_of(const Instruction& instruction) {
  return {instruction.operand.data(), static_cast<std::size_t>(gate_kind::operands(instruction.kind))};
}

// Which instructions read a node, once for every operand.
class Readers {
 public:
  Readers(std::span<const Instruction> instructions, std::size_t nodes) : first_(nodes + 1) {
    for (const Instruction& instruction : instructions)
      for (const std::uint32_t node : operands_of(instruction)) ++first_[node];
    std::uint32_t sum = 0;
    for (std::uint32_t& first : first_) first = sum += first;  // where the next node's begin; filled from behind
    readers_.resize(sum);
    for (std::uint32_t i = static_cast<std::uint32_t>(instructions.size()); i-- > 0;)
      for (const std::uint32_t node : operands_of(instructions[i])) readers_[--first_[node]] = i;
  }
  std::span<const std::uint32_t> of(std::uint32_t node) const {
    return {readers_.data() + first_[node], readers_.data() + first_[node + 1]};
  }

 private:
  std::vector<std::uint32_t> first_, readers_;
};

// A walk through instructions that share operands. Lists of the unvisited readers of each node, linked through the
// operand slots of the instructions.
class Walk {
 public:
  explicit Walk(std::size_t nodes) : first_reader_(nodes, kNone) {}

  void reorder(std::span<Instruction> segment) {
    build(segment);
    std::vector<Instruction> order;
    order.reserve(segment.size());
    for (std::uint32_t start = 0; start < segment.size(); ++start)
      for (std::uint32_t at = start; at != kNone && !visited_[at]; at = next_from(segment[at])) {
        visited_[at] = true;
        order.push_back(segment[at]);
      }
    for (const Instruction& instruction : segment)
      for (const std::uint32_t node : operands_of(instruction)) first_reader_[node] = kNone;
    std::copy(order.begin(), order.end(), segment.begin());
  }

 private:
  static constexpr std::uint32_t kSlots = 4;

  void build(std::span<const Instruction> segment) {
    visited_.assign(segment.size(), false);
    next_reader_.assign(segment.size() * kSlots, kNone);
    for (std::uint32_t i = static_cast<std::uint32_t>(segment.size()); i-- > 0;) {
      const auto operands = operands_of(segment[i]);
      for (std::uint32_t o = 0; o < operands.size(); ++o)
        next_reader_[kSlots * i + o] = std::exchange(first_reader_[operands[o]], kSlots * i + o);
    }
  }

  // An unvisited instruction that reads what this one reads, its last operand first.
  std::uint32_t next_from(const Instruction& instruction) {
    const auto operands = operands_of(instruction);
    for (std::size_t o = operands.size(); o-- > 0;) {
      std::uint32_t& reader = first_reader_[operands[o]];
      while (reader != kNone && visited_[reader / kSlots]) reader = next_reader_[reader];
      if (reader != kNone) return reader / kSlots;
    }
    return kNone;
  }

  std::vector<std::uint32_t> first_reader_;  // per node: 4 * instruction + operand, or kNone
  std::vector<std::uint32_t> next_reader_;   // per slot
  std::vector<bool> visited_;
};

}  // namespace

void sink_to_uses(std::vector<Instruction>& instructions, std::size_t nodes, std::uint32_t most_uses) {
  std::vector<std::uint32_t> uses(nodes), maker(nodes, kNone);
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    for (const std::uint32_t node : operands_of(instructions[i])) ++uses[node];
    maker[instructions[i].result] = i;
  }
  const auto sinks = [&](std::uint32_t node) { return uses[node] > 0 && uses[node] <= most_uses; };
  std::vector<Instruction> order;
  order.reserve(instructions.size());
  std::vector<std::uint32_t> stack;  // instructions to emit; each is seen before and after its operands
  enum : std::uint8_t { kNew, kOpened, kEmitted };
  std::vector<std::uint8_t> state(instructions.size(), kNew);
  for (std::uint32_t root = 0; root < instructions.size(); ++root) {
    if (sinks(instructions[root].result)) continue;  // its first reader emits it
    stack.push_back(root);
    while (!stack.empty()) {
      const std::uint32_t i = stack.back();
      if (state[i] != kNew) {
        if (state[i] == kOpened) order.push_back(instructions[i]);
        state[i] = kEmitted;
        stack.pop_back();
        continue;
      }
      state[i] = kOpened;
      const auto operands = operands_of(instructions[i]);
      for (std::size_t o = operands.size(); o-- > 0;) {
        const std::uint32_t before = maker[operands[o]];
        if (before != kNone && state[before] == kNew && sinks(operands[o])) stack.push_back(before);
      }
    }
  }
  instructions = std::move(order);
}

void follow_shared_operands(std::vector<Instruction>& instructions, std::size_t nodes) {
  constexpr std::size_t kWorthIt = 256;  // instructions; fewer of them stay in the L1 cache anyway
  Walk walk(nodes);
  std::vector<std::uint32_t> made_in(nodes, kNone);  // per node: where the segment begins that computes it
  std::uint32_t first = 0;
  const auto close = [&](std::uint32_t end) {
    if (end - first >= kWorthIt) walk.reorder(std::span(instructions).subspan(first, end - first));
    first = end;
  };
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    const auto operands = operands_of(instructions[i]);
    if (std::ranges::any_of(operands, [&](auto node) { return made_in[node] == first; })) close(i);
    made_in[instructions[i].result] = first;
  }
  close(static_cast<std::uint32_t>(instructions.size()));
}

void follow_results(std::vector<Instruction>& instructions, std::size_t nodes) {
  const Readers readers(instructions, nodes);
  std::vector<bool> is_made(nodes);
  std::vector<std::uint8_t> missing(instructions.size());  // operands that have not been computed yet
  for (const Instruction& instruction : instructions) is_made[instruction.result] = true;
  for (std::size_t i = 0; i < instructions.size(); ++i)
    for (const std::uint32_t node : operands_of(instructions[i])) missing[i] += is_made[node];
  std::vector<Instruction> order;
  order.reserve(instructions.size());
  std::vector<std::uint32_t> ready;  // a stack
  for (std::uint32_t start = 0; start < instructions.size(); ++start) {
    // One that reads inputs only; the others follow their last operand.
    if (std::ranges::any_of(operands_of(instructions[start]), [&](auto node) { return is_made[node]; })) continue;
    ready.push_back(start);
    while (!ready.empty()) {
      order.push_back(instructions[ready.back()]);
      ready.pop_back();
      const auto next = readers.of(order.back().result);
      for (std::size_t r = next.size(); r-- > 0;)
        if (--missing[next[r]] == 0) ready.push_back(next[r]);
    }
  }
  instructions = std::move(order);
}

// Greedily: of the kinds that have instructions whose operands are known, one that has many of them comes next, and
// what becomes ready meanwhile comes with it if it is of that kind. The first kind that has at least a third of the
// most is taken, not the largest: layers with similar shares of the kinds then give the same sequence again and again,
// which CPUs foresee. On random dense layers that is worth 8 %.
void group_kinds(std::vector<Instruction>& instructions, std::size_t nodes, std::size_t window) {
  const Readers readers(instructions, nodes);
  std::vector<std::uint32_t> made_at(nodes, kNone);        // per node: the instruction that computes it
  std::vector<std::uint8_t> missing(instructions.size());  // operands that are computed in the same window, but not yet
  std::array<std::vector<std::uint32_t>, gate_kind::kCount> ready;
  std::vector<Instruction> order;
  order.reserve(instructions.size());
  for (std::size_t first = 0; first < instructions.size(); first = order.size()) {
    const std::size_t end = first + std::min(window, instructions.size() - first);
    for (std::size_t i = first; i < end; ++i) {
      for (const std::uint32_t node : operands_of(instructions[i]))
        missing[i] += made_at[node] != kNone && made_at[node] >= first;
      made_at[instructions[i].result] = static_cast<std::uint32_t>(i);
      if (missing[i] == 0) ready[instructions[i].kind].push_back(static_cast<std::uint32_t>(i));
    }
    while (order.size() < end) {
      const auto size = [](const auto& queue) { return queue.size(); };
      const std::size_t most = std::ranges::max_element(ready, {}, size)->size();
      auto& run = *std::ranges::find_if(ready, [&](const auto& queue) { return 3 * queue.size() >= most; });
      for (std::size_t i = 0; i < run.size(); ++i) {  // grows while it is emptied
        order.push_back(instructions[run[i]]);
        for (const std::uint32_t reader : readers.of(order.back().result))
          if (reader < end && --missing[reader] == 0) ready[instructions[reader].kind].push_back(reader);
      }
      run.clear();
    }
  }
  instructions = std::move(order);
}

}  // namespace firn::infer
