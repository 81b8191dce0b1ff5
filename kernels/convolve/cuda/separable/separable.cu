// SPDX-License-Identifier: LGPL-2.1-or-later
#include <optional>

#include "../kernels.h"
#include "../tensor/direct_sums.cuh"
#include "launch.cuh"

namespace coalesce {
namespace {

bool built_for_device() {
  static MmaKernel kernel(reinterpret_cast<const void *>(
                              separable_mma_kernel<SeparableShape<2, 2>, SeparableSums::packed>),
                          80);
  return kernel.built();
}

template <class Shape>
Status run_narrow(const SeparableJob &job) {
  switch (job.numbers->sums) {
    case SeparableSums::packed:
      return run_separable<Shape, SeparableSums::packed>(job);
    case SeparableSums::divided:
      return run_separable<Shape, SeparableSums::divided>(job);
    default:
      return run_separable<Shape, SeparableSums::shifted>(job);
  }
}

template <class Shape>
Status run_wide(const SeparableJob &job) {
  switch (job.numbers->sums) {
    case SeparableSums::wide:
      return run_separable<Shape, SeparableSums::wide>(job);
    case SeparableSums::wide_across:
      return run_separable<Shape, SeparableSums::wide_across>(job);
    default:
      return run_separable<Shape, SeparableSums::wide_down>(job);
  }
}

Status run_bytes(const SeparableJob &job) {
  return AllShapes::run(job, [&job](auto shape) {
    using Shape = decltype(shape);
    if constexpr (Shape::kAcrossUnits <= 5)
      if (job.wide()) return run_wide<Shape>(job);
    return run_narrow<Shape>(job);
  });
}

// False if the plane is not for these kernels.
bool make_plane(const ConvolveParams &params, const ConvolvePlane &plane, const MmaNumbers &numbers,
                SeparablePlane *made) {
  constexpr std::size_t kMaxPitch = INT32_MAX;
  if (plane.in.pitch > kMaxPitch || plane.out.pitch > kMaxPitch) return false;
  const Filter &f = *params.filter;
  *made = {make_tile_source(params, plane), plane.out.data, plane.out.pitch, 0, 0, 0, {}};
  made->bytes = made->in.pixel;
  if (made->bytes > 4 && made->bytes != 8) return false;
  for (int c = 0; c < plane.channels; ++c) {
    const ChannelRole role = plane.role[c];
    if (role == ChannelRole::copy) made->copied |= 1u << c;
    made->add[c] = role == ChannelRole::chroma ? numbers.chroma : numbers.level;
  }
  // What is copied comes from the ring, too.
  const bool has_centre = f.left >= 0 && f.left < f.width && f.above >= 0 && f.above < f.height;
  return made->copied != (1u << plane.channels) - 1 && (made->copied == 0 || has_centre);
}

}  // namespace

unsigned launch_separable_mma(const ConvolveParams &params, const ConvolvePlanes &image,
                              cudaStream_t stream, Status *status) {
  *status = {};
  const auto &numbers = params.cache->get<std::optional<MmaNumbers>>(
      0, [&] { return choose_mma_numbers(*params.filter); });
  if (!numbers || !built_for_device()) return 0;
  SeparableJob job = {params.filter, &*numbers, params.cache, stream};
  if (*status = count_multiprocessors(&job.multiprocessors); !status->ok()) return 0;
  *status = count_shared_bytes(&job.shared_of_block, &job.shared_of_multiprocessor);
  if (!status->ok()) return 0;

  unsigned taken = 0;
  for (int i = 0; i < image.planes; ++i)
    if (make_plane(params, image.plane[i], *numbers, &job.plane[job.planes])) {
      ++job.planes;
      taken |= 1u << i;
    }
  if (job.planes == 0) return 0;
  *status = params.filter->depth.bytes() == 2 ? run_separable_deep(job) : run_bytes(job);
  if (status->ok()) return taken;
  if (status->code() == StatusCode::unsupported) *status = {};
  return 0;
}

}  // namespace coalesce
