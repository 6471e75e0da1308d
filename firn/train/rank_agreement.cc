#include "firn/train/rank_agreement.h"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <string_view>
#include <utility>

#include "firn/base/checksum.h"
#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/kernels/target.h"

namespace firn::training {

namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Checkpoint parse(std::string_view bytes, std::string source) {
  return Checkpoint::parse(SafetensorsFile::parse(bytes_of(bytes), std::move(source)));
}

}  // namespace

void check_same_ground(const std::string& config, const Fingerprints& data, Ranks& ranks, const std::string& teacher) {
  if (ranks.is_alone()) return;
  const auto require = [&](const std::string& trait, const auto& complain) {
    const std::vector<std::string> all = ranks.gather(trait);
    const std::optional<int> odd = odd_one_out(all);
    if (!odd) return;
    const int other = *odd == 0 ? 1 : 0;
    throw Error(complain(*odd, all[static_cast<std::size_t>(*odd)], other, all[static_cast<std::size_t>(other)]));
  };
  require(FIRN_VERSION, [](int odd, const std::string& its, int other, const std::string& theirs) {
    return fmt::format("rank {} runs Firn {} but rank {} runs {}; use the same version everywhere", odd, its, other,
                       theirs);
  });
  require(active_target(), [](int odd, const std::string& its, int other, const std::string& theirs) {
    return fmt::format(
        "rank {} computes with {} but rank {} with {}, so that their bits would differ; choose a target that all have "
        "with --simd",
        odd, its, other, theirs);
  });
  require(checksum_of(std::as_bytes(std::span(config))),
          [](int odd, const std::string&, int other, const std::string&) {
            return fmt::format(
                "rank {} has another configuration than rank {}; give all ranks the same file and options", odd, other);
          });
  const std::array<std::pair<std::string_view, const std::string*>, 2> parts = {
      {{"training", &data.train}, {"test", &data.test}}};
  for (const auto& [name, digest] : parts)
    require(*digest, [name = name](int odd, const std::string&, int other, const std::string&) {
      return fmt::format("rank {} has other {} examples than rank {}; give all ranks the same data", odd, name, other);
    });
  require(teacher, [](int odd, const std::string&, int other, const std::string&) {
    return fmt::format("rank {} has another teacher than rank {}; give all ranks the same file", odd, other);
  });
}

// A file that rank 0 cannot read is an Error on all ranks, so that they stay in step if somebody catches it.
Checkpoint read_for_all(const std::filesystem::path& file, Ranks& ranks) {
  if (ranks.is_alone()) return Checkpoint::read(file);
  std::string bytes;
  std::exception_ptr failure;
  try {
    if (ranks.is_first()) bytes = read_text(file);
  } catch (const Error&) {
    failure = std::current_exception();
  }
  bytes = ranks.broadcast(bytes);
  if (failure) std::rethrow_exception(failure);
  return parse(bytes, file.string());
}

std::optional<Checkpoint> pass_to_all(const std::optional<Checkpoint>& checkpoint, Ranks& ranks) {
  const std::string source = ranks.broadcast(checkpoint ? checkpoint->source() : "");
  if (source.empty()) return std::nullopt;
  return read_for_all(source, ranks);
}

}  // namespace firn::training
