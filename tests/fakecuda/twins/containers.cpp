// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/picture/containers_job.h"
#include "../twin.h"

namespace coalesce {
namespace {

Status check_access(const ContainerJob &job) {
  for (int i = 0; i < 4; ++i)
    if (Status s = twin::check_access({job.unpacked[i], job.filtered[i]}); !s.ok()) return s;
  return twin::check_access({job.in, job.out});
}

}  // namespace

Status unpack_containers_cuda(const ContainerJob &job, void *stream) {
  if (Status s = check_access(job); !s.ok()) return s;
  return twin::launch(stream, [job] { unpack_containers_cpu(job, nullptr); });
}

Status pack_containers_cuda(const ContainerJob &job, void *stream) {
  if (Status s = check_access(job); !s.ok()) return s;
  return twin::launch(stream, [job] { pack_containers_cpu(job, nullptr); });
}

}  // namespace coalesce
