// What a report shows, as plain data: runs, sweeps and diagnoses as they were found in their folders.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/logic/gate.h"

namespace firn::report {

struct NamedValues {
  std::string name;
  std::vector<double> values;  // NaN where there is none, here and in every list of numbers below
};

// One entry for each evaluation, on the validation set.
struct LearningCurve {
  std::vector<double> step, train_loss, relaxed_loss, relaxed_accuracy, discrete_loss, discrete_accuracy;
  std::vector<double> ms_per_step;  // since the evaluation before
};

// Fractions of neurons that are frozen from the step on until the next one of the list.
struct FreezingCurve {
  std::vector<double> step, all;    // of the neurons in scope
  std::vector<NamedValues> layers;  // of all neurons of a layer
};

// Single freezes of a layer, or every `stride`-th neuron where there are too many to ship.
struct FreezeEvents {
  std::string layer;
  std::size_t neurons = 0;  // of the layer
  std::size_t stride = 1;
  std::vector<double> neuron, step, gate, score, entropy;  // one entry per freeze
};

// Which examples the relaxed and the discrete network of a run get wrong.
struct AnswersRecord {
  struct Network {
    std::vector<std::vector<std::size_t>> confusion;  // [true class][predicted class]
    // Examples by the probability of the class that is predicted, in ten bins from 0 to 1.
    std::array<std::size_t, 10> bin_count{};
    std::array<double, 10> bin_probability{}, bin_accuracy{};  // means
  };
  struct Shown {  // an example worth a look
    std::size_t number, label, relaxed, discrete;
    double relaxed_probability, discrete_probability;  // of the class that is predicted
  };
  std::string split;
  std::size_t examples = 0, available = 0;
  std::vector<std::string> classes;
  Network relaxed, discrete;
  std::vector<Shown> disagreements, mistakes;  // the surest first
  std::size_t all_disagreements = 0, all_mistakes = 0;
  std::array<std::size_t, 3> shape{};  // channels, height, width
  std::string pixels;                  // packed bytes of disagreements, then of mistakes; empty for tables
};

// What a checkpoint scored on the test set.
struct TestScore {
  double step, relaxed_accuracy, relaxed_loss, discrete_accuracy, discrete_loss, frozen;
};

// How often each gate occurs in a layer of the unrolled circuit.
struct LayerGates {
  std::string name;
  std::array<std::size_t, kGates> before{}, after{};  // simplification
};

struct RunRecord {
  std::string name, folder;
  std::vector<std::pair<std::string, std::string>> config;  // dotted key and value, in the order of the file
  LearningCurve learning;
  FreezingCurve freezing;
  std::optional<TestScore> last, best;
  std::vector<LayerGates> gates;
  std::string no_gates;  // why `gates` is empty, where somebody may wonder
  std::vector<FreezeEvents> freezes;
  std::optional<AnswersRecord> answers;
  std::string no_answers;  // why there are none, where somebody may wonder
  std::string drawing;     // SVG of the first filters
  double checkpoint_bytes = 0;
};

// A point of a sweep's grid and the run that stands for it.
struct PointRecord {
  std::vector<std::string> values;  // one for each axis
  std::size_t run;                  // in ReportRecord::runs
};

// A worker of a sweep that goes on, as it was seen last.
struct WorkerRecord {
  std::string name, run;                 // run: the name of what it trains; empty while it waits
  double step = 0, steps = 0, rate = 0;  // steps per second
  double quiet = 0;                      // seconds without a sign of life
  bool is_gone = false;
};

struct SweepRecord {
  std::string name, folder;
  std::vector<std::string> axes;  // dotted keys
  std::vector<PointRecord> points;
  std::vector<std::size_t> runs;  // in ReportRecord::runs, those without a result included
  std::vector<WorkerRecord> workers = {};
};

// A number with what is known about its uncertainty: an interval, or a spread over repetitions.
struct Estimate {
  std::optional<double> value = {}, low = {}, high = {}, deviation = {};
  std::size_t count = 1;
};

struct EffectsRow {
  std::string layer;
  Estimate neurons, entropy, selected, argmax;  // the last three: Spearman's correlation with the realized effect
  Estimate argmax_displacement, selected_displacement;
};
struct LocalityRow {
  std::string layer;
  Estimate neurons, first_rank, second_rank, first_error, second_error;
};
struct ErrorBin {
  Estimate from, to, slots;                           // displacement
  std::array<Estimate, 3> first_error, second_error;  // 10 %, 50 % and 90 % quantile
};
struct WinRow {
  Estimate fraction, choices, same_half, other_half;
};
struct GapRow {
  std::string layer;
  Estimate neurons, frozen, loss, accuracy, constants, wires, dead;  // loss and accuracy with this layer alone discrete
};

// Single-row flips of the discrete gates of a layer.
struct FlipRow {
  std::string layer;
  Estimate gates, flips, without_effect, lower, lower_held_out, significant, significant_held_out, significant_gates;
  // Spearman's correlations with the effect on the fitting examples.
  Estimate held_out, score, relaxed_effect, entropy;
  std::vector<Estimate> fitting_counts, held_out_counts;  // by DiagnosisRecord::flip_edges
};

struct DiagnosisRecord {
  std::string name, folder, checkpoint, split;
  bool is_average = false;  // over several checkpoints; `checkpoint` is then the first of them
  Estimate step, samples;
  std::vector<EffectsRow> effects;
  std::vector<LocalityRow> locality;
  std::vector<ErrorBin> bins;
  std::vector<WinRow> wins;
  std::vector<GapRow> gaps;
  Estimate relaxed_loss, relaxed_accuracy, discrete_loss, discrete_accuracy;
  std::vector<FlipRow> flips;
  std::vector<Estimate> flip_edges;              // of the bins of effects
  Estimate fitting_examples, held_out_examples;  // that flips were measured on

  // One entry for each neuron, or for each `stride`-th where there are too many to ship.
  std::vector<std::string> layers;
  std::vector<std::size_t> neuron_layer;  // in `layers`
  std::vector<NamedValues> neurons;       // columns of effects.csv
  std::size_t stride = 1;
};

struct ReportRecord {
  std::string title;
  bool live = false;     // the page asks for newer data
  bool overlay = false;  // all runs in one figure as well, however they differ
  std::vector<RunRecord> runs;
  std::vector<SweepRecord> sweeps;
  std::vector<DiagnosisRecord> diagnoses;
};

}  // namespace firn::report
