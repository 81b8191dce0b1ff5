// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdio>

#include <jpeglib.h>

#include "bench/jpeg/jpeg_peers.h"

namespace coalesce::test {

bool LibjpegDecoder::is_there() {
  return true;
}

void LibjpegDecoder::decode(const std::vector<std::uint8_t> &file) {
  jpeg_decompress_struct libjpeg;
  jpeg_error_mgr errors;
  libjpeg.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&libjpeg);
  jpeg_mem_src(&libjpeg, file.data(), static_cast<unsigned long>(file.size()));
  jpeg_read_header(&libjpeg, TRUE);
  libjpeg.dct_method = JDCT_ISLOW;
  libjpeg.raw_data_out = TRUE;
  jpeg_start_decompress(&libjpeg);
  // Planes of whole MCUs.
  const int lines = libjpeg.max_v_samp_factor * DCTSIZE;
  const int mcu_rows = (static_cast<int>(libjpeg.output_height) + lines - 1) / lines;
  std::size_t at[MAX_COMPONENTS], pitch[MAX_COMPONENTS], bytes = 0;
  for (int c = 0; c < libjpeg.num_components; ++c) {
    const jpeg_component_info &k = libjpeg.comp_info[c];
    at[c] = bytes;
    pitch[c] = (k.width_in_blocks + MAX_SAMP_FACTOR) * DCTSIZE;
    bytes += pitch[c] * static_cast<std::size_t>(mcu_rows * k.v_samp_factor * DCTSIZE);
  }
  if (samples_.size() < bytes) samples_.resize(bytes);
  JSAMPROW rows[MAX_COMPONENTS][MAX_SAMP_FACTOR * DCTSIZE];
  JSAMPARRAY arrays[MAX_COMPONENTS];
  for (int row = 0; row < mcu_rows; ++row) {
    for (int c = 0; c < libjpeg.num_components; ++c) {
      const int of_component = libjpeg.comp_info[c].v_samp_factor * DCTSIZE;
      for (int i = 0; i < of_component; ++i)
        rows[c][i] =
            samples_.data() + at[c] + pitch[c] * static_cast<std::size_t>(row * of_component + i);
      arrays[c] = rows[c];
    }
    jpeg_read_raw_data(&libjpeg, arrays, static_cast<JDIMENSION>(lines));
  }
  jpeg_finish_decompress(&libjpeg);
  jpeg_destroy_decompress(&libjpeg);
}

}  // namespace coalesce::test
