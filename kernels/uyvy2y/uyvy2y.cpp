// SPDX-License-Identifier: LGPL-2.1-or-later
#include "uyvy2y.h"

namespace coalesce {
namespace {

Status check(const ConstImage &in, const Image &out) {
  if (Status s = check_image(in); !s.ok()) return s;
  if (Status s = check_image(out); !s.ok()) return s;
  const PixelComponent &luma = in.format.component[0];
  if (!in.format.in_bytes() || in.format.planes != 1 || luma.role != Role::y || luma.step != 2)
    return invalid_argument("uyvy2y: the input must be packed 4:2:2 of 8 bits");
  const PixelComponent &to = out.format.component[0];
  if (!out.format.in_bytes() || (to.role != Role::grey && to.role != Role::y) || to.plane != 0 ||
      to.step != 1 || out.format.planes > 3 || out.format.has(Role::alpha))
    return invalid_argument("uyvy2y: the output must be grey of 8 bits or have a plane of luma");
  if (in.width != out.width || in.height != out.height)
    return invalid_argument("uyvy2y: the pictures differ in size");
  return {};
}

}  // namespace

Status uyvy2y(const ConstImage &in, const Image &out, const Queue &queue) {
  if (Status s = check(in, out); !s.ok()) return s;
  if (!queue.on_cuda()) return uyvy2y_cpu(in, out, queue.pool());
#if COALESCE_CUDA_KERNELS
  return uyvy2y_cuda(in, out, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
