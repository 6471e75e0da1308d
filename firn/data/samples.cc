#include "firn/data/samples.h"

#include <fmt/format.h>

#include <array>

#include "firn/base/error.h"
#include "firn/base/family.h"
#include "firn/data/samples/csv.h"
#include "firn/data/samples/images.h"
#include "firn/data/samples/npy.h"

namespace firn::data {
namespace {

constexpr std::array<SampleReader, 3> kSampleReaders = {{
    {"npy", "NumPy arrays: a .npy of features, or a .npz with x and perhaps y", is_npy_path, read_npy_samples},
    {"images", "a PNG image, or a folder of them", is_image_path, read_image_samples},
    {"csv", "a table of text: CSV, or separated by blanks where the training table was", takes_any_path,
     read_csv_samples},
}};

const SampleReader& choose(const std::string& path, std::string_view reader) {
  if (!reader.empty()) return entry_named(reader, kSampleReaders, "kind of sample file");
  for (const SampleReader& entry : kSampleReaders)
    if (entry.recognizes(path)) return entry;
  FIRN_CHECK(false);
  return kSampleReaders.back();
}

}  // namespace

std::span<const SampleReader> sample_readers() {
  return kSampleReaders;
}

SampleFile read_samples(const std::string& path, const SampleNeeds& needs, std::string_view reader) {
  SampleFile file = choose(path, reader).read(path, needs);
  const Examples& examples = file.examples;
  FIRN_CHECK(examples.features() == needs.shape.size() && examples.has_reals() == needs.reals);
  FIRN_CHECK(examples.count() > 0 && (examples.labels.empty() || examples.labels.size() == examples.count()) &&
             (examples.targets.empty() || examples.targets.size() == examples.count()));
  FIRN_CHECK(file.ids.empty() || file.ids.size() == examples.count());
  return file;
}

}  // namespace firn::data
