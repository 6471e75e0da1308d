/*
 * a note
 *
 * Memory for intermediate results comes from the caller; net_many() takes any number of samples, [sample][feature].
 *   float features[NET_FEATURES];
 *   uint64_t work[NET_WORK];
 *   unsigned class_number = net(features, work);
 */
#include <stdint.h>

#define NET_BITS_INPUTS 4
#define NET_BITS_OUTPUTS 4
#define NET_BITS_WORK 1

void net_bits(const uint64_t *x, uint64_t *y, uint64_t *work);

void net_bits(const uint64_t *x, uint64_t *y, uint64_t *work) {
  (void)work;
  const uint64_t n5 = x[1] & ~x[3];
  const uint64_t n6 = ~x[3] & ~n5;
  const uint64_t n7 = x[3] ^ n6;
  const uint64_t n8 = x[3] ^ n5;
  const uint64_t n9 = x[1] ^ n6;
  const uint64_t n10 = n7 ^ n8;
  y[0] = ~n9;
  y[1] = ~n9;
  y[2] = ~n8;
  y[3] = n10;
}

#include <stddef.h>

#define NET_FEATURES 2
#define NET_WORK 9

/* Input i of the circuit is 1 where feature i % NET_FEATURES is above limit i. */
static const float net_limits[] = {
  0.0f, 1.40129846e-45f, 1.0f, 2.0f,
};

/* What a missing value (NaN) of each feature counts as; the lowest float is above no limit. */
static const float net_fills[] = {
  0.25f, 7.0f,
};

unsigned net(const float *features, uint64_t *work);
void net_many(const float *features, size_t samples, unsigned *classes, uint64_t *work);

static void net_block(const float *features, size_t samples, uint64_t *work) {
  uint64_t *x = work, *y = work + 4;
  uint32_t i, f;
  size_t s;
  for (i = 0, f = 0; i < 4; ++i, f = f + 1 < 2 ? f + 1 : 0) {
    uint64_t word = 0;
    for (s = 0; s < samples; ++s) word |= (uint64_t)((features[s * 2 + f] != features[s * 2 + f] ? net_fills[f] : features[s * 2 + f]) > net_limits[i]) << s;
    x[i] = word;
  }
  net_bits(x, y, y + 4);
}

void net_many(const float *features, size_t samples, unsigned *classes, uint64_t *work) {
  const uint64_t *y = work + 4;
  size_t first, s;
  uint32_t o;
  for (first = 0; first < samples; first += 64) {
    const size_t block = samples - first < 64 ? samples - first : 64;
    net_block(features + first * 2, block, work);
    for (s = 0; s < block; ++s) {
      unsigned number = 0;
      for (o = 0; o < 4; ++o) number |= (unsigned)(y[o] >> s & 1) << o;
      classes[first + s] = number;
    }
  }
}

unsigned net(const float *features, uint64_t *work) {
  unsigned number;
  net_many(features, 1, &number, work);
  return number;
}
