// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mq_cuda.h"

#include "../core/trace.h"
#include "mq_launch.cuh"

namespace coalesce::j2k {

std::size_t code_blocks_scratch(std::size_t blocks, std::size_t passes, int frames) {
  const ScratchSizes sizes(blocks, passes, frames);
  return sizes.marks + 2 * sizes.codewords + kBins * sizeof(std::uint32_t);
}

Status code_blocks(const DeviceFrame *frames, int count, std::size_t passes, void *scratch,
                   void *stream) {
  const TraceRange trace("j2k: MQ coder");
  return code_frames<1>(frames, count, passes, scratch, stream);
}

}  // namespace coalesce::j2k
