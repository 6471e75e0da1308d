// One thread and poll() instead of a thread for every connection: a connection that says nothing costs a descriptor and
// a few kilobytes, so that hundreds of them keep nobody waiting. Each has some seconds for its request, and when all
// places are taken the one that has waited longest for a request makes room. Every connection ends with its answer; a
// page that asks every two seconds does not need more.
#include "firn/report/live_server.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/report/http_request.h"

namespace firn::report {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kLoopback = "127.0.0.1";
constexpr const char* kPlain = "text/plain; charset=utf-8";
constexpr std::chrono::milliseconds kPatience(50);  // between two questions whether to stop
constexpr std::size_t kMaxConnections = 256;
constexpr int kWaiting = 512;                                                  // connections that the kernel keeps
constexpr std::chrono::seconds kTimeToAsk(5), kTimeToTake(30), kTimeToEnd(1);  // before a connection is closed

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Nothing where the port is taken.
FileHandle listen_on(int port) {
  FileHandle listener(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int yes = 1;
  const sockaddr_in address = loopback(port);
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), kWaiting) != 0)
    listener.close();
  return listener;
}

int port_of(int listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

// Asks, then takes its answer, then ends.
struct Connection {
  enum class Stage { kAsking, kTaking, kEnding, kOver };

  FileHandle socket;
  Clock::time_point deadline;
  Stage stage = Stage::kAsking;
  std::string request = {}, answer = {};
  std::size_t sent = 0;
};

}  // namespace

struct LiveServer::Parts {
  Content content;
  FileHandle listener;
  int port = 0;
  std::vector<Connection> connections = {};

  struct CloseAtEnd {
    Parts& parts;
    ~CloseAtEnd() {
      parts.connections.clear();
      parts.listener.close();
    }
  };

  void accept_all() {
    for (;;) {
      FileHandle socket(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!socket.is_open()) {
        if (errno != EMFILE && errno != ENFILE) return;  // nobody is left, or somebody was and has gone
        if (connections.empty()) return pause();         // others have taken all descriptors
        close_the_slowest();
        continue;
      }
      if (connections.size() >= kMaxConnections) close_the_slowest();
      connections.push_back({std::move(socket), Clock::now() + kTimeToAsk});
    }
  }

  void close_the_slowest() {
    connections.erase(std::ranges::min_element(connections, {}, [](const Connection& c) {
      return std::pair(c.stage != Connection::Stage::kAsking, c.deadline);
    }));
  }

  // Instead of being told again and again that somebody waits who cannot be let in.
  static void pause() { ::poll(nullptr, 0, static_cast<int>(kPatience.count())); }

  void serve(Connection& connection) {
    if (connection.stage == Connection::Stage::kAsking) read_request(connection);
    if (connection.stage == Connection::Stage::kTaking) send_answer(connection);
    if (connection.stage == Connection::Stage::kEnding) await_end(connection);
    if (Clock::now() > connection.deadline) connection.stage = Connection::Stage::kOver;
  }

  void read_request(Connection& connection) {
    std::array<char, 4096> piece;
    for (;;) {
      const ssize_t got = ::recv(connection.socket.get(), piece.data(), piece.size(), 0);
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        connection.stage = Connection::Stage::kOver;
        return;
      }
      connection.request.append(piece.data(), static_cast<std::size_t>(got));
      const auto length = head_length(connection.request);
      if (!length && connection.request.size() <= kMaxRequestBytes) continue;
      connection.answer = length ? answer_to(std::string_view(connection.request).substr(0, *length))
                                 : to_bytes({431, kPlain, "This request is too long.\n"}, true);
      connection.stage = Connection::Stage::kTaking;
      connection.deadline = Clock::now() + kTimeToTake;
      return;
    }
  }

  void send_answer(Connection& connection) {
    while (connection.sent < connection.answer.size()) {
      const ssize_t written = ::send(connection.socket.get(), connection.answer.data() + connection.sent,
                                     connection.answer.size() - connection.sent, MSG_NOSIGNAL);
      if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        connection.stage = Connection::Stage::kOver;
        return;
      }
      connection.sent += static_cast<std::size_t>(written);
    }
    // Closing now, with bytes of the request unread, could destroy what is still on its way.
    ::shutdown(connection.socket.get(), SHUT_WR);
    connection.stage = Connection::Stage::kEnding;
    connection.deadline = Clock::now() + kTimeToEnd;
  }

  static void await_end(Connection& connection) {
    std::array<char, 4096> ignored;
    for (;;) {
      const ssize_t got = ::recv(connection.socket.get(), ignored.data(), ignored.size(), 0);
      if (got > 0 || (got < 0 && errno == EINTR)) continue;
      if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) connection.stage = Connection::Stage::kOver;
      return;
    }
  }

  bool names_this_server(const HttpRequest& request) const {
    return request.host == fmt::format("{}:{}", kLoopback, port) || request.host == fmt::format("localhost:{}", port);
  }

  std::string answer_to(std::string_view head) const {
    const auto request = parse_request(head);
    const auto refuse = [](int status, const std::string& sentence) {
      return to_bytes({status, kPlain, sentence + "\n"}, true);
    };
    if (!request) return refuse(400, "This is not a request for a page.");
    if (!names_this_server(*request))
      return refuse(403, fmt::format("This page is for http://{}:{}/ only.", kLoopback, port));
    if (request->method != "GET" && request->method != "HEAD") return refuse(405, "This page can only be read.");
    const bool is_page = request->path == "/";
    if (!is_page && request->path != "/data.json") return refuse(404, "There is nothing here but the page itself.");
    try {
      const std::string body = is_page ? content.page() : content.data();
      const char* type = is_page ? "text/html; charset=utf-8" : "application/json; charset=utf-8";
      return to_bytes({200, type, body}, request->method == "GET");
    } catch (const std::exception& error) {  // the run may be writing just now; the page asks again
      return refuse(500, error.what());
    }
  }

  void wait_for_something() {
    std::vector<pollfd> watched = {{listener.get(), POLLIN, 0}};
    for (const Connection& connection : connections)
      watched.push_back({connection.socket.get(),
                         static_cast<short>(connection.stage == Connection::Stage::kTaking ? POLLOUT : POLLIN), 0});
    ::poll(watched.data(), watched.size(), static_cast<int>(kPatience.count()));
  }
};

LiveServer::LiveServer(Content content, int port) : parts_(std::make_unique<Parts>()) {
  parts_->content = std::move(content);
  parts_->listener = listen_on(port);
  if (!parts_->listener.is_open())
    throw Error(
        fmt::format("cannot listen on port {} of {}; choose another port, or 0 for any free one", port, kLoopback));
  parts_->port = port_of(parts_->listener.get());
}

LiveServer::~LiveServer() = default;

int LiveServer::port() const {
  return parts_->port;
}

std::string LiveServer::address() const {
  return fmt::format("http://{}:{}/", kLoopback, port());
}

void LiveServer::serve(const std::function<bool()>& cancelled) {
  const Parts::CloseAtEnd close{*parts_};  // also when the caller's question throws
  while (!cancelled()) {
    parts_->wait_for_something();
    parts_->accept_all();
    for (Connection& connection : parts_->connections) parts_->serve(connection);
    std::erase_if(parts_->connections, [](const Connection& c) { return c.stage == Connection::Stage::kOver; });
  }
}

}  // namespace firn::report
