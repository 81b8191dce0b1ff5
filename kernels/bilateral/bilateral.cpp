// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bilateral.h"

#include <algorithm>
#include <functional>

#include "../picture/scratch_picture.h"
#include "bilateral_job.h"

namespace coalesce {
namespace {

// Positions in a picture, those outside it included, and the bytes of a row fit an int.
constexpr int kMaxSize = 1 << 28;

bool is_rgb(const PixelFormat &format) {
  return format.has(Role::r);
}

Status check(const BilateralParams &params, const ConstImage &in, const Image &out) {
  if (Status s = check_alike(in, out); !s.ok()) return s;
  const SampleDepth depth = sample_depth(in.format);
  if (depth.bits == 0) return invalid_argument("bilateral: no such format");
  if (params.bilateral == nullptr || params.bilateral->radius == 0)
    return invalid_argument("bilateral: no weights");
  const Bilateral &weights = *params.bilateral;
  if (weights.depth.bits != depth.bits || weights.depth.shift != depth.shift ||
      weights.rgb != is_rgb(in.format))
    return invalid_argument("bilateral: the weights are of another format");
  for (int p = 0; p < in.format.planes; ++p)
    if (in.plane[p].width > kMaxSize || in.plane[p].height > kMaxSize)
      return invalid_argument(
          "bilateral: the picture is too large; width in bytes and height are limited to 2^28");
  if (params.iterations < 1 || params.iterations > kMaxBilateralIterations)
    return invalid_argument("bilateral: iterations must be from 1 to 100");
  if (params.border > Border::constant) return invalid_argument("bilateral: no such border");
  if (params.border == Border::constant &&
      (params.border_value < 0 || params.border_value > depth.max()))
    return invalid_argument("bilateral: the border's value is no sample");
  return {};
}

Status run(const BilateralJob &job, const Queue &queue) {
  if (!queue.on_cuda()) return bilateral_cpu(job, queue.pool());
#if COALESCE_CUDA_KERNELS
  return bilateral_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

// One picture whose samples are in channels.
class Passes {
 public:
  Passes(const BilateralParams &params, const ConstImage &in, const Image &out)
      : params_(params), in_(in), out_(out) {}

  Status operator()(const Queue &queue, std::uint8_t *scratch) const {
    const Image other =
        params_.iterations > 1 ? scratch_picture_between(in_, out_, scratch) : Image();
    ConstImage from = in_;
    for (int left = params_.iterations - 1; left >= 0; --left) {
      const Image &to = left % 2 == 0 ? out_ : other;
      if (Status s = run(pass(from, to, left == 0), queue); !s.ok()) return s;
      from = to;
    }
    const ChannelPlanes missing = missing_rows(in_, out_);
    BilateralJob rows;
    for (int p = 0; p < missing.planes; ++p)
      rows.copy[rows.copies++] = missing.plane[p];
    return rows.copies > 0 ? run(rows, queue) : Status();
  }

 private:
  BilateralJob pass(const ConstImage &from, const Image &to, bool last) const {
    const ChannelPlanes planes = channels_of(from, to, params_.luma_only, params_.filter_alpha);
    BilateralJob job;
    job.weights = *params_.bilateral;
    job.border = params_.border;
    for (int i = 0; i < from.format.components; ++i)
      add(from.format.component[i], planes, &job);
    // Planes without a filtered component go from the first picture to the last one.
    const ChannelPlanes whole = channels_of(in_, out_, params_.luma_only, params_.filter_alpha);
    for (int p = 0; p < whole.planes && last; ++p)
      if (is_copied(whole.plane[p])) job.copy[job.copies++] = whole.plane[p];
    return job;
  }

  void add(const PixelComponent &c, const ChannelPlanes &planes, BilateralJob *job) const {
    const ChannelPlane &plane = planes.plane[c.plane];
    const ChannelRole role = plane.role[c.first];
    if (role == ChannelRole::copy) return;
    BilateralComponent component = {plane.in, plane.out, c.first, c.step, 0};
    component.outside = static_cast<std::uint16_t>(
        role == ChannelRole::chroma ? params_.bilateral->depth.middle() : params_.border_value);
    // G and B are the second and third of R's group.
    if (c.role == Role::g || c.role == Role::b) {
      BilateralGroup &group = job->group[job->groups - 1];
      group.component[group.components++] = component;
      return;
    }
    BilateralGroup &group = job->group[job->groups++];
    group.component[0] = component;
    group.width = plane.in.width / (plane.channels * params_.bilateral->depth.bytes());
    group.height = plane.in.height;
    const bool first_of_plane = std::none_of(job->group, &group, [&](const BilateralGroup &other) {
      return other.component[0].in.data == plane.in.data;
    });
    for (int channel = 0; channel < plane.channels && first_of_plane; ++channel)
      if (plane.role[channel] == ChannelRole::copy) group.copied |= 1u << channel;
  }

  const BilateralParams &params_;
  const ConstImage &in_;
  const Image &out_;
};

}  // namespace

std::size_t bilateral_scratch_bytes(const ConstImage &image, int iterations) {
  const std::size_t planes = container_scratch_bytes(image);  // twice what a picture of planes has
  if (iterations <= 1) return planes;
  return planes > 0 ? planes + planes / 2 : scratch_picture_bytes(image);
}

Status bilateral(const BilateralParams &params, const ConstImage &in, const Image &out,
                 const Queue &queue, void *scratch) {
  if (Status s = check(params, in, out); !s.ok()) return s;
  auto *const memory = static_cast<std::uint8_t *>(scratch);
  if (bilateral_scratch_bytes(in, params.iterations) > 0 &&
      (scratch == nullptr || reinterpret_cast<std::uintptr_t>(scratch) % 16 != 0))
    return invalid_argument("bilateral: scratch memory is missing, or not aligned to 16 bytes");
  if (is_in_channels(in.format)) return Passes(params, in, out)(queue, memory);
  const auto filtered = [&](const ConstImage &from, const Image &to) {
    return Passes(params, from, to)(queue, memory + container_scratch_bytes(in));
  };
  return filter_containers(in, out, params.luma_only, params.filter_alpha, queue, scratch,
                           std::ref(filtered));
}

}  // namespace coalesce
