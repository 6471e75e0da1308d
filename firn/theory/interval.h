// Intervals of numbers, rounded outwards: whatever the operands are, the result is inside.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace firn::theory {

struct Interval {
  double low = 0, high = 0;

  constexpr Interval() = default;
  constexpr Interval(double v) : low(v), high(v) {}  // NOLINT: a number is an interval
  constexpr Interval(double l, double h) : low(l), high(h) {}

  // The interval with both ends moved out by the smallest step.
  static Interval outwards(double low, double high) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {std::nextafter(low, -kInfinity), std::nextafter(high, kInfinity)};
  }

  bool contains(double v) const { return low <= v && v <= high; }
  double magnitude() const { return std::max(std::abs(low), std::abs(high)); }  // the largest absolute value

  friend Interval operator+(const Interval& x, const Interval& y) { return outwards(x.low + y.low, x.high + y.high); }
  friend Interval operator-(const Interval& x, const Interval& y) { return outwards(x.low - y.high, x.high - y.low); }
  friend Interval operator*(const Interval& x, const Interval& y) {
    const double p[] = {x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high};
    return outwards(std::min({p[0], p[1], p[2], p[3]}), std::max({p[0], p[1], p[2], p[3]}));
  }
  Interval& operator+=(const Interval& y) { return *this = *this + y; }
};

// The square: never negative, unlike x * x.
inline Interval square(const Interval& x) {
  const double smallest = x.contains(0) ? 0 : std::min(std::abs(x.low), std::abs(x.high));
  const double largest = x.magnitude();
  const Interval squared = Interval::outwards(smallest * smallest, largest * largest);
  return {std::max(squared.low, 0.0), squared.high};
}

inline Interval intersection(const Interval& x, const Interval& y) {
  return {std::max(x.low, y.low), std::min(x.high, y.high)};
}

}  // namespace firn::theory
