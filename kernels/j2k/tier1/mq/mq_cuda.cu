// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mq_cuda.h"

#include "../../../core/trace.h"
#include "mq_launch.cuh"

namespace coalesce::j2k {
namespace {

// From so many codewords on, it is faster to have two pipelines in a block than one; with fewer the
// GPU has room for all at once, and one is faster. (32x32 blocks of a UHD frame in 4:4:4 are more.)
constexpr int kManyCodewords = 20000;

using One = MqShape<1>;
using Two = MqShape<2, 0>;
using Small = MqShape<1, 1, kLanes / 2>;
static_assert(sizeof(CoderMemory<Small>) <= 64 * 1024);

}  // namespace

std::size_t code_blocks_scratch(std::size_t blocks, std::size_t passes) {
  const ScratchSizes sizes(blocks, passes);
  return sizes.marks + 2 * sizes.codewords + kBins * sizeof(std::uint32_t);
}

Status code_blocks(const DeviceFrame &frame, std::size_t passes, void *scratch, void *stream) {
  const MqKernel wanted = frame.blocks < kManyCodewords ? MqKernel::one : MqKernel::two;
  return code_blocks_by(has_memory_for(wanted) ? wanted : MqKernel::small, frame, passes, scratch,
                        stream);
}

bool has_memory_for(MqKernel kernel) {
  int of_block = 0, of_multiprocessor = 0;
  if (!count_shared_bytes(&of_block, &of_multiprocessor).ok()) return false;
  const std::size_t wanted = kernel == MqKernel::one   ? sizeof(CoderMemory<One>)
                             : kernel == MqKernel::two ? sizeof(CoderMemory<Two>)
                                                       : sizeof(CoderMemory<Small>);
  return wanted <= static_cast<std::size_t>(of_block);
}

Status code_blocks_by(MqKernel kernel, const DeviceFrame &frame, std::size_t passes, void *scratch,
                      void *stream) {
  const TraceRange trace("j2k: MQ coder");
  const auto code = kernel == MqKernel::one   ? code_frame<code_in_order<One>>
                    : kernel == MqKernel::two ? code_frame<code_in_order<Two>>
                                              : code_frame<code_in_order<Small>>;
  return code(frame, passes, scratch, stream);
}

}  // namespace coalesce::j2k
