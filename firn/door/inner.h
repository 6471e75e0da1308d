// What stands behind the objects of the front door.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/api/circuit.h"
#include "firn/api/network.h"
#include "firn/data/fingerprint.h"
#include "firn/data/schema.h"
#include "firn/encode/encoder.h"
#include "firn/infer/machine.h"
#include "firn/infer/model_file.h"
#include "firn/infer/predictor.h"
#include "firn/model/model.h"
#include "firn/train/loss.h"

namespace firn::api {

struct Network::Inner {
  Config config;
  encode::Encoder encoder;
  std::unique_ptr<model::Model> model;
  std::uint64_t step = 0;
  std::vector<std::string> class_names = {};
  std::optional<data::Schema> schema = {};
  training::LossScale loss_scale = {};
  std::optional<data::Fingerprints> data = {};
  // Evaluating recomputes the weights that a model keeps, so that one thing happens at a time.
  mutable std::mutex busy = {};

  std::size_t classes() const { return model->head().classes(); }
};

namespace door {

// Threads, and the memory that they predict with; for one call at a time.
struct PredictSession {
  PredictSession(const infer::CircuitModel& model, const infer::Machine& machine, int wanted_threads)
      : wanted(wanted_threads), threads(wanted_threads), predictor(model, machine, threads) {}

  int wanted;  // threads, as the caller wrote it
  Threads threads;
  infer::Predictor predictor;
};

// Sessions that no call uses at the moment. Every call takes one out, or makes one, and puts it back.
class IdleSessions {
 public:
  std::unique_ptr<PredictSession> take(int wanted_threads);  // null: there is none
  void put(std::unique_ptr<PredictSession> session);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<PredictSession>> idle_;
};

}  // namespace door

struct Circuit::Inner {
  explicit Inner(infer::CircuitModel compiled) : model(std::move(compiled)), machine(infer::make_machine(model)) {}

  infer::CircuitModel model;
  std::unique_ptr<infer::Machine> machine;  // runs the model, which stands still beside it
  mutable door::IdleSessions sessions = {};
};

namespace door {

std::shared_ptr<const Circuit::Inner> make_circuit(infer::CircuitModel model);

std::unique_ptr<model::Model> clone(const model::Model& from);

// Refuses samples of the wrong kind, in words that name both.
data::Examples examples_of(const Samples& samples, const encode::Encoder& encoder);
data::Examples examples_of(const Samples& samples, const Labels& labels, const encode::Encoder& encoder,
                           std::size_t classes);

}  // namespace door

}  // namespace firn::api
