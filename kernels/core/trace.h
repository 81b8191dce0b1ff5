// SPDX-License-Identifier: LGPL-2.1-or-later
// For .cu files: names what the host does for a profiler, by NVTX, which costs next to nothing
// where none is attached.
#pragma once

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define COALESCE_HAVE_NVTX 1
#endif

namespace coalesce {

class TraceRange {
 public:
#if defined(COALESCE_HAVE_NVTX)
  explicit TraceRange(const char *name) {
    nvtxRangePushA(name);
  }
  ~TraceRange() {
    nvtxRangePop();
  }
#else
  explicit TraceRange(const char *) {}
#endif
  TraceRange(const TraceRange &) = delete;
  TraceRange &operator=(const TraceRange &) = delete;
};

}  // namespace coalesce
