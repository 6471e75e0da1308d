#include "firn/report/live_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "tests/support/expect_error.h"

namespace firn {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// What a server on this machine answers to these bytes.
std::string answer(const FileHandle& connection, int port, const std::string& request) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(connection.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return "no connection";
  if (write(connection.get(), request.data(), request.size()) < 0) return "nothing could be sent";
  std::string text;
  char bytes[4096];
  for (ssize_t got; (got = read(connection.get(), bytes, sizeof bytes)) > 0;)
    text.append(bytes, static_cast<std::size_t>(got));
  return text;
}

std::string answer(int port, const std::string& request) {
  return answer(FileHandle(socket(AF_INET, SOCK_STREAM, 0)), port, request);
}

class LiveServerTest : public testing::Test {
 protected:
  LiveServerTest()
      : server_({[] { return std::string("the page"); }, []() -> std::string { throw Error("not just now"); }}, 0),
        thread_([this] { server_.serve([this] { return stop_.load(); }); }) {}
  ~LiveServerTest() override {
    stop_ = true;
    thread_.join();
  }

  std::string ask(const std::string& line, const std::string& host) const {
    return answer(server_.port(), fmt::format("{} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", line, host));
  }
  std::string here() const { return fmt::format("127.0.0.1:{}", server_.port()); }

  LiveServer server_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TEST_F(LiveServerTest, AnswersForItsOwnNamesOnly) {
  EXPECT_THAT(ask("GET /", here()), HasSubstr("the page"));
  EXPECT_THAT(ask("GET /", fmt::format("localhost:{}", server_.port())), HasSubstr("the page"));
  for (const std::string host : {"evil.example", "127.0.0.1", "localhost:1", "127.0.0.1.evil.example"})
    EXPECT_THAT(ask("GET /", host), StartsWith("HTTP/1.1 403")) << host;
  const std::string twice =
      fmt::format("GET / HTTP/1.1\r\nHost: {0}\r\nHost: evil.example\r\nConnection: close\r\n\r\n", here());
  EXPECT_THAT(answer(server_.port(), twice), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(answer(server_.port(), "GET / HTTP/1.0\r\n\r\n"), HasSubstr(" 403 "));
}

TEST_F(LiveServerTest, HasNoOtherPathsAndTakesNothing) {
  for (const char* path :
       {"/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/config.toml", "//etc/passwd", "/data.json/..", "/%00"})
    EXPECT_THAT(ask(fmt::format("GET {}", path), here()),
                testing::AnyOf(StartsWith("HTTP/1.1 404"), StartsWith("HTTP/1.1 400")))
        << path;
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS"})
    EXPECT_THAT(ask(fmt::format("{} /", method), here()), StartsWith("HTTP/1.1 405")) << method;
}

TEST_F(LiveServerTest, AnErrorIsAnAnswerAndNotTheEnd) {
  EXPECT_THAT(ask("GET /data.json", here()), testing::AllOf(StartsWith("HTTP/1.1 500"), HasSubstr("not just now")));
  EXPECT_THAT(ask("GET /", here()), HasSubstr("the page"));
}

FileHandle half_open(int port, const std::string& beginning) {
  FileHandle connection(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(connection.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(write(connection.get(), beginning.data(), beginning.size()), static_cast<ssize_t>(beginning.size()));
  return connection;
}

TEST_F(LiveServerTest, AnswersWhileThreeHundredConnectionsHang) {
  std::vector<FileHandle> hanging;
  for (int i = 0; i < 300; ++i) hanging.push_back(half_open(server_.port(), i % 2 == 0 ? "" : "GET / HTT"));
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) EXPECT_THAT(ask("GET /", here()), HasSubstr("the page"));
  // A server that waits for each of them, if only eight at a time and until they time out, needs three minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST_F(LiveServerTest, MakesRoomWhenNoDescriptorIsLeft) {
  std::vector<FileHandle> hanging;
  for (int i = 0; i < 3; ++i) hanging.push_back(half_open(server_.port(), "GET / HT"));
  EXPECT_THAT(ask("GET /", here()), HasSubstr("the page"));  // so the hanging ones have been accepted
  const FileHandle asking(socket(AF_INET, SOCK_STREAM, 0));
  const timeval patience{.tv_sec = 3, .tv_usec = 0};  // less than hanging connections are given in any case
  setsockopt(asking.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = std::min<rlim_t>(before.rlim_cur, 256);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<FileHandle> others;
  for (int round = 0; round < 2; ++round) {  // the server may still be closing the connection of the question above
    for (int copy; (copy = dup(asking.get())) >= 0;) others.emplace_back(copy);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  const std::string text = answer(asking, server_.port(), fmt::format("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", here()));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_THAT(text, HasSubstr("the page"));
}

TEST_F(LiveServerTest, ALongRequestIsRefusedAndNotKept) {
  const std::string long_field = "X: " + std::string(100, 'x') + "\r\n";
  std::string request = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 300; ++i) request += long_field;
  EXPECT_THAT(answer(server_.port(), request), StartsWith("HTTP/1.1 431"));
}

TEST_F(LiveServerTest, TheHeadAloneHasNoBody) {
  const std::string head = ask("HEAD /", here());
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(head, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_THAT(head, testing::Not(HasSubstr("the page")));
}

TEST_F(LiveServerTest, APortThatIsTakenIsRefused) {
  EXPECT_THAT(error_of([&] { LiveServer({}, server_.port()); }), HasSubstr("choose another port"));
}

TEST(LiveServer, AQuestionThatThrowsStopsServingAndReachesTheCaller) {
  LiveServer server({[] { return std::string("the page"); }, [] { return std::string("the data"); }}, 0);
  EXPECT_THROW(server.serve([]() -> bool { throw std::runtime_error("no answer"); }), std::runtime_error);
  EXPECT_EQ(answer(server.port(), "GET / HTTP/1.0\r\n\r\n"), "no connection");
}

}  // namespace
}  // namespace firn
