// A trained network, relaxed or partly frozen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firn/api/circuit.h"
#include "firn/api/config.h"
#include "firn/api/dataset.h"

namespace firn::api {

struct Risk {
  double loss = 0, accuracy = 0;  // accuracy is 0 where values are predicted
};

// How well one class is recognized. A class that is never predicted has precision 0, one that never occurs recall 0.
struct ClassQuality {
  std::size_t samples = 0;  // that belong to the class
  double precision = 0, recall = 0, f1 = 0;
};

struct Quality {
  double balanced_accuracy = 0;  // mean recall of the classes that occur
  double macro_f1 = 0;           // mean F1 of the classes that occur or are predicted
  // Area under the ROC curve of the class sums; of several classes the mean of one against the rest. Nothing where no
  // class has both examples and counterexamples.
  std::optional<double> auc = {};
  std::vector<ClassQuality> classes = {};
};

// How far predicted values are from the true ones.
struct ValueQuality {
  double r2 = 0;             // share of the variance that is explained
  double rmse = 0, mae = 0;  // in the unit of the values
};

// Relaxed: every neuron a mixture. Discrete: every neuron its gate, on bits.
struct Evaluation {
  Risk relaxed, discrete;
  std::size_t samples = 0;
  std::vector<std::uint32_t> confusion;                 // of the discrete network, [true class][predicted class]
  Quality relaxed_quality = {}, discrete_quality = {};  // of classes
  std::optional<ValueQuality> relaxed_values = {}, discrete_values = {};  // where values are predicted
};

// Neurons of one layer with the sixteen slots of each: the first-order score S_i(k) is the predicted change of the loss
// when neuron i becomes its slot k.
struct LayerScores {
  std::string layer;
  std::size_t neurons = 0;
  std::vector<float> scores;        // [neurons][16]; meaningless where a neuron is frozen
  std::vector<std::int8_t> frozen;  // [neurons] the slot, or -1
};

// Rank correlations of a layer: what predicts the effect of freezing its neurons. 0 where a layer has too few.
struct LayerEffects {
  std::string layer;
  std::size_t neurons = 0;
  double entropy = 0;   // of entropy and the effect of argmax
  double selected = 0;  // of the smallest score and the effect of its slot
  double argmax = 0;    // of the score of argmax and its effect
};

struct DiscretizeOptions {
  std::string rule = "argmax";  // or first-order, relaxed-intervention, conditional-expectation-mc, nearest-table
  std::size_t samples = 512;    // training examples that risks are measured on
  std::uint64_t seed = 1;
};

struct RefineOptions {
  std::string objective = "loss";        // or "gates": remove gates at no loss beyond the noise
  std::vector<std::string> layers = {};  // names, "conv" or "all"; empty: all
  std::size_t sweeps = 6;                // at most; held-out samples end them earlier
  std::size_t copies = 8;  // of each sample: itself and augmented ones, if the network was trained on such
  double held_out = 0.1;   // share of the samples that says when to stop and which sweep is kept
  double memory = 4;       // gigabytes for the copies
  std::uint64_t seed = 1;
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress = {};  // of a sweep
};

class Network {
 public:
  // A checkpoint, whoever wrote it: a program or the command line. A program with parts of its own gives a
  // configuration that knows them.
  static Network load(const std::string& file, const Config& with_parts = Config());
  // Whatever loads a checkpoint can load this, but training cannot be resumed from it.
  void save(const std::string& file) const;
  static Network from_bytes(std::span<const std::byte> bytes);  // of such a file
  std::vector<std::byte> to_bytes() const;

  const Config& config() const;
  std::uint64_t step() const;
  Shape shape() const;
  std::size_t classes() const;                          // 0: values are predicted
  bool takes_floats() const;                            // else bytes
  const std::vector<std::string>& class_names() const;  // may be empty
  std::vector<std::string> feature_names() const;       // "age", "colour=red"; empty where features have no names
  std::size_t neurons() const;
  std::size_t frozen() const;  // neurons

  Evaluation evaluate(Samples samples, Labels labels, int threads = 0) const;
  Evaluation evaluate_test(const Dataset& data, int threads = 0) const;
  // The class of every sample by the discrete network.
  std::vector<std::uint16_t> predict(Samples samples, int threads = 0) const;
  std::vector<float> predict_values(Samples samples, int threads = 0) const;  // where values are predicted

  std::vector<LayerScores> scores(Samples samples, Labels labels, int threads = 0) const;
  // Effects of freezing single neurons, measured on the samples: those of the convolutions, or all where there are
  // none.
  std::vector<LayerEffects> diagnose(Samples samples, Labels labels, int threads = 0) const;

  // The same network with every neuron frozen by a rule; the samples are training examples.
  Network discretize(Samples samples, Labels labels, const DiscretizeOptions& options = {}, int threads = 0) const;

  // The discrete network with gates changed where that lowers the loss by more than noise explains. The samples are
  // training examples. Every neuron of the layers is frozen in the result.
  Network refine(Samples samples, Labels labels, const RefineOptions& options = {}, int threads = 0) const;

  Circuit compile() const;

  struct Inner;
  explicit Network(std::shared_ptr<const Inner> inner) : inner_(std::move(inner)) {}
  const Inner& inner() const { return *inner_; }

 private:
  std::shared_ptr<const Inner> inner_;
};

}  // namespace firn::api
