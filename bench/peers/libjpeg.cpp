// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

#include "bench/jpeg/jpeg_peers.h"

namespace coalesce::test {

bool LibjpegEncoder::is_there() {
  return true;
}

LibjpegEncoder::~LibjpegEncoder() {
  std::free(file_);
}

// Frames are whole MCUs, so that rows are given as they are.
std::size_t LibjpegEncoder::encode(const JpegFrame &frame, int quality) {
  jpeg_compress_struct libjpeg;
  jpeg_error_mgr errors;
  libjpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&libjpeg);
  unsigned long bytes = room_;
  jpeg_mem_dest(&libjpeg, &file_, &bytes);
  const bool rgb = frame.input == JpegInput::rgb;
  libjpeg.image_width = static_cast<JDIMENSION>(frame.width);
  libjpeg.image_height = static_cast<JDIMENSION>(frame.height);
  libjpeg.input_components = 3;
  libjpeg.in_color_space = rgb ? JCS_RGB : JCS_YCbCr;
  jpeg_set_defaults(&libjpeg);
  jpeg_set_quality(&libjpeg, quality, TRUE);
  libjpeg.dct_method = JDCT_ISLOW;
  libjpeg.raw_data_in = rgb ? FALSE : TRUE;
  const int step = 8 << frame.shift();
  if (!rgb)
    libjpeg.comp_info[0].h_samp_factor = libjpeg.comp_info[0].v_samp_factor = 1 + frame.shift();
  jpeg_start_compress(&libjpeg, TRUE);
  auto *const first = const_cast<JSAMPLE *>(frame.bytes.data());
  if (rgb) {
    for (int y = 0; y < frame.height; ++y) {
      JSAMPROW row =
          first + 3 * static_cast<std::size_t>(frame.width) * static_cast<std::size_t>(y);
      jpeg_write_scanlines(&libjpeg, &row, 1);
    }
  } else {
    JSAMPROW rows[3][16];
    JSAMPARRAY arrays[3] = {rows[0], rows[1], rows[2]};
    for (int y = 0; y < frame.height; y += step) {
      for (int p = 0; p < 3; ++p)
        for (int i = 0; i < (p == 0 ? step : 8); ++i)
          rows[p][i] = first + frame.plane_at(p) +
                       static_cast<std::size_t>(frame.plane_width(p)) *
                           static_cast<std::size_t>((p == 0 ? y : y >> frame.shift()) + i);
      jpeg_write_raw_data(&libjpeg, arrays, static_cast<JDIMENSION>(step));
    }
  }
  jpeg_finish_compress(&libjpeg);
  jpeg_destroy_compress(&libjpeg);
  if (bytes > room_) room_ = bytes;
  return bytes;
}

}  // namespace coalesce::test
