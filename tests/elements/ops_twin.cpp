// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../fakecuda/twin.h"
#include "ops.h"

namespace coalesce::testing {

Status combine_cuda(Op op, const Plane<const std::uint8_t> &a, const Plane<const std::uint8_t> &b,
                    const Plane<std::uint8_t> &out, void *stream) {
  if (Status s = twin::check_access({a, b, out}); !s.ok()) return s;
  return twin::launch(stream, [=] { combine_cpu(op, a, b, out); });
}

}  // namespace coalesce::testing
