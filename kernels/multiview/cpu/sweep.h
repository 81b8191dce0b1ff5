// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU back end's sweep over the depths of a tile.
#pragma once

#include "../multiview_job.h"

namespace coalesce {

// With the columns that windows look at beside the tile.
constexpr int kSweepColumns = 160;
constexpr int kTileRows = 64;

struct MultiviewTile {
  int x, y, columns, rows;
};

// What each neighbour says of each pixel of a tile.
void sweep_tile(const MultiviewJob &job, const MultiviewScratch &scratch,
                const MultiviewTile &tile);

}  // namespace coalesce
