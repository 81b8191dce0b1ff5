// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-convolve
 * @title: convolve
 *
 * Convolution with any mask. See docs/convolve.md.
 */
#include "convolvefilter.h"

using namespace coalesce;
using namespace coalesce::gst;

namespace {

GType preset_type() {
  static const GEnumValue values[] = {
      {int(MaskPreset::none), "No preset: the property mask has the coefficients", "none"},
      {int(MaskPreset::identity), "Single coefficient 1: the picture is copied", "identity"},
      {int(MaskPreset::box), "Box blur, the mean of size x size pixels, size 1 to 31", "box"},
      {int(MaskPreset::gaussian), "Gaussian blur by sigma, size 1 to 31", "gaussian"},
      {int(MaskPreset::binomial), "Blur with binomial coefficients, size 1 to 31", "binomial"},
      {int(MaskPreset::sharpen), "Sharpening, 3 x 3", "sharpen"},
      {int(MaskPreset::unsharp), "Unsharp masking by sigma, odd size 1 to 31", "unsharp"},
      {int(MaskPreset::laplacian), "Laplacian, 3 x 3: edges in all directions", "laplacian"},
      {int(MaskPreset::laplacian_of_gaussian),
       "Laplacian of a Gaussian by sigma, odd size 1 to 31: edges in all directions",
       "laplacian-of-gaussian"},
      {int(MaskPreset::sobel_x), "Sobel, odd size 3 to 31: horizontal gradient", "sobel-x"},
      {int(MaskPreset::sobel_y), "Sobel, odd size 3 to 31: vertical gradient", "sobel-y"},
      {int(MaskPreset::prewitt_x), "Prewitt, 3 x 3: horizontal gradient", "prewitt-x"},
      {int(MaskPreset::prewitt_y), "Prewitt, 3 x 3: vertical gradient", "prewitt-y"},
      {int(MaskPreset::scharr_x), "Scharr, 3 x 3: horizontal gradient", "scharr-x"},
      {int(MaskPreset::scharr_y), "Scharr, 3 x 3: vertical gradient", "scharr-y"},
      {int(MaskPreset::emboss), "Emboss, 3 x 3: relief", "emboss"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstConvolvePreset", values);
  return type;
}

bool parse(const std::string (&text)[2], FilterSettings *settings, std::string *problem) {
  std::string why;
  if (parse_mask(text[0], kMaxMaskSize, kMaxMaskSize, &settings->mask, &why)) return true;
  *problem = convolve_text_problem("mask", text[0], why, false);
  return false;
}

bool fill(int preset, int size, double sigma, std::string (&text)[2], std::string *problem) {
  Mask mask;
  if (!preset_mask(static_cast<MaskPreset>(preset), size, sigma, &mask, problem)) return false;
  text[0] = mask_text(mask);
  return true;
}

gboolean register_element(GstPlugin *plugin) {
  static const ConvolveKind kind = {
      "Convolution",
      "Convolves video with a mask of up to 31 x 31 coefficients, on the GPU or on the CPU",
      {{"mask", "Mask",
        "Mask of 1 to 31 rows and columns, as in \"1 2 1; 2 4 2; 1 2 1\": numbers separated by "
        "spaces or one comma, rows by a semicolon",
        "1"}},
      preset_type(),
      kMaxMaskSize,
      parse,
      fill,
      int(MaskPreset::gaussian),
      "sepconvolve preset=blur"};
  return convolve_register(plugin, "convolve", "GstConvolve", &kind);
}

}  // namespace

GST_ELEMENT_REGISTER_DEFINE_CUSTOM(convolve, register_element)
