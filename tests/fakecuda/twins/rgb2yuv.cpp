// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/rgb2yuv/rgb2yuv_job.h"
#include "../twin.h"

namespace coalesce {

Status rgb2yuv_cuda(const Rgb2yuvJob &job, void *stream) {
  const RgbPlanes &in = job.in;
  const YuvPlanes &out = job.out;
  if (Status s = twin::check_access(
          {in.plane[0], in.plane[1], in.plane[2], out.plane[0], out.plane[1], out.plane[2]});
      !s.ok())
    return s;
  return twin::launch(stream, [=] { (void)rgb2yuv_cpu(job, nullptr); });
}

}  // namespace coalesce
