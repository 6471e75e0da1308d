// The losses of one sample on numbers of any kind, and their gradients in the scores.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "firn/base/error.h"
#include "firn/base/jet.h"
#include "firn/model/reference/neuron.h"

namespace firn::reference {

template <class T>
T cross_entropy(const Values<T>& scores, std::size_t label) {
  using std::exp, std::log;
  T top = scores[0];
  for (const T& score : scores)
    if (score > top) top = score;
  T total(0);
  for (const T& score : scores) total += exp(score - top);
  return log(total) + top - scores[label];
}

template <class T>
Values<T> cross_entropy_gradient(const Values<T>& scores, std::size_t label) {
  Values<T> grad;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    T inverse(0);  // of the probability of class c
    for (const T& score : scores) inverse += std::exp(score - scores[c]);
    grad.push_back(1 / inverse - T(c == label));
  }
  return grad;
}

// One score; its sigmoid is the probability of label 1.
template <class T>
T binary_cross_entropy(const Values<T>& scores, std::size_t label) {
  using std::exp, std::log1p;
  const T towards = label == 1 ? scores[0] : T(0) - scores[0];
  return towards > T(0) ? log1p(exp(T(0) - towards)) : log1p(exp(towards)) - towards;
}

template <class T>
Values<T> binary_cross_entropy_gradient(const Values<T>& scores, std::size_t label) {
  return {1 / (1 + std::exp(-scores[0])) - T(label)};
}

// Squared distance to the label (one score) or to its one-hot row (several).
template <class T>
T squared_error(const Values<T>& scores, std::size_t label) {
  T sum(0);
  for (std::size_t c = 0; c < scores.size(); ++c) {
    const T error = scores[c] - T(scores.size() == 1 ? static_cast<double>(label) : static_cast<double>(c == label));
    sum += error * error;
  }
  return sum;
}

template <class T>
Values<T> squared_error_gradient(const Values<T>& scores, std::size_t label) {
  Values<T> grad;
  for (std::size_t c = 0; c < scores.size(); ++c)
    grad.push_back(2 * (scores[c] - (scores.size() == 1 ? T(label) : T(c == label))));
  return grad;
}

// A loss by name, in double.
struct LossFormulas {
  std::string_view name;  // as in firn/train/loss.h
  double (*value)(const Values<double>& scores, std::size_t label);
  Values<double> (*gradient)(const Values<double>& scores, std::size_t label);
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

}  // namespace firn::reference
