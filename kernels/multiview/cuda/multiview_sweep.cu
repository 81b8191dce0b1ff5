// SPDX-License-Identifier: LGPL-2.1-or-later
// The sweep over the depths. A block has a strip of columns, a band of rows and a neighbour, and
// goes down the band for some candidates at a time. What a pixel has seen is in memory in between.
#include <algorithm>

#include "../../core/divided_up.h"
#include "../../core/grid_order.cuh"
#include "kernels.h"
#include "sweep.cuh"

namespace coalesce {
namespace {

template <class Column>
__device__ __forceinline__ void find_shifts(const SweepArgs &a, const Epipolar &to, int k,
                                            Shift *shifts) {
  const int c = static_cast<int>(threadIdx.x);
  if (c >= Column::kEach) return;
  const float inverse_depth = a.first + static_cast<float>(k + c) * a.step;
#pragma unroll
  for (int i = 0; i < 3; ++i)
    shifts[c].t[i] = to.m[i][2] + inverse_depth * to.e[i];
  if (k + c >= a.depths) shifts[c].t[2] = -1e30f;  // no candidate: behind every camera
}

// Candidates from k on, down the band.
template <class Column>
__device__ __forceinline__ void walk(const SweepArgs &a, const SweepPlace &at, const Epipolar &to,
                                     Projection &projection, const Shift *shifts, RingWords *ring,
                                     RowSums<Column::kWords> &row_sums, int k) {
  const int window = 2 * a.half + 1;
  const std::size_t neighbour = blockIdx.z * a.pixels();
  Column column;
  int place = 0;
  for (int y = at.first - a.half; y < at.last + a.half; ++y) {
    const int middle = y - a.half;
    const bool has_window = middle >= at.first, writes = has_window && at.writes;
    BestSoFar best;
    const std::size_t pixel = a.place(at.column, max(middle, 0));
    if (writes && k > 0)
      best.load(load_global(a.states + neighbour + pixel),
                load_global(a.matches + neighbour + pixel), static_cast<unsigned>(k));
    const int row = min(max(y, 0), a.height - 1);
    projection.start_row(to, row);
    const auto from = static_cast<int>(load_global(a.bytes + a.place(at.column, row)));
    WarpedSample samples[Column::kEach];
#pragma unroll
    for (int c = 0; c < Column::kEach; ++c)
      samples[c] = projection.sample(shifts[c]);
    column.put(from, samples);
    RingWords old = Column::nothing();
    int old_from = 0;
    if (y >= at.first - a.half + window) {
      old = ring[place * kSweepThreads];
      old_from = static_cast<int>(load_global(a.bytes + a.place(at.column, max(y - window, 0))));
    }
    ring[place * kSweepThreads] = column.ring();
    column.change(old, old_from);
    place = place + 1 < window ? place + 1 : 0;
    if (!has_window) continue;
    row_sums.put(column.sums());
    if (!writes) continue;
    const int in_ring = place + a.half < window ? place + a.half : place + a.half - window;
    column.finish(row_sums, ring[in_ring * kSweepThreads], window * window, a.left + pixel);
#pragma unroll
    for (int c = 0; c < Column::kEach; ++c)
      best.see(static_cast<unsigned>(k + c), column.cost(c));
    if (k + Column::kEach >= a.depths) {
      a.matches[neighbour + pixel] = best.match();
    } else {
      a.matches[neighbour + pixel] = best.candidate;
      a.states[neighbour + pixel] = best.state();
    }
  }
}

template <class Column>
__global__ void __launch_bounds__(kSweepThreads) sweep_kernel(const __grid_constant__ SweepArgs a) {
  COALESCE_DYNAMIC_SHARED(16, std::uint32_t, shared);
  __shared__ Shift shifts[Column::kEach];
  wait_for_grid_before();
  const SweepPlace at(a);
  const Epipolar &to = a.epipolar[blockIdx.z];
  Projection projection(a, to, a.quads + blockIdx.z * a.pixels(), at.column);
  using Sums = RowSums<Column::kWords>;
  Sums sums(shared, a.half);
  auto *const ring =
      reinterpret_cast<RingWords *>(shared + (Sums::kShared + 3) / 4 * 4) + threadIdx.x;
  for (int k = 0; k < a.depths; k += Column::kEach) {
    __syncthreads();
    find_shifts<Column>(a, to, k, shifts);
    __syncthreads();
    walk<Column>(a, at, to, projection, shifts, ring, sums, k);
  }
}

// Of ncc: windows of the reference.
__global__ void __launch_bounds__(kSweepThreads)
    reference_kernel(const __grid_constant__ SweepArgs a) {
  __shared__ std::uint32_t shared[RowSums<2>::kShared];
  wait_for_grid_before();
  const SweepPlace at(a);
  RowSums<2> row_sums(shared, a.half);
  __syncthreads();
  std::uint32_t sums[2] = {};
  const auto add = [&](int y, int sign) {
    const int row = min(max(y, 0), a.height - 1);
    const int v = static_cast<int>(load_global(a.bytes + a.place(at.column, row))) - 128;
    sums[0] += static_cast<std::uint32_t>(sign * v);
    sums[1] += static_cast<std::uint32_t>(sign * v * v);
  };
  for (int y = at.first - a.half; y < at.first + a.half; ++y)
    add(y, 1);
  for (int y = at.first; y < at.last; ++y) {
    add(y + a.half, 1);
    row_sums.put(sums);
    const int count = (2 * a.half + 1) * (2 * a.half + 1);
    if (at.writes)
      a.left[a.place(at.x, y)] = ncc_left(count, static_cast<int>(row_sums.window(0)),
                                          static_cast<int>(row_sums.window(1)));
    add(y - a.half, -1);
  }
}

// As many rows as make one block of each that the device holds at a time, but so many that the rows
// above a band do not matter much.
int band_rows(const SweepArgs &a, int strips, int multiprocessors, int resident) {
  const int bands = std::max(multiprocessors * resident / strips, 1);
  return std::min(std::max(divided_up(a.height, bands), 4 * a.half), a.height);
}

template <class Column>
Status launch_columns(SweepArgs a, int neighbours, cudaStream_t stream) {
  int multiprocessors = 0, of_block = 0, of_multiprocessor = 0;
  if (Status s = count_multiprocessors(&multiprocessors); !s.ok()) return s;
  if (Status s = count_shared_bytes(&of_block, &of_multiprocessor); !s.ok()) return s;
  const int words = (RowSums<Column::kWords>::kShared + 3) / 4 * 4;
  const std::size_t bytes =
      4 * static_cast<std::size_t>(words) +
      sizeof(RingWords) * kSweepThreads * static_cast<std::size_t>(2 * a.half + 1);
  const int resident =
      std::clamp(of_multiprocessor / static_cast<int>(bytes + 1024), 1, Column::kResident);
  const int strips = divided_up(a.width, kSweepThreads - 2 * a.half);
  a.band = band_rows(a, strips * neighbours, multiprocessors, resident);
  return launch_early(sweep_kernel<Column>, dim3(strips, divided_up(a.height, a.band), neighbours),
                      dim3(kSweepThreads), bytes, stream, a);
}

Status launch_reference(SweepArgs a, cudaStream_t stream) {
  a.band = std::min(a.height, 64);
  return launch_early(
      reference_kernel,
      dim3(divided_up(a.width, kSweepThreads - 2 * a.half), divided_up(a.height, a.band)),
      dim3(kSweepThreads), 0, stream, a);
}

}  // namespace

Status launch_sweep(const MultiviewJob &job, const MultiviewCudaScratch &s, cudaStream_t stream) {
  SweepArgs a = {};
  a.width = job.width, a.height = job.height;
  a.half = job.params.window / 2;
  a.depths = job.params.depths;
  a.first = job.first, a.step = job.step;
  std::copy_n(job.epipolar, job.neighbours, a.epipolar);
  a.bytes = s.shared.bytes, a.quads = s.shared.quads, a.matches = s.shared.matches;
  a.states = s.states, a.left = s.left;
  if (job.params.method == MultiviewMethod::sad)
    return launch_columns<DifferenceColumn>(a, job.neighbours, stream);
  if (Status status = launch_reference(a, stream); !status.ok()) return status;
  return launch_columns<CorrelationColumn>(a, job.neighbours, stream);
}

}  // namespace coalesce
