// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stereo.h"

#include <algorithm>

#include "../median/median.h"
#include "../picture/formats.h"
#include "../picture/luma.h"
#include "cpu/scratch.h"
#include "cuda/scratch.h"
#include "stereo_job.h"

namespace coalesce {
namespace {

bool is_window(int size) {
  return size >= 3 && size <= kMaxStereoWindow && size % 2 == 1;
}

Status check(const StereoParams &p) {
  if (p.method > StereoMethod::sgm) return invalid_argument("stereo: no such method");
  if (p.min_disparity < 0 || p.min_disparity > kMaxMinDisparity)
    return invalid_argument("stereo: the least disparity must be from 0 to 1024");
  if (p.disparities < 16 || p.disparities > kMaxDisparities || p.disparities % 16 != 0)
    return invalid_argument("stereo: disparities must be a multiple of 16, from 16 to 256");
  if (p.method != StereoMethod::sgm && !is_window(p.window))
    return invalid_argument("stereo: the window must be odd, from 3 to 21");
  if (p.method == StereoMethod::sgm) {
    if (p.paths != 4 && p.paths != 8) return invalid_argument("stereo: paths must be 4 or 8");
    if (p.p1 < 1 || p.p2 < p.p1 || p.p2 > kMaxStereoPenalty)
      return invalid_argument("stereo: penalties must be 1 <= p1 <= p2 <= 96");
  }
  if (p.uniqueness < 0 || p.uniqueness > 99)
    return invalid_argument("stereo: the uniqueness must be from 0 to 99");
  if (p.left_right < -1) return invalid_argument("stereo: left-right must be -1 or more");
  if (p.median != 0 && p.median != 3 && p.median != 5)
    return invalid_argument("stereo: the median must be 0, 3 or 5");
  if (p.speckle_size < 0 || p.speckle_range < 0)
    return invalid_argument("stereo: speckles must have a size and a range of 0 or more");
  return {};
}

bool is_size(int size) {
  return size >= 1 && size <= kMaxStereoSize;
}

Status check(const StereoParams &params, const ConstImage &left, const ConstImage &right,
             const Image &out, const void *scratch) {
  if (Status s = check(params); !s.ok()) return s;
  for (const ConstImage &image : {left, right, ConstImage(out)})
    if (Status s = check_image(image); !s.ok()) return s;
  if (!(left.format == right.format))
    return invalid_argument("stereo: the pictures differ in format");
  if (luma_by_itself(left.format) == nullptr)
    return invalid_argument(
        "stereo: pictures must have luma or grey in bytes or in words of 16 bits");
  if (!(out.format == pixel_format("GRAY16_LE")))
    return invalid_argument("stereo: the output must be GRAY16_LE");
  for (const ConstImage &image : {right, ConstImage(out)})
    if (image.width != left.width || image.height != left.height)
      return invalid_argument("stereo: the pictures differ in size");
  if (!is_size(left.width) || !is_size(left.height))
    return invalid_argument("stereo: the pictures are too large; sizes are limited to 16384");
  if (scratch == nullptr || reinterpret_cast<std::uintptr_t>(scratch) % 256 != 0)
    return invalid_argument("stereo: no scratch memory that is aligned to 256 bytes");
  return {};
}

Plane<std::uint16_t> words_of(const Image &image) {
  return {reinterpret_cast<std::uint16_t *>(image.plane[0].data), image.width, image.height,
          image.plane[0].pitch};
}

Status find_disparities(const StereoJob &job, const Queue &queue) {
  if (!queue.on_cuda()) return find_disparities_cpu(job, queue.pool());
#if COALESCE_CUDA_KERNELS
  return find_disparities_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

Status filter_speckles(const SpeckleJob &job, const Queue &queue) {
  if (!queue.on_cuda()) return filter_speckles_cpu(job, queue.pool());
#if COALESCE_CUDA_KERNELS
  return filter_speckles_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

Status filter_median(const Plane<std::uint16_t> &from, const Image &out, int size,
                     const Queue &queue) {
  ConstImage in = out;
  in.plane[0] = {reinterpret_cast<const std::uint8_t *>(from.data), 2 * from.width, from.height,
                 from.pitch};
  MedianParams params;
  params.width = params.height = size;
  return median(params, in, out, queue);
}

StereoJob make_job(const StereoParams &params, const ConstImage &left, const ConstImage &right,
                   void *scratch) {
  StereoJob job;
  job.params = params;
  job.component = *luma_by_itself(left.format);
  job.in[0] = left.of(job.component), job.in[1] = right.of(job.component);
  job.width = left.width, job.height = left.height;
  for (int step = 0; step < 256; ++step)
    job.penalty[step] = static_cast<std::uint8_t>(
        params.adaptive ? params.p1 + 16 * (params.p2 - params.p1) / (16 + step) : params.p2);
  job.scratch = scratch;
  return job;
}

}  // namespace

bool stereo_takes(const PixelFormat &format) {
  return luma_by_itself(format) != nullptr;
}

std::size_t stereo_scratch_bytes(const StereoParams &params, int width, int height, bool on_cuda) {
  if (!check(params).ok() || !is_size(width) || !is_size(height)) return 0;
  std::size_t bytes = StereoCpuScratch(nullptr, params, width, height).bytes;
  if (params.speckle_size > 0)
    bytes = std::max(bytes, SpeckleCpuScratch(nullptr, width, height).bytes);
  // (So much that the CPU back end may take its place, in tests.)
  if (on_cuda) bytes = std::max(bytes, StereoCudaScratch(nullptr, params, width, height).bytes);
  if (on_cuda && params.speckle_size > 0)
    bytes = std::max(bytes, SpeckleCudaScratch(nullptr, width, height).bytes);
  return (bytes + 255) / 256 * 256;
}

Status stereo(const StereoParams &params, const ConstImage &left, const ConstImage &right,
              const Image &out, const Queue &queue, void *scratch) {
  if (Status s = check(params, left, right, out, scratch); !s.ok()) return s;
  StereoJob job = make_job(params, left, right, scratch);
  const Plane<std::uint16_t> disparities = words_of(out);
  // (What is found in scratch memory is its first array.)
  job.found = disparities;
  if (params.median > 0)
    job.found = {static_cast<std::uint16_t *>(scratch), out.width, out.height,
                 2 * static_cast<std::size_t>(out.width)};
  if (Status s = find_disparities(job, queue); !s.ok()) return s;
  if (params.median > 0)
    if (Status s = filter_median(job.found, out, params.median, queue); !s.ok()) return s;
  if (params.speckle_size == 0) return {};
  SpeckleJob speckles;
  speckles.disparities = disparities;
  speckles.size = params.speckle_size;
  speckles.range = kDisparityUnit * std::min(params.speckle_range, kMaxStereoSize);
  speckles.scratch = scratch;
  return filter_speckles(speckles, queue);
}

}  // namespace coalesce
