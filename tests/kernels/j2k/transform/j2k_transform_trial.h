// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "../../check.h"
#include "j2k/encoder/encoder_plan.h"
#include "j2k/transform/samples.h"

namespace coalesce::test {

// From samples to the coefficients of a picture: in host memory, or on device_stream().
using J2kTransform = std::function<Status(const j2k::EncoderPlan &, const j2k::Samples *,
                                          std::int32_t *coefficients, const Backend &)>;

struct J2kTransformTrialOptions {
  bool lively = false;  // for planted bugs: noise, more than one level, a region of interest
};

// What it must do, as the standard and docs/numerics.md write it.
void j2k_transform_reference(const j2k::EncoderPlan &plan, const j2k::Samples *samples,
                             std::int32_t *coefficients);

// The library's.
Status j2k_transform(const j2k::EncoderPlan &plan, const j2k::Samples *samples,
                     std::int32_t *coefficients, const Backend &backend);

std::string j2k_transform_trial(const J2kTransform &operation,
                                const J2kTransformTrialOptions &options, Random &random, int index,
                                const Backend &backend);

std::vector<PlantedBug> j2k_transform_planted();

}  // namespace coalesce::test
