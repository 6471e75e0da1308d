#include "firn/network/layer.h"

#include <fmt/core.h>

#include <bit>

#include "firn/base/error.h"

namespace firn::network {

namespace {

template <class Numbers>
void check_below(const std::string& layer, const Numbers& numbers, std::size_t limit) {
  for (const std::size_t number : numbers)
    if (number >= limit)
      throw Error(fmt::format("layer {}: a wire leads to {}, but there are only {} to choose from; the file is damaged",
                              layer, number, limit));
}

bool all_below(const auto& values, std::size_t limit) {
  return std::ranges::all_of(values, [=](auto value) { return static_cast<std::size_t>(value) < limit; });
}

bool operands_come_first(const LayerDescription& layer) {
  for (std::size_t g = 0; g < layer.gates; ++g)
    for (std::size_t side = 0; side < 2; ++side)
      if (layer.operands[2 * g + side] >= layer.taps + g) return false;
  return true;
}

}  // namespace

std::uint32_t LayerDescription::feature(std::size_t unit, std::size_t tap, std::size_t output_number,
                                        std::size_t position) const {
  const std::size_t i = unit * taps + tap, place = tap_place.empty() ? 0 : tap_place[i];
  const std::size_t y = output_number / output.width * pool.height + position / pool.width;
  const std::size_t x = output_number % output.width * pool.width + position % pool.width;
  const std::size_t line = y * stride + place / window.width, column = x * stride + place % window.width;
  if (line < padding.height || column < padding.width || line - padding.height >= input.height ||
      column - padding.width >= input.width)
    return kOutside;
  return static_cast<std::uint32_t>((tap_channel[i] * input.height + line - padding.height) * input.width + column -
                                    padding.width);
}

std::uint32_t LayerDescription::first_row(std::size_t unit, std::size_t tap, const RowLayout& in) const {
  const std::size_t i = unit * taps + tap, place = tap_place.empty() ? 0 : tap_place[i];
  const std::size_t line = in.border - padding.height + place / window.width;
  const std::size_t column = in.border - padding.width + place % window.width;
  return static_cast<std::uint32_t>(tap_channel[i] * in.plane() + line * in.line() + column);
}

void visit_wiring(LayerDescription& layer, StateVisitor& visitor) {
  if (!layer.channel_tensor.empty()) visitor.visit(layer.name + "." + layer.channel_tensor, layer.tap_channel);
  if (!layer.place_tensor.empty() && !layer.tap_place.empty())
    visitor.visit(layer.name + "." + layer.place_tensor, layer.tap_place);
}

void redraw_slot(LayerDescription& layer, std::size_t unit, std::size_t slot, RandomSequence& random) {
  const bool moves_in_window = !layer.tap_place.empty() || layer.channel_tensor.empty();
  const std::size_t choices = moves_in_window ? layer.window.size() : layer.input.channels;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::uint32_t drawn = random.below(static_cast<std::uint32_t>(choices));
    const std::size_t i = unit * layer.taps + 2 * slot + side;
    if (!moves_in_window)
      layer.tap_channel[i] = drawn;
    else if (!layer.tap_place.empty())
      layer.tap_place[i] = static_cast<std::uint8_t>(drawn);
  }
}

void check_wiring(const LayerDescription& layer) {
  check_below(layer.name, layer.tap_channel, layer.input.channels);
  check_below(layer.name, layer.tap_place, layer.window.size());
}

Extent placements_of(const Shape& input, const Extent& window, const Extent& padding, std::size_t stride) {
  const std::size_t height = input.height + 2 * padding.height, width = input.width + 2 * padding.width;
  if (height < window.height || width < window.width) return {0, 0};
  return {(height - window.height) / stride + 1, (width - window.width) / stride + 1};
}

const char* fault_of(const LayerDescription& layer) {
  constexpr std::size_t kMaxSide = 16;
  const Extent &window = layer.window, &pool = layer.pool, &padding = layer.padding;
  if (window.height < 1 || window.width < 1 || window.height > kMaxSide || window.width > kMaxSide ||
      padding.height >= kMaxSide || padding.width >= kMaxSide || layer.stride < 1 || layer.stride > kMaxSide)
    return "has an impossible window";
  if (pool.height < 1 || pool.width < 1 || pool.height > kMaxPool || pool.width > kMaxPool || pool.size() > kMaxPool)
    return "has an impossible pool";
  if (layer.taps < 1 || layer.taps > kMaxUnitTaps || layer.gates > kMaxUnitGates)
    return "has units with an impossible number of gates";
  const Extent placed = placements_of(layer.input, window, padding, layer.stride);
  if (placed.size() == 0) return "has a window larger than its image";
  if (layer.output.height != placed.height / pool.height || layer.output.width != placed.width / pool.width)
    return "has an output of the wrong size";
  if (layer.has_own_slots && (layer.gates != 1 || layer.taps != kMaxUnitTaps))
    return "does not have a pair of taps for each slot";
  if (layer.has_own_slots && pool.size() != 1) return "has slots of its own under a pool";
  if (layer.operands.size() != 2 * layer.gates || !operands_come_first(layer)) return "has a gate without its operands";
  if (layer.tap_channel.size() != layer.units() * layer.taps ||
      layer.tap_place.size() != (window.size() > 1 ? layer.tap_channel.size() : 0))
    return "does not have its taps for each unit";
  if (!all_below(layer.tap_channel, layer.input.channels)) return "has a tap in a channel that does not exist";
  if (!all_below(layer.tap_place, window.size())) return "has a tap outside its window";
  return nullptr;
}

std::size_t tree_depth(const LayerDescription& layer) {
  if (layer.has_own_slots || layer.gates + 1 != layer.taps || !std::has_single_bit(layer.taps)) return 0;
  for (std::size_t i = 0; i < layer.operands.size(); ++i)
    if (layer.operands[i] != i) return 0;
  return static_cast<std::size_t>(std::countr_zero(layer.taps));
}

bool is_placed_once(const LayerDescription& layer) {
  return layer.window.size() == 1 && layer.input.height == 1 && layer.input.width == 1 && layer.placements() == 1 &&
         layer.border() == 0;
}

bool is_pool(const LayerDescription& layer) {
  if (layer.gates != 0 || layer.window.size() != 1 || layer.stride != 1 || layer.border() != 0) return false;
  for (std::size_t c = 0; c < layer.tap_channel.size(); ++c)
    if (layer.tap_channel[c] != c) return false;
  return layer.taps == 1 && layer.pool == Extent{2, 2};
}

std::vector<std::uint8_t> tree_operands(std::size_t depth) {
  std::vector<std::uint8_t> operands;
  const std::size_t gates = (std::size_t{1} << depth) - 1;
  for (std::size_t node = 0; node < 2 * gates; ++node) operands.push_back(static_cast<std::uint8_t>(node));
  return operands;
}

}  // namespace firn::network
