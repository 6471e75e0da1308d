#include "firn/model/layers/or_pool.h"

#include <fmt/core.h>

#include "firn/base/error.h"

namespace firn {

namespace {

Shape halved(const std::string& name, Shape in) {
  if (in.height % 2 != 0 || in.width % 2 != 0)
    throw Error(fmt::format("layer {}: an input of {}x{} cannot be pooled 2x2", name, in.height, in.width));
  return {in.channels, in.height / 2, in.width / 2};
}

// Calls body(first input row, output row, output number) for every output; the window is the row and three more.
template <class Body>
void for_each_window(const RowLayout& in, const RowLayout& out, const Body& body) {
  std::size_t number = 0;
  for (std::size_t c = 0; c < out.shape.channels; ++c)
    for (std::size_t y = 0; y < out.shape.height; ++y)
      for (std::size_t x = 0; x < out.shape.width; ++x) body(in.row(c, 2 * y, 2 * x), out.row(c, y, x), number++);
}

}  // namespace

OrPoolLayer::OrPoolLayer(std::string name, Shape in) : Layer(name, {in, 0}, {halved(name, in), 0}) {}

void OrPoolLayer::forward(const ForwardRows& rows) const {
  const std::size_t offset[4] = {0, 1, input().line(), input().line() + 1};
  for_each_window(input(), output(), [&](std::size_t from, std::size_t to, std::size_t number) {
    float* out = rows.out + to * rows.samples;
    std::uint8_t* winners = rows.winners + number * rows.samples;
    for (std::size_t s = 0; s < rows.samples; ++s) {
      std::uint8_t winner = 0;
      for (std::uint8_t p = 1; p < 4; ++p)
        if (rows.in[(from + offset[p]) * rows.samples + s] > rows.in[(from + offset[winner]) * rows.samples + s])
          winner = p;
      winners[s] = winner;
      out[s] = rows.in[(from + offset[winner]) * rows.samples + s];
    }
  });
}

void OrPoolLayer::backward(const BackwardRows& rows) const {
  if (rows.grad_in == nullptr) return;
  const std::size_t offset[4] = {0, 1, input().line(), input().line() + 1};
  for_each_window(input(), output(), [&](std::size_t from, std::size_t to, std::size_t number) {
    for (std::size_t s = 0; s < rows.samples; ++s)
      rows.grad_in[(from + offset[rows.winners[number * rows.samples + s]]) * rows.samples + s] +=
          rows.grad_out[to * rows.samples + s];
  });
}

std::vector<Layer::NamedBooleanLayer> OrPoolLayer::harden() const {
  return {{name(), BooleanPool{input().shape, output().shape}}};
}

}  // namespace firn
