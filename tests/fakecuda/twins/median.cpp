// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdlib>

#include "../../../kernels/median/median_job.h"
#include "../twin.h"

namespace coalesce {

Status median_cuda(const MedianJob &job, void *stream) {
  for (int i = 0; i < job.planes.planes; ++i)
    if (Status s = twin::check_access({job.planes.plane[i].in, job.planes.plane[i].out}); !s.ok())
      return s;
  return twin::launch(stream, [job] { (void)median_cpu(job, nullptr); });
}

Status median_containers_cuda(const MedianJob &job, const ContainerImage &image, void *stream) {
  if (Status s = twin::check_access({image.in, image.out}); !s.ok()) return s;
  return twin::launch(stream, [job, image] {
    const auto filtered = [&](const ChannelPlanes &planes) {
      MedianJob of_planes = job;
      of_planes.planes = planes;
      return median_cpu(of_planes, nullptr);
    };
    if (!filter_containers(image, job.depth, nullptr, nullptr, filtered).ok()) std::abort();
  });
}

}  // namespace coalesce
