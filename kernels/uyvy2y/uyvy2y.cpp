// SPDX-License-Identifier: LGPL-2.1-or-later
#include "uyvy2y.h"

namespace coalesce {
namespace {

Status check(const Uyvy2yParams &params, const Plane<const std::uint8_t> &packed,
             const LumaImage &out) {
  if (params.layout > Packed422::yvyu) return invalid_argument("uyvy2y: no such layout");
  if (Status s = check_plane(packed); !s.ok()) return s;
  if (Status s = check_plane(out.luma); !s.ok()) return s;
  if (packed.width % 2 != 0 || packed.width / 2 != out.luma.width)
    return invalid_argument("uyvy2y: the packed plane must have two bytes for each luma sample");
  if (packed.height != out.luma.height)
    return invalid_argument("uyvy2y: the packed plane and the luma plane differ in height");
  for (const Plane<std::uint8_t> &chroma : out.chroma) {
    if (chroma.data == nullptr) continue;
    if (Status s = check_plane(chroma); !s.ok()) return s;
  }
  return {};
}

}  // namespace

Packed422 packed_422(const PixelFormat &format) {
  const bool u_first = format.find(Role::u)->first < format.find(Role::v)->first;
  if (format.find(Role::y)->first == 0) return u_first ? Packed422::yuy2 : Packed422::yvyu;
  return u_first ? Packed422::uyvy : Packed422::vyuy;
}

Status uyvy2y(const Uyvy2yParams &params, Plane<const std::uint8_t> packed, const LumaImage &out,
              const Queue &queue) {
  if (Status s = check(params, packed, out); !s.ok()) return s;
  if (!queue.on_cuda()) return uyvy2y_cpu(params, packed, out, queue.pool());
#if COALESCE_CUDA_KERNELS
  return uyvy2y_cuda(params, packed, out, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
