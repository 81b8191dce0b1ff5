// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/convert/convert_cuda.h"
#include "../twin.h"

namespace coalesce {

Status convert_cuda(const ConvertJob &job, void *stream) {
  const auto &in = job.in.plane;
  const auto &out = job.out.plane;
  if (Status s = twin::check_access({in[0], in[1], in[2], in[3], out[0], out[1], out[2], out[3]});
      !s.ok())
    return s;
  return twin::launch(stream, [=] { (void)convert_cpu(job, nullptr); });
}

}  // namespace coalesce
