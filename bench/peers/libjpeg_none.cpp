// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench/jpeg/jpeg_peers.h"

namespace coalesce::test {

bool LibjpegEncoder::is_there() {
  return false;
}
LibjpegEncoder::~LibjpegEncoder() = default;
std::size_t LibjpegEncoder::encode(const JpegFrame &, int) {
  return 0;
}

bool LibjpegDecoder::is_there() {
  return false;
}
void LibjpegDecoder::decode(const std::vector<std::uint8_t> &) {}

}  // namespace coalesce::test
