// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_openjpeg.h"

namespace coalesce::test {

bool have_openjpeg() {
  return false;
}

Decoded decode_with_openjpeg(const std::vector<std::uint8_t> &, int) {
  Decoded none;
  none.complaint = "the tests were built without OpenJPEG";
  return none;
}

std::vector<std::uint8_t> encode_with_openjpeg(const Picture &, j2k::Wavelet, std::uint64_t) {
  return {};
}

}  // namespace coalesce::test
