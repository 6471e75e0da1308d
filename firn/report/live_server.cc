#include "firn/report/live_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <chrono>
#include <future>
#include <mutex>
#include <utility>

#include "firn/base/error.h"

namespace firn::report {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr const char* kPlain = "text/plain; charset=utf-8";
constexpr std::size_t kMaxRequest = 1024;           // bytes of a body; nobody needs to send one
constexpr std::chrono::milliseconds kPatience(50);  // between two questions whether to stop

// Stops the server also when the caller's question throws.
template <class Stop>
class StopAtEnd {
 public:
  explicit StopAtEnd(Stop stop) : stop_(std::move(stop)) {}
  ~StopAtEnd() { stop_(); }
  StopAtEnd(const StopAtEnd&) = delete;
  StopAtEnd& operator=(const StopAtEnd&) = delete;

 private:
  Stop stop_;
};

void refuse(httplib::Response& response, int status, const std::string& sentence) {
  response.status = status;
  response.set_content(sentence + "\n", kPlain);
}

}  // namespace

struct LiveServer::Parts {
  Content content;
  int port = 0;
  std::mutex mutex;
  httplib::Server server;

  bool names_this_server(const httplib::Request& request) const {
    if (request.get_header_value_count("Host") != 1) return false;
    const std::string host = request.get_header_value("Host");
    return host == fmt::format("{}:{}", kLoopback, port) || host == fmt::format("localhost:{}", port);
  }

  // True where a request may go on to its page.
  bool admit(const httplib::Request& request, httplib::Response& response) const {
    if (!names_this_server(request))
      refuse(response, 403, fmt::format("This page is for http://{}:{}/ only.", kLoopback, port));
    else if (request.method != "GET" && request.method != "HEAD")
      refuse(response, 405, "This page can only be read.");
    else if (request.path != "/" && request.path != "/data.json")
      refuse(response, 404, "There is nothing here but the page itself.");
    else
      return true;
    return false;
  }

  void answer(httplib::Response& response, const std::function<std::string()>& make, const char* type) {
    try {
      const std::lock_guard lock(mutex);
      response.set_content(make(), type);
    } catch (const std::exception& error) {  // the run may be writing just now; the page asks again
      refuse(response, 500, error.what());
    }
  }
};

LiveServer::LiveServer(Content content, int port) : parts_(std::make_unique<Parts>()) {
  Parts& parts = *parts_;
  parts.content = std::move(content);
  parts.server.set_default_headers({{"Cache-Control", "no-store"},
                                    {"Content-Security-Policy", "frame-ancestors 'none'"},
                                    {"Cross-Origin-Resource-Policy", "same-origin"},
                                    {"X-Content-Type-Options", "nosniff"}});
  parts.server.set_payload_max_length(kMaxRequest);
  // The library's own choice would let two servers share a port.
  parts.server.set_socket_options([](int socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  parts.server.set_pre_routing_handler([&parts](const httplib::Request& request, httplib::Response& response) {
    return parts.admit(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                          : httplib::Server::HandlerResponse::Handled;
  });
  parts.server.Get("/", [&parts](const httplib::Request&, httplib::Response& response) {
    parts.answer(response, parts.content.page, "text/html; charset=utf-8");
  });
  parts.server.Get("/data.json", [&parts](const httplib::Request&, httplib::Response& response) {
    parts.answer(response, parts.content.data, "application/json; charset=utf-8");
  });
  if (port == 0)
    parts.port = parts.server.bind_to_any_port(kLoopback);
  else if (parts.server.bind_to_port(kLoopback, port))
    parts.port = port;
  if (parts.port <= 0)
    throw Error(
        fmt::format("cannot listen on port {} of {}; choose another port, or 0 for any free one", port, kLoopback));
}

LiveServer::~LiveServer() = default;

int LiveServer::port() const {
  return parts_->port;
}

std::string LiveServer::address() const {
  return fmt::format("http://{}:{}/", kLoopback, port());
}

void LiveServer::serve(const std::function<bool()>& cancelled) {
  httplib::Server& server = parts_->server;
  // A future, not a thread: what is thrown in it is kept, and it is joined however this function ends.
  std::future<void> listener = std::async(std::launch::async, [&] { server.listen_after_bind(); });
  const auto has_ended = [&] { return listener.wait_for(kPatience) == std::future_status::ready; };
  {
    const StopAtEnd stop([&] {
      while (!server.is_running() && !has_ended()) continue;  // stopping before that would be forgotten
      server.stop();
    });
    while (!cancelled() && !has_ended()) continue;
  }
  listener.get();
}

}  // namespace firn::report
