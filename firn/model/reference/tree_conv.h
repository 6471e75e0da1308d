// The formulas of a convolution by trees of gates with OR-pooling, for one sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/base/shape.h"
#include "firn/model/reference/layers.h"
#include "firn/model/reference/neuron.h"

namespace firn::reference {

struct TreeConv {
  Shape in_shape, out_shape;  // out after pooling
  std::size_t depth = 3, side = 3, padding = 1, pool = 2;
  std::vector<std::uint32_t> leaf_channel;  // [kernels][2^depth]
  std::vector<std::uint8_t> leaf_place;     // [kernels][2^depth] line * side + column in the window

  std::size_t leaves() const { return std::size_t{1} << depth; }
  std::size_t gates() const { return leaves() - 1; }

  // Where leaf l of kernel k reads when the window stands at line y, column x.
  std::size_t leaf_feature(std::size_t k, std::size_t l, std::size_t y, std::size_t x) const {
    const std::size_t j = k * leaves() + l;
    return feature_at(in_shape, leaf_channel[j], y + leaf_place[j] / side, x + leaf_place[j] % side, padding);
  }

  // Leaves, then gates level by level: gate g reads nodes 2g and 2g + 1, and the last node is the root.
  template <class T>
  Values<T> nodes(const T* q, const Values<T>& in, std::size_t k, std::size_t y, std::size_t x) const {
    Values<T> nodes;
    for (std::size_t l = 0; l < leaves(); ++l) nodes.push_back(read(in, leaf_feature(k, l, y, x)));
    for (std::size_t g = 0; g < gates(); ++g)
      nodes.push_back(neuron_value(slots_on_pair(2 * g, 2 * g + 1), q + (k * gates() + g) * kSlots, nodes));
    return nodes;
  }

  // The pool's positions for an output, line by line.
  struct Position {
    std::size_t y, x;
  };
  std::vector<Position> window(std::size_t y, std::size_t x) const {
    std::vector<Position> positions;
    for (std::size_t dy = 0; dy < pool; ++dy)
      for (std::size_t dx = 0; dx < pool; ++dx) positions.push_back({pool * y + dy, pool * x + dx});
    return positions;
  }

  template <class T>
  Position winner(const T* q, const Values<T>& in, std::size_t k, std::size_t y, std::size_t x) const {
    const std::vector<Position> positions = window(y, x);
    std::vector<T> roots;
    for (const Position& p : positions) roots.push_back(nodes(q, in, k, p.y, p.x).back());
    return positions[first_winner(roots)];
  }

  template <class T>
  Values<T> forward(const T* q, const Values<T>& in) const {
    Values<T> out(out_shape.size());
    for_each_feature(out_shape, [&](std::size_t k, std::size_t y, std::size_t x, std::size_t number) {
      const Position p = winner(q, in, k, y, x);
      out[number] = nodes(q, in, k, p.y, p.x).back();
    });
    return out;
  }

  template <class T>
  void backward(const T* q, const Values<T>& in, const Values<T>& grad_out, Values<T>& grad_in, T* grad_q) const {
    for_each_feature(out_shape, [&](std::size_t k, std::size_t y, std::size_t x, std::size_t number) {
      const Position p = winner(q, in, k, y, x);
      backward_at(q, in, k, p, grad_out[number], grad_in, grad_q);
    });
  }

 private:
  template <class T>
  void backward_at(const T* q, const Values<T>& in, std::size_t k, Position p, const T& up, Values<T>& grad_in,
                   T* grad_q) const {
    const Values<T> value = nodes(q, in, k, p.y, p.x);
    Values<T> grad(value.size());
    grad.back() = up;
    for (std::size_t g = gates(); g-- > 0;) {
      const std::size_t row = (k * gates() + g) * kSlots;
      neuron_backward(slots_on_pair(2 * g, 2 * g + 1), q + row, value, T(grad[leaves() + g]), grad, grad_q + row);
    }
    for (std::size_t l = 0; l < leaves(); ++l)
      if (const std::size_t feature = leaf_feature(k, l, p.y, p.x); feature != kOutside) grad_in[feature] += grad[l];
  }
};

}  // namespace firn::reference
