// SPDX-License-Identifier: LGPL-2.1-or-later
#include "remap.h"

#include "../picture/formats.h"
#include "../picture/luma.h"
#include "remap_job.h"

namespace coalesce {
namespace {

bool is_size(int width, int height) {
  return width <= kMaxRemapSize && height <= kMaxRemapSize;
}

Status check(const RemapMap &map, const ConstImage &in, const Image &out) {
  for (const ConstImage &image : {in, ConstImage(out)})
    if (Status s = check_image(image); !s.ok()) return s;
  if (Status s = check_plane(map.point); !s.ok()) return s;
  if (Status s = check_plane(map.fraction); !s.ok()) return s;
  const PixelComponent *c = luma_by_itself(in.format);
  if (c == nullptr)
    return invalid_argument(
        "remap: the input must have luma or grey in bytes or in words of 16 bits");
  if (!(out.format == pixel_format(c->container == Container::u8 ? "GRAY8" : "GRAY16_LE")))
    return invalid_argument("remap: the output must be GRAY8 for bytes, GRAY16_LE for words");
  if (!is_size(in.width, in.height) || !is_size(out.width, out.height))
    return invalid_argument("remap: the pictures are too large; sizes are limited to 32767");
  if (map.point.width != out.width || map.point.height != out.height ||
      map.fraction.width != out.width || map.fraction.height != out.height)
    return invalid_argument("remap: the map and the output differ in size");
  return {};
}

}  // namespace

Status remap(const RemapMap &map, const ConstImage &in, const Image &out, const Queue &queue) {
  if (Status s = check(map, in, out); !s.ok()) return s;
  const PixelComponent &c = *luma_by_itself(in.format);
  const RemapJob job = {map, in.of(c), in.width, in.height, c, out.plane[0]};
  if (!queue.on_cuda()) {
    remap_cpu(job, queue.pool());
    return {};
  }
#if COALESCE_CUDA_KERNELS
  return remap_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
