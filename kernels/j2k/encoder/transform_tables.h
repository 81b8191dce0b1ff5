// SPDX-License-Identifier: LGPL-2.1-or-later
// What the transform on a GPU requires for a format, prepared once on the host.
#pragma once

#include "../transform/cuda/transform_plan.h"
#include "encoder_plan.h"

namespace coalesce::j2k {

// Allocates host memory.
TransformPlan transform_plan(const EncoderPlan &plan);

}  // namespace coalesce::j2k
