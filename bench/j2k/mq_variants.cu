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
// As the lecture's study has it (docs/record.md); 128: its 16 numbers of 8 bytes.
template <StateIn in, Renormalise by, int chunk, Series series = Series::none>
using Lecture = LaneShape<in, by, chunk, 128, 0, series>;
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
    lanes<LaneShape<In::registers, By::by_count, 16, 128, 8>>("lanes, 8 blocks at a time"),
    lanes<LaneShape<In::registers, By::by_count, 16, 128, 4>>("lanes, 4 blocks at a time"),
    lanes<LaneShape<In::registers, By::by_count, 16, 128, 2>>("lanes, 2 blocks at a time"),
    lanes<LaneShape<In::registers, By::by_count, 16, 128, 1>>("lanes, 1 block at a time"),
    lanes<Lecture<In::local, By::by_ones, 1>>("lecture: basic"),
    lanes<Lecture<In::registers, By::by_ones, 1>>("lecture: R"),
    lanes<Lecture<In::registers, By::by_count, 1>>("lecture: R+ERN"),
    lanes<Lecture<In::registers, By::by_ones, 4, Series::same_context>>("lecture: R+LU"),
    lanes<Lecture<In::registers, By::by_ones, 4, Series::any_context>>("lecture: R+PS"),
    lanes<Lecture<In::registers, By::by_ones, 128>>("lecture: R+CL"),
    lanes<Lecture<In::registers, By::by_count, 128>>("lecture: R+ERN+CL"),
};

}  // namespace

MqVariants mq_variants() {
  return {kVariants, static_cast<int>(sizeof kVariants / sizeof *kVariants)};
}

}  // namespace coalesce::j2k
