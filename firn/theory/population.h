// Whole populations of small tasks: every input with its probability, so that risks are exact and not estimates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace firn::theory {

// Inputs may come more than once, with different labels: that is label noise. Weights add up to 1.
struct Population {
  std::size_t inputs = 0;
  std::vector<std::vector<std::uint8_t>> bits;  // [sample][input], 0 or 1
  std::vector<std::size_t> labels;              // [sample]
  std::vector<double> weights;                  // [sample]

  std::size_t size() const { return labels.size(); }
  void add(std::vector<std::uint8_t> sample, std::size_t label, double weight);
};

struct PopulationSettings {
  std::string task = "parity";  // a name in tasks()
  std::size_t inputs = 4;       // bits; the MONK's problems have their own
  std::size_t gates = 4;        // of the teacher circuit
  double noise = 0;             // probability that a label is wrong
  std::uint64_t seed = 1;       // of the teacher circuit
};

struct TaskEntry {
  std::string_view name;
  std::string_view summary;
  Population (*make)(const PopulationSettings& settings);  // without noise
};

std::span<const TaskEntry> tasks();

// Every input of the task, equally likely; labels are wrong with probability settings.noise.
Population make_population(const PopulationSettings& settings);

}  // namespace firn::theory
