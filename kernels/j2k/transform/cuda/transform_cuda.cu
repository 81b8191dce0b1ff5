// SPDX-License-Identifier: LGPL-2.1-or-later
#include "transform_cuda.h"

#include <algorithm>

#include "../../../core/cuda_status.h"
#include "../../../core/trace.h"
#include "../colour.h"
#include "transform_roi.cuh"
#include "transform_strip.cuh"

namespace coalesce::j2k {
namespace {

struct PictureSamples {
  Samples component[kMaxComponents];
};

// What a block does: strips of one tile-component, or of three that are transformed together.
struct BlockPlace {
  const TransformTile *tile;
  int component;
  unsigned block;

  __device__ __forceinline__ explicit BlockPlace(const TransformArgs &args) {
    const unsigned run = blockIdx.x / args.blocks;
    block = blockIdx.x % args.blocks;
    component = args.first + static_cast<int>(run % static_cast<unsigned>(args.runs)) * args.parts;
    tile = args.tiles +
           std::size_t{run / static_cast<unsigned>(args.runs)} *
               static_cast<unsigned>(args.components) +
           component;
  }
};

// Blocks of a multiprocessor, which leaves that many registers to each: of three components at
// once, few; a little goes to local memory, and more warps hide it.
constexpr int blocks_at_once(int parts) {
  return parts == 3 ? 4 : 5;
}

// Level shift, colour and the first level; or, if there is none, the quantiser.
template <class W, class Columns, int kParts>
__global__ void __launch_bounds__(kWarp *kStripWarps, blocks_at_once(kParts))
    first_level(TransformArgs args, PictureSamples samples) {
  using Source = SampleRows<typename W::Sample, Columns, kParts>;
  const BlockPlace place(args);
  const Interval x = place.tile->x, y = place.tile->y;
  const Strips strips = strips_of(x, y, args.row_pairs);
  const int strip = static_cast<int>(place.block * kStripWarps + threadIdx.x / kWarp);
  if (strip >= strips.count()) return;
  const StripPlace at(x, y, strips, strip, args.row_pairs);
  Strip<W, Source> warp(
      Source(samples.component + place.component, *place.tile, x, at.column),
      BandRows<W, kParts>(args, place.tile, place.component, args.level, x, y, at.column / 2), x,
      y);
  warp.run(at.rows);
}

// If there are no levels: samples are coefficients. A warp has a row.
template <class W, int kParts>
__global__ void __launch_bounds__(kWarp *kStripWarps)
    no_level(TransformArgs args, PictureSamples samples) {
  using T = typename W::Sample;
  const BlockPlace place(args);
  const Interval x = place.tile->x, y = place.tile->y;
  const int row = static_cast<int>(place.block * kStripWarps + threadIdx.x / kWarp);
  if (row >= y.size()) return;
  for (int i = static_cast<int>(threadIdx.x) % kWarp * kLaneColumns; i < x.size();
       i += kWarp * kLaneColumns) {
    const SampleRows<T, AnyColumns, kParts> source(samples.component + place.component, *place.tile,
                                                   x, x.first + i);
    T v[kParts][kLaneColumns];
    source.values(source.fetch(row), v);
#pragma unroll
    for (int p = 0; p < kParts; ++p) {
      const BandStep &step = args.step_of(place.component + p, 0, 0);
      std::int32_t *out = args.coefficients + place.tile[p].plane +
                          static_cast<std::size_t>(row) * place.tile[p].pitch + i;
#pragma unroll
      for (int j = 0; j < kLaneColumns; ++j)
        if (i + j < x.size()) out[j] = W::coefficient(v[p][j], step.factor, step.limit);
    }
  }
}

// A later level of a tile-component, one strip of it.
template <class W>
__device__ __forceinline__ void next_level(const TransformArgs &args, const BlockPlace &place,
                                           int level, Interval x, Interval y, Strips strips,
                                           int strip) {
  using T = typename W::Sample;
  const StripPlace at(x, y, strips, strip, args.row_pairs);
  const T *low = static_cast<const T *>(args.scratch) + low_place(*place.tile, level - 1);
  Strip<W, LowRows<T>>(
      LowRows<T>(low, x, at.column),
      BandRows<W, 1>(args, place.tile, place.component, level, x, y, at.column / 2), x, y)
      .run(at.rows);
}

template <class W>
__global__ void __launch_bounds__(kWarp *kStripWarps, blocks_at_once(1))
    one_level(TransformArgs args) {
  const BlockPlace place(args);
  const Interval x = low_after(place.tile->x, args.level - 1);
  const Interval y = low_after(place.tile->y, args.level - 1);
  const Strips strips = strips_of(x, y, args.row_pairs);
  const int strip = static_cast<int>(place.block * kStripWarps + threadIdx.x / kWarp);
  if (strip < strips.count()) next_level<W>(args, place, args.level, x, y, strips, strip);
}

// The last levels of a tile-component, all in one block.
template <class W>
__global__ void __launch_bounds__(kWarp *kMostTailWarps) last_levels(TransformArgs args) {
  const BlockPlace place(args);
  for (int level = args.level; level <= args.levels; ++level) {
    const Interval x = low_after(place.tile->x, level - 1);
    const Interval y = low_after(place.tile->y, level - 1);
    const Strips strips = strips_of(x, y, args.row_pairs);
    for (int strip = static_cast<int>(threadIdx.x / kWarp); strip < strips.count();
         strip += static_cast<int>(blockDim.x / kWarp))
      next_level<W>(args, place, level, x, y, strips, strip);
    __syncthreads();  // what the next level reads has been written
  }
}

class Launcher {
 public:
  Launcher(const TransformPlan &plan, const TransformTile *tiles, std::int32_t *coefficients,
           void *scratch, void *stream)
      : plan_(plan), stream_(static_cast<cudaStream_t>(stream)) {
    args_.tiles = tiles;
    args_.coefficients = coefficients;
    args_.scratch = scratch;
    args_.components = plan.components;
    args_.levels = plan.levels;
    for (int c = 0; c < plan.components; ++c)
      std::copy_n(plan.step[c], kMaxBands, args_.step[c]);
  }

  Status first(const Samples *samples) {
    PictureSamples all;
    std::copy_n(samples, plan_.components, all.component);
    const bool reversible = plan_.wavelet == Wavelet::reversible_53;
    return reversible ? first_of<Lift53>(all) : first_of<Lift97>(all);
  }

  Status rest() {
    const bool reversible = plan_.wavelet == Wavelet::reversible_53;
    return reversible ? rest_of<Lift53>() : rest_of<Lift97>();
  }

  Status region() {
    if (!plan_.roi) return {};
    RegionShift shift = {{}, plan_.fraction_bits, low_pass_reach(plan_.wavelet)};
    std::copy_n(plan_.roi_shift, plan_.components, shift.shift);
    const unsigned levels = static_cast<unsigned>(std::max(plan_.levels, 1));
    return launch(shift_region,
                  dim3(static_cast<unsigned>(plan_.tiles.size()) * levels, kRegionSlices),
                  dim3(kRegionThreads), stream_, args_, shift);
  }

 private:
  unsigned tiles() const {
    return static_cast<unsigned>(plan_.tiles.size()) / static_cast<unsigned>(plan_.components);
  }

  // Sets what a launch for components `first` to `end` - 1 has for its own, `parts` at once.
  dim3 grid(int level, int first, int end, int parts) {
    const TransformLevel &l = plan_.level[level];
    args_.level = level;
    args_.first = first;
    args_.parts = parts;
    args_.runs = (end - first) / parts;
    args_.row_pairs = l.row_pairs;
    const int most = *std::max_element(l.strips + first, l.strips + end);
    args_.blocks = static_cast<unsigned>((most + kStripWarps - 1) / kStripWarps);
    return dim3(tiles() * static_cast<unsigned>(args_.runs) * args_.blocks);
  }

  template <class W>
  Status first_of(const PictureSamples &samples) {
    const int level = std::min(plan_.levels, 1), alone = plan_.colour ? 3 : 0;
    if (plan_.colour)
      if (Status s = columns<W, 3>(grid(level, 0, 3, 3), samples, 0, 3); !s.ok()) return s;
    if (alone == plan_.components) return {};
    return columns<W, 1>(grid(level, alone, plan_.components, 1), samples, alone, plan_.components);
  }

  template <class W, int kParts>
  Status columns(dim3 grid, const PictureSamples &samples, int first, int end) {
    if (plan_.levels == 0)
      return launch(no_level<W, kParts>, grid, dim3(kWarp * kStripWarps), stream_, args_, samples);
    const auto all = [&](Container container) {
      return std::all_of(samples.component + first, samples.component + end,
                         [container](const Samples &s) {
                           return s.container == container && s.step == 1 &&
                                  (container != Container::u8 || s.bits == 8);
                         });
    };
    auto *kernel = all(Container::u8)    ? first_level<W, PlanarColumns<std::uint8_t>, kParts>
                   : all(Container::u16) ? first_level<W, PlanarColumns<std::uint16_t>, kParts>
                                         : first_level<W, AnyColumns, kParts>;
    return launch(kernel, grid, dim3(kWarp * kStripWarps), stream_, args_, samples);
  }

  template <class W>
  Status rest_of() {
    for (int level = 2; level < std::min(plan_.tail, plan_.levels + 1); ++level) {
      const dim3 blocks = grid(level, 0, plan_.components, 1);
      if (Status s = launch(one_level<W>, blocks, dim3(kWarp * kStripWarps), stream_, args_);
          !s.ok())
        return s;
    }
    if (plan_.tail > plan_.levels) return {};
    (void)grid(plan_.tail, 0, plan_.components, 1);
    args_.blocks = 1;
    args_.row_pairs = kTailRowPairs;
    return launch(last_levels<W>, dim3(static_cast<unsigned>(plan_.tiles.size())),
                  dim3(static_cast<unsigned>(kWarp * plan_.tail_warps)), stream_, args_);
  }

  const TransformPlan &plan_;
  cudaStream_t stream_;
  TransformArgs args_ = {};
};

bool aligned(const void *address) {
  return reinterpret_cast<std::uintptr_t>(address) % kTransformAlign == 0;
}

}  // namespace

Status transform_cuda(const TransformPlan &plan, const TransformTile *tiles, const Samples *samples,
                      std::int32_t *coefficients, void *scratch, void *stream) {
  const TraceRange trace("coalesce j2k transform");
  for (int c = 0; c < plan.components; ++c) {
    if (samples[c].bits != plan.bits[c])
      return invalid_argument("j2k: samples have other bits than their component");
    if (Status s = check_samples(samples[c], plan.widths[c]); !s.ok()) return s;
  }
  if (!aligned(coefficients) || !aligned(scratch))
    return invalid_argument("j2k: memory of the transform is not aligned");
  Launcher launcher(plan, tiles, coefficients, scratch, stream);
  if (Status s = launcher.first(samples); !s.ok()) return s;
  if (Status s = launcher.rest(); !s.ok()) return s;
  return launcher.region();
}

}  // namespace coalesce::j2k
