// Augmentation: small random changes of training images, as a pure function of seed, epoch and sample.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "firn/base/random.h"
#include "firn/base/shape.h"
#include "firn/data/dataset.h"

namespace firn::data {

using RandomWords = std::array<std::uint32_t, 4>;  // all the randomness that one image gets

// The family of augmentations. `apply` writes the changed image to `out`, which has room for shape.size() bytes and
// does not overlap the image.
struct Augmentation {
  std::string_view name;
  std::string_view summary;
  bool images_only;
  void (*apply)(const Shape& shape, const std::uint8_t* image, const RandomWords& words, std::uint8_t* out);
};

std::span<const Augmentation> augmentations();

// One augmentation for one data set. May be used from many threads at once.
class Augmenter {
 public:
  // Refuses unknown names, and data that is not made of byte images unless `name` is "none".
  Augmenter(std::string_view name, const Dataset& dataset, std::uint64_t seed);

  // Writes what becomes of `image` (sample number `sample`) in that epoch.
  void write(const std::uint8_t* image, std::uint32_t epoch, std::uint32_t sample, std::uint8_t* out) const;

 private:
  const Augmentation* augmentation_;
  Shape shape_;
  Random random_;
};

}  // namespace firn::data
