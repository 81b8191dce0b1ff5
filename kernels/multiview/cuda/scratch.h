// SPDX-License-Identifier: LGPL-2.1-or-later
// What the CUDA back end has in the caller's scratch memory.
#pragma once

#include "../multiview_job.h"

namespace coalesce {

// Of candidates that have been seen: the least cost above that of the last one; the costs before
// and behind the least one. Its candidate is where the match will be.
struct alignas(8) SweepState {
  std::uint32_t cost_last, before_behind;
};

struct MultiviewCudaScratch {
  MultiviewCudaScratch(void *memory, const MultiviewParams &params, int neighbours, int width,
                       int height)
      : shared(memory, neighbours, width, height) {
    Layout &layout = shared.layout;
    states = layout.at<SweepState>(shared.pixels * static_cast<std::size_t>(neighbours));
    if (params.method == MultiviewMethod::ncc) left = layout.at<NccWindow>(shared.pixels);
    bytes = layout.end();
  }

  MultiviewScratch shared;
  SweepState *states;         // of each neighbour
  NccWindow *left = nullptr;  // of ncc: windows of the reference
  std::size_t bytes;
};

}  // namespace coalesce
