// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-convolve
 * @title: convolve
 *
 * Convolution with any mask. See docs/convolve.md.
 */
#include "gstconvolve.h"

#include "convolvefilter.h"

using namespace coalesce;
using namespace coalesce::gst;

struct GstConvolve {
  GstConvolveFilter parent;
};
struct GstConvolveClass {
  GstConvolveFilterClass parent_class;
};

G_DEFINE_TYPE(GstConvolve, gst_convolve, GST_TYPE_CONVOLVE_FILTER)

namespace {

GType preset_type() {
  static const GEnumValue values[] = {
      {int(MaskPreset::none), "The mask is what `mask` says", "none"},
      {int(MaskPreset::identity), "1: nothing changes", "identity"},
      {int(MaskPreset::box), "Ones: the mean (size)", "box"},
      {int(MaskPreset::gaussian), "Gaussian blur (size, sigma)", "gaussian"},
      {int(MaskPreset::binomial), "Blur with Pascal's triangle (size)", "binomial"},
      {int(MaskPreset::sharpen), "Sharpening, 3 x 3", "sharpen"},
      {int(MaskPreset::unsharp), "Unsharp masking (size, sigma)", "unsharp"},
      {int(MaskPreset::laplacian), "Laplacian, 3 x 3", "laplacian"},
      {int(MaskPreset::laplacian_of_gaussian), "Laplacian of a Gaussian (size, sigma)",
       "laplacian-of-gaussian"},
      {int(MaskPreset::sobel_x), "Sobel, across (size)", "sobel-x"},
      {int(MaskPreset::sobel_y), "Sobel, down (size)", "sobel-y"},
      {int(MaskPreset::prewitt_x), "Prewitt, across, 3 x 3", "prewitt-x"},
      {int(MaskPreset::prewitt_y), "Prewitt, down, 3 x 3", "prewitt-y"},
      {int(MaskPreset::scharr_x), "Scharr, across, 3 x 3", "scharr-x"},
      {int(MaskPreset::scharr_y), "Scharr, down, 3 x 3", "scharr-y"},
      {int(MaskPreset::emboss), "Emboss, 3 x 3", "emboss"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstConvolvePreset", values);
  return type;
}

bool parse(const std::string (&text)[2], FilterSettings *settings, std::string *problem) {
  std::string why;
  if (parse_mask(text[0], kMaxMaskSize, kMaxMaskSize, &settings->mask, &why)) return true;
  *problem = convolve_quote("mask", text[0]) + ": " + why;
  return false;
}

bool fill(int preset, int size, double sigma, std::string (&text)[2], std::string *problem) {
  Mask mask;
  if (!preset_mask(static_cast<MaskPreset>(preset), size, sigma, &mask, problem)) return false;
  text[0] = mask_text(mask);
  return true;
}

const ConvolveKind &kind() {
  static const ConvolveKind convolve = {
      {{"mask", "Mask",
        "Coefficients, row by row, as in \"1 2 1; 2 4 2; 1 2 1\": rows separated by a semicolon, "
        "numbers by spaces or a comma; 1 to 31 rows and columns",
        "1"}},
      preset_type(),
      kMaxMaskSize,
      parse,
      fill};
  return convolve;
}

}  // namespace

static void gst_convolve_class_init(GstConvolveClass *klass) {
  convolve_class_setup(GST_CONVOLVE_FILTER_CLASS(klass), &kind());
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "Convolution", "Filter/Effect/Video",
      "Convolves video with a mask of up to 31 x 31 coefficients, on the GPU or on the CPU",
      "The gst-coalesce authors");
}

static void gst_convolve_init(GstConvolve *self) {
  convolve_instance_setup(GST_CONVOLVE_FILTER(self), &kind());
}
