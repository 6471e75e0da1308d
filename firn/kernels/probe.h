// What this machine can do at best, measured now: the yardsticks that benchmarks divide by.
#pragma once

#include <cstddef>

namespace firn::kernels {

struct FmaRate {
  double per_second = 0;  // fused multiply-adds of single floats (not of vectors), on the calling thread
  double per_cycle = 0;   // of 8-float vectors: two on most cores, whatever their vector width
};

// Takes about `seconds`. The clock rate is measured by a chain of additions, one a cycle.
FmaRate measure_fma_rate(double seconds);

// Bytes per second of c[i] = a[i] + k * b[i] over three arrays of `bytes` in all, on the calling thread.
double measure_triad_rate(std::size_t bytes, double seconds);

// Two-input gates on 256-bit rows per second when everything is in the L1 cache (two loads, one operation and one
// store for each), on the calling thread.
double measure_gate_rate(double seconds);

}  // namespace firn::kernels
