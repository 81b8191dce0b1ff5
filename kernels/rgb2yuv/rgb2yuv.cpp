// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rgb2yuv.h"

#include <algorithm>
#include <cmath>

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
  if (u.log2_width == 1) {
    job->sink = YuvSink::packed422;
    return y.step == 2 && u.step == 4 && u.first == (y.first ^ 1) && v.first == u.first + 2;
  }
  job->sink = YuvSink::packed444;
  const PixelComponent *alpha = format.find(Role::alpha);
  if (y.step != 4 || alpha == nullptr) return false;
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

struct RedBlue {
  double red, blue;
};

// Shares of red and blue in luma: ITU-R BT.601, BT.709, BT.2020, SMPTE 240M, FCC 73.682.
RedBlue shares(YuvMatrix matrix) {
  switch (matrix) {
    case YuvMatrix::bt709:
      return {0.2126, 0.0722};
    case YuvMatrix::bt2020:
      return {0.2627, 0.0593};
    case YuvMatrix::smpte240m:
      return {0.212, 0.087};
    case YuvMatrix::fcc:
      return {0.30, 0.11};
    case YuvMatrix::bt601:
      break;
  }
  return {0.299, 0.114};
}

constexpr double kOne = 1 << kWeightBits;

int nearest(double value) {
  return static_cast<int>(std::floor(value + 0.5));
}

// Each weight to the nearest integer; what their sum then lacks goes to those that rounding has
// moved furthest the other way.
ComponentWeights quantised(double red, double green, double blue) {
  const double exact[3] = {red * kOne, green * kOne, blue * kOne};
  int weight[3];
  int missing = nearest(exact[0] + exact[1] + exact[2]);
  for (int i = 0; i < 3; ++i) {
    weight[i] = nearest(exact[i]);
    missing -= weight[i];
  }
  for (; missing != 0; missing -= missing > 0 ? 1 : -1) {
    const int step = missing > 0 ? 1 : -1;
    int furthest = 0;
    for (int i = 1; i < 3; ++i)
      if (step * (exact[i] - weight[i]) > step * (exact[furthest] - weight[furthest])) furthest = i;
    weight[furthest] += step;
  }
  return {static_cast<std::int16_t>(weight[0]), static_cast<std::int16_t>(weight[1]),
          static_cast<std::int16_t>(weight[2]), 0};
}

}  // namespace

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
  const bool from_full = params.in_range == SampleRange::full;
  const bool to_full = params.out_range == SampleRange::full;
  const double levels = from_full ? 255 : 219;
  const double luma = (to_full ? 255 : 219) / levels;
  const double chroma = (to_full ? 255 : 224) / levels;
  const auto [red, blue] = shares(params.matrix);
  const double green = 1 - red - blue;
  const double u = chroma / (2 * (1 - blue));
  const double v = chroma / (2 * (1 - red));

  YuvWeights w = {quantised(luma * red, luma * green, luma * blue),
                  quantised(-u * red, -u * green, u * (1 - blue)),
                  quantised(v * (1 - red), -v * green, -v * blue)};
  constexpr int half = 1 << (kWeightBits - 1);
  const int black = from_full ? 0 : 16;
  w.y.bias = (to_full ? 0 : 16) * (1 << kWeightBits) + half - w.y.sum(black, black, black);
  w.u.bias = w.v.bias = 128 * (1 << kWeightBits) + half;
  return w;
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
