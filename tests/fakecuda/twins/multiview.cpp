// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/multiview/multiview_job.h"
#include "../twin.h"

namespace coalesce {

Status find_depths_cuda(const MultiviewJob &job, void *stream) {
  const auto rows = static_cast<std::size_t>(job.height);
  const std::size_t row =
      multiview_scratch_bytes(job.params, job.neighbours + 1, job.width, job.height, true) / rows;
  const Plane<std::uint8_t> scratch = {static_cast<std::uint8_t *>(job.scratch),
                                       static_cast<int>(row), job.height, row};
  if (Status s = twin::check_access({job.depth, job.confidence, scratch}); !s.ok()) return s;
  for (int i = 0; i <= job.neighbours; ++i)
    if (Status s = twin::check_access({job.in[i]}); !s.ok()) return s;
  return twin::launch(stream, [job] { (void)find_depths_cpu(job, nullptr); });
}

}  // namespace coalesce
