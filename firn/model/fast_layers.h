// The family of fast layers: kernels for layers of a certain structure. What fits none of them is run by the reference.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "firn/kernels/placements.h"
#include "firn/model/layer.h"

namespace firn::model {

struct FastLayer {
  std::string_view name;
  // How many layers, from the first of those given, it can run together; 0: none.
  std::size_t (*fit)(std::span<const LayerDescription> layers);
  std::unique_ptr<Layer> (*make)(std::span<LayerDescription> parts);
};

// In the order in which they are asked.
std::span<const FastLayer> fast_layers();

// The layer that runs the first of the given descriptions, with as many of the following as it can take.
std::unique_ptr<Layer> make_layer(std::span<LayerDescription> layers);

// Where the kernel of a convolution finds its rows.
Placements placements_for(const Layer& layer);

// One line each in the table.
std::size_t fit_dense(std::span<const LayerDescription> layers);
std::unique_ptr<Layer> make_dense(std::span<LayerDescription> levels);
std::size_t fit_chain(std::span<const LayerDescription> layers);
std::unique_ptr<Layer> make_chain(std::span<LayerDescription> part);
std::size_t fit_tree_conv(std::span<const LayerDescription> layers);
std::unique_ptr<Layer> make_tree_conv(std::span<LayerDescription> part);
std::size_t fit_slot_dense(std::span<const LayerDescription> layers);
std::unique_ptr<Layer> make_slot_dense(std::span<LayerDescription> part);
std::size_t fit_slot_conv(std::span<const LayerDescription> layers);
std::unique_ptr<Layer> make_slot_conv(std::span<LayerDescription> part);
std::size_t fit_or_pool(std::span<const LayerDescription> layers);
std::unique_ptr<Layer> make_or_pool(std::span<LayerDescription> part);
// Runs anything.
std::unique_ptr<Layer> make_reference_layer(std::span<LayerDescription> part);

}  // namespace firn::model
