// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/remap/remap_job.h"
#include "../twin.h"

namespace coalesce {

Status remap_cuda(const RemapJob &job, void *stream) {
  if (Status s = twin::check_access({job.map.point, job.map.fraction, job.in, job.out}); !s.ok())
    return s;
  return twin::launch(stream, [job] { remap_cpu(job, nullptr); });
}

}  // namespace coalesce
