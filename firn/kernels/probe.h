// What this machine can do at best, measured now: the yardsticks that benchmarks divide by.
#pragma once

#include <cstddef>

namespace firn::kernels {

// Cycles per second by two chains of dependent instructions that have nothing in common. Each is right as long as the
// CPU takes the cycles that we assume; where they disagree, one of them was shortened or takes longer than assumed.
struct ClockRate {
  double by_multiplications = 0;  // 64-bit, three cycles each
  double by_additions = 0;        // and exclusive ors, of two registers, one cycle each

  // The lower one: a chain that a CPU shortens reads too high, and none is known to read too low on x86-64.
  double hertz() const { return by_multiplications < by_additions ? by_multiplications : by_additions; }
  bool is_plausible() const;  // they differ by less than a tenth
};

struct FmaRate {
  double per_second = 0;  // fused multiply-adds of single floats (not of vectors), on the calling thread
  ClockRate clock;        // in the same time
  // Vectors of 8 floats: two on most cores, four where two units take 16 floats each.
  double per_cycle() const { return per_second / 8 / clock.hertz(); }
};

// Takes about `seconds`.
FmaRate measure_fma_rate(double seconds);

// Bytes per second of c[i] = a[i] + k * b[i] over three arrays of `bytes` in all, on the calling thread.
double measure_triad_rate(std::size_t bytes, double seconds);

// Two-input gates on 256-bit rows per second when everything is in the L1 cache (two loads, one operation and one
// store for each), on the calling thread.
double measure_gate_rate(double seconds);

}  // namespace firn::kernels
