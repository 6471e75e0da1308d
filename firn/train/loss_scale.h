// What the loss takes from the training set: weights of classes, or the unit of values.
#pragma once

#include <cstdint>
#include <span>

#include "firn/base/value.h"
#include "firn/data/dataset.h"
#include "firn/train/loss.h"

namespace firn::training {

// `class_weights` has one number per class, is the word "balanced", or empty. "balanced" is examples / (classes *
// examples of the class), over the classes that occur among the training examples, as in scikit-learn.
LossScale fit_loss_scale(const Dataset& data, std::span<const std::uint32_t> training,
                         const NumbersOrWord& class_weights);

}  // namespace firn::training
