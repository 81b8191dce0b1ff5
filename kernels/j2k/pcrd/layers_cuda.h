// SPDX-License-Identifier: LGPL-2.1-or-later
// Between Tier-1 and Tier-2 on the GPU.
#pragma once

#include <cstdint>

#include "../../core/status.h"
#include "../device/device_frame.h"

namespace coalesce::j2k {

// Every layer gets all passes, so the first has them: passes of layer l, block b at l * blocks + b.
Status fill_layers_cuda(const DeviceFrame &frame, int layers, std::uint8_t *passes, void *stream);

// final_error() of each block.
Status final_errors_cuda(const DeviceFrame &frame, std::uint32_t *errors, void *stream);

}  // namespace coalesce::j2k
