// SPDX-License-Identifier: LGPL-2.1-or-later
// Every window, in the general way of formats that the other kernels do not know.
#include <limits>

#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "../picture/containers.cuh"
#include "median_job.h"

namespace coalesce {
namespace {

constexpr int kColumns = 32, kRows = 4;  // threads of a block

struct ContainersArgs {
  ContainerImage image;
  int bits;
  int width, height, rank;
  Border border;
  int outside_level, outside_chroma;  // samples of a constant border
  int tiles_across;
};

// Two bits of it at a time, the highest first: how many samples are below each of three numbers?
__device__ int ranked_sample(const ContainersArgs &a, int component, int x, int y) {
  const PixelComponent &c = a.image.format.component[component];
  const int outside =
      a.image.role[component] == ChannelRole::chroma ? a.outside_chroma : a.outside_level;
  const int columns = a.image.columns(c);
  int found = 0;
  for (int shift = a.bits - 2; shift >= 0; shift -= 2) {
    const int first = found + (1 << shift), second = found + (2 << shift),
              third = found + (3 << shift);
    int below_first = 0, below_second = 0, below_third = 0;
    for (int r = 0; r < a.height; ++r) {
      const int row = border_position(a.border, y + r - a.height / 2, a.image.in.height);
      const std::uint8_t *samples = row < 0 ? nullptr : a.image.in.row(row);
      for (int i = 0; i < a.width; ++i) {
        const int column = border_position(a.border, x + i - a.width / 2, columns);
        const int sample =
            samples == nullptr || column < 0 ? outside : read_sample(samples, c, column);
        below_first += sample < first ? 1 : 0;
        below_second += sample < second ? 1 : 0;
        below_third += sample < third ? 1 : 0;
      }
    }
    found = a.rank >= below_third    ? third
            : a.rank >= below_second ? second
            : a.rank >= below_first  ? first
                                     : found;
  }
  return found;
}

__global__ void __launch_bounds__(kColumns *kRows)
    containers_kernel(const __grid_constant__ ContainersArgs a) {
  wait_for_grid_before();
  const int band = static_cast<int>(blockIdx.x) / a.tiles_across;
  const int number = (static_cast<int>(blockIdx.x) - band * a.tiles_across) * kColumns +
                     static_cast<int>(threadIdx.x);
  make_container(a.image, number, band * kRows + static_cast<int>(threadIdx.y),
                 [&](int component, int x, int y) { return ranked_sample(a, component, x, y); });
}

}  // namespace

Status median_containers_cuda(const MedianJob &job, const ContainerImage &image, void *stream) {
  const int containers = image.in.width / container_bytes(image.format.component[0].container);
  const ContainersArgs args = {image,
                               job.depth.bits,
                               job.width,
                               job.height,
                               job.rank,
                               job.border,
                               job.border_value,
                               job.depth.middle(),
                               (containers - 1) / kColumns + 1};
  const std::int64_t blocks = std::int64_t{(image.in.height - 1) / kRows + 1} * args.tiles_across;
  if (blocks > std::numeric_limits<int>::max())
    return {StatusCode::unsupported, "median: the picture is too large"};
  return launch_early(containers_kernel, dim3(static_cast<unsigned>(blocks)), dim3(kColumns, kRows),
                      0, static_cast<cudaStream_t>(stream), args);
}

}  // namespace coalesce
