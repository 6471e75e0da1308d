// What flat layers have in common whose neurons choose among slots with inputs of their own.
#pragma once

#include "firn/network/kind.h"

namespace firn::network {

// A layer of `outputs` such neurons. The kind fills in what their slots read, in tap_channel.
LayerDescription own_slots(const LayerPlace& place, std::size_t outputs);

}  // namespace firn::network
