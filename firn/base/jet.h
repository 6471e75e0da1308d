// A number with its first and second derivative along one direction: formulas written for any number give both.
#pragma once

#include <cmath>

#include "firn/base/rooms.h"

namespace firn {

// f(t) = value + first * t + second * t^2 / 2 near t = 0. Comparisons look at the value alone, so a branch follows
// whatever holds at t = 0. Number is double, or anything that adds and multiplies like one.
template <class Number>
struct Jet {
  Number value{}, first{}, second{};

  constexpr Jet() = default;
  constexpr Jet(double v) : value(v) {}  // NOLINT: a constant is a jet
  constexpr Jet(Number v, Number d1, Number d2) : value(v), first(d1), second(d2) {}

  friend constexpr Jet operator+(const Jet& x, const Jet& y) {
    return {x.value + y.value, x.first + y.first, x.second + y.second};
  }
  friend constexpr Jet operator-(const Jet& x, const Jet& y) {
    return {x.value - y.value, x.first - y.first, x.second - y.second};
  }
  friend constexpr Jet operator*(const Jet& x, const Jet& y) {
    return {x.value * y.value, x.first * y.value + x.value * y.first,
            x.second * y.value + 2 * x.first * y.first + x.value * y.second};
  }
  constexpr Jet& operator+=(const Jet& y) { return *this = *this + y; }
  friend constexpr bool operator<(const Jet& x, const Jet& y) { return x.value < y.value; }
  friend constexpr bool operator>(const Jet& x, const Jet& y) { return x.value > y.value; }

  // The chain rule for a function with value f and derivatives d1, d2 at x.value.
  static constexpr Jet chain(const Jet& x, Number f, Number d1, Number d2) {
    return {f, d1 * x.first, d2 * x.first * x.first + d1 * x.second};
  }
};

using Jet2 = Jet<double>;

inline Jet2 exp(const Jet2& x) {
  const double e = std::exp(x.value);
  return Jet2::chain(x, e, e, e);
}

inline Jet2 log(const Jet2& x) {
  const double inverse = 1 / x.value;
  return Jet2::chain(x, std::log(x.value), inverse, -inverse * inverse);
}

inline Jet2 log1p(const Jet2& x) {
  const double inverse = 1 / (1 + x.value);
  return Jet2::chain(x, std::log1p(x.value), inverse, -inverse * inverse);
}

}  // namespace firn
