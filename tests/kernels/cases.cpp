// SPDX-License-Identifier: LGPL-2.1-or-later
#include "check.h"

namespace coalesce::test {

// A new operation adds a line here.
std::vector<Case> all_cases() {
  return {convolve_case(),      j2k_array_case(),   j2k_encoder_case(), j2k_model_case(),
          j2k_mq_case(),        j2k_packets_case(), j2k_rate_case(),    j2k_sizes_case(),
          j2k_transform_case(), rgb2yuv_case(),     uyvy2y_case()};
}

}  // namespace coalesce::test
