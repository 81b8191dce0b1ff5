// SPDX-License-Identifier: LGPL-2.1-or-later
// Three kernels after each other: maxima of tiles, and those among them that hang together with a
// strong one of the tile; what hangs together of those that are open; the picture. None waits for
// another block, and the host waits for none.
#include <algorithm>

#include "../core/cuda_status.h"
#include "../core/divided_up.h"
#include "../core/trace.h"
#include "canny_apertures.cuh"
#include "canny_open.cuh"
#include "canny_pairs.cuh"

namespace coalesce {
namespace {

// What finds the maxima of a tile.
struct TileKernel {
  void (*kernel)(CannyArgs);
  std::size_t shared_bytes;
  int rows;  // of a tile
};

template <int kStep, int kChannels>
TileKernel pair_kernel() {
  return {pair_tile_kernel<kStep, kChannels>, pair_shared_bytes<kStep, kChannels>(), kPairRows};
}

bool has_pairs(const CannyJob &job) {
  return job.aperture == 3 && !job.l2;
}

TileKernel tile_kernel_of(const CannyJob &job) {
  const int step = job.channel[0].step;
  const bool one = job.channels == 1;
  if (has_pairs(job)) {
    if (step == 1) return one ? pair_kernel<1, 1>() : pair_kernel<1, 3>();
    if (step == 2) return pair_kernel<2, 1>();  // packed 4:2:2
    if (step == 3) return pair_kernel<3, 3>();  // R, G and B, in any order
    return one ? pair_kernel<4, 1>() : pair_kernel<4, 3>();
  }
  const std::size_t bytes = shared_bytes(job.aperture, step);
  if (job.aperture == 3) return {tile_kernel<3, true>, bytes, kRows};
  if (job.aperture == 5)
    return {job.l2 ? tile_kernel<5, true> : tile_kernel<5, false>, bytes, kRows};
  return {job.l2 ? tile_kernel<7, true> : tile_kernel<7, false>, bytes, kRows};
}

// A threshold as a half. No magnitude is more than 2040.
std::uint32_t half_bits(std::uint32_t number) {
  if (number == 0) return 0;
  number = std::min(number, 2047u);
  std::uint32_t exponent = 0;
  for (; number >> exponent > 1;)
    ++exponent;
  return (exponent + 15) << 10 | ((number << (10 - exponent)) & 1023);
}

Status launch_tiles(const CannyJob &job, const CannyCudaScratch &scratch, cudaStream_t stream) {
  CannyArgs a = {};
  a.channels = job.channels;
  for (int c = 0; c < job.channels; ++c) {
    // Pixels of the plane, whose rows may have more at their end.
    const PixelComponent &component = job.channel[c];
    Plane<const std::uint8_t> plane = job.in[c];
    plane.width = job.width * component.step;
    a.channel[c] = {make_tile_source(plane, component.step, Border::replicate, 0), component.first};
  }
  a.width = job.width, a.height = job.height;
  a.low = static_cast<std::uint32_t>(job.low), a.high = static_cast<std::uint32_t>(job.high);
  if (has_pairs(job)) a.low = half_bits(a.low), a.high = half_bits(a.high);
  const TileKernel tile = tile_kernel_of(job);
  a.tiles_across = divided_up(job.width, kColumns);
  a.words = scratch.words, a.map = scratch.map, a.parent = scratch.parent;
  // (As many words as pictures may have, in tiles, are fewer than 2^31.)
  const auto tiles = static_cast<unsigned>(a.tiles_across) *
                     static_cast<unsigned>(divided_up(job.height, tile.rows));
  return launch_early(tile.kernel, dim3(tiles), dim3(kThreads), tile.shared_bytes, stream, a);
}

Status launch_merge(const CannyJob &job, const CannyCudaScratch &scratch, cudaStream_t stream) {
  MergeArgs a = {};
  a.height = job.height, a.words = scratch.words;
  a.all_words = scratch.words * static_cast<unsigned>(job.height);
  a.map = scratch.map, a.parent = scratch.parent;
  return launch_early(merge_kernel, dim3((a.all_words - 1) / kMergeThreads + 1),
                      dim3(kMergeThreads), 0, stream, a);
}

Status launch_write(const CannyJob &job, const CannyCudaScratch &scratch, cudaStream_t stream) {
  WriteArgs a = {};
  a.out = job.out;
  a.alignment = alignment_of(job.out);
  a.words = scratch.words, a.all_words = scratch.words * static_cast<unsigned>(job.height);
  a.map = scratch.map, a.parent = scratch.parent;
  return launch_early(write_kernel, dim3((a.all_words - 1) / kWriteThreads + 1),
                      dim3(kWriteThreads), 0, stream, a);
}

}  // namespace

Status canny_cuda(const CannyJob &job, void *stream) {
  const TraceRange range("canny");
  const CannyCudaScratch scratch(job.scratch, job.width, job.height);
  const auto on = static_cast<cudaStream_t>(stream);
  if (Status s = launch_tiles(job, scratch, on); !s.ok()) return s;
  if (Status s = launch_merge(job, scratch, on); !s.ok()) return s;
  return launch_write(job, scratch, on);
}

}  // namespace coalesce
