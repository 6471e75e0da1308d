// Feeds arbitrary text to the configuration reader: it must refuse with an Error or give a configuration that survives
// being written and read back, and whose layers can be counted.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "firn/base/error.h"
#include "firn/study/config_text.h"
#include "firn/study/memory_needs.h"

namespace {

std::optional<firn::Config> read_file(std::string_view text) {
  try {
    return firn::parse_config(text, "fuzz.toml");
  } catch (const firn::Error&) {
    return std::nullopt;
  }
}

std::optional<firn::Config> read_override(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  try {
    const firn::Override overrides[] = {
        {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)), "fuzz"}};
    return firn::parse_config("", "fuzz.toml", overrides);
  } catch (const firn::Error&) {
    return std::nullopt;
  }
}

// Writes all layers out: that is done before anybody knows how much memory they need.
void count_layers(const firn::Config& config) {
  try {
    FIRN_CHECK(std::isfinite(firn::training_bytes(config, {3, 28, 28}, /*threads=*/1)));
  } catch (const firn::Error&) {  // a family that is left to the data, or a list without layers
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& config : {read_file(text), read_override(text)}) {
    if (!config) continue;
    const std::string written = to_toml(*config);
    FIRN_CHECK(to_toml(firn::parse_config(written, "again.toml")) == written);
    count_layers(*config);
  }
  return 0;
}
