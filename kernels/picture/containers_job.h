// SPDX-License-Identifier: LGPL-2.1-or-later
// One call of filter_containers(), for the back ends.
#pragma once

#include "../core/thread_pool.h"
#include "channels.h"

namespace coalesce {

// A picture of containers, and the planes of its components.
struct ContainerJob {
  PixelFormat format;
  int width = 0, height = 0;  // pixels
  Plane<const std::uint8_t> in;
  Plane<std::uint8_t> out;
  bool in_words = false;  // samples of the planes have 16 bits
  // Unpacked, and filtered, by component; without data: of one that is copied. Rows begin at
  // multiples of 16 bytes, and have room for as many.
  Plane<std::uint8_t> unpacked[4] = {}, filtered[4] = {};

  COALESCE_HOST_DEVICE bool filters(int component) const {
    return filtered[component].data != nullptr;
  }
  COALESCE_HOST_DEVICE int columns(int component) const {
    return -(-width >> format.component[component].log2_width);
  }
};

void unpack_containers_cpu(const ContainerJob &job, ThreadPool *pool);
void pack_containers_cpu(const ContainerJob &job, ThreadPool *pool);
Status unpack_containers_cuda(const ContainerJob &job, void *stream);
Status pack_containers_cuda(const ContainerJob &job, void *stream);

}  // namespace coalesce
