// SPDX-License-Identifier: LGPL-2.1-or-later
// Between pictures and words of pixels, and what is copied.
#include <algorithm>
#include <limits>

#include "../core/cuda_status.h"
#include "../core/divided_up.h"
#include "../core/grid_order.cuh"
#include "oilpaint_job.h"

namespace coalesce {
namespace {

constexpr int kColumns = 64, kRows = 4;  // threads of a block

__global__ void __launch_bounds__(kColumns *kRows)
    pack_kernel(const __grid_constant__ OilPicture p, OilWords words, int tiles_across) {
  wait_for_grid_before();
  const int tile = static_cast<int>(blockIdx.x), band = tile / tiles_across;
  const int x = (tile - band * tiles_across) * kColumns + static_cast<int>(threadIdx.x);
  const int y = band * kRows + static_cast<int>(threadIdx.y);
  if (x < p.width && y < p.height) words.row(y)[x] = oil_word(p, x, y);
}

// Blocks of number y have component y, or what is copied after them.
__global__ void __launch_bounds__(kColumns *kRows)
    unpack_kernel(const __grid_constant__ OilPicture p, OilWords words, int tiles_across) {
  wait_for_grid_before();
  const int tile = static_cast<int>(blockIdx.x), band = tile / tiles_across;
  const int x = (tile - band * tiles_across) * kColumns + static_cast<int>(threadIdx.x);
  const int y = band * kRows + static_cast<int>(threadIdx.y), c = static_cast<int>(blockIdx.y);
  const bool copied = c >= p.components;
  const OilChannel &channel = copied ? p.copy[c - p.components] : p.component[c];
  if (x >= channel.columns || y >= channel.out_rows) return;
  *channel.to(x, y) =
      copied ? *channel.from(x, min(y, channel.in_rows - 1)) : oil_sample(p, words, c, x, y);
}

// One block a tile. (Rows and columns more: of chroma, and of pairs.)
Status launch_tiles(void (*kernel)(OilPicture, OilWords, int), const OilPicture &p,
                    const OilWords &words, int channels, void *stream) {
  const int across = divided_up(p.width + 1, kColumns);
  const std::int64_t tiles = std::int64_t{across} * divided_up(p.height + 1, kRows);
  if (tiles > std::numeric_limits<int>::max())
    return {StatusCode::unsupported, "oilpaint: the picture is too large"};
  return launch_early(kernel, dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(channels)),
                      dim3(kColumns, kRows), 0, static_cast<cudaStream_t>(stream), p, words,
                      across);
}

}  // namespace

Status oil_pack_cuda(const OilPicture &picture, const OilWords &words, void *stream) {
  return launch_tiles(pack_kernel, picture, words, 1, stream);
}

Status oil_unpack_cuda(const OilPicture &picture, const OilWords &words, void *stream) {
  return launch_tiles(unpack_kernel, picture, words, picture.components + picture.copies, stream);
}

}  // namespace coalesce
