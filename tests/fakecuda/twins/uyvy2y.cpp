// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/uyvy2y/uyvy2y.h"
#include "../twin.h"

namespace coalesce {

Status uyvy2y_cuda(const ConstImage &in, const Image &out, void *stream) {
  if (Status s = twin::check_access({in.plane[0], out.plane[0], out.plane[1], out.plane[2]});
      !s.ok())
    return s;
  return twin::launch(stream, [=] { (void)uyvy2y_cpu(in, out, nullptr); });
}

}  // namespace coalesce
