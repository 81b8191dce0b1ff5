// SPDX-License-Identifier: LGPL-2.1-or-later
// A program outside the tree, as a user of the installed library writes one.
#include <coalesce/uyvy2y/uyvy2y.h>

#include <cstdio>

int main() {
  using namespace coalesce;
  const std::uint8_t packed[] = {128, 10, 128, 20, 128, 30};
  std::uint8_t luma[3] = {};
  const LumaImage out = {{luma, 3, 1, 3}, {}};
  const Status s = uyvy2y({Packed422::uyvy}, {packed, 6, 1, 6}, out, Queue::cpu());
  std::printf("%s: %d %d %d, CUDA kernels: %s\n", s.message(), luma[0], luma[1], luma[2],
              cuda_kernels_built() ? "yes" : "no");
  const Status refused = uyvy2y({}, {packed, 6, 1, 5}, out, Queue::cuda(nullptr));
  return s.ok() && luma[0] == 10 && luma[1] == 20 && luma[2] == 30 &&
                 refused.code() == StatusCode::invalid_argument
             ? 0
             : 1;
}
