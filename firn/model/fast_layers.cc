#include "firn/model/fast_layers.h"

namespace firn::model {

std::span<const FastLayer> fast_layers() {
  static constexpr FastLayer kFastLayers[] = {
      {"dense", fit_dense, make_dense},
      {"chain", fit_chain, make_chain},
      {"tree-conv", fit_tree_conv, make_tree_conv},
      {"slot-dense", fit_slot_dense, make_slot_dense},
      {"slot-conv", fit_slot_conv, make_slot_conv},
      {"or-pool", fit_or_pool, make_or_pool},
  };
  return kFastLayers;
}

std::unique_ptr<Layer> make_layer(std::span<LayerDescription> layers) {
  for (const FastLayer& fast : fast_layers())
    if (const std::size_t count = fast.fit(layers); count > 0) return fast.make(layers.first(count));
  return make_reference_layer(layers.first(1));
}

Placements placements_for(const Layer& layer) {
  const RowLayout& out = layer.output();
  return {.stride = layer.parts().front().stride,
          .in_line = layer.input().line(),
          .in_plane = layer.input().plane(),
          .out_height = out.shape.height,
          .out_width = out.shape.width,
          .out_first = out.row(0, 0, 0),
          .out_plane = out.plane(),
          .out_line = out.line()};
}

}  // namespace firn::model
