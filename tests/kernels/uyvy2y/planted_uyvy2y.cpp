// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../planted.h"

#include <cstring>

#include "uyvy2y/uyvy2y_pixel.h"
#include "uyvy2y_trial.h"

namespace coalesce::test {
namespace {

// The true operation, then the damage.
Status last_column(const Uyvy2yParams &params, Plane<const std::uint8_t> packed,
                   const LumaImage &out, const Queue &queue) {
  const Status s = uyvy2y(params, packed, out, queue);
  const int x = out.luma.width - 1;
  for (int y = 0; y < out.luma.height; ++y)
    out.luma.row(y)[x] = packed.row(y)[2 * x + 1 - luma_offset(params.layout)];
  return s;
}

Status past_row(const Uyvy2yParams &params, Plane<const std::uint8_t> packed, const LumaImage &out,
                const Queue &queue) {
  const Status s = uyvy2y(params, packed, out, queue);
  std::uint8_t *row = out.luma.row(out.luma.height - 1);
  row[out.luma.width] ^= 1;
  return s;
}

Status ignores_pitch(const Uyvy2yParams &params, Plane<const std::uint8_t> packed,
                     const LumaImage &out, const Queue &queue) {
  LumaImage dense = out;
  dense.luma.pitch = static_cast<std::size_t>(dense.luma.width);
  return uyvy2y(params, packed, dense, queue);
}

Status forgets_chroma(const Uyvy2yParams &params, Plane<const std::uint8_t> packed,
                      const LumaImage &out, const Queue &queue) {
  return uyvy2y(params, packed, {out.luma, {out.chroma[0], {}}}, queue);
}

PlantedBug host_bug(const char *name, const Uyvy2y &broken) {
  return {name, false, [broken](Random &random, int index, const Backend &backend) {
            return uyvy2y_trial(broken, {.roomy = true}, random, index, backend);
          }};
}

PlantedBug cuda_bug(const char *name, Planted bug) {
  return {name, true, [bug](Random &random, int index, const Backend &backend) {
            const Uyvy2y broken = [bug](const Uyvy2yParams &params,
                                        Plane<const std::uint8_t> packed, const LumaImage &out,
                                        const Queue &queue) {
              return planted_uyvy2y_cuda(bug, params, packed, out, queue);
            };
            return uyvy2y_trial(broken, {.roomy = true, .luma_only = true}, random, index, backend);
          }};
}

}  // namespace

std::vector<PlantedBug> uyvy2y_planted() {
  return {
      host_bug("uyvy2y, wrong in the last column", last_column),
      host_bug("uyvy2y, writes behind the last row", past_row),
      host_bug("uyvy2y, ignores the pitch", ignores_pitch),
      host_bug("uyvy2y, forgets the second chroma plane", forgets_chroma),
      cuda_bug("uyvy2y, kernel wrong in the last column", Planted::last_column),
      cuda_bug("uyvy2y, kernel writes past each row", Planted::past_row),
      cuda_bug("uyvy2y, kernel ignores the pitch", Planted::ignores_pitch),
  };
}

}  // namespace coalesce::test
