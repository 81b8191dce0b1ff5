// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench/j2k/j2k_frames.h"

namespace coalesce::test {

bool nvjpeg2000(const BenchFrames &, PeerCoder, bool, double, PeerResult *) {
  return false;
}

std::string nvjpeg2000_version() {
  return "";
}

}  // namespace coalesce::test
