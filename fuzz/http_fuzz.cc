// What `firn watch` makes of bytes from the network.
#include "firn/report/http_request.h"
#include "fuzz/run_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  return run_target(data, size, [](std::string_view bytes) {
    const auto length = report::head_length(bytes);
    FIRN_CHECK(!length || *length <= bytes.size());
    for (const std::string_view head : {bytes.substr(0, length.value_or(0)), bytes}) {
      const auto request = report::parse_request(head);
      if (!request) continue;
      FIRN_CHECK(!request->method.empty() && request->path.starts_with('/'));
      FIRN_CHECK(request->path.find_first_of("? \r\n") == std::string::npos);
      FIRN_CHECK(request->host.find("\r\n") == std::string::npos);
    }
  });
}
