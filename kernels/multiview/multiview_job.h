// SPDX-License-Identifier: LGPL-2.1-or-later
// One call, checked, and the arithmetic of both back ends.
#pragma once

#include <cstring>

#include "../core/host_device.h"
#include "../core/layout.h"
#include "../core/thread_pool.h"
#include "../stereo/matching.h"
#include "multiview.h"

namespace coalesce {

constexpr int kMaxNeighbours = kMaxMultiviewViews - 1;
constexpr int kPositionBits = 5, kPositions = 1 << kPositionBits;  // of a pixel

// Where a neighbour sees a pixel x of the reference whose depth has the inverse w: m (x, 1) + w e,
// in 32nds of a pixel.
struct Epipolar {
  float m[3][3], e[3];
};

struct MultiviewJob {
  MultiviewParams params;
  int width = 0, height = 0, neighbours = 0;
  Plane<const std::uint8_t> in[kMaxMultiviewViews];  // the reference is the first one
  PixelComponent component;
  Epipolar epipolar[kMaxNeighbours];
  float first = 0, step = 0, fine_step = 0;  // of inverse depths, from candidate to candidate
  float scale = 0;
  Plane<std::uint8_t> depth;
  Plane<std::uint8_t> confidence;  // without data if nobody wants it
  void *scratch = nullptr;
};

// What the windows of both back ends look at, and what they say.
struct MultiviewScratch {
  MultiviewScratch(void *memory, int neighbours, int width, int height)
      : pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)),
        layout(256, memory) {
    bytes = layout.at<std::uint8_t>(pixels);
    quads = layout.at<std::uint32_t>(pixels * static_cast<std::size_t>(neighbours));
    matches = layout.at<std::uint32_t>(pixels * static_cast<std::size_t>(neighbours));
  }
  std::uint32_t *quads_of(int neighbour) const {
    return quads + pixels * static_cast<std::size_t>(neighbour);
  }
  std::uint32_t *matches_of(int neighbour) const {
    return matches + pixels * static_cast<std::size_t>(neighbour);
  }

  std::size_t pixels;
  Layout layout;
  std::uint8_t *bytes;   // of the reference
  std::uint32_t *quads;  // of each neighbour: a pixel, the next one, and those below, lowest first
  std::uint32_t *matches;  // of each neighbour
};

// ---- Positions ----------------------------------------------------------------------------------

// What is no number becomes the least.
COALESCE_HOST_DEVICE float at_least(float number, float least) {
#if defined(__CUDA_ARCH__)
  return fmaxf(number, least);
#else
  return number > least ? number : least;
#endif
}
COALESCE_HOST_DEVICE float limited(float number, float least, float most) {
  const float from = at_least(number, least);
#if defined(__CUDA_ARCH__)
  return fminf(from, most);
#else
  return from < most ? from : most;
#endif
}
// Of a divisor; and what no number of a position is above: so its reciprocal is a plain number.
constexpr float kLeastDivisor = 0x1p-60f, kMostEpipolar = 0x1p40f;
// To nearest, halves to even; below 2^22.
COALESCE_HOST_DEVICE std::int32_t rounded_position(float position) {
  constexpr float kShift = 1 << 23;  // so far up, the last bit is a one
  const float shifted = position + kShift;
  std::int32_t bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  return bits & 0x7FFFFF;
}
// Of four pixels, in the middle of them by 32nds.
COALESCE_HOST_DEVICE std::uint32_t blend_quad(std::uint32_t quad, std::uint32_t right,
                                              std::uint32_t down) {
  const std::uint32_t a = quad & 0x00FF00FF, b = quad >> 8 & 0x00FF00FF;
  // The upper row and the lower one, up to 8160 each; what is borrowed comes back.
  const std::uint32_t rows = a * kPositions + (b - a) * right;
  return ((rows & 0xFFFF) * (kPositions - down) + (rows >> 16) * down + 512) >> 10;
}

// ---- Matches ------------------------------------------------------------------------------------

// What a neighbour says: the least cost, its candidate, and the offset of that plus 8.
constexpr std::uint32_t kNoMatch = 0xFFFFFFFF;
COALESCE_HOST_DEVICE std::uint32_t make_match(unsigned cost, int candidate, int offset) {
  return cost << 16 | static_cast<unsigned>(candidate) << 8 | static_cast<unsigned>(offset + 8);
}
COALESCE_HOST_DEVICE int match_candidate(std::uint32_t match) {
  return static_cast<int>(match >> 8 & 0xFF);
}
COALESCE_HOST_DEVICE int match_sixteenths(std::uint32_t match) {
  return 16 * match_candidate(match) + static_cast<int>(match & 0xFF) - 8;
}
// before, behind: the costs beside the best one, or kNoCost.
COALESCE_HOST_DEVICE std::uint32_t found_match(unsigned cost, int candidate, unsigned before,
                                               unsigned behind) {
  int offset = 0;
  if (before != kNoCost && behind != kNoCost)
    offset =
        subpixel_offset(static_cast<int>(before), static_cast<int>(cost), static_cast<int>(behind));
  return make_match(cost, candidate, offset);
}

// Neighbours that agree.
struct Agreement {
  int count, sixteenths;
};
COALESCE_HOST_DEVICE Agreement find_agreement(const std::uint32_t (&matches)[kMaxNeighbours],
                                              int neighbours, int tolerance) {
  Agreement best = {0, 0};
  std::uint32_t best_key = 0xFFFFFFFF;  // the sum of costs above the candidate: at most 20 bits
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int i = 0; i < kMaxNeighbours; ++i) {
    if (i >= neighbours) break;
    if (matches[i] == kNoMatch) continue;
    const int candidate = match_candidate(matches[i]);
    Agreement set = {0, 0};
    std::uint32_t cost = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int j = 0; j < kMaxNeighbours; ++j) {
      if (j >= neighbours) break;
      const int difference = match_candidate(matches[j]) - candidate;
      const bool agrees =
          matches[j] != kNoMatch && difference <= tolerance && -difference <= tolerance;
      if (!agrees) continue;
      ++set.count, set.sixteenths += match_sixteenths(matches[j]), cost += matches[j] >> 16;
    }
    const std::uint32_t key = cost << 8 | static_cast<unsigned>(candidate);
    if (set.count < best.count || (set.count == best.count && key >= best_key)) continue;
    best = set, best_key = key;
  }
  return best;
}

// ---- Results ------------------------------------------------------------------------------------

COALESCE_HOST_DEVICE void store_word(std::uint8_t *to, std::uint32_t word) {
  // (In words: no more is known of where they are.)
  *reinterpret_cast<std::uint16_t *>(to) = static_cast<std::uint16_t>(word);
}

// Of one pixel.
COALESCE_HOST_DEVICE void store_result(const MultiviewJob &job, int x, int y,
                                       const std::uint32_t (&matches)[kMaxNeighbours]) {
  const Agreement agreed = find_agreement(matches, job.neighbours, job.params.tolerance);
  const bool known = agreed.count >= job.params.min_count;
  float depth = 0;
  if (known) {
    const float mean = static_cast<float>(agreed.sixteenths) / static_cast<float>(agreed.count);
    depth = 1.0f / (job.first + mean * job.fine_step);
  }
  std::uint8_t *const row = job.depth.row(y);
  if (job.params.output == MultiviewDepth::floats) {
    std::uint32_t bits;
    std::memcpy(&bits, &depth, sizeof bits);
    store_word(row + 4 * x, bits & 0xFFFF);
    store_word(row + 4 * x + 2, bits >> 16);
  } else {
    const float units = depth * job.scale + 0.5f;
    const std::uint32_t word = units < 1.0f       ? 1
                               : units < 65535.0f ? static_cast<std::uint32_t>(units)
                                                  : 65535;
    store_word(row + 2 * x, known ? word : 0);
  }
  if (job.confidence.data == nullptr) return;
  const int share = (255 * agreed.count + job.neighbours / 2) / job.neighbours;
  job.confidence.row(y)[x] = static_cast<std::uint8_t>(known ? share : 0);
}

Status find_depths_cpu(const MultiviewJob &job, ThreadPool *pool);
Status find_depths_cuda(const MultiviewJob &job, void *stream);

}  // namespace coalesce
