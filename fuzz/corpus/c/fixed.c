/*
 * a note
 *
 * Memory for intermediate results comes from the caller; net_many() takes any number of samples, [sample][feature].
 *   int16_t features[NET_FEATURES];
 *   uint64_t work[NET_WORK];
 *   uint32_t counts[NET_GROUPS];
 *   net(features, counts, work);
 */
#include <stdint.h>

#define NET_BITS_INPUTS 4
#define NET_BITS_OUTPUTS 4
#define NET_BITS_WORK 11

void net_bits(const uint64_t *x, uint64_t *y, uint64_t *work);

/* Rows that each gate reads. */
static const uint32_t net_bits_wires[] = {
  2,4,4,5,4,5,4,6,2,6,8,7,
};

/* Runs of equal gates: kind, length. */
static const uint32_t net_bits_runs[] = {
  1,1,2,1,3,4,
};

/* Rows of the outputs times two, plus one where it is inverted. */
static const uint32_t net_bits_outputs[] = {
  19,19,15,20,
};

void net_bits(const uint64_t *x, uint64_t *y, uint64_t *work) {
  uint64_t *v = work;
  uint32_t i;
  v[0] = 0;
  for (i = 0; i < 4; ++i) v[1 + i] = x[i];
  const uint32_t *w = net_bits_wires, *run = net_bits_runs;
  uint32_t next = 5;
  for (; next < 11; run += 2) {
    const uint32_t end = next + run[1];
    switch (run[0]) {
      case 0: for (; next < end; ++next, w += 2) { const uint32_t a = w[0], b = w[1]; v[next] = v[a] & v[b]; } break;
      case 1: for (; next < end; ++next, w += 2) { const uint32_t a = w[0], b = w[1]; v[next] = v[a] & ~v[b]; } break;
      case 2: for (; next < end; ++next, w += 2) { const uint32_t a = w[0], b = w[1]; v[next] = ~(v[a] | v[b]); } break;
      default: for (; next < end; ++next, w += 2) { const uint32_t a = w[0], b = w[1]; v[next] = v[a] ^ v[b]; } break;
    }
  }
  for (i = 0; i < 4; ++i) {
    const uint32_t o = net_bits_outputs[i];
    y[i] = v[o >> 1] ^ (0 - (uint64_t)(o & 1));
  }
}

#include <stddef.h>

#define NET_FEATURES 2
#define NET_INTEGER_BITS 8
#define NET_FRACTION_BITS 8
#define NET_GROUPS 2
#define NET_WORK 19

/* Input i of the circuit is 1 where feature i % NET_FEATURES is above limit i. */
static const int32_t net_limits[] = {
  -3, 0, 2, INT32_MAX,
};

void net(const int16_t *features, uint32_t *counts, uint64_t *work);
void net_many(const int16_t *features, size_t samples, uint32_t *counts, uint64_t *work);

static void net_block(const int16_t *features, size_t samples, uint64_t *work) {
  uint64_t *x = work, *y = work + 4;
  uint32_t i, f;
  size_t s;
  for (i = 0, f = 0; i < 4; ++i, f = f + 1 < 2 ? f + 1 : 0) {
    uint64_t word = 0;
    for (s = 0; s < samples; ++s) word |= (uint64_t)(features[s * 2 + f] > net_limits[i]) << s;
    x[i] = word;
  }
  net_bits(x, y, y + 4);
}

void net_many(const int16_t *features, size_t samples, uint32_t *counts, uint64_t *work) {
  const uint64_t *y = work + 4;
  size_t first, s;
  uint32_t o;
  for (first = 0; first < samples; first += 64) {
    const size_t block = samples - first < 64 ? samples - first : 64;
    net_block(features + first * 2, block, work);
    for (s = 0; s < block; ++s) {
      uint32_t *count = counts + (first + s) * 2;
      for (o = 0; o < 2; ++o) count[o] = 0;
      for (o = 0; o < 4; ++o) count[o / 2] += (uint32_t)(y[o] >> s & 1);
    }
  }
}

void net(const int16_t *features, uint32_t *counts, uint64_t *work) {
  net_many(features, 1, counts, work);
}
