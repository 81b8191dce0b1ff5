// SPDX-License-Identifier: LGPL-2.1-or-later
// Files and pictures of libjpeg-turbo, by its code in C and its integer DCT: what
// `JSIMD_FORCENONE=1 cjpeg -dct int` writes and djpeg reads. In a build without libjpeg there are
// none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "jpeg/tables/quantisation.h"

namespace coalesce::test {

bool have_libjpeg();

struct LibjpegCoding {
  int quality = 75;
  const jpeg::QuantTable *luma = nullptr, *chroma = nullptr;  // in place of the quality's
  bool optimize = false, progressive = false;
  int restart_interval = 0;  // MCUs
  int density_x = 1, density_y = 1;
  int h = 2, v = 2;  // sampling factors of luma; chroma has 1 and 1
};

struct LibjpegPlane {
  const std::uint8_t *data = nullptr;
  std::size_t pitch = 0;
  int width = 0, height = 0;
};

// Of samples as they are (jpeg_write_raw_data), in 8 bits: grey, or Y, Cb and Cr. Blocks that reach
// beyond a plane have its last column and row there. width, height: of the picture.
// Throws std::runtime_error with libjpeg's text.
std::vector<std::uint8_t> libjpeg_file(int width, int height,
                                       const std::vector<LibjpegPlane> &planes,
                                       const LibjpegCoding &coding);

// Of R, G and B by turns; keep_rgb: without conversion to YCbCr.
std::vector<std::uint8_t> libjpeg_file_of_rgb(const LibjpegPlane &pixels, bool keep_rgb,
                                              const LibjpegCoding &coding);

// Of four samples by turns: CMYK, inverted, as Adobe has it.
std::vector<std::uint8_t> libjpeg_file_of_cmyk(const LibjpegPlane &pixels,
                                               const LibjpegCoding &coding);

struct LibjpegSamples {
  int width = 0, height = 0;
  std::vector<std::uint8_t> samples;  // of the planes; R, G and B by turns
};
struct LibjpegPicture {
  std::string error;  // empty: there is a picture
  bool warned = false;
  std::vector<LibjpegSamples> planes;
};

// The samples of each component (jpeg_read_raw_data), or one plane of RGB. The file comes in pieces
// of 256 bytes, so that libjpeg takes the more careful of its two ways: the other one leaves
// coefficients of a first try where FF FF 00 stands in the data, as far as its input reaches.
LibjpegPicture libjpeg_planes(const std::vector<std::uint8_t> &file);
LibjpegPicture libjpeg_rgb(const std::vector<std::uint8_t> &file, bool fancy_upsampling);

}  // namespace coalesce::test
