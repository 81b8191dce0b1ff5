// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture whose pixels come from places in another one that a map names, by bilinear
// interpolation: the bytes of OpenCV's remap() with maps of CV_16SC2 and CV_16UC1.
#pragma once

#include <cstdint>

#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/image.h"

namespace coalesce {

constexpr int kMaxRemapSize = 32767;  // pixels across and down, of either picture

// Where a pixel comes from: (x + fx / 32, y + fy / 32), the fraction being 32 fy + fx.
struct alignas(4) MapPoint {
  std::int16_t x, y;
};
constexpr int kMapBits = 5, kMapUnit = 1 << kMapBits;

// Of each pixel of a picture, in the memory of the queue.
struct RemapMap {
  Plane<const MapPoint> point;
  Plane<const std::uint16_t> fraction;  // of the same size; bits above the tenth are ignored
};

// in   any size; luma or grey is looked at, which must have bytes or words of 16 bits of its own
// out  of the map's size: GRAY8 for bytes; for words GRAY16_LE, with samples of b bits as 2^(16-b)
//      times their numbers. None of the memory of `in` (which is not checked)
// Samples outside `in` are 0. The arithmetic is in docs/numerics.md, section remap.
//
// Errors: invalid_argument for pictures and maps that break the above or image.h; unsupported for a
// CUDA queue in a build without CUDA kernels, or on a device they were not built for; device_error.
Status remap(const RemapMap &map, const ConstImage &in, const Image &out, const Queue &queue);

}  // namespace coalesce
