// SPDX-License-Identifier: LGPL-2.1-or-later
#include "universal.cuh"

#include <algorithm>
#include <limits>

#include "../../core/cuda_status.h"
#include "kernels.h"

namespace coalesce {
namespace {

// Cut into tiles of `columns` samples.
UniversalPlane make_plane(const ConvolveParams &params, const ConvolvePlane &plane, int columns) {
  const SampleDepth depth = params.filter->depth;
  UniversalPlane p = {};
  p.in = make_tile_source(params, plane);
  p.out = plane.out.data;
  p.out_pitch = plane.out.pitch;
  p.channels = plane.channels;
  p.shift = depth.shift;
  p.max = depth.max();
  std::copy_n(plane.role, 4, p.role);
  p.tiles_across = (plane.in.width / depth.bytes() - 1) / columns + 1;
  p.by_tiles_across = make_divider(p.tiles_across);
  return p;
}

template <class Args>
Status launch_tiles(void (*kernel)(Args), const Args &args, cudaStream_t stream) {
  const std::int64_t blocks =
      std::int64_t{(args.plane.in.height - 1) / kTileRows + 1} * args.plane.tiles_across;
  if (blocks > std::numeric_limits<int>::max())
    return {StatusCode::unsupported, "convolve: the picture is too large"};
  return launch_early(kernel, dim3(static_cast<unsigned>(blocks)), dim3(kUniversalThreads), 0,
                      stream, args);
}

template <class Sum>
Status launch_direct_as(const ConvolveParams &params, const ConvolvePlane &plane,
                        cudaStream_t stream) {
  const Filter &f = *params.filter;
  DirectArgs<Sum> args = {make_plane(params, plane, kDirectColumns),
                          make_finish<Sum>(f),
                          f.width,
                          f.height,
                          f.left,
                          f.above,
                          {}};
  static_assert(sizeof args <= 4096, "kernels take no more");
  std::copy(f.weights.begin(), f.weights.end(), args.weights);
  auto *kernel =
      f.depth.bytes() == 1 ? direct_kernel<std::uint8_t, Sum> : direct_kernel<std::uint16_t, Sum>;
  return launch_tiles(kernel, args, stream);
}

template <class Across, class Sum>
Status launch_separable_as(const ConvolveParams &params, const ConvolvePlane &plane,
                           cudaStream_t stream) {
  const Filter &f = *params.filter;
  SeparableArgs<Sum> args = {make_plane(params, plane, kSeparableColumns<Across>),
                             make_finish<Sum>(f),
                             f.width,
                             f.height,
                             f.left,
                             f.above,
                             {},
                             {}};
  std::copy(f.across.begin(), f.across.end(), args.across);
  std::copy(f.down.begin(), f.down.end(), args.down);
  auto *kernel = f.depth.bytes() == 1 ? separable_kernel<std::uint8_t, Across, Sum>
                                      : separable_kernel<std::uint16_t, Across, Sum>;
  return launch_tiles(kernel, args, stream);
}

}  // namespace

Status launch_direct(const ConvolveParams &params, const ConvolvePlane &plane,
                     cudaStream_t stream) {
  return params.filter->narrow ? launch_direct_as<std::int32_t>(params, plane, stream)
                               : launch_direct_as<std::int64_t>(params, plane, stream);
}

Status launch_separable(const ConvolveParams &params, const ConvolvePlane &plane,
                        cudaStream_t stream) {
  const Filter &f = *params.filter;
  if (!f.narrow_across)
    return launch_separable_as<std::int64_t, std::int64_t>(params, plane, stream);
  return f.narrow ? launch_separable_as<std::int32_t, std::int32_t>(params, plane, stream)
                  : launch_separable_as<std::int32_t, std::int64_t>(params, plane, stream);
}

}  // namespace coalesce
