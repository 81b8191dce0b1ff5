// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture rectified by the map of a camera with a usual lens, turned by a degree.
#include "remap/remap.h"

#include <cstring>

#include "bench/support/frames.h"
#include "bench/support/scratch.h"
#include "core/layout.h"
#include "picture/formats.h"
#include "remap/rectification.h"

namespace coalesce::test {
namespace {

constexpr FrameSize kSizes[] = {{1920, 1080}, {3840, 2160}};

struct BenchMap {
  BenchMap(FrameSize size, const void *memory) {
    const auto width = static_cast<std::size_t>(size.width);
    const std::size_t pixels = width * static_cast<std::size_t>(size.height);
    Layout layout(256, memory);
    point = {layout.at<MapPoint>(pixels), size.width, size.height, 4 * width};
    fraction = {layout.at<std::uint16_t>(pixels), size.width, size.height, 2 * width};
    bytes = layout.end();
  }
  Plane<MapPoint> point;
  Plane<std::uint16_t> fraction;
  std::size_t bytes;
};

RectifiedCamera camera_of(FrameSize size) {
  const double f = 0.8 * size.width, x = 0.5 * size.width, y = 0.5 * size.height;
  return {{f, 0, x, 0, f, y, 0, 0, 1},
          {-0.3, 0.1, 0.001, -0.001},
          {0.99985, -0.01745, 0, 0.01745, 0.99985, 0, 0, 0, 1},
          {f, 0, x, 0, 0, f, y, 0, 0, 0, 1, 0}};
}

void time_all(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : kSizes) {
    const std::size_t bytes = BenchMap(size, nullptr).bytes;
    std::vector<std::uint8_t> host(bytes);
    const BenchMap made(size, host.data());
    make_map(camera_of(size), made.point, made.fraction);
    const Scratch memory(bytes, backend.cuda);
    if (memory.device() != nullptr)
      memory.device()->upload(host.data());
    else
      std::memcpy(memory.data(), host.data(), bytes);
    const BenchMap map(size, memory.data());
    for (const char *name : {"GRAY8", "GRAY16_LE"}) {
      const std::string operation = std::string("remap ") + name;
      if (!bench.wants(operation, size.width, size.height)) continue;
      const PixelFormat format = pixel_format(name);
      const PictureBytes picture = picture_bytes(format, size);
      time_frames(bench, backend,
                  {operation, size, picture.all, picture.all, 2 * picture.useful + bytes},
                  [&](const std::uint8_t *in, std::uint8_t *out) {
                    return remap({map.point, map.fraction}, picture_at(in, format, size),
                                 picture_at(out, format, size), backend.queue());
                  });
    }
  }
}

}  // namespace

BenchCase remap_bench() {
  return {"remap", time_all, {}};
}

}  // namespace coalesce::test
