// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-sepconvolve
 * @title: sepconvolve
 *
 * Convolution with the product of a row and a column. See docs/convolve.md.
 */
#include "convolve/convolvefilter.h"

using namespace coalesce;
using namespace coalesce::gst;

namespace {

GType preset_type() {
  static const GEnumValue values[] = {
      {int(RowPreset::none), "No preset: horizontal and vertical have the coefficients", "none"},
      {int(RowPreset::identity), "Single coefficients 1: the picture is copied", "identity"},
      {int(RowPreset::box), "Box blur, the mean of size x size pixels, size 1 to 63", "box"},
      {int(RowPreset::gaussian), "Gaussian blur by sigma, size 1 to 63", "gaussian"},
      {int(RowPreset::binomial), "Blur with binomial coefficients, size 1 to 63", "binomial"},
      {int(RowPreset::derivative_x), "Horizontal gradient: central difference", "derivative-x"},
      {int(RowPreset::derivative_y), "Vertical gradient: central difference", "derivative-y"},
      {int(RowPreset::sobel_x), "Sobel, odd size 3 to 63: horizontal gradient", "sobel-x"},
      {int(RowPreset::sobel_y), "Sobel, odd size 3 to 63: vertical gradient", "sobel-y"},
      {int(RowPreset::gaussian_x),
       "Horizontal gradient: derivative of a Gaussian by sigma, odd size 1 to 63", "gaussian-x"},
      {int(RowPreset::gaussian_y),
       "Vertical gradient: derivative of a Gaussian by sigma, odd size 1 to 63", "gaussian-y"},
      {int(RowPreset::blur),
       "Gaussian blur by sigma, at about one cost from 8 on, where it has no coefficients", "blur"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstSepconvolvePreset", values);
  return type;
}

bool parse_row(const char *property, bool may_be_empty, const std::string &text,
               std::vector<double> *row, std::string *problem) {
  Mask mask;
  std::string why;
  if (!parse_mask(text, kMaxTaps, 1, &mask, &why)) {
    if (problem->empty()) *problem = convolve_text_problem(property, text, why, may_be_empty);
    return false;
  }
  *row = std::move(mask.at);
  return true;
}

bool is_empty(const std::string &text) {
  return text.find_first_not_of(" \t\n\v\f\r") == std::string::npos;
}

bool parse(const std::string (&text)[2], FilterSettings *settings, std::string *problem) {
  const bool across = parse_row("horizontal", false, text[0], &settings->horizontal, problem);
  if (!is_empty(text[1]))
    return parse_row("vertical", true, text[1], &settings->vertical, problem) && across;
  settings->vertical.clear();
  return across;
}

bool fill(int preset, int size, double sigma, std::string (&text)[2], std::string *problem) {
  Mask horizontal, vertical;
  // The coefficients are not used then, and stay.
  if (preset == int(RowPreset::blur) && sigma >= kMinBlurSigma) return true;
  if (!preset_rows(static_cast<RowPreset>(preset), size, sigma, &horizontal, &vertical, problem))
    return false;
  text[0] = mask_text(horizontal);
  text[1] = mask_text(vertical);
  return true;
}

gboolean register_element(GstPlugin *plugin) {
  static const ConvolveKind kind = {
      "Separable convolution",
      "Convolves video with a row and a column of up to 63 coefficients, on the GPU or on the CPU",
      {{"horizontal", "Row",
        "Coefficients of the row filter from left to right, as in \"1 4 6 4 1\": 1 to 63 numbers "
        "separated by spaces or one comma",
        "1"},
       {"vertical", "Column",
        "Coefficients of the column filter from top to bottom, as in \"1 4 6 4 1\": 1 to 63 "
        "numbers (empty = the same as horizontal)",
        ""}},
      preset_type(),
      kMaxTaps,
      parse,
      fill,
      int(RowPreset::gaussian),
      "preset=blur",
      int(RowPreset::blur)};
  return convolve_register(plugin, "sepconvolve", "GstSepconvolve", &kind);
}

}  // namespace

GST_ELEMENT_REGISTER_DEFINE_CUSTOM(sepconvolve, register_element)
