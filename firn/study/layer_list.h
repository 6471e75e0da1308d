// Lists of layers as text: [[model.layer]] sections in, plain data out, and back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firn/base/toml.h"
#include "firn/network/kind.h"
#include "firn/study/config.h"

namespace firn::study {

// Reads one section; returns what is wrong with it, or an empty string.
std::string read_layer(const toml::table& section, std::size_t number, const LayerKinds& kinds, ListedLayer& layer);

using firn::to_toml;  // of single values
// [[model.layer]] sections, one for each layer.
std::string to_toml(const std::vector<ListedLayer>& layers);

// The same configuration with the layers of its family written out as a list, to be edited. Image sets need not be
// there; of other data the files are read.
Config with_listed_layers(const Config& config, const std::string& data_root);

}  // namespace firn::study
