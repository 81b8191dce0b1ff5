// SPDX-License-Identifier: LGPL-2.1-or-later
// Which rows of its neighbours a row is calculated from, and how.
#pragma once

#include <cstdint>

#include "../core/host_device.h"
#include "deinterlace.h"

namespace coalesce {

enum class LineKind : std::uint8_t {
  copy,  // row above[0] of `current`: the picture's own, or one that stands in
  linear,
  ela,
  yadif,          // limited by the rows two above and below
  yadif_nearest,  // by the nearest rows alone
  bwdif_intra,
  bwdif_edge,  // near the first and last rows, limited as by yadif_nearest
  bwdif_edge_check,
  bwdif,
  w3fdif,
};

// Rows of a plane. above, below: of the field that is kept, 1 and 3 rows from here. other: of the
// fields before and after it, which have this row: 4 and 2 rows above, here, and below.
struct LineRows {
  LineKind kind;
  int above[2], below[2];
  int other[5];
};

// What of an operation selects its arithmetic.
struct LineRules {
  DeinterlaceMethod method;
  bool spatial_check, end;
  bool deep;  // samples of more than 8 bits
};

// The nearest row of the kept field, where FFmpeg would leave the plane.
COALESCE_HOST_DEVICE int inside(int row, int y, int rows) {
  if (0 <= row && row < rows) return row;
  const int other = row < y ? y + 1 : y - 1;
  return 0 <= other && other < rows ? other : y;
}

// The nearest row of its field that a plane has; `y` if there is none.
COALESCE_HOST_DEVICE int inside_field(int row, int y, int rows) {
  if (row < 0) row &= 1;
  if (row >= rows) row = rows - 1 - ((rows - 1 - row) & 1);
  return row < 0 ? y : row;
}

// Row y of a plane, which the kept field has not.
COALESCE_HOST_DEVICE LineRows line_rows(const LineRules &rules, int y, int rows) {
  // bwdif counts rows in bytes of samples where it looks for the picture's ends.
  const bool is_bwdif =
      rules.method == DeinterlaceMethod::bwdif || rules.method == DeinterlaceMethod::best;
  const int unit = is_bwdif && rules.deep ? 2 : 1;
  const int above = inside(y > unit - 1 ? y - 1 : y + 1, y, rows);
  const int below = inside(y + unit < rows ? y + 1 : y - 1, y, rows);
  LineRows line = {LineKind::copy, {above, above}, {below, below}, {y, y, y, y, y}};
  if (above == y) return line;  // the kept field has no rows
  switch (rules.method) {
    case DeinterlaceMethod::weave:
      line.above[0] = y;
      break;
    case DeinterlaceMethod::line:
      break;
    case DeinterlaceMethod::linear:
      line.kind = LineKind::linear;
      break;
    case DeinterlaceMethod::ela:
      line.kind = LineKind::ela;
      break;
    case DeinterlaceMethod::yadif: {
      const bool checks = rules.spatial_check && y != 1 && y + 2 != rows;
      line.kind = checks ? LineKind::yadif : LineKind::yadif_nearest;
      if (!checks) break;
      line.other[1] = y + 2 * (above - y);
      line.other[3] = y + 2 * (below - y);
      break;
    }
    case DeinterlaceMethod::best:
    case DeinterlaceMethod::bwdif:
      if (rules.end) {
        line.kind = LineKind::bwdif_intra;
        line.above[1] = inside(y > 3 * unit - 1 ? y - 3 : y + 1, y, rows);
        line.below[1] = inside(y + 3 * unit < rows ? y + 3 : y - 1, y, rows);
      } else if (y < 2 || y + 3 > rows) {
        line.kind = LineKind::bwdif_edge;
      } else {
        const bool near_edge = y < 4 || y + 5 > rows;
        line.kind = near_edge ? LineKind::bwdif_edge_check : LineKind::bwdif;
        line.other[1] = y - 2, line.other[3] = y + 2;
        if (near_edge) break;
        line.above[0] = y - 1, line.below[0] = y + 1;
        line.above[1] = y - 3, line.below[1] = y + 3;
        line.other[0] = y - 4, line.other[4] = y + 4;
      }
      break;
    case DeinterlaceMethod::w3fdif: {
      line.kind = LineKind::w3fdif;
      const auto nearest = [&](int row) { return inside_field(row, y, rows); };
      for (int i = 0; i < 5; ++i)
        line.other[i] = nearest(y + 2 * i - 4);
      line.above[0] = nearest(y - 1), line.above[1] = nearest(y - 3);
      line.below[0] = nearest(y + 1), line.below[1] = nearest(y + 3);
      break;
    }
  }
  return line;
}

}  // namespace coalesce
