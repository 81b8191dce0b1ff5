// SPDX-License-Identifier: LGPL-2.1-or-later
// sad, ncc and census: the sums of windows, and the best candidates. Of ncc also the windows of
// each picture by itself.
#include <algorithm>

#include "../../core/divided_up.h"
#include "../../core/grid_order.cuh"
#include "kernels.h"
#include "windows.cuh"

namespace coalesce {
namespace {

template <template <int> class CostsOf, int kLanes, int kEach, bool kRight>
__global__ void __launch_bounds__(32) window_kernel(const __grid_constant__ WindowArgs a) {
  COALESCE_DYNAMIC_SHARED(16, std::uint32_t, shared);
  wait_for_grid_before();
  WindowStrip<CostsOf, kLanes, kEach, kRight> strip(a, shared);
  strip.find();
}

// As many rows as make one block of each that the device holds at a time, but so many that the rows
// above a band do not matter much.
int band_rows(const WindowArgs &a, int strips, int multiprocessors, int resident) {
  const int bands = std::max(multiprocessors * std::clamp(resident, 1, 32) / strips, 1);
  return std::max(divided_up(a.winner.height, bands), 2 * (2 * a.half + 1));
}

template <template <int> class CostsOf, int kLanes, int kEach, bool kRight>
Status launch_strips(const WindowArgs &args, cudaStream_t stream) {
  using Strip = WindowStrip<CostsOf, kLanes, kEach, kRight>;
  int multiprocessors = 0, of_block = 0, of_multiprocessor = 0;
  if (Status s = count_multiprocessors(&multiprocessors); !s.ok()) return s;
  if (Status s = count_shared_bytes(&of_block, &of_multiprocessor); !s.ok()) return s;
  WindowArgs a = args;
  const auto bytes_of = [&a](int strip) {
    return 4 * (Strip::kWinnerWords + Strip::kColumnWords * strip_columns(a.half, strip));
  };
  a.winner.strip = bytes_of(kStereoStrip) <= of_block ? kStereoStrip : kStereoStrip / 2;
  const int bytes = bytes_of(a.winner.strip);
  const int strips =
      divided_up(a.winner.width - first_window(a.half), a.winner.strip * Strip::kGroups);
  a.band = band_rows(a, strips, multiprocessors, of_multiprocessor / (bytes + 1024));
  return launch_early(window_kernel<CostsOf, kLanes, kEach, kRight>,
                      dim3(strips, divided_up(a.winner.height, a.band)), dim3(32),
                      static_cast<std::size_t>(bytes), stream, a);
}

template <template <int> class CostsOf, int kLanes, int kEach>
Status launch_lanes(const WindowArgs &a, cudaStream_t stream) {
  return a.winner.right_keys != nullptr ? launch_strips<CostsOf, kLanes, kEach, true>(a, stream)
                                        : launch_strips<CostsOf, kLanes, kEach, false>(a, stream);
}

template <template <int> class CostsOf>
Status launch_method(const WindowArgs &a, cudaStream_t stream) {
  const StereoLanesOf lanes = window_lanes(a.winner.candidates);
  if (lanes.lanes == 16) return launch_lanes<CostsOf, 16, 4>(a, stream);
  return lanes.each == 4 ? launch_lanes<CostsOf, 32, 4>(a, stream)
                         : launch_lanes<CostsOf, 32, 8>(a, stream);
}

// ---- Of ncc -------------------------------------------------------------------------------------

struct NccArgs {
  int height, half, first, columns;  // columns, and the first one of them, with those beside
  int width;
  StereoPlane<const std::uint8_t> bytes;
  StereoPlane<NccColumn> sums;
  StereoPlane<NccWindow> windows;
  bool is_left;
};
constexpr int kNccThreads = 128, kNccBand = 64;

// A thread has a column of a band of rows.
__global__ void __launch_bounds__(kNccThreads)
    ncc_column_kernel(const __grid_constant__ NccArgs a) {
  wait_for_grid_before();
  const int i = static_cast<int>(blockIdx.x * kNccThreads + threadIdx.x);
  if (i >= a.columns) return;
  const int x = a.first + i, first = static_cast<int>(blockIdx.y) * kNccBand;
  const int last = min(first + kNccBand, a.height);
  NccColumn sums = {0, 0};
  const auto add = [&](int y, int sign) {
    y = min(max(y, 0), a.height - 1);
    const int v = static_cast<int>(load_global(a.bytes.row(y) + x)) - 128;
    sums.sum += sign * v, sums.squares += sign * v * v;
  };
  for (int y = first - a.half; y < first + a.half; ++y)
    add(y, 1);
  for (int y = first; y < last; ++y) {
    add(y + a.half, 1);
    a.sums.row(y)[x] = sums;
    add(y - a.half, -1);
  }
}

// A thread has a window. Beside the picture there is none.
__global__ void __launch_bounds__(kNccThreads)
    ncc_window_kernel(const __grid_constant__ NccArgs a) {
  wait_for_grid_before();
  const int i = static_cast<int>(blockIdx.x * kNccThreads + threadIdx.x);
  if (i >= a.columns) return;
  const int x = a.first + i;
  const auto y = static_cast<int>(blockIdx.y);
  NccWindow window = {0.0f, 0.0f};
  if (x >= 0 && x < a.width) {
    int sum = 0, squares = 0;
    for (int j = -a.half; j <= a.half; ++j) {
      const NccColumn column = load_global(a.sums.row(y) + x + j);
      sum += column.sum, squares += column.squares;
    }
    const int count = (2 * a.half + 1) * (2 * a.half + 1);
    window = a.is_left ? ncc_left(count, sum, squares) : ncc_right(count, sum, squares);
  }
  a.windows.row(y)[x] = window;
}

Status launch_ncc_windows(const StereoJob &job, const StereoCudaScratch &s, cudaStream_t stream) {
  for (int picture = 0; picture < 2; ++picture) {
    NccArgs a = {};
    a.height = job.height, a.width = job.width, a.half = job.params.window / 2;
    a.first = -s.before[picture];
    a.columns = s.before[picture] + job.width + s.behind;
    a.bytes = {s.bytes_of[picture].data, s.bytes_of[picture].pitch};
    a.sums = s.columns_of[picture], a.windows = s.windows_of[picture];
    a.is_left = picture == 0;
    const int blocks = divided_up(a.columns, kNccThreads);
    if (Status status =
            launch_early(ncc_column_kernel, dim3(blocks, divided_up(job.height, kNccBand)),
                         dim3(kNccThreads), 0, stream, a);
        !status.ok())
      return status;
    if (Status status = launch_early(ncc_window_kernel, dim3(blocks, job.height), dim3(kNccThreads),
                                     0, stream, a);
        !status.ok())
      return status;
  }
  return {};
}

}  // namespace

Status launch_windows(const StereoJob &job, const StereoCudaScratch &s, cudaStream_t stream) {
  WindowArgs a = {};
  a.winner = winner_args(job, s);
  a.half = job.params.window / 2;
  for (int picture = 0; picture < 2; ++picture) {
    a.bytes_of[picture] = {s.bytes_of[picture].data, s.bytes_of[picture].pitch};
    a.census_of[picture] = {s.census_of[picture].data, s.census_of[picture].pitch};
    a.windows_of[picture] = {s.windows_of[picture].data, s.windows_of[picture].pitch};
  }
  switch (job.params.method) {
    case StereoMethod::sad:
      return launch_method<SadCosts>(a, stream);
    case StereoMethod::ncc:
      if (Status status = launch_ncc_windows(job, s, stream); !status.ok()) return status;
      return launch_method<NccCosts>(a, stream);
    default:
      return launch_method<CensusCosts>(a, stream);
  }
}

}  // namespace coalesce
