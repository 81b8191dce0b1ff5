// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>

#include "../planted.h"
#include "picture/formats.h"
#include "rgb2yuv_reference.h"
#include "rgb2yuv_trial.h"

namespace coalesce::test {
namespace {

// The true operation, then the damage.
Status last_column(const Rgb2yuvParams &params, const ConstImage &in, const Image &out,
                   const Queue &queue) {
  const Status s = rgb2yuv(params, in, out, queue);
  for (int y = 0; y < out.plane[0].height; ++y)
    out.plane[0].row(y)[out.plane[0].width - 1] ^= 1;
  return s;
}

Status past_row(const Rgb2yuvParams &params, const ConstImage &in, const Image &out,
                const Queue &queue) {
  const Status s = rgb2yuv(params, in, out, queue);
  const Plane<std::uint8_t> &chroma = out.plane[1];
  chroma.row(chroma.height - 1)[chroma.width] ^= 1;
  return s;
}

// The true operation on damaged arguments.
Status ignores_pitch(const Rgb2yuvParams &params, const ConstImage &in, const Image &out,
                     const Queue &queue) {
  ConstImage dense = in;
  dense.plane[0].pitch = static_cast<std::size_t>(dense.plane[0].width);
  return rgb2yuv(params, dense, out, queue);
}

Status swaps_chroma(const Rgb2yuvParams &params, const ConstImage &in, const Image &out,
                    const Queue &queue) {
  Image wrong = out;
  wrong.format = pixel_format("NV12");
  return rgb2yuv(params, in, wrong, queue);
}

Status ignores_interlaced(const Rgb2yuvParams &params, const ConstImage &in, const Image &out,
                          const Queue &queue) {
  ConstImage from = in;
  Image to = out;
  from.interlaced = to.interlaced = false;
  for (int i : {1, 2})
    to.plane[i].height = (out.height + 1) / 2;
  return rgb2yuv(params, from, to, queue);
}

Status forgets_alpha(const Rgb2yuvParams &params, const ConstImage &in, const Image &out,
                     const Queue &queue) {
  ConstImage opaque = in;
  opaque.format = pixel_format("RGBx");
  return rgb2yuv(params, opaque, out, queue);
}

Status wrong_site(const Rgb2yuvParams &params, const ConstImage &in, const Image &out,
                  const Queue &queue) {
  Rgb2yuvParams wrong = params;
  wrong.v_cosited = false;
  return rgb2yuv(wrong, in, out, queue);
}

// What is brighter than white does not stay so.
Status clips(const Rgb2yuvParams &params, const ConstImage &in, const Image &out,
             const Queue &queue) {
  const Status s = rgb2yuv(params, in, out, queue);
  const Plane<std::uint8_t> &luma = out.plane[0];
  for (int y = 0; params.out_range == SampleRange::limited && y < luma.height; ++y)
    for (int x = 0; x < luma.width; ++x)
      luma.row(y)[x] = std::clamp<std::uint8_t>(luma.row(y)[x], 16, 235);
  return s;
}

// The mean of rounded chroma, for Y42B.
Status rounds_twice(const Rgb2yuvParams &params, const ConstImage &in, const Image &out,
                    const Queue &queue) {
  const Status s = rgb2yuv(params, in, out, queue);
  if (params.h_cosited) return s;
  const int width = out.width;
  const int height = out.height;
  const auto pitch = static_cast<std::size_t>(width);
  std::vector<std::uint8_t> samples[3];
  Image rounded = {pixel_format("Y444"), width, height, out.interlaced, {}};
  for (int i = 0; i < 3; ++i) {
    samples[i].resize(pitch * static_cast<std::size_t>(height));
    rounded.plane[i] = {samples[i].data(), width, height, pitch};
  }
  if (Status bad = rgb2yuv(params, in, rounded, queue); !bad.ok()) return bad;
  for (int i : {1, 2})
    for (int y = 0; y < height; ++y)
      for (int c = 0; c < out.plane[i].width; ++c) {
        const std::uint8_t *row = rounded.plane[i].row(y);
        out.plane[i].row(y)[c] =
            static_cast<std::uint8_t>((row[2 * c] + row[std::min(2 * c + 1, width - 1)] + 1) / 2);
      }
  return s;
}

// Y444 with another rounding.
Status with_rounding(double (*round)(double), const Rgb2yuvParams &params, const ConstImage &in,
                     const Image &out) {
  const YuvComponents c = yuv_quantised(params);
  const RgbPicture picture(params, in, out.format);
  for (int y = 0; y < out.plane[0].height; ++y)
    for (int x = 0; x < out.plane[0].width; ++x) {
      const double values[] = {picture.luma(c.y, x, y), picture.chroma(c.u, x, y),
                               picture.chroma(c.v, x, y)};
      for (int i = 0; i < 3; ++i)
        out.plane[i].row(y)[x] =
            static_cast<std::uint8_t>(std::clamp(round(values[i]), 0.0, 255.0));
    }
  return {};
}

PlantedBug host_bug(const char *name, const Rgb2yuv &broken, Rgb2yuvTrialOptions options = {}) {
  options.roomy = true;
  return {name, false, [broken, options](Random &random, int index, const Backend &backend) {
            return rgb2yuv_trial(broken, options, random, index, backend);
          }};
}

PlantedBug rounding_bug(const char *name, double (*round)(double)) {
  const Rgb2yuv broken = [round](const Rgb2yuvParams &params, const ConstImage &in,
                                 const Image &out,
                                 const Queue &) { return with_rounding(round, params, in, out); };
  return host_bug(name, broken, {.out = "Y444", .full_range = true});
}

PlantedBug cuda_bug(const char *name, Planted bug) {
  return {name, true, [bug](Random &random, int index, const Backend &backend) {
            const Rgb2yuv broken = [bug](const Rgb2yuvParams &params, const ConstImage &in,
                                         const Image &out, const Queue &queue) {
              return planted_rgb2yuv_cuda(bug, params, in, out, queue);
            };
            return rgb2yuv_trial(broken, {.roomy = true, .in = "RGB", .out = "GRAY8"}, random,
                                 index, backend);
          }};
}

}  // namespace

std::vector<PlantedBug> rgb2yuv_planted() {
  return {
      host_bug("rgb2yuv, wrong in the last column", last_column),
      host_bug("rgb2yuv, writes behind the last row", past_row, {.out = "NV12"}),
      host_bug("rgb2yuv, ignores the pitch", ignores_pitch),
      host_bug("rgb2yuv, swaps U and V of nv21", swaps_chroma, {.out = "NV21"}),
      host_bug("rgb2yuv, ignores interlacing", ignores_interlaced, {.out = "I420"}),
      host_bug("rgb2yuv, forgets alpha", forgets_alpha, {.in = "RGBA", .out = "VUYA"}),
      host_bug("rgb2yuv, puts chroma rows elsewhere", wrong_site, {.out = "I420"}),
      host_bug("rgb2yuv, clips to the limited range", clips, {.out = "GRAY8"}),
      host_bug("rgb2yuv, rounds chroma, then filters it", rounds_twice, {.out = "Y42B"}),
      rounding_bug("rgb2yuv, truncates", [](double value) { return std::floor(value); }),
      rounding_bug("rgb2yuv, rounds halves to even",
                   [](double value) { return std::nearbyint(value); }),
      cuda_bug("rgb2yuv, kernel wrong in the last column", Planted::last_column),
      cuda_bug("rgb2yuv, kernel writes past each row", Planted::past_row),
      cuda_bug("rgb2yuv, kernel ignores the pitch", Planted::ignores_pitch),
      cuda_bug("rgb2yuv, kernel truncates", Planted::truncates),
  };
}

}  // namespace coalesce::test
