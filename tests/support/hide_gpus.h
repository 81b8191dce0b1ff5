// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdlib>

namespace coalesce::test {

// From here on this process finds no GPU, whatever the machine has. Only before the first call of
// CUDA's.
inline void hide_gpus() {
  setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
}

}  // namespace coalesce::test
