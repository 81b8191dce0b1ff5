// SPDX-License-Identifier: LGPL-2.1-or-later
// Loads of what a kernel before may write.
#pragma once

#include "host_device.h"

namespace coalesce {

// An early kernel (core/cuda_status.h) may not load such memory by load_global() or through
// `const __restrict__`: the compiler may move those loads above wait_for_grid_before(). A plain
// load stays after it, and after every store that could change what is loaded: so a loop that
// copies loads several elements first.
template <class T>
COALESCE_HOST_DEVICE T load_global(const T *from) {
#if defined(COALESCE_EMULATED)
  return *emulated::aligned(from);
#else
  return *from;
#endif
}

}  // namespace coalesce
