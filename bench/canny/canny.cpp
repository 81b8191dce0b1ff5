// SPDX-License-Identifier: LGPL-2.1-or-later
#include "canny/canny.h"

#include <cstdint>

#include "bench/support/frames.h"
#include "bench/support/scratch.h"
#include "canny/edge_overlay.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

// Frames are noise. With the first thresholds 37 % of its pixels are edges, which is more than any
// photograph has. With the second ones it is 4 %; with the third ones 1 % of 16 % that are above
// the lower threshold. The others have 7 to 10 %.
struct Work {
  const char *format;
  double low, high;
  int aperture = 3;
  bool l2 = false;
};
constexpr Work kWorks[] = {
    {"GRAY8", 50, 150},           {"GRAY8", 700, 900},      {"GRAY8", 600, 1100},
    {"GRAY8", 500, 650, 3, true}, {"GRAY8", 5000, 6500, 5}, {"GRAY8", 50000, 65000, 7},
    {"NV12", 700, 900},           {"UYVY", 700, 900},       {"RGB", 700, 900},
    {"RGBA", 700, 900},
};
constexpr FrameSize kSizes[] = {{1920, 1080}, {3840, 2160}};

std::string name_of(const Work &work) {
  return std::string("canny ") + work.format + ", aperture " + std::to_string(work.aperture) +
         (work.l2 ? " l2, " : ", ") + std::to_string(static_cast<int>(work.low)) + " and " +
         std::to_string(static_cast<int>(work.high));
}

void time_all(Bench &bench, const Backend &backend) {
  const PixelFormat grey = pixel_format("GRAY8");
  for (const FrameSize &size : kSizes) {
    const Scratch scratch(canny_scratch_bytes(size.width, size.height), backend.cuda);
    for (const Work &work : kWorks) {
      const CannyParams params = {work.low, work.high, work.aperture, work.l2};
      const PixelFormat format = pixel_format(work.format);
      const PictureBytes from = picture_bytes(format, size), to = picture_bytes(grey, size);
      time_frames(bench, backend, {name_of(work), size, from.all, to.all, from.useful + to.useful},
                  [&](const std::uint8_t *in, std::uint8_t *out) {
                    return canny(params, picture_at(in, format, size), picture_at(out, grey, size),
                                 backend.queue(), scratch.data());
                  });
    }
  }
}

// Edges, and then the picture with them: 4 % of the pixels.
void time_overlays(Bench &bench, const Backend &backend) {
  const PixelFormat grey = pixel_format("GRAY8");
  const CannyParams params = {700, 900};
  for (const FrameSize &size : kSizes) {
    const std::size_t mask = picture_bytes(grey, size).all;
    const Scratch scratch(canny_scratch_bytes(size.width, size.height), backend.cuda);
    const Scratch edges(mask, backend.cuda);
    const Image drawn = picture_at(static_cast<std::uint8_t *>(edges.data()), grey, size);
    for (const char *name : {"GRAY8", "NV12", "UYVY", "RGB", "RGBA"}) {
      const PixelFormat format = pixel_format(name);
      const PictureBytes picture = picture_bytes(format, size);
      time_frames(bench, backend,
                  {std::string("canny ") + name + ", overlay", size, picture.all, picture.all,
                   2 * picture.useful},
                  [&](const std::uint8_t *in, std::uint8_t *out) {
                    const ConstImage from = picture_at(in, format, size);
                    if (Status s = canny(params, from, drawn, backend.queue(), scratch.data());
                        !s.ok())
                      return s;
                    return draw_edges({{145, 54, 34}, 255}, drawn, from,
                                      picture_at(out, format, size), backend.queue());
                  });
    }
  }
}

void time_both(Bench &bench, const Backend &backend) {
  time_all(bench, backend);
  time_overlays(bench, backend);
}

}  // namespace

BenchCase canny_bench() {
  return {"canny", time_both, {}};
}

}  // namespace coalesce::test
