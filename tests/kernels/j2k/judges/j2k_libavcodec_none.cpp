// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_libavcodec.h"

namespace coalesce::test {

bool have_libavcodec() {
  return false;
}

unsigned libavcodec_version() {
  return 0;
}

Decoded decode_with_libavcodec(const std::vector<std::uint8_t> &, const j2k::CodingParams &) {
  Decoded none;
  none.complaint = "the tests were built without libavcodec";
  return none;
}

}  // namespace coalesce::test
