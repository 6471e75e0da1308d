#include "firn/report/http_request.h"

#include <fmt/format.h>

#include <algorithm>

namespace firn::report {

namespace {

constexpr std::string_view kLineEnd = "\r\n";

// The text before `end`, and the rest after it. Without an end everything is before it.
std::string_view cut(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  const std::string_view before = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + end.size());
  return before;
}

bool is_visible(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c > ' ' && c < '\x7f'; });
}

bool is_token(std::string_view word) {
  return is_visible(word) && word.find(':') == std::string_view::npos;
}

bool equal_words(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Internal Server Error";
  }
}

}  // namespace

std::optional<std::size_t> head_length(std::string_view bytes) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const std::size_t at = bytes.find(kEnd);
  return at == std::string_view::npos ? std::nullopt : std::optional(at + kEnd.size());
}

std::optional<HttpRequest> parse_request(std::string_view head) {
  std::string_view line = cut(head, kLineEnd);
  const std::string_view method = cut(line, " "), target = cut(line, " ");
  if (!is_token(method) || !target.starts_with('/') || !is_visible(target) ||
      (line != "HTTP/1.1" && line != "HTTP/1.0"))
    return std::nullopt;
  HttpRequest request{std::string(method), std::string(target.substr(0, target.find('?'))), ""};
  int hosts = 0;
  while (!head.empty()) {
    std::string_view field = cut(head, kLineEnd);
    if (field.empty()) break;
    if (field.find(':') == std::string_view::npos) return std::nullopt;
    const std::string_view name = cut(field, ":");
    if (!is_token(name)) return std::nullopt;
    if (!equal_words(name, "host")) continue;
    request.host = ++hosts == 1 ? std::string(trimmed(field)) : "";
  }
  return request;
}

std::string to_bytes(const HttpAnswer& answer, bool with_body) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n"
      "Content-Security-Policy: frame-ancestors 'none'\r\nCross-Origin-Resource-Policy: same-origin\r\n"
      "X-Content-Type-Options: nosniff\r\n\r\n{}",
      answer.status, reason_of(answer.status), answer.type, answer.body.size(), with_body ? answer.body : "");
}

}  // namespace firn::report
