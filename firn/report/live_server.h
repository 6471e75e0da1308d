// A page served to this machine alone, for as long as somebody watches.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace firn::report {

// Answers GET / with the page and GET /data.json with the data, each made anew, and nothing else: there are no other
// paths, and no path is ever a file. It listens on 127.0.0.1, and a request must name this host and port, so that a
// foreign page whose name was pointed here learns nothing. Connections, the size of a request and the time it may take
// are limited; connections that hang keep nobody waiting.
class LiveServer {
 public:
  struct Content {
    std::function<std::string()> page,
        data;  // called by the thread that serves; an Error becomes a sentence and code 500
  };

  // Port 0 takes any free one. An Error where the port is taken.
  LiveServer(Content content, int port);
  ~LiveServer();

  int port() const;
  std::string address() const;  // http://127.0.0.1:PORT/

  // Serves until `cancelled`, which is asked several times a second, returns true or throws; the port is free again
  // then.
  void serve(const std::function<bool()>& cancelled);

 private:
  struct Parts;  // keeps sockets out of this header

  std::unique_ptr<Parts> parts_;
};

}  // namespace firn::report
