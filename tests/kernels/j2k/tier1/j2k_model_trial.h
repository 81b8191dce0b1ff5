// SPDX-License-Identifier: LGPL-2.1-or-later
// One trial of context modelling, whole frames of blocks at a time.
#pragma once

#include "../../check.h"
#include "core/status.h"
#include "j2k/device/device_frame.h"

namespace coalesce::test {

// Fills planes, symbols and made of a frame, which lies in host memory, or on the device;
// plan is the frame's, in host memory.
using BlockModelling = std::function<Status(const j2k::DeviceFrame &frame,
                                            const j2k::BlockPlan *plan, const Queue &queue)>;

// That of the library; on the CPU it is ContextModel's.
Status model_frame(const j2k::DeviceFrame &frame, const j2k::BlockPlan *plan, const Queue &queue);

std::string j2k_model_trial(const BlockModelling &modelling, Random &random, int index,
                            const Backend &backend);

std::vector<PlantedBug> j2k_model_planted();
}  // namespace coalesce::test
