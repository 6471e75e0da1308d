#include "firn/report/http_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

TEST(HttpRequest, TheHeadEndsWithAnEmptyLine) {
  EXPECT_EQ(head_length("GET / HTTP/1.1\r\nHost: a\r\n"), std::nullopt);
  EXPECT_EQ(head_length("GET / HTTP/1.1\r\n\r\nbody"), std::optional<std::size_t>(18));
}

TEST(HttpRequest, MethodPathAndHostAreRead) {
  const auto request = parse_request("GET /data.json?t=1 HTTP/1.1\r\nAccept: */*\r\nhOsT:\t localhost:8 \r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "GET");
  EXPECT_EQ(request->path, "/data.json");
  EXPECT_EQ(request->host, "localhost:8");
}

TEST(HttpRequest, TwoHostsAreNone) {
  const auto request = parse_request("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->host, "");
}

TEST(HttpRequest, WhatIsNotHttpIsRefused) {
  for (const char* head :
       {"", "GET", "GET /", "GET / HTTP/2", "GET / HTTP/1.1 ", " GET / HTTP/1.1", "GET http://a/ HTTP/1.1",
        "G\x01T / HTTP/1.1", "GET / HTTP/1.1\r\nno colon\r\n", "GET / HTTP/1.1\r\n: value\r\n", "GET /\n HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n", "GET / HTTP/1.1\r\n Host: a\r\n"})
    EXPECT_FALSE(parse_request(head)) << head;
}

TEST(HttpRequest, AnAnswerStatesItsLength) {
  const std::string bytes = to_bytes({404, "text/plain", "nothing\n"}, true);
  EXPECT_THAT(bytes, testing::StartsWith("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(bytes, testing::HasSubstr("Content-Length: 8\r\n"));
  EXPECT_THAT(bytes, testing::EndsWith("\r\n\r\nnothing\n"));
}

}  // namespace
}  // namespace firn
