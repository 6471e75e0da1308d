// The losses of one sample on numbers of any kind, and their gradients in the class sums.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "firn/base/error.h"
#include "firn/base/jet.h"
#include "firn/model/reference/neuron.h"

namespace firn::model::reference {

template <class T>
T cross_entropy(const Values<T>& sums, std::size_t label) {
  using std::exp, std::log;
  T top = sums[0];
  for (const T& sum : sums)
    if (sum > top) top = sum;
  T total(0);
  for (const T& sum : sums) total += exp(sum - top);
  return log(total) + top - sums[label];
}

template <class T>
Values<T> cross_entropy_gradient(const Values<T>& sums, std::size_t label) {
  Values<T> grad;
  for (std::size_t c = 0; c < sums.size(); ++c) {
    T inverse(0);  // of the probability of class c
    for (const T& sum : sums) inverse += std::exp(sum - sums[c]);
    grad.push_back(1 / inverse - T(c == label));
  }
  return grad;
}

// One sum; its sigmoid is the probability of label 1.
template <class T>
T binary_cross_entropy(const Values<T>& sums, std::size_t label) {
  using std::exp, std::log1p;
  const T towards = label == 1 ? sums[0] : T(0) - sums[0];
  return towards > T(0) ? log1p(exp(T(0) - towards)) : log1p(exp(towards)) - towards;
}

template <class T>
Values<T> binary_cross_entropy_gradient(const Values<T>& sums, std::size_t label) {
  return {1 / (1 + std::exp(-sums[0])) - T(label)};
}

// Squared distance to the label (one sum) or to its one-hot row (several).
template <class T>
T squared_error(const Values<T>& sums, std::size_t label) {
  T sum(0);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const T error = sums[c] - T(sums.size() == 1 ? static_cast<double>(label) : static_cast<double>(c == label));
    sum += error * error;
  }
  return sum;
}

template <class T>
Values<T> squared_error_gradient(const Values<T>& sums, std::size_t label) {
  Values<T> grad;
  for (std::size_t c = 0; c < sums.size(); ++c)
    grad.push_back(2 * (sums[c] - (sums.size() == 1 ? T(label) : T(c == label))));
  return grad;
}

// A loss by name, in double.
struct LossFormulas {
  std::string_view name;  // as in firn/train/loss.h
  double (*value)(const Values<double>& sums, std::size_t label);
  Values<double> (*gradient)(const Values<double>& sums, std::size_t label);
};
inline constexpr LossFormulas kLossFormulas[] = {
    {"cross-entropy", cross_entropy<double>, cross_entropy_gradient<double>},
    {"bce", binary_cross_entropy<double>, binary_cross_entropy_gradient<double>},
    {"squared", squared_error<double>, squared_error_gradient<double>},
};

inline const LossFormulas& loss_formulas(std::string_view name) {
  for (const LossFormulas& loss : kLossFormulas)
    if (loss.name == name) return loss;
  throw Error("there is no loss \"" + std::string(name) + "\"; choose cross-entropy, bce or squared");
}

}  // namespace firn::model::reference
