// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mq_variants.h"

#include "mq_lane.cuh"

namespace coalesce::j2k {
namespace {

template <class Shape>
constexpr MqVariant pipelines(const char *name, bool candidate = false) {
  return {name, candidate, code_frame<code_in_order<Shape>>};
}
template <class Shape>
constexpr MqVariant lanes(const char *name) {
  return {name, false, code_frame<code_by_lanes<Shape>>};
}

using In = StateIn;
using By = Renormalise;
constexpr MqVariant kVariants[] = {
    {"library", true, code_blocks},
    pipelines<MqShape<1>>("1 pipeline a block", true),
    pipelines<MqShape<2>>("2 pipelines a block", true),
    pipelines<MqShape<4>>("4 pipelines a block", true),
    pipelines<MqShape<1, 0>>("1, fewer registers"),
    pipelines<MqShape<2, 0>>("2, fewer registers"),
    pipelines<MqShape<4, 0>>("4, fewer registers"),
    lanes<LaneShape<>>("lanes"),
    lanes<LaneShape<In::shared>>("lanes, state in shared memory"),
    lanes<LaneShape<In::local>>("lanes, state in local memory"),
    lanes<LaneShape<In::registers, By::by_table>>("lanes, shift by table"),
    lanes<LaneShape<In::registers, By::by_ones>>("lanes, single shifts"),
    lanes<LaneShape<In::registers, By::by_count, 1>>("lanes, chunks of 1"),
    lanes<LaneShape<In::registers, By::by_count, 4>>("lanes, chunks of 4"),
    lanes<LaneShape<In::registers, By::by_count, 64>>("lanes, chunks of 64"),
    lanes<LaneShape<In::registers, By::by_count, 16, 32>>("lanes, 32 threads a block"),
    lanes<LaneShape<In::registers, By::by_count, 16, 128, 2>>("lanes, 2 blocks at a time"),
    lanes<LaneShape<In::registers, By::by_count, 16, 128, 1>>("lanes, 1 block at a time"),
    lanes<LaneShape<In::local, By::by_ones, 1>>("lanes, the slowest of all"),
};

}  // namespace

MqVariants mq_variants() {
  return {kVariants, static_cast<int>(sizeof kVariants / sizeof *kVariants)};
}

}  // namespace coalesce::j2k
