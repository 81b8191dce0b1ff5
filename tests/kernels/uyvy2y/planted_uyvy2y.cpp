// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../planted.h"

#include "picture/formats.h"
#include "uyvy2y/uyvy2y_pixel.h"
#include "uyvy2y_trial.h"

namespace coalesce::test {
namespace {

// The true operation, then the damage.
Status last_column(const ConstImage &in, const Image &out, const Queue &queue) {
  const Status s = uyvy2y(in, out, queue);
  const int x = out.width - 1;
  for (int y = 0; y < out.height; ++y)
    out.plane[0].row(y)[x] = in.plane[0].row(y)[2 * x + 1 - luma_offset(in.format)];
  return s;
}

Status past_row(const ConstImage &in, const Image &out, const Queue &queue) {
  const Status s = uyvy2y(in, out, queue);
  out.plane[0].row(out.height - 1)[out.width] ^= 1;
  return s;
}

Status ignores_pitch(const ConstImage &in, const Image &out, const Queue &queue) {
  Image dense = out;
  dense.plane[0].pitch = static_cast<std::size_t>(out.width);
  return uyvy2y(in, dense, queue);
}

Status forgets_chroma(const ConstImage &in, const Image &out, const Queue &queue) {
  Image luma = out;
  luma.format = pixel_format("GRAY8");
  return uyvy2y(in, luma, queue);
}

PlantedBug host_bug(const char *name, const Uyvy2y &broken) {
  return {name, false, [broken](Random &random, int index, const Backend &backend) {
            return uyvy2y_trial(broken, {.roomy = true}, random, index, backend);
          }};
}

PlantedBug cuda_bug(const char *name, Planted bug) {
  return {name, true, [bug](Random &random, int index, const Backend &backend) {
            const Uyvy2y broken = [bug](const ConstImage &in, const Image &out,
                                        const Queue &queue) {
              return planted_uyvy2y_cuda(bug, in, out, queue);
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
      host_bug("uyvy2y, forgets the chroma planes", forgets_chroma),
      cuda_bug("uyvy2y, kernel wrong in the last column", Planted::last_column),
      cuda_bug("uyvy2y, kernel writes past each row", Planted::past_row),
      cuda_bug("uyvy2y, kernel ignores the pitch", Planted::ignores_pitch),
  };
}

}  // namespace coalesce::test
