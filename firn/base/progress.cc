#include "firn/base/progress.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace firn {

namespace {

constexpr double kWindowSeconds = 30;  // long enough to be calm, short enough to follow a change
constexpr double kMarkSeconds = 0.5;   // marks closer together would only cost memory

std::string format_rate(double rate) {
  if (rate < 10) return fmt::format("{:.2f}", rate);
  if (rate < 1000) return fmt::format("{:.1f}", rate);
  return format_count(static_cast<std::uint64_t>(std::llround(rate)));
}

}  // namespace

Progress::Progress(std::string unit, std::uint64_t total, Clock clock, std::uint64_t done)
    : unit_(std::move(unit)), total_(total), done_(done), clock_(std::move(clock)), start_(clock_()) {
  marks_.push_back({start_, done});
}

void Progress::update(std::uint64_t done) {
  done_ = done;
  const double now = clock_();
  if (now - marks_.back().time >= kMarkSeconds) marks_.push_back({now, done});
  while (marks_.size() > 1 && marks_[1].time <= now - kWindowSeconds) marks_.pop_front();
}

std::optional<double> Progress::rate() const {
  const double seconds = clock_() - marks_.front().time;
  if (seconds <= 0 || done_ <= marks_.front().done) return std::nullopt;
  return static_cast<double>(done_ - marks_.front().done) / seconds;
}

std::optional<double> Progress::seconds_left() const {
  const auto speed = rate();
  if (total_ == 0 || done_ > total_ || !speed) return std::nullopt;
  return static_cast<double>(total_ - done_) / *speed;
}

std::string Progress::line(std::string_view extra) const {
  std::string text = fmt::format("{} {}", unit_, format_count(done_));
  if (total_ > 0) text += fmt::format("/{}  {} %", format_count(total_), 100 * done_ / total_);
  if (const auto speed = rate()) text += fmt::format("  {} {}s/s", format_rate(*speed), unit_);
  if (finished()) {
    text += fmt::format("  in {}", format_duration(elapsed()));
  } else if (const auto left = seconds_left()) {
    text += fmt::format("  ETA {}", format_duration(*left));
  }
  if (!extra.empty()) text += fmt::format("  {}", extra);
  return text;
}

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string format_duration(double seconds) {
  const auto s = static_cast<std::uint64_t>(std::llround(seconds));
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m{:02}s", s / 60, s % 60);
  if (s < 86400) return fmt::format("{}h{:02}m", s / 3600, s % 3600 / 60);
  return fmt::format("{}d{:02}h", s / 86400, s % 86400 / 3600);
}

}  // namespace firn
