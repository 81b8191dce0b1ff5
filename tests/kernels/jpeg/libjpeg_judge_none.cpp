// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdexcept>

#include "libjpeg_judge.h"

namespace coalesce::test {

bool have_libjpeg() {
  return false;
}

std::vector<std::uint8_t> libjpeg_file(int, int, const std::vector<LibjpegPlane> &,
                                       const LibjpegCoding &) {
  throw std::runtime_error("this build has no libjpeg");
}

std::vector<std::uint8_t> libjpeg_file_of_rgb(const LibjpegPlane &, bool, const LibjpegCoding &) {
  throw std::runtime_error("this build has no libjpeg");
}

std::vector<std::uint8_t> libjpeg_file_of_cmyk(const LibjpegPlane &, const LibjpegCoding &) {
  throw std::runtime_error("this build has no libjpeg");
}

LibjpegPicture libjpeg_planes(const std::vector<std::uint8_t> &) {
  throw std::runtime_error("this build has no libjpeg");
}

LibjpegPicture libjpeg_rgb(const std::vector<std::uint8_t> &, bool) {
  throw std::runtime_error("this build has no libjpeg");
}

}  // namespace coalesce::test
