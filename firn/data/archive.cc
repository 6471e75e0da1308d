#include "firn/data/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "firn/base/error.h"

namespace firn::data {
namespace {

struct FreeArchive {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, FreeArchive>;

[[noreturn]] void damaged(const std::string& name, archive* reader) {
  const char* reason = archive_error_string(reader);
  throw Error(fmt::format("{} is damaged or not an archive ({}); fetch or write it again", name,
                          reason == nullptr ? "no details" : reason));
}

Reader open_archive(std::string_view bytes, const std::string& name) {
  Reader reader(archive_read_new());
  if (!reader) throw std::bad_alloc();
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_format_tar(reader.get());
  archive_read_support_format_zip(reader.get());
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) damaged(name, reader.get());
  return reader;
}

// The size that an entry announces may be a lie, so memory grows with the data that really comes.
std::string read_contents(archive* reader, const std::string& name, std::size_t limit) {
  std::string contents(std::size_t{1} << 16, '\0');
  std::size_t used = 0;
  for (;;) {
    if (used == contents.size()) contents.resize(2 * used);
    const la_ssize_t got = archive_read_data(reader, contents.data() + used, contents.size() - used);
    if (got == 0) break;
    if (got < 0) damaged(name, reader);
    used += static_cast<std::size_t>(got);
    if (used > limit)
      throw Error(fmt::format("{} holds a file of more than {} bytes; is it the right archive?", name, limit));
  }
  contents.resize(used);
  return contents;
}

}  // namespace

void read_archive(std::string_view bytes, const std::string& name, std::size_t limit,
                  const std::function<bool(std::string_view)>& want,
                  const std::function<void(std::string_view, std::string)>& take) {
  const Reader reader = open_archive(bytes, name);
  for (;;) {
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) return;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) damaged(name, reader.get());
    const char* path = archive_entry_pathname(entry);
    if (path == nullptr || archive_entry_filetype(entry) != AE_IFREG || !want(path)) continue;
    const std::string kept(path);  // reading the contents may overwrite the entry
    take(kept, read_contents(reader.get(), name, limit));
  }
}

}  // namespace firn::data
