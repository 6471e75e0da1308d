// A request for a page that can only be read: as much of HTTP as that takes, and nothing more.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace firn::report {

inline constexpr std::size_t kMaxRequestBytes = 16384;  // of the head; browsers send about 1000

struct HttpRequest {
  std::string method, path;  // the path without what follows a question mark
  std::string host;          // empty: none, or more than one
};

// How many bytes the head of a request has, with the empty line at its end; nothing while that has not arrived.
std::optional<std::size_t> head_length(std::string_view bytes);

// Nothing where the head is not one of HTTP/1.0 or 1.1.
std::optional<HttpRequest> parse_request(std::string_view head);

struct HttpAnswer {
  int status = 200;
  std::string type, body;
};

// The bytes of an answer after which the connection ends; the body stays out where only the head was asked for.
std::string to_bytes(const HttpAnswer& answer, bool with_body);

}  // namespace firn::report
