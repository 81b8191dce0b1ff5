// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../support/device.h"
#include "j2k/encoder/transform_tables.h"
#include "j2k/transform/cuda/transform_cuda.h"
#include "j2k_transform_trial.h"

namespace coalesce::test {
namespace {

using namespace j2k;

// The true transform of something a little different.
Status forgets_roi(const EncoderPlan &plan, const Samples *samples, std::int32_t *out,
                   const Backend &backend) {
  EncoderPlan other = plan;
  for (ComponentBands &bands : other.bands)
    bands.roi_shift = 0;
  return j2k_transform(other, samples, out, backend);
}

Status forgets_offset(const EncoderPlan &plan, const Samples *samples, std::int32_t *out,
                      const Backend &backend) {
  Samples other[kMaxComponents];
  for (int c = 0; c < plan.components(); ++c) {
    other[c] = samples[c];
    other[c].x0 = other[c].y0 = 0;
  }
  return j2k_transform(plan, other, out, backend);
}

// Quantises (or shifts by the region) with a step that is a little too large.
Status wrong_step(const EncoderPlan &plan, const Samples *samples, std::int32_t *out,
                  const Backend &backend) {
  EncoderPlan other = plan;
  for (ComponentBands &bands : other.bands)
    for (BandQuantiser &band : bands.bands)
      band.step *= 1.0001f;
  return j2k_transform(other, samples, out, backend);
}

PlantedBug host_bug(const char *name, const J2kTransform &broken) {
  return {name, false, [broken](Random &random, int index, const Backend &backend) {
            return j2k_transform_trial(broken, {.lively = true}, random, index, backend);
          }};
}

// On CUDA: the true kernels with a plan that is broken.
using Damage = void (*)(TransformPlan *plan);

// Even samples become odd ones.
void wrong_origin(TransformPlan *plan) {
  for (TransformTile &tile : plan->tiles) {
    ++tile.x.first;
    ++tile.x.end;
  }
}

void forgets_row(TransformPlan *plan) {
  for (TransformTile &tile : plan->tiles)
    if (tile.y.size() > 1) --tile.y.end;
}

void overlapping_scratch(TransformPlan *plan) {
  for (TransformTile &tile : plan->tiles)
    tile.low = 0;
}

void shared_places(TransformPlan *plan) {
  for (std::size_t i = 1; i < plan->tiles.size(); ++i)
    plan->tiles[i].plane = plan->tiles[0].plane;
}

Status run_damaged(Damage damage, const EncoderPlan &plan, const Samples *samples,
                   std::int32_t *out) {
  TransformPlan cuda = transform_plan(plan);
  damage(&cuda);
  DeviceMemory tiles(cuda.tiles.size() * sizeof(TransformTile));
  DeviceMemory scratch(2 * cuda.scratch_bytes + 4096);  // damage is to be seen, not to crash
  tiles.upload(cuda.tiles.data());
  const Status s = transform_cuda(cuda, reinterpret_cast<const TransformTile *>(tiles.data()),
                                  samples, out, scratch.data(), device_stream());
  device_synchronize();
  return s;
}

PlantedBug cuda_bug(const char *name, Damage damage) {
  return {name, true, [damage](Random &random, int index, const Backend &backend) {
            const J2kTransform broken = [damage](const EncoderPlan &plan, const Samples *samples,
                                                 std::int32_t *out, const Backend &) {
              return run_damaged(damage, plan, samples, out);
            };
            return j2k_transform_trial(broken, {.lively = true}, random, index, backend);
          }};
}

}  // namespace

std::vector<PlantedBug> j2k_transform_planted() {
  return {
      host_bug("j2k-transform, forgets the region of interest", forgets_roi),
      host_bug("j2k-transform, forgets where samples begin", forgets_offset),
      host_bug("j2k-transform, steps too large by 0.01 %", wrong_step),
      cuda_bug("j2k-transform, kernels take even for odd columns", wrong_origin),
      cuda_bug("j2k-transform, kernels forget the last row", forgets_row),
      cuda_bug("j2k-transform, kernels share scratch memory", overlapping_scratch),
      cuda_bug("j2k-transform, kernels mix up the planes", shared_places),
  };
}

}  // namespace coalesce::test
