/*
 * a note
 *
 * Sample s of 64 is bit s of every word. Memory for intermediate results comes from the caller:
 *   uint64_t x[NET_INPUTS], y[NET_OUTPUTS], work[NET_WORK];
 *   net(x, y, work);
 */
#include <stdint.h>

#define NET_INPUTS 5
#define NET_OUTPUTS 3
#define NET_WORK 1

void net(const uint64_t *x, uint64_t *y, uint64_t *work);

void net(const uint64_t *x, uint64_t *y, uint64_t *work) {
  (void)work;
  const uint64_t n6 = x[0] ^ x[4];
  const uint64_t n7 = x[3] & ~x[4];
  const uint64_t n8 = x[3] & n7;
  const uint64_t n9 = x[1] & ~n6;
  const uint64_t n10 = ~x[1] & n9;
  const uint64_t n11 = x[3] & n10;
  y[0] = n11;
  y[1] = ~n8;
  y[2] = ~n10;
}
