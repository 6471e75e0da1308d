// OR-pooling on its own: the maximum over 2 x 2 positions, whose gradient goes to the first winner.
#include "firn/model/fast_layers.h"

namespace firn::model {

namespace {

class OrPoolLayer final : public Layer {
 public:
  using Layer::Layer;

  std::size_t winner_rows() const override { return output().shape.size(); }
  std::size_t sum_width() const override { return 4; }

  void forward(const ForwardRows& rows) const override {
    for_each_window([&](const std::array<std::size_t, 4>& from, std::size_t to, std::size_t number) {
      float* out = rows.out + to * rows.samples;
      std::uint8_t* winners = rows.winners + number * rows.samples;
      for (std::size_t s = 0; s < rows.samples; ++s) {
        std::uint8_t winner = 0;
        for (std::uint8_t p = 1; p < 4; ++p)
          if (rows.in[from[p] * rows.samples + s] > rows.in[from[winner] * rows.samples + s]) winner = p;
        winners[s] = winner;
        out[s] = rows.in[from[winner] * rows.samples + s];
      }
    });
  }

  void backward(const BackwardRows& rows) const override {
    if (rows.grad_in == nullptr) return;
    for_each_window([&](const std::array<std::size_t, 4>& from, std::size_t to, std::size_t number) {
      for (std::size_t s = 0; s < rows.samples; ++s)
        rows.grad_in[from[rows.winners[number * rows.samples + s]] * rows.samples + s] +=
            rows.grad_out[to * rows.samples + s];
    });
  }

 private:
  // Calls body(input rows, output row, output number) for every output.
  template <class Body>
  void for_each_window(const Body& body) const {
    const RowLayout &in = input(), &out = output();
    std::size_t number = 0;
    for (std::size_t c = 0; c < out.shape.channels; ++c)
      for (std::size_t y = 0; y < out.shape.height; ++y)
        for (std::size_t x = 0; x < out.shape.width; ++x) {
          const std::size_t first = in.row(c, 2 * y, 2 * x), below = first + in.line();
          body({first, first + 1, below, below + 1}, out.row(c, y, x), number++);
        }
  }
};

}  // namespace

std::size_t fit_or_pool(std::span<const LayerDescription> layers) {
  return is_pool(layers.front());
}

std::unique_ptr<Layer> make_or_pool(std::span<LayerDescription> part) {
  return std::make_unique<OrPoolLayer>(part);
}

}  // namespace firn::model
