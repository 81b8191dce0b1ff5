// SPDX-License-Identifier: LGPL-2.1-or-later
// What the CUDA back end has in the caller's scratch memory.
#pragma once

#include "../multiview_job.h"

namespace coalesce {

struct MultiviewCudaScratch {
  MultiviewCudaScratch(void *memory, const MultiviewParams &, int neighbours, int width, int height)
      : shared(memory, neighbours, width, height) {
    bytes = shared.layout.end();
  }
  MultiviewScratch shared;
  std::size_t bytes;
};

}  // namespace coalesce
