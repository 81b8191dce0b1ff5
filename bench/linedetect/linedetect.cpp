// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges are the same in every run; pictures, of which only pixels on lines are read, are noise.
#include "linedetect/linedetect.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "bench/support/frames.h"
#include "bench/support/scratch.h"
#include "linedetect/line_mask.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

constexpr FrameSize kSizes[] = {{1920, 1080}, {3840, 2160}};

class Edges {
 public:
  explicit Edges(FrameSize size)
      : size_(size),
        bytes_(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height)) {}

  // Squares of every angle, 160 pixels apart: 2 % of the pixels.
  static Edges squares(FrameSize size) {
    Edges edges(size);
    for (int y = 80; y + 80 < size.height; y += 160)
      for (int x = 80; x + 80 < size.width; x += 160)
        for (int side = 0; side < 4; ++side) {
          const double angle = 0.37 * (x + 3 * y) / 160 + side * 1.5707963267948966;
          const double next = angle + 1.5707963267948966;
          edges.line(x + 70 * std::cos(angle), y + 70 * std::sin(angle), x + 70 * std::cos(next),
                     y + 70 * std::sin(next));
        }
    return edges;
  }
  // A pixel of ten.
  static Edges noise(FrameSize size) {
    Edges edges(size);
    Random random(1);
    for (std::uint8_t &pixel : edges.bytes_)
      pixel = random.below(10) == 0 ? 255 : 0;
    return edges;
  }
  // One chain, four pixels from turn to turn.
  static Edges spiral(FrameSize size) {
    Edges edges(size);
    double left = 0, top = 0, right = size.width - 1, bottom = size.height - 1, x = 0, y = 0;
    const auto to = [&](double nx, double ny) { edges.line(x, y, nx, ny), x = nx, y = ny; };
    while (right - left > 8 && bottom - top > 8) {
      to(right, y), top += 4;
      to(x, bottom), right -= 4;
      to(left, y), bottom -= 4;
      to(x, top), left += 4;
    }
    return edges;
  }

  const std::vector<std::uint8_t> &bytes() const { return bytes_; }
  ConstImage at(const void *data) const {
    const auto *from = static_cast<const std::uint8_t *>(data);
    return {pixel_format("GRAY8"),
            size_.width,
            size_.height,
            false,
            {{from, size_.width, size_.height, static_cast<std::size_t>(size_.width)}}};
  }

 private:
  void line(double x0, double y0, double x1, double y1) {
    const double steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1.0});
    for (double i = 0; i <= steps; ++i) {
      const auto x = static_cast<int>(std::lround(x0 + (x1 - x0) * i / steps));
      const auto y = static_cast<int>(std::lround(y0 + (y1 - y0) * i / steps));
      bytes_[static_cast<std::size_t>(y * size_.width + x)] = 255;
    }
  }

  FrameSize size_;
  std::vector<std::uint8_t> bytes_;
};

void time_edges(Bench &bench, const Backend &backend, const std::string &name, FrameSize size,
                const Edges &edges) {
  LineParams params;
  params.max_lines = 4096;
  const PixelFormat grey = pixel_format("GRAY8");
  const Scratch scratch(linedetect_scratch_bytes(size.width, size.height), backend.cuda);
  const Scratch lines(sizeof(Line) * 4096, backend.cuda), count(sizeof(LineCount), backend.cuda);
  std::unique_ptr<DeviceMemory> on_device;
  if (backend.cuda) {
    on_device = std::make_unique<DeviceMemory>(edges.bytes().size());
    on_device->upload(edges.bytes().data());
  }
  const ConstImage map = edges.at(backend.cuda ? on_device->data() : edges.bytes().data());
  auto *const to = static_cast<Line *>(lines.data());
  auto *const counted = static_cast<LineCount *>(count.data());
  const PictureBytes picture = picture_bytes(grey, size);
  // (Lines for the mask, if that alone is wanted.)
  const Status first = linedetect(params, map, map, to, counted, backend.queue(), scratch.data());
  require(first.ok(), first.message());
  time_frames(bench, backend,
              {"linedetect " + name, size, picture.all, sizeof(Line) * 4096, edges.bytes().size()},
              [&](const std::uint8_t *in, std::uint8_t *) {
                return linedetect(params, picture_at(in, grey, size), map, to, counted,
                                  backend.queue(), scratch.data());
              });
  time_frames(
      bench, backend, {"line mask " + name, size, sizeof(Line), picture.all, picture.useful},
      [&](const std::uint8_t *, std::uint8_t *out) {
        return draw_line_mask(to, counted, 4096, 1, picture_at(out, grey, size), backend.queue());
      });
}

void time_all(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : kSizes) {
    time_edges(bench, backend, "squares", size, Edges::squares(size));
    time_edges(bench, backend, "noise", size, Edges::noise(size));
    time_edges(bench, backend, "spiral", size, Edges::spiral(size));
  }
}

}  // namespace

BenchCase linedetect_bench() {
  return {"linedetect", time_all, {}};
}

}  // namespace coalesce::test
