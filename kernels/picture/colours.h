// SPDX-License-Identifier: LGPL-2.1-or-later
// What numbers mean: the matrices between R, G, B and Y, U, V, and the ranges of samples, as
// integer weights for operations that convert.
#pragma once

#include <cstdint>

namespace coalesce {

enum class YuvMatrix : std::uint8_t { bt601, bt709, bt2020, smpte240m, fcc };

enum class SampleRange : std::uint8_t {
  full,     // 0 to 255, of 8 bits
  limited,  // R, G, B and Y 16 to 235, U and V 16 to 240; of more bits, that times 2^(bits - 8)
};

// The numbers of samples of so many bits (at least 8, or 1 and full range) in a range.
struct SampleScale {
  SampleRange range = SampleRange::full;
  int bits = 8;

  constexpr int maximum() const { return (1 << bits) - 1; }
  constexpr int middle() const { return 1 << (bits - 1); }  // of U and V
  constexpr int black() const { return limited() ? limited_of(16) : 0; }
  constexpr int levels() const { return limited() ? limited_of(219) : maximum(); }
  constexpr int chroma_levels() const { return limited() ? limited_of(224) : maximum(); }

 private:
  constexpr bool limited() const { return range == SampleRange::limited; }
  constexpr int limited_of(int number) const { return number << (bits - 8); }
};

// weight[i][j]: of input component j in output component i, in units of 2^-q. All offsets left out.
struct ColourWeights {
  std::int32_t weight[3][3];
};

// From R, G, B to Y, U, V. The weights of a component add up to the integer that is nearest to the
// exact sum, those of U and V to 0: so grey stays grey.
ColourWeights rgb_to_yuv(YuvMatrix matrix, SampleScale in, SampleScale out, int q);
// From Y, U, V to R, G, B. Each is the nearest integer.
ColourWeights yuv_to_rgb(YuvMatrix matrix, SampleScale in, SampleScale out, int q);

}  // namespace coalesce
