#include "firn/theory/population.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <utility>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/data/sources/synthetic.h"

namespace firn::theory {
namespace {

constexpr std::size_t kMaxInputs = 12, kMaxTeacherGates = 1000000;

using Rule = std::function<bool(std::span<const std::uint8_t>)>;

// All 2^inputs bit strings, labelled by a rule.
Population all_bit_strings(std::size_t inputs, const Rule& rule) {
  if (inputs < 2 || inputs > kMaxInputs)
    throw Error(fmt::format("a task with {} inputs is not supported; choose 2 to {}", inputs, kMaxInputs));
  Population population{.inputs = inputs, .bits = {}, .labels = {}, .weights = {}};
  const std::size_t count = std::size_t{1} << inputs;
  for (std::size_t number = 0; number < count; ++number) {
    std::vector<std::uint8_t> bits(inputs);
    for (std::size_t i = 0; i < inputs; ++i) bits[i] = (number >> i) & 1;
    const bool label = rule(bits);
    population.add(std::move(bits), label, 1.0 / static_cast<double>(count));
  }
  return population;
}

std::size_t ones(std::span<const std::uint8_t> bits) {
  std::size_t count = 0;
  for (std::uint8_t bit : bits) count += bit;
  return count;
}

Population make_parity(const PopulationSettings& s) {
  return all_bit_strings(s.inputs, [](auto bits) { return ones(bits) % 2 == 1; });
}

Population make_majority(const PopulationSettings& s) {
  return all_bit_strings(s.inputs, [](auto bits) { return 2 * ones(bits) > bits.size(); });
}

Population make_teacher(const PopulationSettings& s) {
  if (s.gates < 1) throw Error("a teacher circuit without gates teaches nothing; choose at least 1");
  if (s.gates > kMaxTeacherGates)
    throw Error(fmt::format("a teacher circuit of {} gates is too large; choose 1 to {}", s.gates, kMaxTeacherGates));
  return all_bit_strings(s.inputs, draw_teacher(s.inputs, s.gates, s.seed, 0));
}

// The MONK's problems (Thrun and others, 1991): six attributes of a robot, counted from 1, and three rules.
constexpr std::array<unsigned, 6> kMonkValues = {3, 3, 2, 3, 4, 2};
using Monk = std::array<unsigned, 6>;

bool monk_1(const Monk& a) {
  return a[0] == a[1] || a[4] == 1;
}

bool monk_2(const Monk& a) {
  int first_values = 0;
  for (unsigned value : a) first_values += value == 1;
  return first_values == 2;
}

bool monk_3(const Monk& a) {
  return (a[4] == 3 && a[3] == 1) || (a[4] != 4 && a[1] != 3);
}

// All 432 robots; one bit per value of each attribute.
Population all_monks(bool (*rule)(const Monk&)) {
  Population population;
  for (unsigned values : kMonkValues) population.inputs += values;
  Monk monk{1, 1, 1, 1, 1, 1};
  constexpr double kRobots = 432;
  for (std::size_t place = 0; place < monk.size();) {
    std::vector<std::uint8_t> bits;
    for (std::size_t i = 0; i < monk.size(); ++i)
      for (unsigned value = 1; value <= kMonkValues[i]; ++value) bits.push_back(monk[i] == value);
    population.add(std::move(bits), rule(monk), 1 / kRobots);
    // Count on, the first attribute fastest.
    for (place = 0; place < monk.size() && monk[place] == kMonkValues[place]; ++place) monk[place] = 1;
    if (place < monk.size()) ++monk[place];
  }
  return population;
}

constexpr TaskEntry kTasks[] = {
    {"parity", "is the number of ones odd?", make_parity},
    {"majority", "are there more ones than zeros?", make_majority},
    {"teacher", "what a random circuit of two-input gates says", make_teacher},
    {"monks-1", "MONK's 1: equal heads and bodies, or a red jacket", [](const auto&) { return all_monks(monk_1); }},
    {"monks-2", "MONK's 2: exactly two attributes have their first value",
     [](const auto&) { return all_monks(monk_2); }},
    {"monks-3", "MONK's 3: jacket, thing held and body, the usual version without noise",
     [](const auto&) { return all_monks(monk_3); }},
};

}  // namespace

void Population::add(std::vector<std::uint8_t> sample, std::size_t label, double weight) {
  FIRN_CHECK(sample.size() == inputs);
  bits.push_back(std::move(sample));
  labels.push_back(label);
  weights.push_back(weight);
}

std::span<const TaskEntry> tasks() {
  return kTasks;
}

Population make_population(const PopulationSettings& settings) {
  if (!(settings.noise >= 0 && settings.noise <= 0.5))
    throw Error(fmt::format("label noise of {} makes no sense; choose 0 to 0.5", settings.noise));
  Population population = entry_named(settings.task, tasks(), "task").make(settings);
  const std::size_t clean = settings.noise > 0 ? population.size() : 0;
  for (std::size_t s = 0; s < clean; ++s) {
    const double weight = population.weights[s];
    population.weights[s] = weight * (1 - settings.noise);
    population.add(population.bits[s], 1 - population.labels[s], weight * settings.noise);
  }
  return population;
}

}  // namespace firn::theory
