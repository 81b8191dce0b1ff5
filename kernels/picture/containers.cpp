// SPDX-License-Identifier: LGPL-2.1-or-later
#include "containers.h"

#include <cstdint>

#include "containers_job.h"
#include "scratch_picture.h"

namespace coalesce {
namespace {

Plane<std::uint8_t> component_plane(const ContainerJob &job, int component) {
  const int bytes = job.columns(component) * (job.in_words ? 2 : 1);
  return {nullptr, bytes, job.height, scratch_pitch(bytes)};
}

ContainerJob make_job(const ConstImage &in) {
  ContainerJob job;
  job.format = in.format;
  job.width = in.width, job.height = in.height;
  job.in = in.plane[0];
  job.in_words = sample_depth(in.format).bytes() == 2;
  return job;
}

// The planes of the components that are filtered, as pictures.
struct Planes {
  ConstImage in;
  Image out;
};

Planes make_planes(bool luma_only, bool filter_alpha, std::uint8_t *scratch, ContainerJob *job) {
  const SampleDepth depth = sample_depth(job->format);
  Planes planes = {{{}, job->width, job->height, false, {}},
                   {{}, job->width, job->height, false, {}}};
  PixelFormat &format = planes.in.format;
  for (int i = 0; i < job->format.components; ++i) {
    PixelComponent c = job->format.component[i];
    if (channel_role(job->format, c, luma_only, filter_alpha) == ChannelRole::copy) continue;
    for (Plane<std::uint8_t> *plane : {&job->unpacked[i], &job->filtered[i]}) {
      *plane = component_plane(*job, i);
      plane->data = scratch;
      scratch += scratch_bytes(*plane);
    }
    planes.in.plane[format.planes] = job->unpacked[i];
    planes.out.plane[format.planes] = job->filtered[i];
    c.plane = format.planes++;
    c.container = job->in_words ? Container::u16 : Container::u8;
    c.shift = static_cast<std::uint8_t>(depth.shift);
    c.first = 0, c.step = 1;
    format.component[format.components++] = c;
  }
  if (format.component[0].role == Role::y && !format.has(Role::u))
    format.component[0].role = Role::grey;
  planes.out.format = format;
  return planes;
}

std::size_t planes_bytes(const ConstImage &image) {
  const ContainerJob job = make_job(image);
  std::size_t bytes = 0;
  for (int i = 0; i < image.format.components; ++i)
    bytes += 2 * scratch_bytes(component_plane(job, i));
  return bytes;
}

Status unpack(const ContainerJob &job, const Queue &queue) {
  if (!queue.on_cuda()) {
    unpack_containers_cpu(job, queue.pool());
    return {};
  }
#if COALESCE_CUDA_KERNELS
  return unpack_containers_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

Status pack(const ContainerJob &job, const Queue &queue) {
#if COALESCE_CUDA_KERNELS
  if (queue.on_cuda()) return pack_containers_cuda(job, queue.stream());
#endif
  pack_containers_cpu(job, queue.pool());
  return {};
}

}  // namespace

std::size_t container_scratch_bytes(const ConstImage &image) {
  const bool by_planes = !is_in_channels(image.format) && sample_depth(image.format).bits != 0;
  return by_planes ? planes_bytes(image) : 0;
}

bool has_deep_pixels(const PixelFormat &format) {
  return is_in_channels(format) && format.planes == 1 && format.component[0].step == 4 &&
         format.component[0].container == Container::u16;
}

std::size_t deep_pixel_scratch_bytes(const ConstImage &image) {
  return has_deep_pixels(image.format) ? planes_bytes(image) : 0;
}

Status filter_containers(
    const ConstImage &in, const Image &out, bool luma_only, bool filter_alpha, const Queue &queue,
    void *scratch, const std::function<Status(const ConstImage &in, const Image &out)> &filter) {
  if (scratch == nullptr || reinterpret_cast<std::uintptr_t>(scratch) % 16 != 0)
    return invalid_argument(
        "a filter of packed 4:2:2 or of words: scratch memory is missing, or not aligned to 16 "
        "bytes");
  ContainerJob job = make_job(in);
  job.out = out.plane[0];
  const Planes planes =
      make_planes(luma_only, filter_alpha, static_cast<std::uint8_t *>(scratch), &job);
  if (Status s = unpack(job, queue); !s.ok()) return s;
  if (Status s = filter(planes.in, planes.out); !s.ok()) return s;
  return pack(job, queue);
}

}  // namespace coalesce
