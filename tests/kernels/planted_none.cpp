// SPDX-License-Identifier: LGPL-2.1-or-later
// planted.h in a build without CUDA.
#include "planted.h"

namespace coalesce::test {

Status planted_uyvy2y_cuda(Planted, const Uyvy2yParams &, Plane<const std::uint8_t>,
                           const LumaImage &, const Queue &) {
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
}

int run_planted_oob() {
  return 2;
}

}  // namespace coalesce::test
