// SPDX-License-Identifier: LGPL-2.1-or-later
#include <optional>

#include "../kernels.h"
#include "../tensor/direct_sums.cuh"
#include "bytes.cuh"
#include "launch.cuh"

namespace coalesce {
namespace {

bool built_for_device() {
  static MmaKernel kernel(reinterpret_cast<const void *>(
                              separable_mma_kernel<SeparableShape<2, 2>, SeparableSums::packed>),
                          80);
  return kernel.built();
}

// False if the plane is not for these kernels.
bool make_plane(const ConvolveParams &params, const ConvolvePlane &plane, const MmaNumbers &numbers,
                SeparablePlane *made) {
  constexpr std::size_t kMaxPitch = INT32_MAX;
  if (plane.in.pitch > kMaxPitch || plane.out.pitch > kMaxPitch) return false;
  const Filter &f = *params.filter;
  *made = {make_tile_source(params, plane), plane.out.data, plane.out.pitch, 0, 0, 0, 0, {}, {}};
  made->bytes = made->in.pixel;
  if (made->bytes > 4 && made->bytes != 8) return false;
  for (int c = 0; c < plane.channels; ++c) {
    const ChannelRole role = plane.role[c];
    if (role == ChannelRole::copy) {
      made->copied |= 1u << c;
      continue;
    }
    made->add[made->channels] = role == ChannelRole::chroma ? numbers.chroma : numbers.level;
    made->channel[made->channels++] = c;
  }
  // What is copied comes from the ring, too.
  const bool has_centre = f.left >= 0 && f.left < f.width && f.above >= 0 && f.above < f.height;
  return made->channels > 0 && (made->copied == 0 || has_centre);
}

// False if the filter or the device is not for these kernels.
bool make_job(const ConvolveParams &params, cudaStream_t stream, SeparableJob *job,
              Status *status) {
  *status = {};
  const auto &numbers = params.cache->get<std::optional<MmaNumbers>>(
      0, [&] { return choose_mma_numbers(*params.filter); });
  if (!numbers || !built_for_device()) return false;
  *job = {params.filter, &*numbers, params.cache, stream};
  *status = count_multiprocessors(&job->multiprocessors);
  return status->ok();
}

}  // namespace

bool separable_mma_wants_planes(const ConvolveParams &params, const ConvolvePlane &plane) {
  SeparableJob job = {};
  Status s;
  if (!make_job(params, nullptr, &job, &s)) return false;
  if (!count_shared_bytes(&job.shared_of_block, &job.shared_of_multiprocessor).ok()) return false;
  if (params.filter->depth.bytes() != 2) return false;
  job.asks = true;
  job.planes = 1;
  const auto can = [&](const ConvolvePlane &of) {
    return make_plane(params, of, *job.numbers, &job.plane[0]) && run_separable_deep(job).ok();
  };
  if (can(plane)) return false;
  ConvolvePlane one = plane;
  one.channels = 1;
  one.role[0] = ChannelRole::level;
  return can(one);
}

unsigned launch_separable_mma(const ConvolveParams &params, const ConvolvePlanes &image,
                              cudaStream_t stream, Status *status) {
  SeparableJob job = {};
  if (!make_job(params, stream, &job, status)) return 0;
  const bool deep = params.filter->depth.bytes() == 2;
  if (!deep)
    if (const unsigned taken =
            run_separable_bytes(params, image, *job.numbers, job.multiprocessors, stream, status);
        taken != 0 || !status->ok())
      return taken;
  *status = count_shared_bytes(&job.shared_of_block, &job.shared_of_multiprocessor);
  if (!status->ok()) return 0;

  unsigned taken = 0;
  for (int i = 0; i < image.planes; ++i)
    if (make_plane(params, image.plane[i], *job.numbers, &job.plane[job.planes])) {
      ++job.planes;
      taken |= 1u << i;
    }
  if (job.planes == 0) return 0;
  *status = deep ? run_separable_deep(job) : run_separable_pixels(job);
  if (status->ok()) return taken;
  if (status->code() == StatusCode::unsupported) *status = {};
  return 0;
}

}  // namespace coalesce
