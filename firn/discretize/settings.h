// Which neurons are committed to a gate, by which rule, and from which step on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace firn::discretize {

// TaskFreeze: evaluations every `interval` steps of a moving average of the predicted effect on the loss.
struct TaskSettings {
  std::uint64_t interval = 1000;
  double half_life = 10000;  // of the moving average, in steps
  std::uint64_t patience = 3;
  std::string score = "minibatch";  // or "every-step": the mean over the steps since the last evaluation
  bool reset_on_change = false;     // forget a neuron's average when its argmax has changed
};

// Entropy that stands still: of each neuron, or of the mean of a layer.
struct EntropySettings {
  double tolerance = 5e-4;
  std::uint64_t patience = 200;
  double ema = 0.99;
};

// Hard forward, softmax backward at a temperature that falls with the network's confidence.
struct CageSettings {
  double tau_max = 3, tau_min = 0.5;
  double ema = 0.99;
  std::string ema_init = "current";  // or "uniform": the confidence of equal weights
  std::string scope = "all";         // or "conv"
};

// The plain estimators: temperature, and for "annealed" where it ends.
struct EstimatorSettings {
  double temperature = 1;
  double anneal_from = 2, anneal_to = 0.2;
};

// Layers from the input on, each refined as it is frozen.
struct RefineFreezeSettings {
  double until = 0.7;       // share of the steps after which everything in scope is frozen
  std::uint64_t every = 0;  // steps between refinements of what is frozen; 0: only when a layer is frozen
  bool finish = true;       // refine and freeze everything after the last step
  std::size_t copies = 8;   // of each training image
  double memory = 4;        // gigabytes for them
};

struct FreezeSettings {
  std::string strategy = "final-argmax";
  std::uint64_t start = 0;                    // the last step before the rule applies
  std::vector<std::string> scope = {"auto"};  // "auto", "conv", "all", or names of layers
  std::uint64_t seed = 0;                     // of the strategy's random choices; 0: the seed of the run
  TaskSettings task;
  EntropySettings entropy;
  CageSettings cage;
  EstimatorSettings estimator;
  RefineFreezeSettings refine;
};

}  // namespace firn::discretize
