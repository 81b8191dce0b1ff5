// SPDX-License-Identifier: LGPL-2.1-or-later
#include "channels.h"

#include <utility>

#include "conversion.h"
#include "object/category.h"
#include "picture/channels.h"
#include "pixelformat.h"

namespace coalesce::gst {

// What a source that has a choice makes comes first.
const std::string &channel_formats() {
  static const std::string list = format_list(
      formats_where({"GRAY8", "GRAY16_LE", "I420", "YV12", "NV12", "NV21", "Y42B", "Y444",
                     "P010_10LE", "I420_10LE", "I422_10LE", "Y444_10LE", "Y444_16LE"},
                    [](const PixelFormat &format) { return sample_depth(format).bits > 0; }));
  return list;
}

std::string border_problem(const ChannelSettings &settings, const GstVideoInfo &info) {
  const int max = sample_depth(pixel_format(info)).max();
  if (settings.border != Border::constant || settings.border_value <= max) return {};
  return "border-value=" + std::to_string(settings.border_value) + " is more than " +
         std::to_string(max) + ", the largest sample of " + GST_VIDEO_INFO_NAME(&info);
}

std::string ignored_border_value(const ChannelSettings &settings) {
  if (settings.border_value == 0 || settings.border == Border::constant) return {};
  return "border-value=" + std::to_string(settings.border_value) +
         " has no effect; it requires border=constant";
}

std::string planes_problem(const ChannelSettings &settings, const GstVideoInfo &info) {
  if (!settings.luma_only || !GST_VIDEO_INFO_IS_RGB(&info)) return {};
  return std::string("planes=luma: ") + GST_VIDEO_INFO_NAME(&info) + " has no luma; use planes=all";
}

void warn_without_alpha(gpointer element, const ChannelSettings &settings, const GstVideoInfo &info,
                        GstVideoFormat *last) {
  const PixelFormat samples = pixel_format(info);
  const PixelComponent *alpha = samples.find(Role::alpha);
  const bool filtered = alpha != nullptr && alpha->bits == samples.component[0].bits;
  const GstVideoFormat format =
      settings.filter_alpha && !filtered ? GST_VIDEO_INFO_FORMAT(&info) : GST_VIDEO_FORMAT_UNKNOWN;
  if (std::exchange(*last, format) == format || format == GST_VIDEO_FORMAT_UNKNOWN) return;
  GST_ELEMENT_WARNING(
      element, LIBRARY, SETTINGS,
      ("filter-alpha=true has no effect: %s has %s", GST_VIDEO_INFO_NAME(&info),
       alpha == nullptr ? "no alpha channel" : "alpha of two bits, which is copied"),
      (nullptr));
}

GType border_type(const char *name) {
  static const GEnumValue values[] = {
      {int(Border::replicate), "aaa|abcd|ddd: nearest sample", "replicate"},
      {int(Border::reflect), "cba|abcd|dcb: mirrored, edge sample repeated", "reflect"},
      {int(Border::reflect_101), "dcb|abcd|cba: mirrored, edge sample not repeated", "reflect-101"},
      {int(Border::wrap), "bcd|abcd|abc: samples of the opposite edge", "wrap"},
      {int(Border::constant), "kkk|abcd|kkk: value of the property border-value", "constant"},
      {0, nullptr, nullptr}};
  const GType type = g_type_from_name(name);
  return type != 0 ? type : g_enum_register_static(name, values);
}

GType planes_type(const char *name) {
  static const GEnumValue values[] = {
      {0, "All planes, except alpha without filter-alpha", "all"},
      {1, "Luma only; an error with RGB formats, which have no luma", "luma"},
      {0, nullptr, nullptr}};
  const GType type = g_type_from_name(name);
  return type != 0 ? type : g_enum_register_static(name, values);
}

}  // namespace coalesce::gst
