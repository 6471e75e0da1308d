#include "firn/data/files.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>

#include "firn/base/error.h"
#include "firn/base/file.h"
#include "firn/data/limits.h"

namespace firn::data {
namespace {

// Owns the state of zlib while a stream is unpacked.
class Inflater {
 public:
  explicit Inflater(std::string_view bytes) {
    constexpr int kGzipWindow = 15 + 16;  // the largest window, gzip wrapper only
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    rest_ = bytes.size();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Unpacks into [out, out + room) and returns how much came; zlib counts in 32 bits, we do not.
  std::size_t read(char* out, std::size_t room) {
    constexpr std::size_t kPiece = std::size_t{1} << 30;
    stream_.avail_in = static_cast<uInt>(std::min(rest_, kPiece));
    stream_.avail_out = static_cast<uInt>(std::min(room, kPiece));
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    const uInt in_before = stream_.avail_in, out_before = stream_.avail_out;
    status_ = inflate(&stream_, Z_NO_FLUSH);
    rest_ -= in_before - stream_.avail_in;
    return out_before - stream_.avail_out;
  }
  bool done() const { return status_ == Z_STREAM_END; }
  bool damaged() const { return status_ != Z_OK && status_ != Z_BUF_ERROR && status_ != Z_STREAM_END; }
  std::size_t rest() const { return rest_; }

 private:
  z_stream stream_{};
  std::size_t rest_ = 0;
  int status_ = Z_OK;
};

// A gzip file ends with its unpacked size; a liar gains no more memory than deflate's best ratio allows.
std::size_t expected_size(std::string_view gz, std::size_t limit) {
  if (gz.size() < 4) return 0;
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) size |= std::size_t{static_cast<unsigned char>(gz[gz.size() - 4 + i])} << (8 * i);
  return std::min({size, limit, gz.size() * kDeflateRatio});
}

}  // namespace

std::string gunzip(std::string_view bytes, const std::string& name, std::size_t limit) {
  Inflater inflater(bytes);
  std::string out;
  std::size_t used = 0;
  while (!inflater.done()) {
    if (used == out.size()) {
      if (used > limit)
        throw Error(fmt::format("{} unpacks to more than {} bytes; is it the right file?", name, limit));
      out.resize(used == 0 ? expected_size(bytes, limit) + 1 : 2 * used);
    }
    const std::size_t got = inflater.read(out.data() + used, out.size() - used);
    used += got;
    if (inflater.damaged()) throw Error(fmt::format("{} is not a sound gzip file; fetch or copy it again", name));
    if (got == 0 && !inflater.done() && inflater.rest() == 0)
      throw Error(fmt::format("{} ends in the middle of its gzip data; fetch or copy it again", name));
  }
  if (inflater.rest() != 0)
    throw Error(fmt::format("{} has {} bytes after its gzip data; fetch or copy it again", name, inflater.rest()));
  out.resize(used);
  return out;
}

std::string read_plain_or_gz(const std::filesystem::path& path, std::string_view advice) {
  std::filesystem::path packed = path;
  packed += ".gz";
  std::error_code ignored;  // whatever is wrong with a path is reported when it is opened
  if (std::filesystem::exists(path, ignored) || !std::filesystem::exists(packed, ignored))
    return read_text(path, advice);
  return gunzip(read_text(packed, advice), packed.string());
}

std::filesystem::path find_input(const std::string& file, const std::filesystem::path& root) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return file;
  const std::filesystem::path below = root / file;
  if (std::filesystem::exists(below, ignored)) return below;
  throw Error(fmt::format("{} is neither here nor below the data root {}; check data.file and the data root", file,
                          root.string()));
}

}  // namespace firn::data
