// SPDX-License-Identifier: LGPL-2.1-or-later
#include "view.h"

#include "../picture/formats.h"
#include "view_job.h"

namespace coalesce {
namespace {

Status check(const ConstImage &in, const Image &out) {
  for (const ConstImage &image : {in, ConstImage(out)})
    if (Status s = check_image(image); !s.ok()) return s;
  if (!(in.format == pixel_format("GRAY16_LE")))
    return invalid_argument("views: the input must be GRAY16_LE");
  if (in.width != out.width || in.height != out.height)
    return invalid_argument("views: the pictures differ in size");
  if (in.width > kMaxStereoSize || in.height > kMaxStereoSize)
    return invalid_argument("views: the pictures are too large; sizes are limited to 16384");
  return {};
}

template <class Word, class Byte>
Plane<Word> words_of(const ImageOf<Byte> &image) {
  return {reinterpret_cast<Word *>(image.plane[0].data), image.width, image.height,
          image.plane[0].pitch};
}

}  // namespace

Status depths(std::uint32_t scale, const ConstImage &in, const Image &out, const Queue &queue) {
  if (Status s = check(in, out); !s.ok()) return s;
  if (!(out.format == in.format)) return invalid_argument("depths: the output must be GRAY16_LE");
  if (scale < 1 || scale > kMaxDepthScale)
    return invalid_argument("depths: the scale must be from 1 to 2^31 - 1");
  const DepthJob job = {words_of<const std::uint16_t>(in), words_of<std::uint16_t>(out), scale};
  if (!queue.on_cuda()) {
    depths_cpu(job, queue.pool());
    return {};
  }
#if COALESCE_CUDA_KERNELS
  return depths_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

Status hide_outside(const RemapMap &left, const RemapMap &right, const Image &disparities,
                    const Queue &queue) {
  if (Status s = check(disparities, disparities); !s.ok()) return s;
  for (const RemapMap &map : {left, right}) {
    if (Status s = check_plane(map.point); !s.ok()) return s;
    if (Status s = check_plane(map.fraction); !s.ok()) return s;
    if (map.point.width != disparities.width || map.point.height != disparities.height ||
        map.fraction.width != disparities.width || map.fraction.height != disparities.height)
      return invalid_argument("views: a map and the disparities differ in size");
  }
  const OutsideJob job = {{left, right}, words_of<std::uint16_t>(disparities)};
  if (!queue.on_cuda()) {
    hide_outside_cpu(job, queue.pool());
    return {};
  }
#if COALESCE_CUDA_KERNELS
  return hide_outside_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

bool colours_make(const PixelFormat &format) {
  return format.planes == 1 && format.in_bytes() && format.find(Role::r) != nullptr;
}

Status colours(ColourMap map, ColourRange range, const ConstImage &in, const Image &out,
               const Queue &queue) {
  if (Status s = check(in, out); !s.ok()) return s;
  if (!colours_make(out.format))
    return invalid_argument("colours: the output must be R, G and B in bytes of one plane");
  if (map > ColourMap::viridis) return invalid_argument("colours: no such map");
  if (range.first < 0 || range.last <= range.first || range.last > 0xFFFF)
    return invalid_argument("colours: the range must be 0 <= first < last <= 65535");
  ColourJob job;
  job.in = words_of<const std::uint16_t>(in);
  job.out = out.plane[0];
  job.map = map, job.range = range;
  const PixelComponent *r = out.format.find(Role::r);
  job.bytes = r->step;
  job.r = r->first;
  job.g = out.format.find(Role::g)->first;
  job.b = out.format.find(Role::b)->first;
  if (!queue.on_cuda()) {
    colours_cpu(job, queue.pool());
    return {};
  }
#if COALESCE_CUDA_KERNELS
  return colours_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
