#include "firn/logic/boolean_network.h"

namespace firn {

namespace {

template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Match(Cases...) -> Match<Cases...>;

}  // namespace

Shape input_shape(const BooleanLayer& layer) {
  return std::visit(Match{[](const BooleanDense& dense) {
                            return Shape{dense.inputs, 1, 1};
                          },
                          [](const auto& image) { return image.in; }},
                    layer);
}

Shape output_shape(const BooleanLayer& layer) {
  return std::visit(Match{[](const BooleanDense& dense) {
                            return Shape{dense.gates.size(), 1, 1};
                          },
                          [](const auto& image) { return image.out; }},
                    layer);
}

std::size_t padding_of(const BooleanLayer& layer) {
  const auto* conv = std::get_if<BooleanConv>(&layer);
  return conv != nullptr ? conv->padding : 0;
}

}  // namespace firn
