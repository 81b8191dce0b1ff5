// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ops.h"

#include <initializer_list>

namespace coalesce::testing {

void combine_cpu(Op op, const Plane<const std::uint8_t> &a, const Plane<const std::uint8_t> &b,
                 const Plane<std::uint8_t> &out) {
  for (int y = 0; y < out.height; y++)
    for (int x = 0; x < out.width; x++)
      out.row(y)[x] = combined(op, a.row(y)[x], b.row(y)[x]);
}

Status combine(Op op, const Plane<const std::uint8_t> &a, const Plane<const std::uint8_t> &b,
               const Plane<std::uint8_t> &out, const Queue &queue) {
  for (const auto &plane : {a, b, Plane<const std::uint8_t>(out)}) {
    if (Status s = check_plane(plane); !s.ok()) return s;
    if (plane.width != out.width || plane.height != out.height)
      return invalid_argument("the planes differ in size");
  }
  if (queue.on_cuda()) return combine_cuda(op, a, b, out, queue.stream());
  combine_cpu(op, a, b, out);
  return {};
}

}  // namespace coalesce::testing
