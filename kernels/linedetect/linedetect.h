// SPDX-License-Identifier: LGPL-2.1-or-later
// Straight lines among the edges of a picture, by chains: edges are thinned, linked in eight
// directions, split where a chain deviates from its chord, and a line is fitted to each piece.
// (Nevatia and Babu, Linear Feature Extraction and Description, 1980; thinning: Guo and Hall,
// Parallel Thinning with Two-Subiteration Algorithms, 1989)
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/image.h"

namespace coalesce {

constexpr double kMaxLineTolerance = 16;
constexpr int kMinLineLength = 5, kMaxLineLength = 32767, kMaxLines = 16384;
constexpr int kMaxLinePixels = 32767;  // across and down

struct LineParams {
  double tolerance = 2.5;  // pixels between a chain and its chord; to a 16th; up to the above
  int min_length = 20;     // pixels from end to end; shorter lines are dropped
  int max_lines = 1024;    // the longest are kept
};

// In 1/256 of a pixel, or of a level. The centre of the upper left pixel is (0, 0).
struct Line {
  std::int32_t x0, y0, x1, y1;  // ends; the first is that of the upper pixel, or of the left one
  std::int32_t width;           // of the pixels across the line: one pixel, if they are straight
  std::int32_t strength;        // the step across the line, of the channel that has the largest
};

struct LineCount {
  std::uint32_t lines;  // that were stored
  std::uint32_t found;  // that are long enough; more than that if max_lines are fewer
};

// Finds lines, and stores them from the longest to the shortest (docs/numerics.md).
//
// in       any format with samples of 8 bits, for the strength alone: of luma or grey, or of R, G
//          and B. Alpha is ignored
// edges    GRAY8, of the same size; a pixel that is not 0 is an edge. canny() makes it
// size     from 1x1 to kMaxLinePixels each
// lines    room for max_lines, in the memory of the queue, as is `count`; beyond the lines that are
//          stored nothing is written
// scratch  linedetect_scratch_bytes(), in the memory of the queue, aligned to 16 bytes, and nobody
//          else's until the work has been done. About 14 bytes a pixel: any edges fit, so there is
//          no overflow
//
// Time grows with the number of pixels, times the logarithm of the longest chain, whatever its
// shape.
//
// Errors: invalid_argument for pictures, sizes, parameters and memory that break the above or
// image.h; unsupported for a CUDA queue in a build without CUDA kernels, or on a device they were
// not built for; device_error.
Status linedetect(const LineParams &params, const ConstImage &in, const ConstImage &edges,
                  Line *lines, LineCount *count, const Queue &queue, void *scratch);

// Of either back end, for a picture of this size.
std::size_t linedetect_scratch_bytes(int width, int height);

}  // namespace coalesce
