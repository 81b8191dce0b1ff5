// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convert/convert.h"
#include <span>

#include "bench/support/frames.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

struct Pair {
  const char *in, *out;
  std::size_t skew = 0;  // bytes from a well-aligned address to the input
};
// What cards and decoders give, and what encoders, displays and inference take.
constexpr Pair kPairs[] = {
    {"NV12", "RGBA"},      {"I420", "RGB"},       {"NV12", "RGB"},       {"P010_10LE", "RGBA"},
    {"v210", "P010_10LE"}, {"v210", "RGB"},       {"UYVY", "NV12"},      {"RGB", "v210"},
    {"NV12", "RGBP"},      {"UYVY", "RGBA"},      {"v210", "I422_10LE"}, {"I422_10LE", "v210"},
    {"NV12", "I420"},      {"P010_10LE", "NV12"}, {"RGBA", "P010_10LE"}, {"Y444", "RGB"},
    {"AYUV64", "RGBA"},    {"RGBA", "BGRA"},      {"Y41B", "RGB"},       {"NV12", "RGBA", 4},
};

ConvertParams params_of(const Pair &pair) {
  ConvertParams params;
  const auto range = [](const char *format) {
    const Role first = pixel_format(format).component[0].role;
    return first == Role::r ? SampleRange::full : SampleRange::limited;
  };
  params.matrix = YuvMatrix::bt709;
  params.in_range = range(pair.in);
  params.out_range = range(pair.out);
  params.in_site = params.out_site = {true, false};  // GStreamer's mpeg2
  return params;
}

void time_pair(Bench &bench, const Backend &backend, const Pair &pair, FrameSize size) {
  const PixelFormat from_format = pixel_format(pair.in), to_format = pixel_format(pair.out);
  const PictureBytes in = picture_bytes(from_format, size), out = picture_bytes(to_format, size);
  const ConvertParams params = params_of(pair);
  const FrameWork work = {
      std::string(pair.in) + "->" + pair.out + (pair.skew != 0 ? ", cropped" : ""), size,
      in.all + pair.skew, out.all, in.useful + out.useful};
  time_frames(bench, backend, work, [&](const std::uint8_t *from, std::uint8_t *to) {
    return convert(params, picture_at(from + pair.skew, from_format, size),
                   picture_at(to, to_format, size), backend.queue());
  });
}

void time_all(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : sizes_of(backend))
    for (const Pair &pair : kPairs)
      time_pair(bench, backend, pair, size);
}

}  // namespace

BenchCase convert_bench() {
  return {"convert", time_all, {}};
}

}  // namespace coalesce::test
