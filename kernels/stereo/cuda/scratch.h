// SPDX-License-Identifier: LGPL-2.1-or-later
// What the CUDA back end has in the caller's scratch memory, and the shapes of its kernels.
// Candidate k is disparity min + k.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/layout.h"
#include "../stereo_job.h"

namespace coalesce {

// Columns that a group of lanes walks along: at most so many, a multiple of 16.
constexpr int kStereoStrip = 32;
// Columns that kernels read beside a picture: of windows, and of strips that end outside.
constexpr int kStereoBefore = 32, kStereoBehind = 2 * kStereoStrip + 32;

// A picture that goes on beside its columns. Elements.
template <class T>
struct StereoPlane {
  T *data = nullptr;  // column 0 of row 0
  std::size_t pitch = 0;

  COALESCE_HOST_DEVICE T *row(int y) const { return data + static_cast<std::size_t>(y) * pitch; }
};

// Of samples of a window that are below each other: their sum, and that of their squares.
struct alignas(8) NccColumn {
  int sum, squares;
};

// Lanes that share the candidates of a pixel, and how many each has.
struct StereoLanesOf {
  int lanes, each;
  int all() const { return lanes * each; }
};
inline StereoLanesOf window_lanes(int candidates) {
  if (candidates <= 64) return {16, 4};
  return candidates <= 128 ? StereoLanesOf{32, 4} : StereoLanesOf{32, 8};
}
inline StereoLanesOf path_lanes(int candidates) {
  return {candidates <= 64 ? 8 : candidates <= 128 ? 16 : 32, 8};
}

struct StereoCudaScratch {
  StereoCudaScratch(void *memory, const StereoParams &params, int width, int height)
      : rows(static_cast<std::size_t>(height)) {
    const bool sgm = params.method == StereoMethod::sgm;
    const bool census = sgm || params.method == StereoMethod::census;
    const std::size_t pixels = static_cast<std::size_t>(width) * rows;
    // (Of multiples of 16, so that what lies at a multiple of 16 columns is aligned.)
    before[0] = kStereoBefore;
    before[1] = (kStereoBefore + kMaxDisparities + params.min_disparity + 15) / 16 * 16;
    behind = kStereoBehind;
    Layout parts(256, memory);
    if (params.median > 0) found = parts.at<std::uint16_t>(pixels);
    winners = parts.at<std::uint32_t>(pixels);
    if (params.left_right >= 0) right_keys = parts.at<std::uint32_t>(pixels);
    for (int picture = 0; picture < 2; ++picture) {
      if (!census || (sgm && picture == 0)) add(&parts, picture, width, &bytes_of[picture]);
      if (census) add(&parts, picture, width, &census_of[picture]);
      if (params.method != StereoMethod::ncc) continue;
      add(&parts, picture, width, &columns_of[picture]);
      add(&parts, picture, width, &windows_of[picture]);
    }
    if (sgm) {
      const std::size_t all = pixels * static_cast<std::size_t>(params.disparities);
      costs = parts.at<std::uint8_t>(all);
      for (int i = 0; i < params.paths / 2; ++i)
        paths[i] = parts.at<std::uint8_t>(all);
    }
    bytes = parts.end();
  }

  std::size_t rows, bytes;
  int before[2] = {}, behind = 0;  // columns beside the pictures
  std::uint16_t *found = nullptr;
  std::uint32_t *winners = nullptr;     // by pixel: the disparity, above it the candidate's number
  std::uint32_t *right_keys = nullptr;  // by pixel of the right picture: least cost, candidate
  StereoPlane<std::uint8_t> bytes_of[2];
  StereoPlane<std::uint32_t> census_of[2];
  StereoPlane<NccColumn> columns_of[2];
  StereoPlane<NccWindow> windows_of[2];
  std::uint8_t *costs = nullptr;
  std::uint8_t *paths[4] = {};  // each the sum of a path and of the opposite one

 private:
  template <class T>
  void add(Layout *parts, int picture, int width, StereoPlane<T> *plane) const {
    const auto columns =
        static_cast<std::size_t>((before[picture] + width + behind + 15) / 16 * 16);
    plane->pitch = columns;
    plane->data = parts->at<T>(columns * rows) + before[picture];
  }
};

// A node for each pixel: the first one of an area.
struct SpeckleCudaScratch {
  SpeckleCudaScratch(void *memory, int width, int height) {
    const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    Layout parts(256, memory);
    parent = parts.at<std::uint32_t>(pixels);
    size = parts.at<std::uint32_t>(pixels);
    bytes = parts.end();
  }
  std::size_t bytes;
  std::uint32_t *parent = nullptr, *size = nullptr;
};

}  // namespace coalesce
