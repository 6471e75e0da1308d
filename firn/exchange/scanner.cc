#include "firn/exchange/scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "firn/base/error.h"
#include "firn/exchange/comment.h"
#include "firn/exchange/identifier.h"

namespace firn::exchange {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

std::string glimpse(std::string_view text) {
  constexpr std::size_t kLongest = 30;
  std::string seen(text.substr(0, std::min(kLongest, text.find('\n'))));
  for (char& c : seen) c = c >= ' ' && c <= '~' ? c : '?';
  return seen;
}

bool Scanner::accept(std::string_view word) {
  if (!rest().starts_with(word)) return false;
  at_ += word.size();
  return true;
}

void Scanner::expect(std::string_view word) {
  if (!accept(word)) fail();
}

void Scanner::expect_end() const {
  if (at_ < text_.size()) fail();
}

void Scanner::skip_comment_line(std::string_view begin) {
  if (!sees(begin)) fail();
  const std::string_view line = until('\n');
  if (in_comment(line) != line) fail("other tools may see another end of this comment");
  ++at_;
}

std::string_view Scanner::until(char end) {
  const std::size_t length = rest().find(end);
  if (length == std::string_view::npos) fail();
  const std::string_view word = rest().substr(0, length);
  at_ += length;
  return word;
}

std::string Scanner::name() {
  std::string name(identifier());
  check_name(name);
  return name;
}

void Scanner::check_name(const std::string& name) const {
  if (!is_accepted_name(name)) fail(fmt::format("the name \"{}\" is reserved", glimpse(name)));
}

std::string_view Scanner::identifier() {
  const std::string_view here = rest();
  const auto end = std::ranges::find_if_not(here, [](char c) { return is_letter(c) || is_digit(c); });
  const auto length = static_cast<std::size_t>(end - here.begin());
  if (length == 0 || is_digit(here.front())) fail();
  at_ += length;
  return here.substr(0, length);
}

std::uint32_t Scanner::number(std::uint64_t limit) {
  const std::string_view here = rest();
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(here.data(), here.data() + here.size(), value);
  const auto length = static_cast<std::size_t>(end - here.data());
  if (error != std::errc() || value >= limit || (here.front() == '0' && length > 1)) fail();
  at_ += length;
  return value;
}

void Scanner::fail() const {
  if (at_ == text_.size()) fail("it ends too early");
  fail(fmt::format("\"{}\" does not belong here", glimpse(rest())));
}

void Scanner::fail(const std::string& sentence) const {
  const auto line = 1 + std::ranges::count(text_.substr(0, at_), '\n');
  throw Error(fmt::format("{}:{}: {}; only {} can be read, and from other tools AIGER and BLIF", source_, line,
                          sentence, language_));
}

}  // namespace firn::exchange
