// SPDX-License-Identifier: LGPL-2.1-or-later
// A program outside the tree, as a user of the installed library writes one.
#include <coalesce/convert.h>

#include <cstdio>

int main() {
  using namespace coalesce;
  const std::uint8_t packed[] = {128, 10, 128, 20, 128, 30, 128, 0};
  std::uint8_t luma[3] = {};
  ConstImage in = {pixel_format("UYVY"), 3, 1, false, {{packed, 8, 1, 8}}};
  const Image out = {pixel_format("GRAY8"), 3, 1, false, {{luma, 3, 1, 3}}};
  const Status s = uyvy2y(in, out, Queue::cpu());
  std::printf("%s: %d %d %d, CUDA kernels: %s\n", s.message(), luma[0], luma[1], luma[2],
              cuda_kernels_built() ? "yes" : "no");
  in.plane[0].pitch = 7;
  const Status refused = uyvy2y(in, out, Queue::cuda(nullptr));
  return s.ok() && luma[0] == 10 && luma[1] == 20 && luma[2] == 30 &&
                 refused.code() == StatusCode::invalid_argument
             ? 0
             : 1;
}
