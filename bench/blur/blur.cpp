// SPDX-License-Identifier: LGPL-2.1-or-later
// Blurs of small and large sigma, beside the copy of the picture.
#include "blur/blur.h"

#include "bench/support/frames.h"
#include "bench/support/scratch.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

constexpr const char *kFormats[] = {"GRAY8", "NV12", "RGB", "RGBA", "P010_10LE", "GRAY16_LE"};
constexpr FrameSize kSizes[] = {{1920, 1080}, {3840, 2160}};
constexpr double kSigmas[] = {8, 10, 16, 50, 100};

void time_format(Bench &bench, const Backend &backend, const char *name, FrameSize size,
                 double sigma) {
  const PixelFormat format = pixel_format(name);
  Blur made;
  require(make_blur(sigma, sample_depth(format), &made).ok(), "make_blur()");
  BlurParams params;
  params.blur = &made;
  const std::uint8_t *none = nullptr;
  const Scratch scratch(blur_scratch_bytes(made, picture_at(none, format, size)), backend.cuda);
  const PictureBytes bytes = picture_bytes(format, size);
  const FrameWork work = {
      std::string(name) + " blur of sigma " + std::to_string(static_cast<int>(sigma)), size,
      bytes.all, bytes.all, 2 * bytes.useful};
  time_frames(bench, backend, work, [&](const std::uint8_t *from, std::uint8_t *to) {
    return blur(params, picture_at(from, format, size), picture_at(to, format, size),
                backend.queue(), scratch.data());
  });
}

void time_all(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : kSizes)
    for (const char *format : kFormats)
      for (const double sigma : kSigmas)
        time_format(bench, backend, format, size, sigma);
}

}  // namespace

BenchCase blur_bench() {
  return {"blur", time_all, {}};
}

}  // namespace coalesce::test
