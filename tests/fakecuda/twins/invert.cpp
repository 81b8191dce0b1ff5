// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../../kernels/invert/invert.h"
#include "../twin.h"

namespace coalesce {

Status invert_cuda(const ConstImage &in, const Image &out, void *stream) {
  for (int p = 0; p < out.format.planes; ++p)
    if (Status s = twin::check_access({in.plane[p], out.plane[p]}); !s.ok()) return s;
  return twin::launch(stream, [=] { (void)invert_cpu(in, out, nullptr); });
}

}  // namespace coalesce
