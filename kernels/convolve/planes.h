// SPDX-License-Identifier: LGPL-2.1-or-later
// The planes of two pictures as the back ends of convolve() see them.
#pragma once

#include <cstdint>

#include "../core/plane.h"
#include "convolve.h"

namespace coalesce {

enum class ChannelRole : std::uint8_t {
  copy,    // alpha and padding, or a plane that is left alone: every bit of it
  level,   // luma, R, G, B, filtered alpha
  chroma,  // filtered around the middle of its range
};

// A plane of `channels` interleaved samples a pixel. Widths count bytes:
// width = pixels * channels * depth.bytes(). 16-bit samples are little-endian and aligned to 2
// bytes.
struct ConvolvePlane {
  Plane<const std::uint8_t> in;
  Plane<std::uint8_t> out;
  int channels = 1;  // 1 to 4
  ChannelRole role[4] = {ChannelRole::level, ChannelRole::level, ChannelRole::level,
                         ChannelRole::level};
};

struct ConvolvePlanes {
  ConvolvePlane plane[4];
  int planes = 1;
};

// As convolve() in convolve.h; luma_only and filter_alpha have been made into roles. Planes may
// differ in size.
Status convolve_planes(const ConvolveParams &params, const ConvolvePlanes &planes,
                       const Queue &queue,
                       ConvolveAlgorithm algorithm = ConvolveAlgorithm::automatic);

// What `automatic` takes for planes with these channels and roles.
ConvolveAlgorithm choose_algorithm(const Filter &filter, const ConvolvePlanes &planes,
                                   bool on_cuda);

// The back ends. Their arguments have been checked by convolve(), the algorithm has been chosen.
Status convolve_cpu(const ConvolveParams &params, const ConvolvePlanes &planes,
                    ConvolveAlgorithm algorithm, ThreadPool *pool);
Status convolve_cuda(const ConvolveParams &params, const ConvolvePlanes &planes,
                     ConvolveAlgorithm algorithm, void *stream);

}  // namespace coalesce
