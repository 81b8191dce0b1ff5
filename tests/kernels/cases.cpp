// SPDX-License-Identifier: LGPL-2.1-or-later
#include "check.h"

namespace coalesce::test {

// Each is in the operation's own folder; a new one adds its name twice.
Case convolve_case();
Case j2k_array_case();
Case j2k_encoder_case();
Case j2k_model_case();
Case j2k_mq_case();
Case j2k_packets_case();
Case j2k_rate_case();
Case j2k_sizes_case();
Case j2k_transform_case();
Case rgb2yuv_case();
Case uyvy2y_case();

std::vector<Case> all_cases() {
  return {convolve_case(),      j2k_array_case(),   j2k_encoder_case(), j2k_model_case(),
          j2k_mq_case(),        j2k_packets_case(), j2k_rate_case(),    j2k_sizes_case(),
          j2k_transform_case(), rgb2yuv_case(),     uyvy2y_case()};
}

}  // namespace coalesce::test
