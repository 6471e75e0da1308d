#include "firn/data/sources/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/memory.h"
#include "firn/base/random.h"

namespace firn::data {
namespace {

using Rule = std::function<bool(std::span<const std::uint8_t>)>;  // from input bits (0 or 255) to the class

void check_settings(const SyntheticSettings& s) {
  constexpr std::size_t kMaxInputs = 65536, kMaxGates = 1000000, kMaxBits = std::size_t{1} << 32;
  if (s.inputs < 2 || s.inputs > kMaxInputs)
    throw Error(fmt::format("data.synthetic.inputs is {}; set it between 2 and {}", s.inputs, kMaxInputs));
  if (s.examples < 1 || s.examples > kMaxBits / s.inputs)
    throw Error(fmt::format("data.synthetic.examples is {}; set it between 1 and {}", s.examples, kMaxBits / s.inputs));
  if (s.gates < 1 || s.gates > kMaxGates)
    throw Error(fmt::format("data.synthetic.gates is {}; set it between 1 and {}", s.gates, kMaxGates));
  if (!(s.noise >= 0 && s.noise <= 1))
    throw Error(fmt::format("data.synthetic.noise is {}; set it between 0 and 1", s.noise));
}

std::size_t test_examples(const SyntheticSettings& s) {
  return std::max<std::size_t>(1, s.examples / 5);
}

Examples draw_inputs(std::size_t count, std::size_t inputs, RandomSequence random) {
  Matrix<std::uint8_t> bytes(count, inputs);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < inputs; j += 32) {
      const std::uint32_t word = random.next();
      for (std::size_t k = j; k < std::min(j + 32, inputs); ++k) bytes[i][k] = (word >> (k - j)) & 1 ? 255 : 0;
    }
  return {.bytes = std::move(bytes), .reals = {}, .labels = std::vector<std::uint16_t>(count)};
}

void label(Examples& part, const Rule& rule) {
  for (std::size_t i = 0; i < part.count(); ++i) part.labels[i] = rule(part.bytes[i]);
}

// Inputs of both parts, not labelled yet.
Dataset draw_dataset(std::string name, const SyntheticSettings& s) {
  check_settings(s);
  require_memory(synthetic_bytes(s), "these examples", "data.synthetic.examples or data.synthetic.inputs");
  return {.name = std::move(name),
          .shape = {s.inputs, 1, 1},
          .classes = 2,
          .class_names = {"0", "1"},
          .train = draw_inputs(s.examples, s.inputs, RandomSequence(s.seed, "synthetic/train")),
          .test = draw_inputs(test_examples(s), s.inputs, RandomSequence(s.seed, "synthetic/test"))};
}

void flip_labels(Examples& part, const SyntheticSettings& s) {
  RandomSequence random(s.seed, "synthetic/noise");
  for (std::uint16_t& l : part.labels)
    if (random.uniform_double() < s.noise) l ^= 1;
}

Dataset make(std::string name, const SyntheticSettings& s, const Rule& rule) {
  Dataset dataset = draw_dataset(std::move(name), s);
  label(dataset.train, rule);
  label(dataset.test, rule);
  flip_labels(dataset.train, s);
  return dataset;
}

std::size_t ones(std::span<const std::uint8_t> bits) {
  return static_cast<std::size_t>(std::count_if(bits.begin(), bits.end(), [](std::uint8_t bit) { return bit != 0; }));
}

Gate draw_gate(RandomSequence& random) {
  for (;;) {
    const auto gate = static_cast<Gate>(random.below(kGates));
    if (depends_on_a(gate) && depends_on_b(gate)) return gate;
  }
}

std::uint32_t take(std::vector<std::uint32_t>& pool, std::size_t place) {
  std::swap(pool[place], pool.back());
  const std::uint32_t wire = pool.back();
  pool.pop_back();
  return wire;
}

// How far the fraction of true labels is from one half.
double imbalance(const Examples& part) {
  const auto trues = std::accumulate(part.labels.begin(), part.labels.end(), 0.0);
  return std::abs(trues / static_cast<double>(part.count()) - 0.5);
}

}  // namespace

double synthetic_bytes(const SyntheticSettings& s) {
  constexpr std::size_t kOrders = 3;  // of the training examples: shuffled, in their parts, and to draw batches from
  const auto row = static_cast<double>(Matrix<std::uint8_t>::bytes_of(1, s.inputs) + sizeof(std::uint16_t));
  return row * static_cast<double>(s.examples + test_examples(s)) +
         static_cast<double>(kOrders * sizeof(std::uint32_t)) * static_cast<double>(s.examples);
}

bool TeacherCircuit::operator()(std::span<const std::uint8_t> bits) const {
  std::vector<std::uint8_t> wires(bits.begin(), bits.end());
  wires.reserve(inputs + nodes.size());
  for (const Node& node : nodes) wires.push_back(eval(node.gate, wires[node.a] != 0, wires[node.b] != 0));
  return wires.back() != 0;
}

TeacherCircuit draw_teacher(std::size_t inputs, std::size_t gates, std::uint64_t seed, std::uint32_t attempt) {
  FIRN_CHECK(inputs >= 2 && gates >= 1);
  RandomSequence random(seed, fmt::format("synthetic/teacher/{}", attempt));
  TeacherCircuit circuit{.inputs = inputs, .nodes = {}};
  // Wires that nobody reads yet. Each gate reads one of them and any other wire; when just enough gates are left to
  // join them all, both operands are unread. So nothing hangs loose at the end. Few gates read a part of the inputs.
  std::vector<std::uint32_t> unread = permutation(static_cast<std::uint32_t>(inputs), random);
  unread.resize(std::min(inputs, gates + 1));
  for (std::size_t g = 0; g < gates; ++g) {
    const bool join = unread.size() - 1 >= gates - g;
    const auto wires = static_cast<std::uint32_t>(inputs + g);
    const std::uint32_t a = take(unread, random.below(static_cast<std::uint32_t>(unread.size())));
    std::uint32_t b = join ? unread[random.below(static_cast<std::uint32_t>(unread.size()))] : random.below(wires - 1);
    if (!join && b >= a) ++b;
    std::erase(unread, b);
    circuit.nodes.push_back({draw_gate(random), a, b});
    unread.push_back(wires);
  }
  FIRN_CHECK(unread.size() == 1);
  return circuit;
}

Dataset load_parity(const DataSettings& settings) {
  return make("parity", settings.synthetic, [](auto bits) { return ones(bits) % 2 == 1; });
}

Dataset load_majority(const DataSettings& settings) {
  return make("majority", settings.synthetic, [](auto bits) { return 2 * ones(bits) > bits.size(); });
}

Dataset load_teacher(const DataSettings& settings) {
  constexpr std::uint32_t kAttempts = 100;
  const SyntheticSettings& s = settings.synthetic;
  Dataset dataset = draw_dataset("teacher", s);
  std::uint32_t best = 0;
  double best_imbalance = 1;
  for (std::uint32_t attempt = 0; attempt < kAttempts && best_imbalance > 0.25; ++attempt) {
    label(dataset.train, draw_teacher(s.inputs, s.gates, s.seed, attempt));
    if (imbalance(dataset.train) >= best_imbalance) continue;
    best = attempt;
    best_imbalance = imbalance(dataset.train);
  }
  const TeacherCircuit teacher = draw_teacher(s.inputs, s.gates, s.seed, best);
  label(dataset.train, teacher);
  label(dataset.test, teacher);
  flip_labels(dataset.train, s);
  return dataset;
}

}  // namespace firn::data
