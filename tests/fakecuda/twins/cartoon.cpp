// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/cartoon/cartoon_job.h"
#include "../twin.h"

namespace coalesce {

Status dog_cuda(const DogJob &job, void *stream) {
  if (Status s = twin::check_access({job.out}); !s.ok()) return s;
  for (int c = 0; c < job.luma.components; ++c)
    if (Status s = twin::check_access({job.luma.component[c].in}); !s.ok()) return s;
  return twin::launch(stream, [job] { dog_cpu(job, nullptr); });
}

Status tones_cuda(const ToneJob &job, void *stream) {
  for (int p = 0; p < job.planes; ++p)
    if (Status s = twin::check_access({job.plane[p].in, job.plane[p].out}); !s.ok()) return s;
  return twin::launch(stream, [job] { tones_cpu(job, nullptr); });
}

}  // namespace coalesce
