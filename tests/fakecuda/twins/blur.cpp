// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/blur/blur_job.h"
#include "../twin.h"

namespace coalesce {
namespace {

Status check_access(const BlurJob &job) {
  for (int p = 0; p < job.in.format.planes; ++p)
    if (Status s = twin::check_access({job.in.plane[p], job.out.plane[p]}); !s.ok()) return s;
  for (int i = 0; i < job.components; ++i)
    if (Status s = twin::check_access({job.component[i].low, job.component[i].smooth}); !s.ok())
      return s;
  return {};
}

}  // namespace

Status blur_down_cuda(const BlurJob &job, void *stream) {
  if (Status s = check_access(job); !s.ok()) return s;
  return twin::launch(stream, [=] { blur_down_cpu(job, nullptr); });
}

Status blur_smooth_cuda(const BlurJob &job, void *stream) {
  if (Status s = check_access(job); !s.ok()) return s;
  return twin::launch(stream, [=] { blur_smooth_cpu(job, nullptr); });
}

Status blur_up_cuda(const BlurJob &job, void *stream) {
  if (Status s = check_access(job); !s.ok()) return s;
  return twin::launch(stream, [=] { blur_up_cpu(job, nullptr); });
}

}  // namespace coalesce
