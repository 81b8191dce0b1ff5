// SPDX-License-Identifier: LGPL-2.1-or-later
// The masks that have names; docs/numerics.md defines them.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mask.h"
#include "quantize.h"

namespace coalesce {
namespace {

using Row = std::vector<double>;

Mask row_mask(Row row) {
  const int width = static_cast<int>(row.size());
  return {width, 1, std::move(row)};
}

Mask outer(const Row &down, const Row &across) {
  Mask mask{static_cast<int>(across.size()), static_cast<int>(down.size()), {}};
  for (double v : down)
    for (double u : across)
      mask.at.push_back(v * u);
  return mask;
}

Mask transposed(const Mask &mask) {
  Mask turned{mask.height, mask.width, {}};
  for (int column = 0; column < mask.width; ++column)
    for (int row = 0; row < mask.height; ++row)
      turned.at.push_back(mask(row, column));
  return turned;
}

// Row size - 1 of Pascal's triangle: exact, then the nearest doubles. (63 numbers fit 64 bits.)
Row binomial(int size) {
  std::vector<std::uint64_t> row(static_cast<std::size_t>(size), 0);
  row[0] = 1;
  for (int i = 1; i < size; ++i)
    for (int k = i; k > 0; --k)
      row[static_cast<std::size_t>(k)] += row[static_cast<std::size_t>(k - 1)];
  return Row(row.begin(), row.end());
}

// Binomial of size - 2 convolved with 1 0 -1.
Row sobel(int size) {
  const Row smooth = binomial(size - 2);
  Row row(static_cast<std::size_t>(size), 0.0);
  for (std::size_t i = 0; i < smooth.size(); ++i) {
    row[i] += smooth[i];
    row[i + 2] -= smooth[i];
  }
  return row;
}

// Distances from the centre.
Row distances(int size) {
  Row x(static_cast<std::size_t>(size));
  std::iota(x.begin(), x.end(), -(size - 1) / 2.0);
  return x;
}

// Scaled to the sum 1.
Row gaussian(int size, double sigma) {
  Row row = distances(size);
  for (double &x : row)
    x = std::exp(-x * x / (2 * sigma * sigma));
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  for (double &g : row)
    g /= sum;
  return row;
}

Row gaussian_derivative(int size, double sigma) {
  const Row x = distances(size);
  Row row = gaussian(size, sigma);
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] *= (0 - x[i]) / (sigma * sigma);
  return row;
}

Mask unsharp(int size, double sigma) {
  const Row g = gaussian(size, sigma);
  Mask mask = outer(g, g);
  for (double &h : mask.at)
    h = 0 - h;  // no negative zeros
  mask.at[mask.at.size() / 2] += 2;
  return mask;
}

// With t = r^2 / 2 sigma^2 the formula is (t - 1) e^-t times a factor. Adding the factor changes
// nothing once the mean is gone, and leaves sums of what is not negative: a large sigma loses no
// digits.
Mask laplacian_of_gaussian(int size, double sigma) {
  const Row x = distances(size);
  const double sigma2 = sigma * sigma;
  Mask mask{size, size, {}};
  Row g;
  for (double dy : x)
    for (double dx : x) {
      const double t = (dx * dx + dy * dy) / (2 * sigma2);
      g.push_back(std::exp(-t));
      mask.at.push_back(t * std::exp(-t) - std::expm1(-t));
    }
  const double factor = 2 / (sigma2 * exact_sum(g));
  const double mean = exact_sum(mask.at) / static_cast<double>(mask.at.size());
  for (double &h : mask.at)
    h = (h - mean) * factor;
  // What rounding leaves of the sum, but for a last bit.
  mask.at[mask.at.size() / 2] -= exact_sum(mask.at);
  return mask;
}

std::string number(double value) {
  return mask_text({1, 1, {value}});
}

// The size of a preset that comes in many; 0 stands for three.
bool choose_size(int *size, int largest, bool odd, int smallest, std::string *error) {
  if (*size == 0) *size = 3;
  if (*size < smallest || *size > largest || (odd && *size % 2 == 0)) {
    *error = "size=" + std::to_string(*size) + ": this preset requires 0 or " +
             (odd ? "an odd number from " : "") + std::to_string(smallest) + " to " +
             std::to_string(largest);
    return false;
  }
  return true;
}

// The same for what is made of a Gaussian.
bool choose_gaussian(int *size, double *sigma, int largest, bool odd, std::string *error) {
  if (*sigma != 0 && !(*sigma >= kMinSigma && *sigma <= kMaxSigma)) {
    *error = "sigma=" + number(*sigma) + ": this preset requires 0 or " + number(kMinSigma) +
             " to " + number(kMaxSigma);
    return false;
  }
  if (*size == 0) {
    if (*sigma == 0) *sigma = 1;
    *size = std::min(gaussian_size(*sigma), largest);
  } else if (*sigma == 0) {
    *sigma = 0.3 * ((*size - 1.0) / 2 - 1) + 0.8;
  }
  return choose_size(size, largest, odd, 1, error);
}

}  // namespace

int gaussian_size(double sigma) {
  return 2 * static_cast<int>(std::ceil(3 * sigma)) + 1;
}

bool preset_mask(MaskPreset preset, int size, double sigma, Mask *mask, std::string *error) {
  switch (preset) {
    case MaskPreset::none:
    case MaskPreset::identity:
      *mask = Mask();
      return true;
    case MaskPreset::box:
      if (!choose_size(&size, kMaxMaskSize, false, 1, error)) return false;
      *mask = {size, size, Row(static_cast<std::size_t>(size * size), 1.0)};
      return true;
    case MaskPreset::gaussian: {
      if (!choose_gaussian(&size, &sigma, kMaxMaskSize, false, error)) return false;
      const Row g = gaussian(size, sigma);
      *mask = outer(g, g);
      return true;
    }
    case MaskPreset::binomial: {
      if (!choose_size(&size, kMaxMaskSize, false, 1, error)) return false;
      const Row row = binomial(size);
      *mask = outer(row, row);
      return true;
    }
    case MaskPreset::sharpen:
      *mask = {3, 3, {0, -1, 0, -1, 5, -1, 0, -1, 0}};
      return true;
    case MaskPreset::unsharp:
      if (!choose_gaussian(&size, &sigma, kMaxMaskSize, true, error)) return false;
      *mask = unsharp(size, sigma);
      return true;
    case MaskPreset::laplacian:
      *mask = {3, 3, {0, 1, 0, 1, -4, 1, 0, 1, 0}};
      return true;
    case MaskPreset::laplacian_of_gaussian:
      if (!choose_gaussian(&size, &sigma, kMaxMaskSize, true, error)) return false;
      *mask = laplacian_of_gaussian(size, sigma);
      return true;
    case MaskPreset::sobel_x:
    case MaskPreset::sobel_y:
      if (!choose_size(&size, kMaxMaskSize, true, 3, error)) return false;
      *mask = outer(binomial(size), sobel(size));
      if (preset == MaskPreset::sobel_y) *mask = transposed(*mask);
      return true;
    case MaskPreset::prewitt_x:
    case MaskPreset::prewitt_y:
      *mask = outer({1, 1, 1}, {1, 0, -1});
      if (preset == MaskPreset::prewitt_y) *mask = transposed(*mask);
      return true;
    case MaskPreset::scharr_x:
    case MaskPreset::scharr_y:
      *mask = outer({3, 10, 3}, {1, 0, -1});
      if (preset == MaskPreset::scharr_y) *mask = transposed(*mask);
      return true;
    case MaskPreset::emboss:
      *mask = {3, 3, {2, 1, 0, 1, 1, -1, 0, -1, -2}};
      return true;
  }
  *error = "there is no such preset";
  return false;
}

bool preset_rows(RowPreset preset, int size, double sigma, Mask *horizontal, Mask *vertical,
                 std::string *error) {
  Row across = {1}, down = {1};
  switch (preset) {
    case RowPreset::none:
    case RowPreset::identity:
      break;
    case RowPreset::box:
      if (!choose_size(&size, kMaxTaps, false, 1, error)) return false;
      across = down = Row(static_cast<std::size_t>(size), 1.0);
      break;
    case RowPreset::gaussian:
      if (!choose_gaussian(&size, &sigma, kMaxTaps, false, error)) return false;
      across = down = gaussian(size, sigma);
      break;
    case RowPreset::binomial:
      if (!choose_size(&size, kMaxTaps, false, 1, error)) return false;
      across = down = binomial(size);
      break;
    case RowPreset::derivative_x:
    case RowPreset::derivative_y:
      across = {1, 0, -1};
      break;
    case RowPreset::sobel_x:
    case RowPreset::sobel_y:
      if (!choose_size(&size, kMaxTaps, true, 3, error)) return false;
      across = sobel(size);
      down = binomial(size);
      break;
    case RowPreset::gaussian_x:
    case RowPreset::gaussian_y:
      if (!choose_gaussian(&size, &sigma, kMaxTaps, true, error)) return false;
      across = gaussian_derivative(size, sigma);
      down = gaussian(size, sigma);
      break;
    case RowPreset::blur:
      size = 0;
      if (!choose_gaussian(&size, &sigma, kMaxTaps, false, error)) return false;
      if (sigma >= kMinBlurSigma) {
        *error = "sigma=" + number(sigma) + ": there are no rows of this preset from " +
                 number(kMinBlurSigma) + " on";
        return false;
      }
      across = down = gaussian(size, sigma);
      break;
    default:
      *error = "there is no such preset";
      return false;
  }
  if (preset == RowPreset::derivative_y || preset == RowPreset::sobel_y ||
      preset == RowPreset::gaussian_y)
    across.swap(down);
  *horizontal = row_mask(std::move(across));
  *vertical = row_mask(std::move(down));
  return true;
}

}  // namespace coalesce
