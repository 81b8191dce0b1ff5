// SPDX-License-Identifier: LGPL-2.1-or-later
// One call, checked, for the back ends: a picture becomes words, a method makes other words of
// them, and those become a picture. So methods know nothing of formats.
#pragma once

#include <cstdint>

#include "../core/host_device.h"
#include "oilpaint.h"

namespace coalesce {

// A pixel is a word: the components R, G, B or Y, U, V from the lowest byte on (grey: the first
// one only), and its intensity in the upper byte.
struct OilWords {
  std::uint32_t *data;
  int width, height;

  COALESCE_HOST_DEVICE std::uint32_t *row(int y) const {
    return data + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
  }
};

COALESCE_HOST_DEVICE std::uint32_t oil_byte(std::uint32_t word, int c) {
  return word >> 8 * c & 255;
}

// The intensity of R, G and B: their luma by BT.601, in fifteen bits.
COALESCE_HOST_DEVICE std::uint32_t oil_luma(std::uint32_t r, std::uint32_t g, std::uint32_t b) {
  return (9798 * r + 19235 * g + 3735 * b + (1u << 14)) >> 15;
}

// Bytes `step` apart in rows, of a component or of what is copied.
struct OilChannel {
  const std::uint8_t *in;
  std::uint8_t *out;
  std::size_t in_pitch, out_pitch;
  int step;
  int log2_width, log2_height;  // of the pixels that share a sample
  int columns, in_rows, out_rows;

  COALESCE_HOST_DEVICE const std::uint8_t *from(int x, int y) const {
    return in + static_cast<std::size_t>(y) * in_pitch +
           static_cast<std::size_t>(x) * static_cast<std::size_t>(step);
  }
  COALESCE_HOST_DEVICE std::uint8_t *to(int x, int y) const {
    return out + static_cast<std::size_t>(y) * out_pitch +
           static_cast<std::size_t>(x) * static_cast<std::size_t>(step);
  }
};

struct OilPicture {
  int width = 0, height = 0;
  bool interlaced = false, rgb = false;
  int components = 0, copies = 0;
  OilChannel component[3] = {};
  OilChannel copy[3] = {};  // alpha, padding
};

// The rows of pixels that share row `row` of a channel: first, first + step, ... below `end`.
// Where there are none, those of the row before of the same field.
struct OilRows {
  int first, step, end;
};
COALESCE_HOST_DEVICE OilRows oil_rows(const OilPicture &p, const OilChannel &c, int row) {
  const bool fields = p.interlaced && c.log2_height == 1;
  const auto first = [&](int r) { return fields ? r / 2 * 4 + r % 2 : r << c.log2_height; };
  if (first(row) >= p.height) row = row >= 2 ? row - 2 : 0;
  const int at = first(row);
  const int end = at + (fields ? 3 : 1 << c.log2_height);
  return {at, fields ? 2 : 1, end < p.height ? end : p.height};
}

// The row of a channel that pixels of row y have; of interlaced chroma the last one of their field,
// where there is none.
COALESCE_HOST_DEVICE int oil_row_of(const OilPicture &p, const OilChannel &c, int y) {
  const bool fields = p.interlaced && c.log2_height == 1;
  int row = fields ? y / 4 * 2 + y % 2 : y >> c.log2_height;
  if (row >= c.in_rows) row -= fields ? 2 : 1;
  return row < 0 ? 0 : row;
}

COALESCE_HOST_DEVICE std::uint32_t oil_word(const OilPicture &p, int x, int y) {
  std::uint32_t word = 0;
  for (int c = 0; c < p.components; ++c) {
    const OilChannel &channel = p.component[c];
    word |= std::uint32_t{*channel.from(x >> channel.log2_width, oil_row_of(p, channel, y))}
            << 8 * c;
  }
  const std::uint32_t first = oil_byte(word, 0);
  return word | (p.rgb ? oil_luma(first, oil_byte(word, 1), oil_byte(word, 2)) : first) << 24;
}

// A sample of component c out of the words of its pixels: their mean, halves up.
COALESCE_HOST_DEVICE std::uint8_t oil_sample(const OilPicture &p, const OilWords &words, int c,
                                             int column, int row) {
  const OilChannel &channel = p.component[c];
  const OilRows rows = oil_rows(p, channel, row);
  int first = column << channel.log2_width, end = first + (1 << channel.log2_width);
  if (first >= p.width) first = p.width - 1;  // of a pair, beyond an odd width
  if (end > p.width) end = p.width;
  std::uint32_t sum = 0, count = 0;
  for (int y = rows.first; y < rows.end; y += rows.step)
    for (int x = first; x < end; ++x, ++count)
      sum += oil_byte(words.row(y)[x], c);
  return static_cast<std::uint8_t>((2 * sum + count) / (2 * count));
}

struct OilMode {
  int radius;
  int bins;               // intensities after division
  std::uint8_t bin[256];  // by intensity
};

// sum / count, halves to even, as OpenCV rounds.
COALESCE_HOST_DEVICE std::uint32_t oil_half_even(std::uint32_t sum, std::uint32_t count) {
  const std::uint32_t up = (2 * sum + count) / (2 * count);
  return 2 * sum + count == 2 * count * up ? up & ~1u : up;
}

// Between a picture and words.
void oil_pack_cpu(const OilPicture &picture, const OilWords &words, ThreadPool *pool);
void oil_unpack_cpu(const OilPicture &picture, const OilWords &words, ThreadPool *pool);
Status oil_pack_cuda(const OilPicture &picture, const OilWords &words, void *stream);
Status oil_unpack_cuda(const OilPicture &picture, const OilWords &words, void *stream);

void oil_mode_cpu(const OilMode &mode, const OilWords &in, const OilWords &out, ThreadPool *pool);
Status oil_mode_cuda(const OilMode &mode, const OilWords &in, const OilWords &out, void *stream);

// Can oilpaint() read it? If not, the text names the format, where it has a name.
Status check_oil_format(const PixelFormat &format);
OilPicture make_oil_picture(const ConstImage &in, const Image &out);

}  // namespace coalesce
