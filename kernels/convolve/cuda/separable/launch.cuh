// SPDX-License-Identifier: LGPL-2.1-or-later
// The host's side of separable.cuh, for each way to sum: arguments, blocks and the launch.
#pragma once

#include <algorithm>

#include "../../../core/cuda_status.h"
#include "host.h"
#include "separable.cuh"

namespace coalesce {

// Planes of a picture, filtered by one launch.
struct SeparableJob {
  const Filter *filter;
  const MmaNumbers *numbers;
  ArgumentCache *cache;
  cudaStream_t stream;
  int multiprocessors = 0;
  int shared_of_block = 0, shared_of_multiprocessor = 0;  // bytes
  bool asks = false;                                      // only if this can be
  int planes = 0;
  SeparablePlane plane[4] = {};

  bool wide() const { return numbers->sums >= SeparableSums::wide; }
  // Columns before the sample, rounded up to where windows may begin.
  int left(int shift) const { return filter->left + ((shift - filter->left) & 15); }

  template <class Shape>
  bool fits() const {
    if (wide() && Shape::kAcrossUnits > kMostWideUnits) return false;
    const int zeros = left(Shape::kShift) - filter->left;
    return (filter->height + 15 + 15) / 16 <= Shape::kDownUnits &&
           (zeros + filter->width + 15 + 15) / 16 <= Shape::kAcrossUnits;
  }
};

using AllShapes = ShapeList<SeparableShape<2, 2>, SeparableShape<3, 3>, SeparableShape<3, 5>,
                            SeparableShape<4, 4>, SeparableShape<5, 5>, SeparableShape<5, 6>>;

inline SampleBits sample_bits(SampleDepth depth) {
  if (depth.bytes() == 1) return {};
  const auto bytes = [](int bits) { return 0x01010101u * ((1u << bits) - 1); };
  return {bytes(std::min(8 - depth.shift, 8)), bytes(depth.shift > 0 ? 8 : depth.bits - 8),
          depth.shift};
}

// All that does not depend on the picture.
template <class Shape, SeparableSums kSums>
SeparableMmaArgs<Shape, kSums> make_args(const SeparableJob &job) {
  const Filter &f = *job.filter;
  SeparableMmaArgs<Shape, kSums> args{};
  static_assert(sizeof args <= 4096, "kernels take no more");
  args.above = f.above;
  args.below = f.height - 1;
  args.left = job.left(Shape::kShift);
  args.right = f.width - 1 - f.left;
  args.shift = job.numbers->shift;
  args.reciprocal = job.numbers->reciprocal;
  args.bits = sample_bits(f.depth);
  args.max = f.depth.max();
  args.top = make_finish<std::int64_t>(f).top;
  args.divider = make_finish<std::int64_t>(f).divider;
  const int zeros = args.left - f.left;
  for (int d = 0; d < MmaTypes<kSums>::kDigits; ++d) {
    fill_down([&](int i) { return tap_byte(f.down, i, job.numbers->scale_down, d); }, args.down[d]);
    fill_across([&](int i) { return tap_byte(f.across, i - zeros, job.numbers->scale_across, d); },
                args.across[d]);
  }
  return args;
}

// Blocks that are so many warps wide, and the strips that the planes have then.
struct SeparableBlocks {
  int warps_across = 0;
  int shared_bytes = 0;
  int resident = 0;  // on a multiprocessor
  int columns[4] = {};
};

template <class Shape, SeparableSums kSums>
SeparableBlocks make_blocks(const SeparableJob &job, int warps_across, double *used_warps) {
  SeparableBlocks blocks;
  blocks.warps_across = warps_across;
  const int warps = warps_across * Shape::kWarpsDown;
  double used = 1;
  for (int i = 0; i < job.planes; ++i) {
    const int bytes = job.plane[i].bytes, channels = bytes / MmaTypes<kSums>::kBytes;
    // Of one channel all warps make segments, of more pixels.
    const int wide = bytes == 1   ? warps_across
                     : bytes == 2 ? std::clamp(warps_across / channels, 1, 2)
                                  : 1;
    blocks.columns[i] = Shape::kSegment * wide;
    const SharedLayout<Shape, kSums> layout(bytes, blocks.columns[i], 32 * warps);
    blocks.shared_bytes = std::max(blocks.shared_bytes, layout.end);
    if (layout.row_bytes / 16 > 32 * warps) return {};  // MmaFill has a thread for each
    const int segments = job.plane[i].channels * wide;
    const int turns = (segments - 1) / warps_across + 1;
    used = std::min(used, static_cast<double>(segments) / (turns * warps_across));
  }
  constexpr int kReserved = 1024;  // by the system, of a block
  if (blocks.shared_bytes > job.shared_of_block) return {};
  blocks.resident = std::min(separable_warps<Shape, kSums>() / warps,
                             job.shared_of_multiprocessor / (blocks.shared_bytes + kReserved));
  *used_warps = used * blocks.resident * warps;
  return blocks;
}

// Those that keep the most warps busy.
template <class Shape, SeparableSums kSums>
SeparableBlocks choose_blocks(const SeparableJob &job) {
  SeparableBlocks best;
  double most = 0;
  for (const int warps_across : {2, 3, 4}) {
    double used_warps = 0;
    const auto blocks = make_blocks<Shape, kSums>(job, warps_across, &used_warps);
    if (blocks.resident > 0 && used_warps > most) best = blocks, most = used_warps;
  }
  return best;
}

// Unsupported if the planes need too much shared memory.
template <class Shape, SeparableSums kSums>
Status run_separable(const SeparableJob &job) {
  const auto blocks = choose_blocks<Shape, kSums>(job);
  if (blocks.resident == 0) return {StatusCode::unsupported, "convolve: too little shared memory"};
  if (job.asks) return {};
  auto &args = job.cache->get<SeparableMmaArgs<Shape, kSums>>(
      0, [&] { return make_args<Shape, kSums>(job); });
  int strips = 0, tiles = 0;
  for (int i = 0; i < job.planes; ++i) {
    args.plane[i] = job.plane[i];
    args.plane[i].columns = blocks.columns[i];
    const TileSource &in = job.plane[i].in;
    strips = std::max(strips, (in.width / in.pixel - 1) / blocks.columns[i] + 1);
    tiles = std::max(tiles, (in.height - 1) / Shape::kStep + 1);
  }
  args.steps = steps_of_block(strips, tiles, job.planes,
                              std::int64_t{job.multiprocessors} * blocks.resident);
  const dim3 grid(strips, (tiles - 1) / args.steps + 1, job.planes);
  const dim3 threads(32 * Shape::kWarpsDown * blocks.warps_across);
  return launch_early(separable_mma_kernel<Shape, kSums>, grid, threads,
                      static_cast<std::size_t>(blocks.shared_bytes), job.stream, args);
}

// Runs run() with the first shape that is large enough.
template <class Run>
Status run_shape(const SeparableJob &job, const Run &run) {
  const int shape = AllShapes::first(job);
  if (shape == AllShapes::kCount)
    return {StatusCode::unsupported, "convolve: too many taps for tensor cores"};
  return AllShapes::run(shape, run);
}

// Files of their own, for the compiler's sake: samples of 8 bits, of 16 bits.
Status run_separable_pixels(const SeparableJob &job);
Status run_separable_deep(const SeparableJob &job);

}  // namespace coalesce
