// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "../core/clones.h"
#include "../core/thread_pool.h"
#include "strokes.h"

namespace coalesce {
namespace {

void make_level(const OilWords &from, const OilWords &to, bool rgb, ThreadPool *pool) {
  for_ranges(pool, to.height, 8, [&](int first, int last) {
    for (int y = first; y < last; ++y)
      for (int x = 0; x < to.width; ++x)
        to.row(y)[x] = oil_level_word(from, rgb, x, y);
  });
}

OilBirth birth_of_cell(const OilBrush &b, int column, int row) {
  OilBirth birth = {0, 0};
  int most = -1;
  const int x0 = column << b.log2, y0 = row << b.log2;
  for (int y = 0; y < std::min(b.radius(), b.canvas.height - y0); ++y)
    for (int x = 0; x < std::min(b.radius(), b.canvas.width - x0); ++x) {
      const int lack = oil_lack(b, x0 + x, y0 + y);
      birth.sum += static_cast<std::uint32_t>(lack);
      if (lack > most) birth.place = static_cast<std::uint32_t>(y << 5 | x);
      most = std::max(most, lack);
    }
  return birth;
}

// ---- Painting -----------------------------------------------------------------------------------

constexpr int kSide = 64;  // of a tile
struct Tile {
  int x, y, width, height;
  std::uint32_t keys[kSide][kSide];
};

// A row of a round spot, around x (in sixteenths of a pixel of the tile).
COALESCE_CLONES void spot_row(std::uint32_t *keys, int first, int last, int x, int left,
                              std::uint32_t key) {
  for (int i = first; i < last; ++i) {
    const int d = 16 * i + 8 - x;
    keys[i] = d * d <= left ? std::max(keys[i], key) : keys[i];
  }
}

void paint_spot(Tile &tile, OilPoint p, int radius, std::uint32_t key) {
  p.x -= 16 * tile.x, p.y -= 16 * tile.y;
  const int first = std::max((p.x >> 4) - radius, 0);
  const int last = std::min((p.x >> 4) + radius + 1, tile.width);
  const int from = std::max((p.y >> 4) - radius, 0);
  const int to = std::min((p.y >> 4) + radius + 1, tile.height);
  if (first >= last) return;
  for (int y = from; y < to; ++y) {
    const int d = 16 * y + 8 - p.y;
    spot_row(tile.keys[y], first, last, p.x, 256 * radius * radius - d * d, key);
  }
}

void paint_tile(const OilBrush &b, bool rgb, Tile &tile) {
  for (auto &row : tile.keys)
    std::fill_n(row, kSide, 0);
  const auto cells = [&](int at, int side, int all, int *first, int *last) {
    *first = std::max((at - b.reach()) >> b.log2, 0);
    *last = std::min(((at + side + b.reach()) >> b.log2) + 1, all);
  };
  int left, right, upper, lower;
  cells(tile.x, tile.width, b.level.width, &left, &right);
  cells(tile.y, tile.height, b.level.height, &upper, &lower);
  for (int row = upper; row < lower; ++row)
    for (int column = left; column < right; ++column) {
      const OilStroke &s = b.strokes[row * b.level.width + column];
      if (s.points == 0) continue;
      const std::uint32_t key = oil_stroke_key(s.colour, rgb);
      OilPoint p = oil_first_point(b, column, row, s.x, s.y);
      paint_spot(tile, p, b.radius(), key);
      for (int i = 0; i + 1 < s.points; ++i) {
        p = oil_after(b, p, s.step[i][0], s.step[i][1]);
        paint_spot(tile, p, b.radius(), key);
      }
    }
  for (int y = 0; y < tile.height; ++y) {
    std::uint32_t *canvas = b.canvas.row(tile.y + y) + tile.x;
    for (int x = 0; x < tile.width; ++x)
      canvas[x] = tile.keys[y][x] != 0 ? tile.keys[y][x] : canvas[x];
  }
}

void paint(const OilBrush &b, bool rgb, ThreadPool *pool) {
  const OilWords &canvas = b.canvas;
  for_ranges(pool, (canvas.height + kSide - 1) / kSide, 1, [&](int first, int last) {
    Tile tile;
    for (tile.y = first * kSide; tile.y < std::min(last * kSide, canvas.height); tile.y += kSide)
      for (tile.x = 0; tile.x < canvas.width; tile.x += kSide) {
        tile.width = std::min(kSide, canvas.width - tile.x);
        tile.height = std::min(kSide, canvas.height - tile.y);
        paint_tile(b, rgb, tile);
      }
  });
}

}  // namespace

void oil_strokes_cpu(const OilStrokes &s, ThreadPool *pool) {
  for (int i = 1; i < s.levels; ++i)
    make_level(s.level[i - 1], s.level[i], s.rgb, pool);
  const OilWords &canvas = s.brush[0].canvas;
  for_ranges(pool, canvas.height, 64, [&](int first, int last) {
    std::fill(canvas.row(first), canvas.row(last), s.ground);
  });
  for (int i = 0; i < s.brushes; ++i) {
    const OilBrush &b = s.brush[i];
    for_ranges(pool, b.level.height, 1, [&](int first, int last) {
      for (int row = first; row < last; ++row)
        for (int column = 0; column < b.level.width; ++column) {
          b.births[row * b.level.width + column] = birth_of_cell(b, column, row);
          oil_stroke_of_cell(b, column, row);
        }
    });
    paint(b, s.rgb, pool);
  }
}

}  // namespace coalesce
