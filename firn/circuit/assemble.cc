#include "firn/circuit/assemble.h"

#include <array>
#include <bit>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/circuit/builder.h"
#include "firn/circuit/constant_comparison.h"
#include "firn/circuit/largest.h"
#include "firn/circuit/simplify.h"

namespace firn::circuit {

namespace {

struct HeadName {
  std::string_view name;
  HeadForm form;
};
constexpr std::array kHeadNames = {HeadName{"binary", HeadForm::kBinary}, HeadName{"one-hot", HeadForm::kOneHot}};

// The largest count that does not reach the threshold, found in the arithmetic that the engine decides in; nothing is
// counted beyond `most`.
std::size_t largest_count_below(const Head& head, std::size_t most) {
  std::size_t count = 0;
  while (count < most && !(head.offset + head.factor * static_cast<float>(count + 1) > head.threshold)) ++count;
  return count;
}

Wire exceeds_threshold(NetBuilder& builder, const Word& count, const Head& head, std::size_t most) {
  if (head.offset > head.threshold) return kTrue;  // with no output set already
  const std::uint64_t limit = largest_count_below(head, most);
  return ConstantComparison(count.size(), {&limit, 1}).build(builder, count)[0];
}

// The class, from the counts of groups of `size` outputs.
Word decide(NetBuilder& builder, const std::vector<Word>& counts, const Head& head, HeadForm form, std::size_t size) {
  const bool one_hot = form == HeadForm::kOneHot;
  if (head.groups == 1) {
    const Wire second = exceeds_threshold(builder, counts[0], head, size);
    return one_hot ? Word{!second, second} : Word{second};
  }
  const Decision how = decision_for(counts);
  return one_hot ? largest_one_hot(builder, counts, how)
                 : largest_number(builder, counts, how, class_bits(head.groups));
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
  if (form == HeadForm::kOneHot && head.is_value)
    throw Error("the model predicts a value, which is a count in binary; one-hot is for classes");
  const std::size_t groups = head.groups;
  FIRN_CHECK(groups > 0 && circuit.outputs.size() % groups == 0);
  NetBuilder builder(circuit.inputs);
  const std::vector<Wire> outputs = builder.embed(circuit, builder.inputs());
  const std::size_t size = outputs.size() / groups;
  std::vector<Word> counts;
  for (std::size_t g = 0; g < groups; ++g)
    counts.push_back(count_ones(builder, std::span(outputs).subspan(g * size, size)));
  Word decision = head.is_value ? std::move(counts[0]) : decide(builder, counts, head, form, size);
  Netlist whole = std::move(builder).take(std::move(decision));
  simplify(whole);
  return whole;
}

Netlist decision_circuit(const Head& head, HeadForm form, std::size_t size) {
  FIRN_CHECK(form != HeadForm::kNone && !head.is_value);
  const auto width = static_cast<std::size_t>(std::bit_width(size));
  NetBuilder builder(head.groups * width);
  std::vector<Word> counts(head.groups);
  for (std::size_t i = 0; i < head.groups * width; ++i) counts[i / width].push_back(builder.input(i));
  Word decision = decide(builder, counts, head, form, size);
  Netlist netlist = std::move(builder).take(std::move(decision));
  simplify(netlist);
  return netlist;
}

}  // namespace firn::circuit
