// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures whose samples are not evenly spaced in planes of pixels: packed 4:2:2, and words of
// fields. Filters of neighbourhoods have one general way for all of them.
#pragma once

#include <functional>

#include "../core/argument_cache.h"
#include "../core/host_device.h"
#include "../core/status.h"
#include "../core/thread_pool.h"
#include "channels.h"

namespace coalesce {

// A plane of pictures. Components that are copied, padding, and what is in a row beside the
// samples keep every bit. Of filtered samples that are alone in a container, the other bits of it
// become 0. The second luma of an odd width's last pair repeats the first, if that is filtered.
struct ContainerImage {
  PixelFormat format;
  int width = 0;  // pixels
  Plane<const std::uint8_t> in;
  Plane<std::uint8_t> out;
  ChannelRole role[4] = {};  // of the components; elsewhere than in the plane it does not count
  int plane = 0;

  COALESCE_HOST_DEVICE int columns(const PixelComponent &c) const {
    return -(-width >> c.log2_width);
  }
};

// in, out: pictures of such a format that have been checked.
ContainerImage container_image(const ConstImage &in, const Image &out, bool luma_only,
                               bool filter_alpha);

// On the CPU: the components that are filtered are unpacked to planes of their own of this depth,
// filtered there, and put into copies of the rows. memory: for those planes, from one frame to the
// next, where a caller has it.
Status filter_containers(const ContainerImage &image, SampleDepth depth, ArgumentCache *memory,
                         ThreadPool *pool,
                         const std::function<Status(const ChannelPlanes &planes)> &filter);

}  // namespace coalesce
