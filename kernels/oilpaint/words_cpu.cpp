// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstring>

#include "../core/clones.h"
#include "../core/thread_pool.h"
#include "oilpaint_job.h"

namespace coalesce {
namespace {

constexpr int kGrain = 16;  // rows

// A row of samples beside each pixel, 2^kLog2 pixels each.
void add_component(const OilPicture &p, int c, int y, std::uint32_t *words) {
  const OilChannel &channel = p.component[c];
  const std::uint8_t *from = channel.from(0, oil_row_of(p, channel, y));
  const int step = channel.step, log2 = channel.log2_width;
  for (int x = 0; x < p.width; ++x)
    words[x] |= std::uint32_t{from[(x >> log2) * step]} << 8 * c;
}

COALESCE_CLONES void add_intensity(bool rgb, int width, std::uint32_t *words) {
  if (rgb)
    for (int x = 0; x < width; ++x)
      words[x] |= oil_luma(oil_byte(words[x], 0), oil_byte(words[x], 1), oil_byte(words[x], 2))
                  << 24;
  else
    for (int x = 0; x < width; ++x)
      words[x] |= words[x] << 24;
}

void unpack_component(const OilPicture &p, const OilWords &words, int c, int row) {
  const OilChannel &channel = p.component[c];
  std::uint8_t *to = channel.to(0, row);
  if (channel.log2_width != 0 || channel.log2_height != 0) {
    for (int i = 0; i < channel.columns; ++i)
      to[i * channel.step] = oil_sample(p, words, c, i, row);
    return;
  }
  const std::uint32_t *from = words.row(row);
  const int step = channel.step;
  for (int x = 0; x < p.width; ++x)
    to[x * step] = static_cast<std::uint8_t>(from[x] >> 8 * c);
  for (int x = p.width; x < channel.columns; ++x)
    to[x * step] = static_cast<std::uint8_t>(from[p.width - 1] >> 8 * c);
}

void copy_rows(const OilChannel &channel, int first, int last) {
  for (int y = first; y < std::min(last, channel.out_rows); ++y) {
    const std::uint8_t *from = channel.from(0, std::min(y, channel.in_rows - 1));
    std::uint8_t *to = channel.to(0, y);
    for (int x = 0; x < channel.columns; ++x)
      to[x * channel.step] = from[x * channel.step];
  }
}

}  // namespace

void oil_pack_cpu(const OilPicture &p, const OilWords &words, ThreadPool *pool) {
  for_ranges(pool, p.height, kGrain, [&](int first, int last) {
    for (int y = first; y < last; ++y) {
      std::uint32_t *row = words.row(y);
      std::memset(row, 0, static_cast<std::size_t>(p.width) * sizeof *row);
      for (int c = 0; c < p.components; ++c)
        add_component(p, c, y, row);
      add_intensity(p.rgb, p.width, row);
    }
  });
}

void oil_unpack_cpu(const OilPicture &p, const OilWords &words, ThreadPool *pool) {
  // (Chroma may have a row more than half of the picture's.)
  for_ranges(pool, p.height + 1, kGrain, [&](int first, int last) {
    for (int c = 0; c < p.components; ++c)
      for (int row = first; row < std::min(last, p.component[c].out_rows); ++row)
        unpack_component(p, words, c, row);
    for (int i = 0; i < p.copies; ++i)
      copy_rows(p.copy[i], first, last);
  });
}

}  // namespace coalesce
