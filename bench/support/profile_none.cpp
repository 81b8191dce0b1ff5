// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench/support/profile.h"

#include <stdexcept>

namespace coalesce::test {

void device_profile(const std::function<void()> &) {
  throw std::runtime_error("profile: this build has no CUDA kernels");
}

}  // namespace coalesce::test
