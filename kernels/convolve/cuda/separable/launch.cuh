// SPDX-License-Identifier: LGPL-2.1-or-later
// The host's side of separable.cuh, for each way to sum: arguments, blocks and the launch.
#pragma once

#include <algorithm>
#include <vector>

#include "../../../core/cuda_status.h"
#include "numbers.h"
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
  int planes = 0;
  SeparablePlane plane[4] = {};

  bool wide() const { return numbers->sums >= SeparableSums::wide; }
  // Columns before the sample, rounded up to where windows may begin.
  int left(int shift) const { return filter->left + ((shift - filter->left) & 15); }

  template <class Shape>
  bool fits() const {
    // With wide sums, more units do not fit into the registers.
    if (wide() && Shape::kAcrossUnits > 5) return false;
    const int zeros = left(Shape::kShift) - filter->left;
    return (filter->height + 15 + 15) / 16 <= Shape::kDownUnits &&
           (zeros + filter->width + 15 + 15) / 16 <= Shape::kAcrossUnits;
  }
};

// From small to large.
template <class... Shapes>
struct ShapeList {
  // The first that is large enough.
  template <class Run>
  static Status run(const SeparableJob &job, const Run &run) {
    Status status = {StatusCode::unsupported, "convolve: too many taps for tensor cores"};
    (void)((job.fits<Shapes>() && (status = run(Shapes()), true)) || ...);
    return status;
  }
};
using AllShapes = ShapeList<SeparableShape<2, 2>, SeparableShape<3, 3>, SeparableShape<3, 5>,
                            SeparableShape<5, 5>, SeparableShape<5, 6>>;

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
  const auto down = [&](int i, int digit) {
    return tap_byte(f.down, i, job.numbers->scale_down, digit);
  };
  const int zeros = args.left - f.left;
  const auto across = [&](int i, int digit) {
    return tap_byte(f.across, i - zeros, job.numbers->scale_across, digit);
  };
  for (int d = 0; d < MmaTypes<kSums>::kDigits; ++d) {
    for (int j = 0; j < Shape::kDownWords; ++j) {
      const int i = j - 15;
      args.down[d][j] =
          down(i, d) | down(i + 1, d) << 8 | down(i + 8, d) << 16 | down(i + 9, d) << 24;
    }
    for (int j = 0; j < Shape::kAcrossWords; ++j) {
      const int i = j - 15;
      args.across[d][j] =
          across(i, d) | across(i + 1, d) << 8 | across(i + 2, d) << 16 | across(i + 3, d) << 24;
    }
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
  // Blocks that do more load less, and start less often; but the longer they walk, the further
  // apart are the rows that are under way, which the memory does not like.
  const std::int64_t all = std::int64_t{strips} * tiles * job.planes;
  const std::int64_t slots = job.multiprocessors * blocks.resident;
  args.steps = static_cast<int>(std::clamp<std::int64_t>(all / (4 * slots), 1, 4));
  args.steps = std::max(args.steps, tiles / 65535 + 1);
  const dim3 grid(strips, (tiles - 1) / args.steps + 1, job.planes);
  const dim3 threads(32 * Shape::kWarpsDown * blocks.warps_across);
  return launch_early(separable_mma_kernel<Shape, kSums>, grid, threads,
                      static_cast<std::size_t>(blocks.shared_bytes), job.stream, args);
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

// Files of their own, for the compiler's sake: samples of 8 bits, of 16 bits.
Status run_separable_pixels(const SeparableJob &job);
Status run_separable_deep(const SeparableJob &job);

}  // namespace coalesce
