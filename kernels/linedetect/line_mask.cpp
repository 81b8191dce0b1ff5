// SPDX-License-Identifier: LGPL-2.1-or-later
#include "line_mask.h"

#include "../picture/formats.h"
#include "line_mask_job.h"

namespace coalesce {

Status draw_line_mask(const Line *lines, const LineCount *count, int max_lines, int thickness,
                      const Image &mask, const Queue &queue) {
  if (Status s = check_image(mask); !s.ok()) return s;
  if (!(mask.format == pixel_format("GRAY8")))
    return invalid_argument("lines: the mask must be GRAY8");
  if (lines == nullptr || count == nullptr) return invalid_argument("lines: there are none");
  if (max_lines < 1 || max_lines > kMaxLines)
    return invalid_argument("lines: their number must be from 1 to 16384");
  if (thickness < 1 || thickness > kMaxLineThickness)
    return invalid_argument("lines: the thickness must be from 1 to 15");
  const LineMaskJob job = {lines, count, static_cast<std::uint32_t>(max_lines), thickness,
                           mask.plane[0]};
  if (!queue.on_cuda()) {
    draw_line_mask_cpu(job, queue.pool());
    return {};
  }
#if COALESCE_CUDA_KERNELS
  return draw_line_mask_cuda(job, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
