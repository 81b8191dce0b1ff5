// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cartoon/cartoon.h"

#include "bench/support/frames.h"
#include "bench/support/scratch.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

constexpr const char *kFormats[] = {"RGB", "BGRx", "NV12", "GRAY8"};
constexpr FrameSize kSizes[] = {{1920, 1080}, {3840, 2160}};
constexpr struct {
  const char *name;
  CartoonLines lines;
} kLines[] = {
    {"none", CartoonLines::none}, {"canny", CartoonLines::canny}, {"dog", CartoonLines::dog}};

void time_all(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : kSizes)
    for (const char *name : kFormats)
      for (const auto &each : kLines) {
        const PixelFormat format = pixel_format(name);
        CartoonSettings settings;
        settings.lines = each.lines;
        Cartoon ready;
        if (!make_cartoon(settings, format, &ready).ok()) continue;
        const std::uint8_t *none = nullptr;
        const Scratch scratch(cartoon_scratch_bytes(ready, picture_at(none, format, size)),
                              backend.cuda);
        const PictureBytes bytes = picture_bytes(format, size);
        time_frames(bench, backend,
                    {std::string("cartoon, lines ") + each.name + " " + name, size, bytes.all,
                     bytes.all, 2 * bytes.useful},
                    [&](const std::uint8_t *in, std::uint8_t *out) {
                      return cartoon(ready, picture_at(in, format, size),
                                     picture_at(out, format, size), backend.queue(),
                                     scratch.data());
                    });
      }
}

}  // namespace

BenchCase cartoon_bench() {
  return {"cartoon", time_all, {}};
}

}  // namespace coalesce::test
