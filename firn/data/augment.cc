#include "firn/data/augment.h"

#include <fmt/format.h>

#include <string>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/data/augmentations/flip_crop.h"
#include "firn/data/augmentations/none.h"
#include "firn/data/augmentations/rotate_shift.h"

namespace firn::data {
namespace {

constexpr std::array kAugmentations = {
    Augmentation{"none", "images as they are", false, copy_image},
    Augmentation{"flip-crop", "mirror half of the images, then move each by up to two pixels", true, flip_crop},
    Augmentation{"rotate-shift", "turn by up to 15 degrees, then move by up to a tenth; for digits", true,
                 rotate_shift},
};

}  // namespace

std::span<const Augmentation> augmentations() {
  return kAugmentations;
}

Augmenter::Augmenter(std::string_view name, const Dataset& dataset, std::uint64_t seed)
    : augmentation_(&entry_named(name, kAugmentations, "augmentation")),
      shape_(dataset.shape),
      random_(seed, "augment") {
  const bool images = shape_.height > 1 && shape_.width > 1 && !dataset.train.has_reals();
  if (augmentation_->images_only && !images)
    throw Error(
        fmt::format("the augmentation \"{}\" is for byte images, and {} has none; choose none", name, dataset.name));
}

void Augmenter::write(const std::uint8_t* image, std::uint32_t epoch, std::uint32_t sample, std::uint8_t* out) const {
  const std::uint64_t index = (std::uint64_t{epoch} << 32) | sample;
  augmentation_->apply(shape_, image, random_.block(index), out);
}

}  // namespace firn::data
