// SPDX-License-Identifier: LGPL-2.1-or-later
#include "context_model_cuda.h"

#include "../../../core/cuda_status.h"
#include "../../../core/ptx.cuh"
#include "../../../core/trace.h"
#include "coding_passes.cuh"

namespace coalesce::j2k {
namespace {

// A warp by itself: blocks differ, and one that is done makes room for the next.
constexpr int kThreads = 32;

__device__ const ColumnTable kColumnTable = make_column_table();

template <int kLanes>
__global__ void __launch_bounds__(kThreads, 16)
    model_kernel(DeviceFrame frame, ModelShape shape, int first, int count) {
  COALESCE_DYNAMIC_SHARED(16, uint4, memory);
  auto *table = reinterpret_cast<std::uint32_t *>(memory);
  for (int i = static_cast<int>(threadIdx.x); i < 256; i += kThreads)
    table[i] = kColumnTable.at[i];
  __syncwarp();

  constexpr int kTeams = kThreads / kLanes;
  const int number = static_cast<int>(threadIdx.x) / kLanes;
  const int index = static_cast<int>(blockIdx.x) * kTeams + number;
  const bool idle = index >= count;  // behind the last block
  const int block = first + (idle ? 0 : index);
  auto *mine =
      reinterpret_cast<std::uint8_t *>(memory) + sizeof(ColumnTable) + number * team_bytes(shape);

  const Team<kLanes> team = {static_cast<int>(threadIdx.x) % kLanes};
  BlockModel<kLanes> model(frame, frame.plan[block], team, shape, table, mine);
  const int planes = model.code(idle ? -1 : frame.plan[block].max_planes);
  if (team.lane == 0 && !idle) frame.planes[block] = static_cast<std::uint8_t>(planes);
}

}  // namespace

ModelShape model_shape(const BlockPlan *plan, int blocks) {
  ModelShape shape = {16, 1, 1};
  for (int i = 0; i < blocks; ++i) {
    const int columns = (plan[i].width + 15) / 16, stripes = (plan[i].height + 3) / 4;
    const int words = columns * stripes, framed = (columns + 2) * (stripes + 2);
    if (words > shape.words) shape.words = words;
    if (framed > shape.framed) shape.framed = framed;
  }
  if (shape.words > 16) shape.lanes = 32;
  return shape;
}

Status model_blocks(const DeviceFrame &frame, const ModelShape &shape, int first, int count,
                    void *stream) {
  if (count == 0) return {};
  const TraceRange range("j2k model");
  const int teams = kThreads / shape.lanes;
  const std::size_t bytes = sizeof(ColumnTable) + teams * team_bytes(shape);
  return launch_shared(shape.lanes == 16 ? model_kernel<16> : model_kernel<32>,
                       dim3((count + teams - 1) / teams), dim3(kThreads), bytes,
                       static_cast<cudaStream_t>(stream), frame, shape, first, count);
}

}  // namespace coalesce::j2k
