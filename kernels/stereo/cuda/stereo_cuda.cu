// SPDX-License-Identifier: LGPL-2.1-or-later
// Samples of both pictures, and at last what the right picture says to what the left one has found.
#include "../../core/divided_up.h"
#include "../../core/grid_order.cuh"
#include "../../core/load.cuh"
#include "../../core/trace.h"
#include "kernels.h"
#include "sample.cuh"

namespace coalesce {
namespace {

constexpr int kThreads = 128;

struct SampleArgs {
  SampleSource in;
  int first, columns;  // of what is written: with columns beside the picture
  StereoPlane<std::uint8_t> bytes;
  StereoPlane<std::uint32_t> census;
  std::uint32_t *right_keys;  // to be filled
};

// A thread has a pixel, or a column beside the picture, which repeats the nearest one.
__global__ void __launch_bounds__(kThreads) sample_kernel(const __grid_constant__ SampleArgs a) {
  wait_for_grid_before();
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= a.columns) return;
  const int column = a.first + i, x = min(max(column, 0), a.in.width - 1);
  const auto y = static_cast<int>(blockIdx.y);
  const int sample = sample_at(a.in, x, y);
  if (a.bytes.data != nullptr)
    a.bytes.row(y)[column] = static_cast<std::uint8_t>(byte_of(sample, a.in.bits));
  if (a.right_keys != nullptr && x == column)
    a.right_keys[static_cast<std::size_t>(y) * static_cast<unsigned>(a.in.width) + x] = 0xFFFFFFFF;
  if (a.census.data == nullptr) return;
  std::uint32_t bits = 0;
#pragma unroll
  for (int row = -kCensusRows; row <= kCensusRows; ++row)
#pragma unroll
    for (int at = -kCensusColumns; at <= kCensusColumns; ++at)
      if (is_in_census(at, row))
        bits = bits << 1 | (sample_at(a.in, x + at, y + row) < sample ? 1u : 0u);
  a.census.row(y)[column] = bits;
}

struct CheckArgs {
  int width, min_disparity, left_right;
  const std::uint32_t *winners, *right_keys;
  Plane<std::uint16_t> found;
};

__global__ void __launch_bounds__(kThreads) check_kernel(const __grid_constant__ CheckArgs a) {
  wait_for_grid_before();
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (x >= a.width) return;
  const auto y = static_cast<int>(blockIdx.y);
  const std::size_t row = static_cast<std::size_t>(y) * static_cast<unsigned>(a.width);
  const std::uint32_t winner = load_global(a.winners + row + x);
  std::uint32_t found = winner & 0xFFFF;
  if (found != 0) {
    const int candidate = static_cast<int>(winner >> 16);
    const int to = x - a.min_disparity - candidate;
    if (to < 0 || abs(static_cast<int>(load_global(a.right_keys + row + to) & 0xFFFF) - candidate) >
                      a.left_right)
      found = 0;
  }
  a.found.row(y)[x] = static_cast<std::uint16_t>(found);
}

Status launch_samples(const StereoJob &job, const StereoCudaScratch &s, int picture,
                      cudaStream_t stream) {
  SampleArgs a = {};
  a.in = sample_source(job.in[picture], job.component, job.width, job.height);
  a.first = -s.before[picture];
  a.columns = s.before[picture] + job.width + s.behind;
  a.bytes = s.bytes_of[picture], a.census = s.census_of[picture];
  if (picture == 1) a.right_keys = s.right_keys;
  return launch_early(sample_kernel, dim3(divided_up(a.columns, kThreads), job.height),
                      dim3(kThreads), 0, stream, a);
}

Status launch_check(const StereoJob &job, const StereoCudaScratch &s, cudaStream_t stream) {
  const CheckArgs a = {
      job.width, job.params.min_disparity, job.params.left_right, s.winners, s.right_keys,
      job.found};
  return launch_early(check_kernel, dim3(divided_up(job.width, kThreads), job.height),
                      dim3(kThreads), 0, stream, a);
}

}  // namespace

Status find_disparities_cuda(const StereoJob &job, void *stream) {
  const TraceRange range("stereo");
  const StereoCudaScratch s(job.scratch, job.params, job.width, job.height);
  const auto on = static_cast<cudaStream_t>(stream);
  for (int picture = 0; picture < 2; ++picture)
    if (Status status = launch_samples(job, s, picture, on); !status.ok()) return status;
  const Status found = job.params.method == StereoMethod::sgm ? launch_paths(job, s, on)
                                                              : launch_windows(job, s, on);
  if (!found.ok()) return found;
  return job.checks_right() ? launch_check(job, s, on) : Status();
}

}  // namespace coalesce
