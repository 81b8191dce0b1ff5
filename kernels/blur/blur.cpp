// SPDX-License-Identifier: LGPL-2.1-or-later
#include "blur.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

#include "blur_job.h"

namespace coalesce {
namespace {

// Rows of the smaller pictures begin at multiples of this, in bytes.
constexpr std::size_t kAlignment = 16;

// Half of the taps span this many standard deviations.
constexpr double kReach = 3.5;

// Of one plane. Samples -pad to `cells` + pad.
Plane<std::uint16_t> low_plane(int columns, int rows, int log2_factor, int pad) {
  const auto with_pad = [&](int size) { return ((size - 1) >> log2_factor) + 2 + 2 * pad; };
  const int width = with_pad(columns);
  const std::size_t bytes = static_cast<std::size_t>(width) * sizeof(std::uint16_t);
  return {nullptr, width, with_pad(rows), (bytes + kAlignment - 1) / kAlignment * kAlignment};
}

std::size_t bytes_of(const Plane<std::uint16_t> &plane) {
  return plane.pitch * static_cast<std::size_t>(plane.height);
}

int columns_of(const ConstImage &image, const PixelComponent &c) {
  return -(-image.width >> c.log2_width);
}

// Neither back end reads pixels of three words.
bool has_pixels_of_six(const PixelFormat &format) {
  return std::any_of(
      format.component, format.component + format.components,
      [](const PixelComponent &c) { return c.container == Container::u16 && c.step == 3; });
}

Status check(const BlurParams &params, const ConstImage &in, const Image &out,
             const void *scratch) {
  if (Status s = check_alike(in, out); !s.ok()) return s;
  if (params.blur == nullptr) return invalid_argument("blur: there is no sigma");
  const SampleDepth depth = sample_depth(in.format);
  if (depth.bits == 0 || has_pixels_of_six(in.format))
    return invalid_argument("blur: no such format");
  if (depth.bits != params.blur->depth.bits || depth.shift != params.blur->depth.shift)
    return invalid_argument("blur: made for samples of another depth");
  if (params.border > Border::constant) return invalid_argument("blur: no such border");
  if (params.border == Border::constant &&
      (params.border_value < 0 || params.border_value > depth.max()))
    return invalid_argument("blur: the border's value is no sample");
  constexpr int kMaxSize = 1 << 28;
  for (int p = 0; p < in.format.planes; ++p)
    if (in.plane[p].width > kMaxSize || in.plane[p].height > kMaxSize)
      return invalid_argument(
          "blur: the picture is too large; width in bytes and height are limited to 2^28");
  if (scratch == nullptr || reinterpret_cast<std::uintptr_t>(scratch) % kAlignment != 0)
    return invalid_argument("blur: scratch memory is missing, or not aligned to 16 bytes");
  return {};
}

BlurJob make_job(const BlurParams &params, const ConstImage &in, const Image &out, void *scratch) {
  const Blur &blur = *params.blur;
  BlurJob job;
  job.in = in, job.out = out;
  job.log2_factor = blur.log2_factor;
  job.depth = blur.depth;
  job.border = params.border;
  job.outside_level = params.border_value, job.outside_chroma = blur.depth.middle();
  job.reach = blur.reach;
  std::copy(std::begin(blur.tap), std::end(blur.tap), job.tap);
  // With these borders all samples from -1 outwards are one.
  const bool same_outside = params.border == Border::replicate || params.border == Border::constant;
  job.pad = same_outside ? 1 : blur.reach;
  auto *at = static_cast<std::uint8_t *>(scratch);
  for (int i = 0; i < in.format.components; ++i) {
    const PixelComponent &c = in.format.component[i];
    const ChannelRole role = channel_role(in.format, c, params.luma_only, params.filter_alpha);
    if (role == ChannelRole::copy) continue;
    BlurComponent &component = job.component[job.components++];
    component.number = i, component.role = role;
    component.columns = columns_of(in, c);
    component.rows = std::min(used_rows(in, c.plane), out.plane[c.plane].height);
    component.low = component.smooth =
        low_plane(component.columns, component.rows, blur.log2_factor, job.pad);
    for (Plane<std::uint16_t> *plane : {&component.low, &component.smooth}) {
      plane->data = reinterpret_cast<std::uint16_t *>(at);
      at += bytes_of(*plane);
    }
  }
  return job;
}

// Planes without a component that is filtered.
ConvolvePlanes copies(const BlurJob &job) {
  ConvolvePlanes planes;
  planes.planes = 0;
  for (int p = 0; p < job.in.format.planes; ++p) {
    const bool filtered = std::any_of(
        job.component, job.component + job.components,
        [&](const BlurComponent &c) { return job.in.format.component[c.number].plane == p; });
    if (filtered) continue;
    ConvolvePlane &copied = planes.plane[planes.planes++];
    copied.in = job.in.plane[p], copied.out = job.out.plane[p];
    copied.in.height = copied.out.height = std::min(used_rows(job.in, p), job.out.plane[p].height);
    copied.role[0] = ChannelRole::copy;
  }
  return planes;
}

Status copy(const BlurParams &params, const ConvolvePlanes &planes, const Queue &queue) {
  if (planes.planes == 0) return {};
  ConvolveParams identity;
  identity.filter = &params.blur->identity;
  return convolve_planes(identity, planes, queue);
}

Status run(const BlurJob &job, const Queue &queue) {
  if (!queue.on_cuda()) {
    blur_down_cpu(job, queue.pool());
    blur_smooth_cpu(job, queue.pool());
    blur_up_cpu(job, queue.pool());
    return {};
  }
#if COALESCE_CUDA_KERNELS
  if (Status s = blur_down_cuda(job, queue.stream()); !s.ok()) return s;
  if (Status s = blur_smooth_cuda(job, queue.stream()); !s.ok()) return s;
  return blur_up_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

// Pictures whose samples are in channels.
Status blur_channels(const BlurParams &params, const ConstImage &in, const Image &out,
                     const Queue &queue, void *scratch) {
  const BlurJob job = make_job(params, in, out, scratch);
  if (Status s = run(job, queue); !s.ok()) return s;
  if (Status s = copy(params, copies(job), queue); !s.ok()) return s;
  return copy(params, missing_rows(in, out), queue);
}

}  // namespace

// The factor is the largest power of two that is at most sigma / 2, so that the Gaussian of the
// smaller picture has a sigma of 1.9 to 3.97.
Status make_blur(double sigma, SampleDepth depth, Blur *blur) {
  if (!(sigma >= kMinBlurSigma && sigma <= kMaxSigma))
    return invalid_argument("blur: sigma must be 8 to 100");
  Blur made;
  while ((4 << made.log2_factor) <= sigma)
    ++made.log2_factor;
  const double factor = 1 << made.log2_factor, factor2 = factor * factor;
  // Less the variances of the triangles and of the curve that is laid through the samples.
  const double own = (sigma * sigma - (factor2 - 1) / 6) / factor2 - 0.25;
  made.reach = static_cast<int>(std::ceil(kReach * std::sqrt(own)));
  double weight[Blur::kMostReach], sum = 0;
  for (int i = 0; i < made.reach; ++i)
    sum += weight[i] = std::exp(-(i + 0.5) * (i + 0.5) / (2 * own));
  int rest = 1 << (kBlurTapBits - 1);  // of one half, for the innermost
  for (int i = made.reach - 1; i >= 0; --i) {
    const int scaled =
        static_cast<int>(std::floor(weight[i] / sum * (1 << (kBlurTapBits - 1)) + 0.5));
    const int tap = i == 0 ? rest : scaled;
    rest -= tap;
    made.tap[made.reach + i] = made.tap[made.reach - 1 - i] = static_cast<std::uint16_t>(tap);
  }
  FilterError error;
  made.depth = depth;
  if (!make_filter({}, depth, &made.identity, &error))
    return invalid_argument("blur: no such depth");
  *blur = std::move(made);
  return {};
}

std::size_t blur_scratch_bytes(const Blur &blur, const ConstImage &image) {
  std::size_t bytes = container_scratch_bytes(image);
  for (int i = 0; i < image.format.components; ++i) {
    const PixelComponent &c = image.format.component[i];
    bytes += 2 * bytes_of(low_plane(columns_of(image, c), image.plane[c.plane].height,
                                    blur.log2_factor, Blur::kMostReach));
  }
  return bytes;
}

Status blur(const BlurParams &params, const ConstImage &in, const Image &out, const Queue &queue,
            void *scratch) {
  if (Status s = check(params, in, out, scratch); !s.ok()) return s;
  if (is_in_channels(in.format)) return blur_channels(params, in, out, queue, scratch);
  void *beside = static_cast<std::uint8_t *>(scratch) + container_scratch_bytes(in);
  const auto blurred = [&](const ConstImage &from, const Image &to) {
    BlurParams all = params;
    all.luma_only = false, all.filter_alpha = true;
    return blur_channels(all, from, to, queue, beside);
  };
  return filter_containers(in, out, params.luma_only, params.filter_alpha, queue, scratch,
                           std::ref(blurred));
}

}  // namespace coalesce
