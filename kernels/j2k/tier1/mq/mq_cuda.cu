// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mq_cuda.h"

#include "../../../core/trace.h"
#include "mq_launch.cuh"

namespace coalesce::j2k {
namespace {

// From so many codewords on, it is faster to have two pipelines in a block than one; with fewer the
// GPU has room for all at once, and one is faster. (32x32 blocks of a UHD frame in 4:4:4 are more.)
constexpr int kManyCodewords = 20000;

}  // namespace

std::size_t code_blocks_scratch(std::size_t blocks, std::size_t passes) {
  const ScratchSizes sizes(blocks, passes);
  return sizes.marks + 2 * sizes.codewords + kBins * sizeof(std::uint32_t);
}

Status code_blocks(const DeviceFrame &frame, std::size_t passes, void *scratch, void *stream) {
  return code_blocks_by(frame.blocks < kManyCodewords ? 1 : 2, frame, passes, scratch, stream);
}

Status code_blocks_by(int pipelines, const DeviceFrame &frame, std::size_t passes, void *scratch,
                      void *stream) {
  const TraceRange trace("j2k: MQ coder");
  const auto code = pipelines == 1 ? code_frame<code_in_order<MqShape<1>>>
                                   : code_frame<code_in_order<MqShape<2, 0>>>;
  return code(frame, passes, scratch, stream);
}

}  // namespace coalesce::j2k
