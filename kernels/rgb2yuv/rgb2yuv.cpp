// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rgb2yuv.h"

#include <algorithm>

#include "rgb2yuv_job.h"
#include "rgb2yuv_pixel.h"

namespace coalesce {
namespace {

bool set_source(const PixelFormat &format, Rgb2yuvJob *job) {
  const PixelComponent &r = format.component[0], &g = format.component[1], &b = format.component[2];
  const PixelComponent *alpha = format.find(Role::alpha);
  if (!format.in_bytes() || r.role != Role::r) return false;
  job->order = {1, 0, 1, 2, -1};
  job->source = RgbSource::planar;
  if (format.planes == 3) return alpha == nullptr && r.step == 1 && g.step == 1 && b.step == 1;
  job->order = {r.step, r.first, g.first, b.first, alpha != nullptr ? alpha->first : -1};
  job->source = r.step == 3 ? RgbSource::packed24 : RgbSource::packed32;
  return format.planes == 1 && r.step >= 3 && g.step == r.step && b.step == r.step &&
         (alpha == nullptr || alpha->first == 0 || alpha->first == 3);
}

bool set_packed_sink(const PixelFormat &format, Rgb2yuvJob *job) {
  const PixelComponent &y = format.component[0], &u = format.component[1], &v = format.component[2];
  job->luma_at = y.first;
  if (format.is_packed_422()) {
    job->sink = YuvSink::packed422;
    return u.first == (y.first ^ 1) && v.first == u.first + 2;
  }
  job->sink = YuvSink::packed444;
  const PixelComponent *alpha = format.find(Role::alpha);
  if (y.step != 4 || u.log2_width != 0 || alpha == nullptr) return false;
  return y.first == 1 ? alpha->first == 0 && u.first == 2 && v.first == 3
                      : alpha->first == 3 && y.first == 2 && u.first == 1 && v.first == 0;
}

bool set_sink(const PixelFormat &format, Rgb2yuvJob *job) {
  const PixelComponent &y = format.component[0], &u = format.component[1], &v = format.component[2];
  if (!format.in_bytes()) return false;
  job->sink = YuvSink::gray;
  job->pairs = false;
  if (y.role == Role::grey) return format.components == 1;
  if (y.role != Role::y) return false;
  if (format.planes == 1) return set_packed_sink(format, job);
  if (format.has(Role::alpha)) return false;
  job->pairs = u.plane == v.plane;
  job->v_first = v.first < u.first;
  job->sink = u.log2_height == 1  ? YuvSink::planar420
              : u.log2_width == 1 ? YuvSink::planar422
                                  : YuvSink::planar444;
  const ChromaShift shift = chroma_shift(job->sink);
  return y.step == 1 && u.step == (job->pairs ? 2 : 1) && v.step == u.step &&
         u.log2_width == shift.across && u.log2_height == shift.down &&
         (!job->pairs || job->sink == YuvSink::planar420);
}

Status check_params(const Rgb2yuvParams &params) {
  if (params.matrix > YuvMatrix::fcc) return invalid_argument("rgb2yuv: no such matrix");
  if (params.in_range > SampleRange::limited || params.out_range > SampleRange::limited)
    return invalid_argument("rgb2yuv: no such range");
  return {};
}

// The planes of a picture in the order of its components.
template <class Byte, class Planes>
void set_planes(const ImageOf<Byte> &image, int count, Planes *planes) {
  for (int i = 0; i < count; ++i)
    planes->plane[i] = image.of(image.format.component[i]);
}

ComponentWeights component_weights(const std::int32_t (&w)[3], std::int32_t bias) {
  return {static_cast<std::int16_t>(w[0]), static_cast<std::int16_t>(w[1]),
          static_cast<std::int16_t>(w[2]), bias};
}

}  // namespace

bool rgb2yuv_accepts(const PixelFormat &in, const PixelFormat &out) {
  Rgb2yuvJob job;
  return set_source(in, &job) && set_sink(out, &job);
}

Status make_job(const Rgb2yuvParams &params, const ConstImage &in, const Image &out,
                Rgb2yuvJob *job) {
  if (Status s = check_params(params); !s.ok()) return s;
  if (Status s = check_image(in); !s.ok()) return s;
  if (Status s = check_image(out); !s.ok()) return s;
  *job = {};
  job->params = params;
  if (!set_source(in.format, job))
    return invalid_argument("rgb2yuv: the input must be RGB of 8 bits, packed or in three planes");
  if (!set_sink(out.format, job))
    return invalid_argument("rgb2yuv: the output must be one of the formats in rgb2yuv.h");
  if (in.width != out.width || in.height != out.height || in.interlaced != out.interlaced)
    return invalid_argument("rgb2yuv: the pictures differ in size or interlacing");
  job->width = in.width;
  job->height = in.height;
  job->interlaced = in.interlaced;
  set_planes(in, job->in_planes(), &job->in);
  set_planes(out, job->out_planes(), &job->out);
  if (job->out_planes() == 3) {
    Plane<std::uint8_t> *chroma = job->out.plane + 1;
    chroma[0].height = chroma[1].height = std::min(chroma[0].height, chroma[1].height);
  }
  return {};
}

YuvWeights yuv_weights(const Rgb2yuvParams &params) {
  const SampleScale from = {params.in_range, 8}, to = {params.out_range, 8};
  const ColourWeights w = rgb_to_yuv(params.matrix, from, to, kWeightBits);
  constexpr int kOne = 1 << kWeightBits, kHalf = kOne / 2;
  const std::int32_t chroma_bias = to.middle() * kOne + kHalf;
  YuvWeights weights = {component_weights(w.weight[0], 0),
                        component_weights(w.weight[1], chroma_bias),
                        component_weights(w.weight[2], chroma_bias)};
  const int black = from.black();
  weights.y.bias = to.black() * kOne + kHalf - weights.y.sum(black, black, black);
  return weights;
}

Status rgb2yuv(const Rgb2yuvParams &params, const ConstImage &in, const Image &out,
               const Queue &queue) {
  Rgb2yuvJob job;
  if (Status s = make_job(params, in, out, &job); !s.ok()) return s;
  if (!queue.on_cuda()) return rgb2yuv_cpu(job, queue.pool());
#if COALESCE_CUDA_KERNELS
  return rgb2yuv_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
