// SPDX-License-Identifier: LGPL-2.1-or-later
// The launches of a call.
#pragma once

#include "../../../core/cuda_status.h"
#include "mq_finish.cuh"
#include "mq_order.cuh"

namespace coalesce::j2k {

constexpr std::size_t kAlign = 256;

inline std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlign - 1) / kAlign * kAlign;
}

struct ScratchSizes {
  std::size_t marks, codewords;
  ScratchSizes(std::size_t blocks, std::size_t passes)
      : marks(aligned(passes * sizeof(PassMark))),
        codewords(aligned(blocks * sizeof(std::uint32_t))) {}
};

inline CodingScratch divide(void *scratch, const ScratchSizes &sizes) {
  auto *at = static_cast<std::uint8_t *>(scratch);
  return {reinterpret_cast<PassMark *>(at), reinterpret_cast<std::uint32_t *>(at + sizes.marks),
          reinterpret_cast<std::uint32_t *>(at + sizes.marks + sizes.codewords),
          reinterpret_cast<std::uint32_t *>(at + sizes.marks + 2 * sizes.codewords)};
}

inline unsigned blocks_for(std::uint32_t items, int of_block) {
  return (items + static_cast<unsigned>(of_block) - 1) / static_cast<unsigned>(of_block);
}

inline Status order_codewords(const DeviceFrame &frame, const CodingScratch &scratch,
                              cudaStream_t stream) {
  const auto all = static_cast<std::uint32_t>(frame.blocks);
  Status s = cuda_checked(cudaMemsetAsync(scratch.bins, 0, kBins * sizeof(std::uint32_t), stream));
  if (s.ok())
    s = launch(count_symbols, dim3(blocks_for(all, kOrderThreads / kLanes)), dim3(kOrderThreads),
               stream, frame, scratch);
  if (s.ok()) s = launch(begin_bins, dim3(1), dim3(kBins), stream, scratch);
  if (s.ok())
    s = launch(put_in_order, dim3(blocks_for(all, kOrderThreads)), dim3(kOrderThreads), stream,
               scratch, all);
  return s;
}

template <class Shape>
Status code_in_order(const DeviceFrame &frame, const CodingScratch &scratch, cudaStream_t stream) {
  constexpr std::size_t kBytes = sizeof(CoderMemory<Shape>);
  // Of a context, like the stream: so it is not remembered.
  const Status s = cuda_checked(cudaFuncSetAttribute(code_codewords<Shape>,
                                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                     static_cast<int>(kBytes)));
  if (!s.ok()) return s;
  return launch_shared(
      code_codewords<Shape>,
      dim3(blocks_for(static_cast<std::uint32_t>(frame.blocks), Shape::kPipelines * kLanes)),
      dim3(96 * Shape::kPipelines), kBytes, stream, frame, scratch, make_mq_rows());
}

using CodeInOrder = Status(const DeviceFrame &frame, const CodingScratch &scratch,
                           cudaStream_t stream);

template <CodeInOrder *code>
Status code_frame(const DeviceFrame &frame, std::size_t passes, void *scratch, void *stream) {
  if (frame.blocks == 0) return {};
  const CodingScratch divided =
      divide(scratch, ScratchSizes(static_cast<std::size_t>(frame.blocks), passes));
  const auto in = static_cast<cudaStream_t>(stream);
  Status s = order_codewords(frame, divided, in);
  if (s.ok()) s = code(frame, divided, in);
  if (s.ok())
    s = launch(finish_passes,
               dim3(blocks_for(static_cast<std::uint32_t>(frame.blocks), kFinishThreads / kLanes)),
               dim3(kFinishThreads), in, frame, divided);
  return s;
}

}  // namespace coalesce::j2k
