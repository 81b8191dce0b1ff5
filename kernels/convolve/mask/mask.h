// SPDX-License-Identifier: LGPL-2.1-or-later
// Convolution masks as a user gives them: text, or one of the known ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coalesce {

constexpr int kMaxMaskSize = 31;   // rows and columns of convolve's masks
constexpr int kMaxTaps = 63;       // of sepconvolve's rows
constexpr double kMinSigma = 0.1;  // of presets, in pixels
constexpr double kMaxSigma = 100;
// From here on a blur has no rows, of which there would be too many: kernels/blur has its way.
constexpr double kMinBlurSigma = 8;

struct Mask {
  int width = 1;
  int height = 1;
  std::vector<double> at = {1};  // row by row

  double operator()(int row, int column) const {
    return at[static_cast<std::size_t>(row * width + column)];
  }
};

// "1 2 1; 2 4 2; 1 2 1": rows separated by ';', the numbers of a row by white space or by one comma
// (white space around it). Numbers as strtod() reads them in the C locale, but neither infinite nor
// NaN nor hexadecimal. At most max_width numbers a row and max_height rows, all rows equally long.
// On failure returns false and says in `error` which row and column (counted from 1), what was
// found there, and what is expected; `mask` is left alone.
bool parse_mask(std::string_view text, int max_width, int max_height, Mask *mask,
                std::string *error);

// Text that parse_mask() reads back to the same mask, its numbers in their shortest form.
std::string mask_text(const Mask &mask);

enum class MaskPreset : std::uint8_t {
  none,
  identity,
  box,
  gaussian,
  binomial,
  sharpen,
  unsharp,
  laplacian,
  laplacian_of_gaussian,
  sobel_x,
  sobel_y,
  prewitt_x,
  prewitt_y,
  scharr_x,
  scharr_y,
  emboss,
};

// The presets, as masks to convolve with (not to correlate); docs/numerics.md defines them.
//   size   rows and columns, 1 to kMaxMaskSize; 0: the preset's own, or chosen from sigma
//   sigma  of those made of a Gaussian, kMinSigma to kMaxSigma; 0: chosen from size
// Presets that come in one size only ignore both. none gives the default mask, 1.
// Returns false and says in `error` what is wrong with size or sigma.
bool preset_mask(MaskPreset preset, int size, double sigma, Mask *mask, std::string *error);

// The size that is chosen from a sigma, unless the largest one is less.
int gaussian_size(double sigma);

enum class RowPreset : std::uint8_t {
  none,
  identity,
  box,
  gaussian,
  binomial,
  derivative_x,  // central difference across, nothing down
  derivative_y,
  sobel_x,  // central difference across, binomial down
  sobel_y,
  gaussian_x,  // derivative of a Gaussian across, Gaussian down
  gaussian_y,
  blur,  // a Gaussian with all its taps; no rows from kMinBlurSigma on
};

// The same for sepconvolve: masks of one row, of up to kMaxTaps.
bool preset_rows(RowPreset preset, int size, double sigma, Mask *horizontal, Mask *vertical,
                 std::string *error);

}  // namespace coalesce
