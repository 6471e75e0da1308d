// What stands behind the objects of the front door.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "firn/api/circuit.h"
#include "firn/api/network.h"
#include "firn/encode/encoder.h"
#include "firn/infer/machine.h"
#include "firn/infer/model_file.h"
#include "firn/model/model.h"

namespace firn::api {

struct Network::Inner {
  Config config;
  encode::Encoder encoder;
  std::unique_ptr<model::Model> model;
  std::uint64_t step = 0;
  std::vector<std::string> class_names = {};
  // Evaluating recomputes the weights that a model keeps, so that one thing happens at a time.
  mutable std::mutex busy = {};

  std::size_t classes() const { return model->head().classes(); }
};

struct Circuit::Inner {
  infer::CircuitModel model;
  std::unique_ptr<infer::Machine> machine;  // runs the model, which stands still beside it
};

namespace door {

std::shared_ptr<const Circuit::Inner> make_circuit(infer::CircuitModel model);

// Refuses samples of the wrong kind, in words that name both.
data::Examples examples_of(const Samples& samples, const encode::Encoder& encoder);
data::Examples examples_of(const Samples& samples, const Labels& labels, const encode::Encoder& encoder,
                           std::size_t classes);

}  // namespace door

}  // namespace firn::api
