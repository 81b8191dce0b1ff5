// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/median/median_job.h"
#include "../twin.h"

namespace coalesce {

Status median_cuda(const MedianJob &job, void *stream) {
  for (int i = 0; i < job.planes.planes; ++i)
    if (Status s = twin::check_access({job.planes.plane[i].in, job.planes.plane[i].out}); !s.ok())
      return s;
  return twin::launch(stream, [job] { (void)median_cpu(job, nullptr); });
}

}  // namespace coalesce
