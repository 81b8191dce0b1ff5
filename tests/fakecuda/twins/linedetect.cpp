// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/linedetect/line_job.h"
#include "../../../kernels/linedetect/line_mask_job.h"
#include "../twin.h"

namespace coalesce {

Status linedetect_cuda(const LineJob &job, void *stream) {
  for (int c = 0; c < job.channels; ++c)
    if (Status s = twin::check_access({job.in[c]}); !s.ok()) return s;
  const std::size_t bytes =
      linedetect_scratch_bytes(job.width, job.height) / static_cast<std::size_t>(job.height);
  const Plane<std::uint8_t> scratch = {static_cast<std::uint8_t *>(job.scratch),
                                       static_cast<int>(bytes), job.height, bytes};
  const Plane<Line> lines = {job.lines, job.max_lines, 1,
                             static_cast<std::size_t>(job.max_lines) * sizeof(Line)};
  const Plane<LineCount> count = {job.count, 1, 1, sizeof(LineCount)};
  if (Status s = twin::check_access({job.edges, scratch, lines, count}); !s.ok()) return s;
  return twin::launch(stream, [job] { (void)linedetect_cpu(job, nullptr); });
}

Status draw_line_mask_cuda(const LineMaskJob &job, void *stream) {
  const Plane<const LineCount> count = {job.count, 1, 1, sizeof(LineCount)};
  const auto most = static_cast<int>(job.max_lines);
  const Plane<const Line> lines = {job.lines, most, 1, job.max_lines * sizeof(Line)};
  if (Status s = twin::check_access({lines, count, job.mask}); !s.ok()) return s;
  return twin::launch(stream, [job] { draw_line_mask_cpu(job, nullptr); });
}

}  // namespace coalesce
