// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/canny/canny_job.h"
#include "../../../kernels/canny/edge_overlay_job.h"
#include "../twin.h"

namespace coalesce {

Status canny_cuda(const CannyJob &job, void *stream) {
  for (int c = 0; c < job.channels; ++c)
    if (Status s = twin::check_access({job.in[c]}); !s.ok()) return s;
  const std::size_t bytes =
      canny_scratch_bytes(job.width, job.height) / static_cast<std::size_t>(job.height);
  const Plane<std::uint8_t> scratch = {static_cast<std::uint8_t *>(job.scratch),
                                       static_cast<int>(bytes), job.height, bytes};
  if (Status s = twin::check_access({job.out, scratch}); !s.ok()) return s;
  return twin::launch(stream, [job] { (void)canny_cpu(job, nullptr); });
}

Status draw_edges_cuda(const OverlayJob &job, void *stream) {
  if (Status s = twin::check_access({job.edges}); !s.ok()) return s;
  for (int p = 0; p < job.planes; ++p)
    if (Status s = twin::check_access({job.plane[p].in, job.plane[p].out}); !s.ok()) return s;
  return twin::launch(stream, [job] { draw_edges_cpu(job, nullptr); });
}

}  // namespace coalesce
