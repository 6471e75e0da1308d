#include "firn/base/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

#include "firn/base/error.h"

namespace firn {

namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t difference(std::uint64_t limit, std::uint64_t used) {
  return limit > used ? limit - used : 0;
}

// The first number in a file; nothing where there is none, as in "max".
std::optional<std::uint64_t> first_number(const char* file) {
  std::ifstream in(file);
  std::uint64_t value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

std::uint64_t free_in_machine() {
  std::ifstream in("/proc/meminfo");
  std::uint64_t free = 0, kilobytes = 0;
  bool is_known = false;
  for (std::string name, unit; in >> name >> kilobytes && std::getline(in, unit);) {
    if (name != "MemAvailable:" && name != "SwapFree:") continue;
    free += 1024 * kilobytes;
    is_known = true;
  }
  return is_known ? free : kUnlimited;
}

// Of the address space, as `ulimit -v` sets it.
std::uint64_t free_under_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const std::uint64_t pages = first_number("/proc/self/statm").value_or(0);
  return difference(limit.rlim_cur, pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

// What processes of the container hold. memory.current would count cached files as well, which make room when asked.
std::uint64_t used_in_container() {
  std::ifstream in("/sys/fs/cgroup/memory.stat");
  std::string name;
  for (std::uint64_t bytes = 0; in >> name >> bytes;)
    if (name == "anon") return bytes;
  return 0;
}

std::uint64_t free_in_container() {
  const auto limit = first_number("/sys/fs/cgroup/memory.max");
  return limit ? difference(*limit, used_in_container()) : kUnlimited;
}

}  // namespace

std::uint64_t available_memory() {
  return std::min({free_in_machine(), free_under_limit(), free_in_container()});
}

std::string format_bytes(double bytes) {
  constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

void require_memory(double bytes, std::string_view what, std::string_view keys) {
  const auto available = static_cast<double>(available_memory());
  if (bytes > available)
    throw Error(fmt::format("{} would need about {} of memory, but {} are available; choose a smaller {}", what,
                            format_bytes(bytes), format_bytes(available), keys));
}

}  // namespace firn
