// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench/jpeg/jpeg_peers.h"

namespace coalesce::test {

bool gpujpeg(const std::vector<JpegFrame> &, int, PeerTimes *) {
  return false;
}

std::vector<DecodingPeer> gpujpeg_decode(const std::vector<std::uint8_t> &) {
  return {};
}

}  // namespace coalesce::test
