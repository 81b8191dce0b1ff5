// SPDX-License-Identifier: LGPL-2.1-or-later
// TileTransform for all tiles of a picture on the GPU: the same coefficients.
#pragma once

#include <cstdint>

#include "../samples.h"
#include "transform_plan.h"

namespace coalesce::j2k {

// Enqueues at most eleven kernels, however many tiles there are; allocates nothing, waits for
// nothing. All memory is the device's, of the current context and the stream's:
//   tiles         plan.tiles, copied there once
//   samples       of each component, from its first sample on; the structs are the host's
//   coefficients  EncoderPlan::coefficients of them, aligned to kTransformAlign; what is between
//                 rows is not written
//   scratch       plan.scratch_bytes of its own for each frame in flight, aligned to
//   kTransformAlign
//
// Errors: invalid_argument for samples that level_shift() refuses, or of other bits than their
// component's, or for memory that is not aligned; what the launches report.
Status transform_cuda(const TransformPlan &plan, const TransformTile *tiles, const Samples *samples,
                      std::int32_t *coefficients, void *scratch, void *stream);

}  // namespace coalesce::j2k
