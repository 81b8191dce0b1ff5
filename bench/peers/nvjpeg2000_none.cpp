// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench_j2k_frames.h"

namespace coalesce::test {

bool nvjpeg2000(const BenchFrames &, bool, double, PeerResult *) {
  return false;
}

}  // namespace coalesce::test
