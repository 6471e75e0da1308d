// The programs of others that judge circuits: what they are called, which Debian package brings them, and which version
// is installed.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace firn::synth {

struct Tool {
  std::string_view program, package;
  std::array<std::string_view, 2> version;  // arguments that make it print its version; the second may be empty
};

inline constexpr Tool kYosys{"yosys", "yosys", {"-V"}};
inline constexpr Tool kAbc{"berkeley-abc", "berkeley-abc", {"-q", "version"}};
inline constexpr Tool kSta{"sta", "opensta", {"-version"}};
inline constexpr Tool kNextpnr{"nextpnr-ice40", "nextpnr-ice40", {"--version"}};

// Cells of a 0.18 um process, with their areas and delays, as Debian's package installs them.
inline constexpr std::string_view kLiberty = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";
inline constexpr std::string_view kLibertyPackage = "qflow-tech-osu018";

bool is_installed(const Tool& tool);
// The first line of what it says about its version; nothing where it is not installed.
std::optional<std::string> version_of(const Tool& tool);

// "sta is not installed (Debian package opensta)"
std::string absence(const Tool& tool);
bool has_liberty();
std::string liberty_absence();

}  // namespace firn::synth
