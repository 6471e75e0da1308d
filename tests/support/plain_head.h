// The head in the plainest way, as the twin of the one that is built: adders in the order of the wires, a tournament.
#pragma once

#include <bit>
#include <utility>
#include <vector>

#include "firn/circuit/builder.h"

namespace firn::plain_head {

inline Word plain_count(NetBuilder& builder, std::span<const Wire> bits) {
  const std::size_t width = static_cast<std::size_t>(std::bit_width(bits.size()));
  std::vector<std::vector<Wire>> columns(width + 1);  // wires of equal weight; the last column stays empty
  columns[0].assign(bits.begin(), bits.end());
  Word sum;
  for (std::size_t c = 0; c < width; ++c) {
    std::vector<Wire>& column = columns[c];
    std::size_t next = 0;
    while (column.size() - next >= 2) {
      const Wire x = column[next], y = column[next + 1], z = column.size() - next > 2 ? column[next + 2] : kFalse;
      next += column.size() - next > 2 ? 3 : 2;
      const Wire half = builder.make_xor(x, y);
      column.push_back(builder.make_xor(half, z));
      columns[c + 1].push_back(builder.make_or(builder.make_and(x, y), builder.make_and(half, z)));
    }
    sum.push_back(column.size() > next ? column[next] : kFalse);
  }
  return sum;
}

// From the lowest bit up: a higher bit that differs decides anew.
inline Wire plain_greater(NetBuilder& builder, const Word& a, const Word& b) {
  Wire greater = kFalse;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Wire differs = builder.make_xor(a[i], b[i]);
    greater = builder.make_or(builder.make_and(differs, a[i]), builder.make_and(!differs, greater));
  }
  return greater;
}

// The number of the largest class, the lowest on ties, `bits` wide; outputs in equal groups.
inline Word decide(NetBuilder& builder, std::span<const Wire> outputs, std::size_t groups, std::size_t bits) {
  const std::size_t size = outputs.size() / groups;
  Word most = plain_count(builder, outputs.first(size)), number(bits, kFalse);
  for (std::size_t g = 1; g < groups; ++g) {
    const Word count = plain_count(builder, outputs.subspan(g * size, size));
    const Wire wins = plain_greater(builder, count, most);
    for (std::size_t i = 0; i < most.size(); ++i)
      most[i] = builder.make_xor(most[i], builder.make_and(wins, builder.make_xor(most[i], count[i])));
    for (std::size_t b = 0; b < bits; ++b)
      number[b] = (g >> b & 1) != 0 ? builder.make_or(number[b], wins) : builder.make_and(number[b], !wins);
  }
  return number;
}

}  // namespace firn::plain_head
