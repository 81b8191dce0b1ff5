// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cartoon.h"

#include <algorithm>

#include "../canny/canny_scratch.h"
#include "../core/layout.h"
#include "../picture/formats.h"
#include "../picture/scratch_picture.h"
#include "cartoon_job.h"

namespace coalesce {
namespace {

// Where what is in scratch memory is: a picture; its lines; what is needed for a while.
struct CartoonScratch {
  CartoonScratch(const Cartoon &c, const ConstImage &image, void *memory)
      : lines{pixel_format("GRAY8"),
              image.width,
              image.height,
              false,
              {{nullptr, image.width, image.height, 0}}} {
    Layout layout(256, memory);
    between = layout.at<std::uint8_t>(scratch_picture_bytes(image));
    if (c.lines != CartoonLines::none)
      put_in_scratch(&lines, layout.at<std::uint8_t>(scratch_bytes(lines.plane[0])));
    std::size_t most = bilateral_scratch_bytes(image, c.iterations);
    if (c.lines == CartoonLines::canny)
      most = std::max(most, canny_scratch_bytes(image.width, image.height));
    rest = layout.at<std::uint8_t>(most);
    bytes = layout.end();
  }
  std::uint8_t *between, *rest;
  Image lines;
  std::size_t bytes;
};

bool is_rgb(const PixelFormat &format) {
  return format.has(Role::r);
}

Status check(const Cartoon &cartoon, const ConstImage &in, const Image &out, const void *scratch) {
  if (Status s = check_alike(in, out); !s.ok()) return s;
  if (!in.format.in_bytes()) return invalid_argument("cartoon: samples must have 8 bits");
  if (cartoon.iterations == 0) return invalid_argument("cartoon: nothing was made ready");
  if (!is_rgb(in.format) && 16 % in.format.component[0].step != 0)
    return invalid_argument("cartoon: no such format");
  if (cartoon.lines == CartoonLines::canny &&
      (std::int64_t{in.width} + 31) / 32 * in.height > kMaxCannyWords)
    return invalid_argument(
        "cartoon: the picture is too large; words of 32 pixels are limited to 2^26");
  if (scratch == nullptr || reinterpret_cast<std::uintptr_t>(scratch) % 16 != 0)
    return invalid_argument("cartoon: scratch memory is missing, or not aligned to 16 bytes");
  return {};
}

// Components R, G and B, or luma, or grey, come first in every format.
CartoonLuma luma_of(const ConstImage &image) {
  CartoonLuma luma;
  luma.components = is_rgb(image.format) ? 3 : 1;
  for (int i = 0; i < luma.components; ++i) {
    const PixelComponent &c = image.format.component[i];
    luma.component[i] = {image.of(c), c.first, c.step};
  }
  luma.width = image.width, luma.height = image.height;
  return luma;
}

Status find_lines(const Cartoon &c, const ConstImage &areas, const Image &lines, const Queue &queue,
                  void *scratch) {
  if (c.lines == CartoonLines::canny) return canny(c.canny, areas, lines, queue, scratch);
  const DogJob job = {luma_of(areas), lines.plane[0], c.narrow, c.wide, c.threshold};
  if (!queue.on_cuda()) {
    dog_cpu(job, queue.pool());
    return {};
  }
#if COALESCE_CUDA_KERNELS
  return dog_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

Status make_tones(const Cartoon &c, const ConstImage &areas, const Image &out, const Queue &queue) {
  ToneJob job;
  job.planes = areas.format.planes;
  for (int p = 0; p < job.planes; ++p) {
    job.plane[p] = {areas.plane[p], out.plane[p]};
    job.plane[p].in.height = used_rows(areas, p);
  }
  job.luma = luma_of(areas);
  for (int i = 0; i < job.luma.components; ++i)
    job.of_plane[i] = areas.format.component[i].plane;
  std::copy_n(c.tone, 256, job.tone);
  if (!queue.on_cuda()) {
    tones_cpu(job, queue.pool());
    return {};
  }
#if COALESCE_CUDA_KERNELS
  return tones_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace

std::size_t cartoon_scratch_bytes(const Cartoon &cartoon, const ConstImage &image) {
  return CartoonScratch(cartoon, image, nullptr).bytes;
}

// The areas are made where they are not in the way of what follows.
Status cartoon(const Cartoon &cartoon, const ConstImage &in, const Image &out, const Queue &queue,
               void *scratch) {
  if (Status s = check(cartoon, in, out, scratch); !s.ok()) return s;
  const CartoonScratch at(cartoon, in, scratch);
  const Image between = scratch_picture_between(in, out, at.between);
  const bool with_lines = cartoon.lines != CartoonLines::none;
  const Image areas = with_lines ? out : between, tones = with_lines ? between : out;
  BilateralParams params;
  params.bilateral = &cartoon.areas;
  params.iterations = cartoon.iterations;
  if (Status s = bilateral(params, in, areas, queue, at.rest); !s.ok()) return s;
  if (with_lines)
    if (Status s = find_lines(cartoon, areas, at.lines, queue, at.rest); !s.ok()) return s;
  if (Status s = make_tones(cartoon, areas, tones, queue); !s.ok()) return s;
  return with_lines ? draw_edges(cartoon.colour, at.lines, tones, out, queue) : Status();
}

}  // namespace coalesce
