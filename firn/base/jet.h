// A number with its first and second derivative along one direction: formulas written for any number give both.
#pragma once

#include <cmath>

namespace firn {

// f(t) = value + first * t + second * t^2 / 2 near t = 0. Comparisons look at the value alone, so a branch follows
// whatever holds at t = 0.
struct Jet2 {
  double value = 0, first = 0, second = 0;

  constexpr Jet2() = default;
  constexpr Jet2(double v) : value(v) {}  // NOLINT: a constant is a jet
  constexpr Jet2(double v, double d1, double d2) : value(v), first(d1), second(d2) {}

  friend constexpr Jet2 operator+(const Jet2& x, const Jet2& y) {
    return {x.value + y.value, x.first + y.first, x.second + y.second};
  }
  friend constexpr Jet2 operator-(const Jet2& x, const Jet2& y) {
    return {x.value - y.value, x.first - y.first, x.second - y.second};
  }
  friend constexpr Jet2 operator*(const Jet2& x, const Jet2& y) {
    return {x.value * y.value, x.first * y.value + x.value * y.first,
            x.second * y.value + 2 * x.first * y.first + x.value * y.second};
  }
  constexpr Jet2& operator+=(const Jet2& y) { return *this = *this + y; }
  friend constexpr bool operator<(const Jet2& x, const Jet2& y) { return x.value < y.value; }
  friend constexpr bool operator>(const Jet2& x, const Jet2& y) { return x.value > y.value; }

  // The chain rule for a function with value f and derivatives d1, d2 at x.value.
  static constexpr Jet2 chain(const Jet2& x, double f, double d1, double d2) {
    return {f, d1 * x.first, d2 * x.first * x.first + d1 * x.second};
  }
};

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
