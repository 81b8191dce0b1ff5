// SPDX-License-Identifier: LGPL-2.1-or-later
// Every filter, in the general way of formats that the other kernels do not know.
#include "../../picture/containers.cuh"

#include <algorithm>
#include <limits>

#include "../../core/border.h"
#include "../../core/cuda_status.h"
#include "../../core/grid_order.cuh"
#include "../finish.h"
#include "../planes.h"

namespace coalesce {
namespace {

constexpr int kColumns = 32, kRows = 4;  // threads of a block

// Sum: std::int32_t where the filter is narrow and so are the sums over its row, else std::int64_t.
template <class Sum>
struct ContainersArgs {
  ContainerImage image;
  Finish<Sum> finish;
  int width, height, left, above;
  Border border;
  int outside_level, outside_chroma;  // samples of a constant border
  int down;                           // where in the weights the column begins; 0: there is none
  int tiles_across;
  Divider<std::int32_t> by_tiles_across;
  std::int32_t weights[kMaxMaskSize * kMaxMaskSize];  // or a row, then a column
};

template <class Sum>
__device__ int filtered_sample(const ContainersArgs<Sum> &a, int component, int x, int y) {
  const PixelComponent &c = a.image.format.component[component];
  const bool chroma = a.image.role[component] == ChannelRole::chroma;
  const int outside = chroma ? a.outside_chroma : a.outside_level;
  const int columns = a.image.columns(c);
  const std::int32_t *weight = a.weights;
  Sum sum = 0;
  for (int r = 0; r < a.height; ++r) {
    const int row = border_position(a.border, y + r - a.above, a.image.in.height);
    const std::uint8_t *samples = row < 0 ? nullptr : a.image.in.row(row);
    Sum across = 0;
    for (int i = 0; i < a.width; ++i) {
      const int column = border_position(a.border, x + i - a.left, columns);
      const int sample =
          samples == nullptr || column < 0 ? outside : read_sample(samples, c, column);
      across += static_cast<Sum>(weight[i]) * sample;
    }
    if (a.down == 0) {
      sum += across;
      weight += a.width;
    } else {
      sum += across * a.weights[a.down + r];
    }
  }
  return finish_sum(a.finish, chroma ? a.finish.chroma : a.finish.level, sum);
}

template <class Sum>
__global__ void __launch_bounds__(kColumns *kRows)
    containers_kernel(const __grid_constant__ ContainersArgs<Sum> a) {
  wait_for_grid_before();
  const int band = divide(static_cast<int>(blockIdx.x), a.by_tiles_across);
  const int number = (static_cast<int>(blockIdx.x) - band * a.tiles_across) * kColumns +
                     static_cast<int>(threadIdx.x);
  const int y = band * kRows + static_cast<int>(threadIdx.y);
  make_container(a.image, number, y, [&](int component, int column, int row) {
    return filtered_sample(a, component, column, row);
  });
}

template <class Sum>
Status launch_containers(const ConvolveParams &params, const ContainerImage &image, bool separable,
                         cudaStream_t stream) {
  const Filter &f = *params.filter;
  const int containers = image.in.width / container_bytes(image.format.component[0].container);
  ContainersArgs<Sum> args = {image,
                              make_finish<Sum>(f),
                              f.width,
                              f.height,
                              f.left,
                              f.above,
                              params.border,
                              params.border_value,
                              f.depth.middle(),
                              separable ? f.width : 0,
                              (containers - 1) / kColumns + 1,
                              {},
                              {}};
  static_assert(sizeof args <= 4096, "kernels take no more");
  args.by_tiles_across = make_divider(args.tiles_across);
  if (separable) {
    std::copy(f.across.begin(), f.across.end(), args.weights);
    std::copy(f.down.begin(), f.down.end(), args.weights + args.down);
  } else {
    std::copy(f.weights.begin(), f.weights.end(), args.weights);
  }
  const std::int64_t blocks = std::int64_t{(image.in.height - 1) / kRows + 1} * args.tiles_across;
  if (blocks > std::numeric_limits<int>::max())
    return {StatusCode::unsupported, "convolve: the picture is too large"};
  return launch_early(containers_kernel<Sum>, dim3(static_cast<unsigned>(blocks)),
                      dim3(kColumns, kRows), 0, stream, args);
}

}  // namespace

Status convolve_containers_cuda(const ConvolveParams &params, const ContainerImage &image,
                                ConvolveAlgorithm algorithm, void *stream) {
  const Filter &f = *params.filter;
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  // The identity is a filter like any other.
  const bool separable = algorithm == ConvolveAlgorithm::separable || f.weights.empty();
  const bool narrow = f.narrow && (!separable || f.narrow_across);
  return narrow ? launch_containers<std::int32_t>(params, image, separable, cuda_stream)
                : launch_containers<std::int64_t>(params, image, separable, cuda_stream);
}

}  // namespace coalesce
