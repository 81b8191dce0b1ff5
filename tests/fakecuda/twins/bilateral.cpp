// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/bilateral/bilateral_job.h"
#include "../twin.h"

namespace coalesce {

Status bilateral_cuda(const BilateralJob &job, void *stream) {
  for (int g = 0; g < job.groups; ++g)
    for (int c = 0; c < job.group[g].components; ++c) {
      const BilateralComponent &component = job.group[g].component[c];
      if (Status s = twin::check_access({component.in, component.out}); !s.ok()) return s;
    }
  for (int p = 0; p < job.copies; ++p)
    if (Status s = twin::check_access({job.copy[p].in, job.copy[p].out}); !s.ok()) return s;
  return twin::launch(stream, [job] { (void)bilateral_cpu(job, nullptr); });
}

}  // namespace coalesce
