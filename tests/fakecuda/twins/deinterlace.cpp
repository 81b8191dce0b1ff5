// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/deinterlace/deinterlace_job.h"
#include "../twin.h"

namespace coalesce {

Status deinterlace_cuda(const DeinterlaceJob &job, void *stream) {
  for (const ConstImage &frame : job.frame)
    if (Status s =
            twin::check_access({frame.plane[0], frame.plane[1], frame.plane[2], frame.plane[3]});
        !s.ok())
      return s;
  for (int i = 0; i < job.pictures; ++i) {
    const auto &plane = job.picture[i].out.plane;
    if (Status s = twin::check_access({plane[0], plane[1], plane[2], plane[3]}); !s.ok()) return s;
  }
  return twin::launch(stream, [=] { (void)deinterlace_cpu(job, nullptr); });
}

}  // namespace coalesce
