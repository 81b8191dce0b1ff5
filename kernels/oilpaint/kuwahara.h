// SPDX-License-Identifier: LGPL-2.1-or-later
// The anisotropic Kuwahara filter (Kyprianidis, Kang and Doellner, 2009; weights as polynomials:
// Kyprianidis, Semmo, Kang and Doellner, 2010) in integers, for both back ends.
#pragma once

#include "oilpaint_job.h"

namespace coalesce {

// A tensor has a code: its direction, of 32 in half a turn, and how much it has one, of 8 levels.
constexpr int kOilDirections = 32, kOilLevels = 8, kOilCodes = kOilDirections * kOilLevels;
// Of eight sectors; the other four are those, mirrored at the pixel.
constexpr int kOilLists = 4;

// Lists of taps, by code and sector, `stride` words apart. The first word is how many there are.
// Then each has its column and its row in signed bytes, and a weight in the upper half; all weights
// of a list add up to 4096.
struct OilKuwahara {
  int radius;
  int stride;
  std::uint32_t *lists;

  COALESCE_HOST_DEVICE std::uint32_t *list(int code, int sector) const {
    return lists + (code * kOilLists + sector) * stride;
  }
  COALESCE_HOST_DEVICE int reach() const { return 2 * radius; }
};

constexpr int kOilWeightBits = 12;

// Words from one list to the next: the most taps of any, and one.
constexpr int oil_kuwahara_stride(int radius) {
  constexpr int kMost[kMaxOilKuwaharaRadius + 1] = {0, 0, 7, 13, 20, 27, 37, 47, 59, 71, 84};
  return kMost[radius] + 1;
}

// Twice the components of a tensor's anisotropy, e - g and 2 f.
struct OilTensor {
  std::int32_t e, f, g;  // sums of gx^2, gx gy, gy^2
};

// Adds a component's gradient, by Sobel's masks. around: its samples, row by row.
COALESCE_HOST_DEVICE void oil_add_gradient(const int (&around)[9], OilTensor *t) {
  const int x = around[2] + 2 * around[5] + around[8] - around[0] - 2 * around[3] - around[6];
  const int y = around[6] + 2 * around[7] + around[8] - around[0] - 2 * around[1] - around[2];
  t->e += x * x, t->f += x * y, t->g += y * y;
}

// Gaussian of sigma 2, by distance; the taps add up to 256.
constexpr int kOilTensorReach = 4;
COALESCE_HOST_DEVICE int oil_tensor_tap(int distance) {
  constexpr int kTaps[kOilTensorReach + 1] = {52, 46, 32, 17, 7};
  return kTaps[distance < 0 ? -distance : distance];
}
COALESCE_HOST_DEVICE std::int32_t oil_tensor_rounded(std::int32_t sum) {
  return (sum + 128) >> 8;
}

// The nearest of 32 directions of a turn to that of (x, y).
COALESCE_HOST_DEVICE int oil_direction(std::int32_t x, std::int32_t y) {
  const std::int64_t ax = x < 0 ? -x : x, ay = y < 0 ? -y : y;
  const std::int64_t small = (ax < ay ? ax : ay) << 16, large = ax < ay ? ay : ax;
  if (large == 0) return 0;
  // Tangents of 5.625 degrees and three steps of 11.25 more, in 2^-16.
  int at = (small >= 6455 * large) + (small >= 19880 * large) + (small >= 35030 * large) +
           (small >= 53784 * large);
  if (ay > ax) at = 8 - at;
  if (x < 0) at = 16 - at;
  if (y < 0) at = 32 - at;
  return at & 31;
}

COALESCE_HOST_DEVICE std::uint32_t oil_code(const OilTensor &t) {
  const std::int32_t x = t.e - t.g, y = 2 * t.f;
  const std::int64_t sum = std::int64_t{t.e} + t.g;
  const std::int64_t length2 = (std::int64_t{x} * x + std::int64_t{y} * y) * 196;
  int level = 0;
  for (int i = 1; i < kOilLevels; ++i)
    level += sum > 0 && length2 >= (2 * i - 1) * (2 * i - 1) * sum * sum;
  return static_cast<std::uint32_t>(oil_direction(x, y) * kOilLevels + level);
}

// 2^14 cos(number pi / 32), number 0 to 32.
COALESCE_HOST_DEVICE int oil_cosine(int number) {
  constexpr int kCosines[17] = {16384, 16305, 16069, 15679, 15137, 14449, 13623, 12665, 11585,
                                10394, 9102,  7723,  6270,  4756,  3196,  1606,  0};
  return number <= 16 ? kCosines[number] : -kCosines[32 - number];
}

// Where the pixel (i, j) away is in the unit circle that an ellipse becomes, in 2^-10. False:
// outside. The ellipse lies along the edge, as the code says.
COALESCE_HOST_DEVICE bool oil_is_in_ellipse(int radius, int code, int i, int j, int *u, int *v) {
  const int along = (code / kOilLevels + 16) % 32, long_axis = 7 + code % kOilLevels;
  const int cosine = oil_cosine(along), sine = oil_cosine(along < 16 ? 16 - along : along - 16);
  const int ahead = (cosine * i + sine * j) * 7, aside = (cosine * j - sine * i) * long_axis;
  const int ends = 16 * long_axis * radius << 10, sides = 16 * 7 * radius << 10;
  // (Most are outside, and need no division.)
  if (ahead >= ends || ahead <= -ends || aside >= sides || aside <= -sides) return false;
  *u = ahead / (16 * long_axis * radius);
  *v = aside / (16 * 7 * radius);
  return *u * *u + *v * *v < 1 << 20;
}

// The weight of a pixel there in a sector, before all are scaled to one sum.
COALESCE_HOST_DEVICE std::uint32_t oil_sector_weight(int radius, int sector, int u, int v) {
  const int c = sector == 0 ? 1024 : sector == 1 ? 724 : sector == 2 ? 0 : -724;
  const int s = sector == 0 ? 0 : sector == 2 ? 1024 : 724;
  const int ahead = (c * u + s * v) / 1024, aside = (c * v - s * u) / 1024;
  const int overlap = 2048 / radius, slope = (overlap + 857) * 10 / 3;
  const int t = ahead + overlap - slope * (aside * aside / 1024) / 1024;
  if (t <= 0) return 0;
  const int fall = ((1 << 20) - u * u - v * v) / 4096;
  return static_cast<std::uint32_t>(t * t / 1024 * (fall * fall / 16)) / 1024;
}

// Part of 4096 up to a sum of weights.
COALESCE_HOST_DEVICE std::uint32_t oil_kuwahara_part(std::uint64_t sum, std::uint64_t all) {
  return static_cast<std::uint32_t>((sum << kOilWeightBits) / all);
}

COALESCE_HOST_DEVICE std::uint32_t oil_kuwahara_tap(int i, int j, std::uint32_t weight) {
  return (static_cast<std::uint32_t>(i) & 255) | (static_cast<std::uint32_t>(j) & 255) << 8 |
         weight << 16;
}

// Sums over a sector, with weights that add up to 4096.
struct OilSector {
  std::uint32_t sum[3];
  std::uint32_t squares;  // of all components
};

// A sector's means, in 2^-8, and its variance, in quarters.
struct OilMean {
  std::uint32_t mean[3];
  std::uint32_t variance;
};
COALESCE_HOST_DEVICE OilMean oil_mean(const OilSector &s) {
  OilMean m = {};
  std::uint32_t squares = 0;
  for (int c = 0; c < 3; ++c) {
    m.mean[c] = (s.sum[c] + 8) >> 4;
    squares += (m.mean[c] * m.mean[c] + 8) >> 4;
  }
  m.variance = s.squares > squares ? (s.squares - squares) >> 10 : 0;
  return m;
}

// The means, weighted by (1 + variance)^-4.
COALESCE_HOST_DEVICE std::uint32_t oil_kuwahara_pixel(const OilMean (&sector)[2 * kOilLists]) {
  std::uint32_t least = sector[0].variance;
  for (int i = 1; i < 2 * kOilLists; ++i)
    least = sector[i].variance < least ? sector[i].variance : least;
  std::uint32_t sums[3] = {}, all = 0;
  for (const OilMean &m : sector) {
    const std::uint32_t ratio = ((least + 4) << 14) / (m.variance + 4);
    const std::uint32_t square = ratio * ratio >> 14, weight = square * square >> 16;
    all += weight;
    for (int c = 0; c < 3; ++c)
      sums[c] += weight * m.mean[c];
  }
  std::uint32_t word = 0;
  for (int c = 0; c < 3; ++c)
    word |= (sums[c] + (all << 7)) / (all << 8) << 8 * c;
  return word;
}

// Lists are made by the call that uses them. codes: of each pixel in `out`, which becomes the
// picture.
void oil_kuwahara_lists_cpu(const OilKuwahara &kuwahara, ThreadPool *pool);
void oil_kuwahara_codes_cpu(const OilWords &in, const OilWords &codes, ThreadPool *pool);
void oil_kuwahara_paint_cpu(const OilKuwahara &kuwahara, const OilWords &in, const OilWords &out,
                            ThreadPool *pool);
Status oil_kuwahara_cuda(const OilKuwahara &kuwahara, const OilWords &in, const OilWords &out,
                         void *stream);

}  // namespace coalesce
