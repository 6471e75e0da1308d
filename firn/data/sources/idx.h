// IDX files, in which MNIST and Fashion-MNIST come: a magic number, big-endian sizes, then the values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "firn/data/dataset.h"
#include "firn/data/settings.h"

namespace firn::data {

// Unsigned bytes with their axes; `values` points into the bytes that were parsed.
struct IdxArray {
  std::string name;  // of the file, for messages
  std::vector<std::size_t> sizes;
  std::string_view values;
};

IdxArray parse_idx(std::string_view bytes, const std::string& name);

// Images [example][height][width] and labels [example] below `classes`.
Examples idx_examples(const IdxArray& images, const IdxArray& labels, std::size_t classes);

Dataset load_mnist(const DataSettings& settings);          // <root>/MNIST/raw
Dataset load_fashion_mnist(const DataSettings& settings);  // <root>/FashionMNIST/raw, else Debian's package

}  // namespace firn::data
