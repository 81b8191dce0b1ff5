// SPDX-License-Identifier: LGPL-2.1-or-later
// The MQ and raw coders on the GPU: from the symbols of context modelling to passes and bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../core/status.h"
#include "../../device/device_frame.h"

namespace coalesce::j2k {

// Behind the last symbol of a frame so many bytes must be readable. What they are does not matter.
// And DeviceFrame::symbols is a multiple of 16.
constexpr std::size_t kSymbolsPadding = 64;

// Device memory that a call works in; its content matters neither before nor after it. blocks and
// passes are EncoderPlan's (passes: room for the largest number of them).
std::size_t code_blocks_scratch(std::size_t blocks, std::size_t passes);

// Makes passes, bytes and coded of the planes, symbols and made of all blocks of a frame: what
// Tier1Coder would make.
//
// scratch: code_blocks_scratch() bytes, a multiple of 256; stream: a cudaStream_t. Nothing is
// checked, allocated, or waited for.
Status code_blocks(const DeviceFrame &frame, std::size_t passes, void *scratch, void *stream);

// The kernels that code_blocks() chooses from: a thread block has one pipeline, or two; or one that
// does with 64 KiB of shared memory, which is all there is on compute capability 7.5.
enum class MqKernel : std::uint8_t { one, two, small };

// Does the current device have the shared memory? False, too, if it cannot be told.
bool has_memory_for(MqKernel kernel);

// The same as code_blocks() by one of them.
Status code_blocks_by(MqKernel kernel, const DeviceFrame &frame, std::size_t passes, void *scratch,
                      void *stream);

}  // namespace coalesce::j2k
