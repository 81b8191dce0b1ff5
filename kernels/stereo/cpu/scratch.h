// SPDX-License-Identifier: LGPL-2.1-or-later
// What the CPU back end has in the caller's scratch memory.
//
// Candidates are in reverse: number k is disparity min + n - 1 - k. So the right picture's pixels
// of growing k follow each other in memory, as do their costs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/layout.h"
#include "../stereo_job.h"

namespace coalesce {

constexpr int kStereoSlack = 64;  // numbers behind an array that vectors may touch

struct StereoCpuScratch {
  StereoCpuScratch(void *memory, const StereoParams &params, int width, int height)
      : width(static_cast<std::size_t>(width)),
        candidates(static_cast<std::size_t>(params.disparities)),
        front(candidates + static_cast<std::size_t>(params.min_disparity)),
        line(candidates + 2 * kLinePad) {
    const std::size_t pixels = this->width * static_cast<std::size_t>(height);
    const bool sgm = params.method == StereoMethod::sgm;
    const bool census = sgm || params.method == StereoMethod::census;
    const bool ncc = params.method == StereoMethod::ncc;
    Layout parts(64, memory);
    if (params.median > 0) found = parts.at<std::uint16_t>(pixels);
    index = parts.at<std::uint16_t>(pixels);
    if (params.left_right >= 0) {
      right_row = this->width + candidates + kStereoSlack;
      for (std::uint16_t **of : {&right_cost, &right_index})
        *of = parts.at<std::uint16_t>(right_row * static_cast<std::size_t>(height)) + candidates;
    }
    if (census) {
      for (std::uint16_t *&of : samples)
        of = parts.at<std::uint16_t>(pixels);
      left_census = parts.at<std::uint32_t>(pixels);
      for (std::uint8_t *&byte : right_census)
        byte = parts.at<std::uint8_t>(front + pixels + kStereoSlack) + front;
    }
    if (!census || sgm) left_bytes = parts.at<std::uint8_t>(pixels);
    if (!census) right_bytes = parts.at<std::uint8_t>(pixels);
    if (ncc) {
      left_window = parts.at<NccWindow>(pixels);
      right_level = parts.at<float>(front + pixels + kStereoSlack) + front;
      right_scale = parts.at<float>(front + pixels + kStereoSlack) + front;
    }
    if (sgm) {
      sums = parts.at<std::uint16_t>(pixels * candidates);
      for (auto &row : lines)
        for (Line &each : row) {
          each.costs = parts.at<std::uint8_t>(this->width * line);
          each.least = parts.at<std::uint8_t>(this->width);
        }
      progress = parts.at<int>(static_cast<std::size_t>(height));
    }
    bytes = parts.end();
  }

  // Of the right picture's row. There is room for candidates before it.
  std::size_t right_place(int y) const { return static_cast<std::size_t>(y) * right_row; }

  static constexpr std::size_t kLinePad = 32;

  std::size_t width, candidates;
  std::size_t front;  // pixels in front of the right picture's first one
  std::size_t line;   // bytes of a pixel's costs, and room on either side
  std::size_t right_row = 0;
  std::size_t bytes = 0;
  std::uint16_t *found = nullptr;
  std::uint16_t *index = nullptr;  // by pixel of the left picture: the best candidate, or kNoIndex
  // By pixel of the right picture: the least cost, and its candidate.
  std::uint16_t *right_cost = nullptr, *right_index = nullptr;
  std::uint16_t *samples[2] = {};
  std::uint32_t *left_census = nullptr;
  std::uint8_t *right_census[4] = {};  // byte by byte
  std::uint8_t *left_bytes = nullptr, *right_bytes = nullptr;
  NccWindow *left_window = nullptr;
  float *right_level = nullptr, *right_scale = nullptr;
  std::uint16_t *sums = nullptr;  // of the paths that come from above and from the left
  // Of the row in hand and of the one before, by path: from straight ahead, and aslant.
  struct Line {
    std::uint8_t *costs, *least;
  };
  Line lines[2][3] = {};
  int *progress = nullptr;  // by row: pixels that are done
};

struct SpeckleCpuScratch {
  SpeckleCpuScratch(void *memory, int width, int height) {
    const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    Layout parts(64, memory);
    parent = parts.at<std::uint32_t>(pixels);
    size = parts.at<std::uint32_t>(pixels);
    starts = parts.at<std::uint8_t>(static_cast<std::size_t>(height));
    bytes = parts.end();
  }
  std::size_t bytes;
  std::uint32_t *parent = nullptr;  // by pixel: one before it of the same area, or itself
  std::uint32_t *size = nullptr;    // of the first pixel's area
  std::uint8_t *starts = nullptr;   // by row: does a range of rows begin here?
};

}  // namespace coalesce
