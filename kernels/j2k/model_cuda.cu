// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model_cuda.h"

#include "../core/cuda_status.h"
#include "../core/trace.h"
#include "model_passes.cuh"

namespace coalesce::j2k {
namespace {

__global__ void __launch_bounds__(32)
    model_kernel(DeviceFrame frame, ModelShape shape, int first, int count) {
  extern __shared__ std::uint64_t memory[];
  const int teams = 32 / shape.lanes;
  const Team team = {shape.lanes, static_cast<int>(threadIdx.x) % shape.lanes};
  const int number = static_cast<int>(threadIdx.x) / shape.lanes;
  const int index = static_cast<int>(blockIdx.x) * teams + number;
  const bool idle = index >= count;  // behind the last block

  const int block = first + (idle ? 0 : index);
  BlockModel model(frame, frame.plan[block], team, shape,
                   memory + number * (team_bytes(shape) / sizeof(std::uint64_t)));
  const int planes = model.begin();
  if (team.lane == 0 && !idle) frame.planes[block] = static_cast<std::uint8_t>(planes);
  model.code(idle || planes > frame.plan[block].max_planes ? 0 : planes);
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
  const int teams = 32 / shape.lanes;
  return launch_shared(model_kernel, dim3((count + teams - 1) / teams), dim3(32),
                       teams * team_bytes(shape), static_cast<cudaStream_t>(stream), frame, shape,
                       first, count);
}

}  // namespace coalesce::j2k
