// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures whose samples are not evenly spaced in planes of pixels: packed 4:2:2, and words of
// fields. They take one general way, which serves all of them.
#pragma once

#include <cstdint>

#include "../picture/pixel_format.h"
#include "planes.h"

namespace coalesce {

// Pictures of one plane. Components that are copied, padding, and what is in a row beside the
// samples keep every bit. Of filtered samples that are alone in a container, the other bits of it
// become 0. The second luma of an odd width's last pair repeats the first, if that is filtered.
struct ConvolveContainers {
  PixelFormat format;
  int width = 0;  // pixels
  Plane<const std::uint8_t> in;
  Plane<std::uint8_t> out;
  ChannelRole role[4] = {};  // of the components
};

// The back ends. Their arguments have been checked by convolve(), the algorithm has been chosen.
Status convolve_containers_cpu(const ConvolveParams &params, const ConvolveContainers &image,
                               ConvolveAlgorithm algorithm, ThreadPool *pool);
Status convolve_containers_cuda(const ConvolveParams &params, const ConvolveContainers &image,
                                ConvolveAlgorithm algorithm, void *stream);

}  // namespace coalesce
