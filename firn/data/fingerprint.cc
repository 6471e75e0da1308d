#include "firn/data/fingerprint.h"

#include <array>
#include <cstdint>
#include <span>

#include "firn/base/checksum.h"

namespace firn::data {

namespace {

template <class T>
void add_rows(const MatrixView<T>& rows, Checksum& checksum) {
  for (std::size_t r = 0; r < rows.rows(); ++r) checksum.add(std::as_bytes(rows[r]));
}

}  // namespace

std::string fingerprint_of(const Examples& examples) {
  Checksum checksum;
  const std::array<std::uint64_t, 4> sizes = {examples.count(), examples.features(), examples.labels.size(),
                                              examples.has_reals()};
  checksum.add(std::as_bytes(std::span(sizes)));
  examples.has_reals() ? add_rows(examples.reals, checksum) : add_rows(examples.bytes, checksum);
  checksum.add(std::as_bytes(std::span(examples.labels)));
  checksum.add(std::as_bytes(std::span(examples.targets)));
  return checksum.digits();
}

Fingerprints fingerprints_of(const Dataset& data) {
  return {fingerprint_of(data.train), data.test.count() == 0 ? "" : fingerprint_of(data.test)};
}

}  // namespace firn::data
