// SPDX-License-Identifier: LGPL-2.1-or-later
// What a JPEG file is made of, and how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "../../core/status.h"
#include "../../picture/pixel_format.h"
#include "../tables/quantisation.h"

namespace coalesce::jpeg {

constexpr int kMostSize = 65500;             // columns and rows, as libjpeg has it
constexpr int kMostRestartInterval = 65535;  // MCUs

// Chroma's samples: as many as luma's, half as many in a row, half as many in both directions.
enum class Subsampling : std::uint8_t { automatic, s444, s422, s420 };

struct EncoderParams {
  // Any format of 8 bits: grey, YUV, RGB. Alpha is left out.
  PixelFormat format;
  int width = 0, height = 0;

  int quality = 85;  // 1 to 100
  // Of RGB, automatic is 4:2:0 (keep_rgb: 4:4:4). YUV is coded as it is: automatic, or just that.
  Subsampling subsampling = Subsampling::automatic;
  bool keep_rgb = false;     // RGB is not converted to YCbCr; the file has Adobe's marker
  bool optimize = false;     // the best Huffman tables for the picture
  int restart_interval = 0;  // MCUs between restart markers; 0: none
  // In place of the quality's, steps of 1 to 255. Luma's are for grey and RGB, too.
  std::optional<QuantTable> luma_table, chroma_table;
  // JFIF's X and Y density, without a unit: pixels are density_y / density_x as wide as high.
  int density_x = 1, density_y = 1;  // 1 to 65535
  // Of the whole file; 0: no limit. Then `quality` is the most that is tried, and own tables are
  // those of a quality of 50.
  std::size_t max_bytes = 0;
};

// Errors: invalid_argument, the text naming the parameter; unsupported: optimize for more than 10^9
// coefficients.
Status check_params(const EncoderParams &params);

}  // namespace coalesce::jpeg
