/*
 * Logic gate network exported by Firn from m.firn: the circuit alone.
 * 3 inputs, 4 outputs, 0 gates; C99 without a library, 64 samples per word.
 * A sample has 3 features.
 * Input x[t * 3 + f] is 1 where feature f is above threshold t, t from 0 to 0.
 * Outputs come in 2 equal groups, one for each class in order; the class with most outputs set wins, the lowest on ties.
 * Classes: 0 "0", 1 "1".
 * A bit is 1 where its feature is above (>) its threshold. Thresholds, t from 0:
 *   every feature: 0
 *
 * Sample s of 64 is bit s of every word. Memory for intermediate results comes from the caller:
 *   uint64_t x[M_INPUTS], y[M_OUTPUTS], work[M_WORK];
 *   m(x, y, work);
 */
#include <stdint.h>

#define M_INPUTS 3
#define M_OUTPUTS 4
#define M_WORK 4

void m(const uint64_t *x, uint64_t *y, uint64_t *work);

/* Rows of the outputs times two, plus one where it is inverted. */
static const uint32_t m_outputs[] = {
  6,4,2,2,
};

void m(const uint64_t *x, uint64_t *y, uint64_t *work) {
  uint64_t *v = work;
  uint32_t i;
  v[0] = 0;
  for (i = 0; i < 3; ++i) v[1 + i] = x[i];
  for (i = 0; i < 4; ++i) {
    const uint32_t o = m_outputs[i];
    y[i] = v[o >> 1] ^ (0 - (uint64_t)(o & 1));
  }
}
