#include "firn/data/png_file.h"

#include <fmt/format.h>
#include <png.h>

#include <cstring>

#include "firn/base/error.h"
#include "firn/data/limits.h"

namespace firn::data {
namespace {

constexpr std::size_t kMostPixels = std::size_t{1} << 26;

// What libpng's callbacks know. They must not throw through C code: errors jump, and the sentence waits here.
struct PngBytes {
  std::string_view rest;
  std::string problem;
};

void read_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto* source = static_cast<PngBytes*>(png_get_io_ptr(png));
  if (count > source->rest.size()) png_error(png, "it is cut");
  std::memcpy(to, source->rest.data(), count);
  source->rest.remove_prefix(count);
}

[[noreturn]] void keep_problem(png_structp png, png_const_charp message) {
  static_cast<PngBytes*>(png_get_error_ptr(png))->problem = message;
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

// Everything that could be skipped by a jump lives outside of the function that jumps.
struct Decoder {
  PngBytes source;
  std::size_t bytes = 0;  // of the file
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::size_t width = 0, height = 0, channels = 0;
  std::vector<png_byte> pixels;  // [line][column][channel]
  std::vector<png_bytep> lines;

  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
};

void decode_or_jump(Decoder& d) {
  png_set_read_fn(d.png, &d.source, read_bytes);
  png_read_info(d.png, d.info);
  d.width = png_get_image_width(d.png, d.info);
  d.height = png_get_image_height(d.png, d.info);
  if (d.width > kMostPixels / d.height) png_error(d.png, "it is too large");
  if (d.height * png_get_rowbytes(d.png, d.info) > kDeflateRatio * d.bytes) png_error(d.png, "it is cut");
  png_set_expand(d.png);  // palettes, few bits, and transparency as alpha
  png_set_scale_16(d.png);
  png_set_interlace_handling(d.png);
  png_read_update_info(d.png, d.info);
  d.channels = png_get_channels(d.png, d.info);
  const std::size_t line = png_get_rowbytes(d.png, d.info);
  d.pixels.resize(d.height * line);
  d.lines.resize(d.height);
  for (std::size_t y = 0; y < d.height; ++y) d.lines[y] = d.pixels.data() + y * line;
  png_read_image(d.png, d.lines.data());
  png_read_end(d.png, nullptr);
}

bool decode(Decoder& d) {
  d.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &d.source, keep_problem, ignore_warning);
  if (d.png != nullptr) d.info = png_create_info_struct(d.png);
  if (d.info == nullptr) return false;
  if (setjmp(png_jmpbuf(d.png)) != 0) return false;
  decode_or_jump(d);
  return true;
}

}  // namespace

Picture8 read_png(std::string_view bytes, const std::string& name) {
  Decoder d;
  d.source.rest = bytes;
  d.bytes = bytes.size();
  if (!decode(d))
    throw Error(fmt::format("{} is not a sound PNG image ({}); save it again", name,
                            d.source.problem.empty() ? "out of memory" : d.source.problem));
  Picture8 picture{.shape = {d.channels, d.height, d.width}, .values = {}};
  picture.values.reserve(picture.shape.size());
  for (std::size_t c = 0; c < d.channels; ++c)
    for (std::size_t i = 0; i < d.width * d.height; ++i) picture.values.push_back(d.pixels[i * d.channels + c]);
  return picture;
}

}  // namespace firn::data
