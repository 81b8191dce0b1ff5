// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve_judge.h"

#include <cstring>
#include <optional>

#include "../../check/convolve/convolve_reference.h"
#include "../../check/images.h"
#include "../../kernels/convolve/convolve_reference.h"
#include "blur/blur.h"
#include "canny_judge.h"
#include "median_judge.h"
#include "multiview_judge.h"
#include "oilpaint_judge.h"
#include "stereo_judge.h"

namespace test {
namespace {

using namespace coalesce;

// A property by its name.
template <class T>
T get(GstElement *element, const char *name) {
  T value{};
  g_object_get(element, name, &value, nullptr);
  return value;
}

std::string get_text(GstElement *element, const char *name) {
  const Owned<char> text(get<gchar *>(element, name));
  return text ? text.get() : "";
}

bool has(GstElement *element, const char *name) {
  return g_object_class_find_property(G_OBJECT_GET_CLASS(element), name) != nullptr;
}

bool is_blank(const std::string &text) {
  return text.find_first_not_of(" \t\n\v\f\r") == std::string::npos;
}

bool read_masks(GstElement *element, FilterSettings *settings) {
  std::string error;
  if (has(element, "mask"))
    return parse_mask(get_text(element, "mask"), kMaxMaskSize, kMaxMaskSize, &settings->mask,
                      &error);
  Mask across, down;
  if (!parse_mask(get_text(element, "horizontal"), kMaxTaps, 1, &across, &error)) return false;
  settings->horizontal = across.at;
  const std::string vertical = get_text(element, "vertical");
  if (is_blank(vertical)) return true;
  if (!parse_mask(vertical, kMaxTaps, 1, &down, &error)) return false;
  settings->vertical = down.at;
  return true;
}

bool is_blur(GstElement *element) {
  return !has(element, "mask") && get<gint>(element, "preset") == int(RowPreset::blur);
}

// Of its own samples tests/kernels/blur judges.
bool is_pyramid(GstElement *element) {
  return is_blur(element) && get<gdouble>(element, "sigma") >= kMinBlurSigma;
}

// A preset that cannot be made leaves the texts as they were.
bool preset_is_sound(GstElement *element) {
  const int preset = get<gint>(element, "preset"), size = get<gint>(element, "size");
  const double sigma = get<gdouble>(element, "sigma");
  if (preset == 0 || is_pyramid(element)) return true;
  std::string error;
  Mask mask, other;
  if (!has(element, "mask"))
    return preset_rows(static_cast<RowPreset>(preset), size, sigma, &mask, &other, &error);
  if (!preset_mask(static_cast<MaskPreset>(preset), size, sigma, &mask, &error)) return false;
  DEMAND(get_text(element, "mask") == mask_text(mask), "preset %d, size %d, sigma %g", preset, size,
         sigma);
  return true;
}

void read_numbers(GstElement *element, FilterSettings *settings) {
  settings->anchor_x = get<gint>(element, "anchor-x");
  settings->anchor_y = get<gint>(element, "anchor-y");
  settings->correlate = get<gboolean>(element, "correlate") != FALSE;
  settings->normalize = get<gboolean>(element, "normalize") != FALSE;
  settings->absolute = get<gboolean>(element, "absolute") != FALSE;
  settings->divisor = get<gdouble>(element, "divisor");
  settings->bias = get<gdouble>(element, "bias");
}

std::optional<Filter> filter_of(GstElement *element, const SampleFormat &format) {
  FilterSettings settings;
  if (is_pyramid(element)) return Filter();
  if (!preset_is_sound(element) || !read_masks(element, &settings)) return {};
  if (!is_blur(element)) read_numbers(element, &settings);
  Filter filter;
  FilterError error;
  if (!make_filter(settings, {format.bits, format.shift}, &filter, &error)) return {};
  return filter;
}

bool luma_only(GstElement *element) {
  return get<gint>(element, "planes") != 0;
}

ChannelRole role_of(GstElement *element, char letter) {
  switch (letter) {
    case 'y':
      return ChannelRole::level;
    case 'c':
      return luma_only(element) ? ChannelRole::copy : ChannelRole::chroma;
    case 'a':
      return get<gboolean>(element, "filter-alpha") ? ChannelRole::level : ChannelRole::copy;
    default:
      return ChannelRole::copy;
  }
}

void check_plane(const ConvolveParams &params, ConvolvePlane plane, const GstVideoFrame &out,
                 int index) {
  const auto bytes = static_cast<gsize>(plane.in.width);
  std::vector<guint8> expected(bytes * static_cast<gsize>(plane.in.height));
  plane.out = {expected.data(), plane.in.width, plane.in.height, bytes};
  ConvolvePlanes image;
  image.plane[0] = plane;
  coalesce::test::convolve_reference(params, image);
  for (int y = 0; y < rows(out.info, index); y++) {
    const auto *row = static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&out, index)) +
                      static_cast<gssize>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&out, index);
    DEMAND(std::memcmp(row, plane.out.row(y), bytes) == 0, "%s %dx%d: row %d of plane %d",
           GST_VIDEO_INFO_NAME(&out.info), out.info.width, out.info.height, y, index);
  }
}

// A channel that GStreamer unpacks, as a plane of its own.
void check_unpacked(const ConvolveParams &params, ChannelRole role, const GstVideoFrame &in,
                    const GstVideoFrame &out, int channel) {
  const SampleFormat &format = sample_format(in.info.finfo->name);
  const Channel before = read_channel(in, format, 0, channel),
                after = read_channel(out, format, 0, channel);
  const SampleDepth depth = params.filter->depth;
  const int bytes = before.width * depth.bytes();
  std::vector<guint8> from(static_cast<gsize>(bytes) * static_cast<gsize>(before.height));
  std::vector<guint8> to(from.size()), found(from.size());
  const auto plane_of = [&](std::vector<guint8> *samples) {
    return Plane<std::uint8_t>{samples->data(), bytes, before.height, static_cast<gsize>(bytes)};
  };
  ConvolvePlanes image;
  ConvolvePlane &plane = image.plane[0];
  plane.in = plane_of(&from);
  plane.role[0] = role;
  for (int y = 0; y < before.height; y++)
    for (int x = 0; x < before.width; x++) {
      plane.out = plane_of(&from);
      coalesce::test::store_sample(plane, depth, 0, x, y, before.at(x, y));
      plane.out = plane_of(&found);
      coalesce::test::store_sample(plane, depth, 0, x, y, after.at(x, y));
    }
  plane.out = plane_of(&to);
  coalesce::test::convolve_reference(params, image);
  DEMAND(to == found, "%s %dx%d: channel %d", GST_VIDEO_INFO_NAME(&out.info), out.info.width,
         out.info.height, channel);
}

}  // namespace

// Interlaced chroma has an even number of rows where the layout of the caps leaves room for it,
// which that of P010 does not, and where the picture has such a row, as heights of 4n + 2 have.
bool settings_are_sound(GstElement *element, const GstVideoInfo &info) {
  if (has(element, "aperture")) return canny_is_sound(element);
  if (has(element, "brush-thickest")) return oilpaint_is_sound(element);
  if (has(element, "num-disparities")) return stereo_is_sound(element);
  if (has(element, "num-depths")) return multiview_is_sound(element);
  if (!has(element, "border")) return true;  // no properties of its own
  const SampleFormat &format = sample_format(info.finfo->name);
  const bool constant = get<gint>(element, "border") == int(Border::constant);
  const bool has_mask = has(element, "algorithm");
  return (!has_mask || filter_of(element, format)) &&
         (!has(element, "percentile") || median_is_sound(element)) &&
         !(constant && get<gint>(element, "border-value") >= 1 << format.bits) &&
         !(luma_only(element) && GST_VIDEO_INFO_IS_RGB(&info));
}

void check_convolve(const Work &work, bool interlaced) {
  if (is_pyramid(work.element)) return;
  const SampleFormat &format = sample_format(work.in_info.finfo->name);
  const std::optional<Filter> filter = filter_of(work.element, format);
  const ConvolveParams params{&*filter, static_cast<Border>(get<gint>(work.element, "border")),
                              get<gint>(work.element, "border-value")};
  GstVideoFrame in, out;
  fail_unless(gst_video_frame_map(&in, &work.in_info, work.in, GST_MAP_READ));
  fail_unless(gst_video_frame_map(&out, &work.out_info, work.out, GST_MAP_READ));
  for (int p = 0; p < 4 && format.planes[p] != nullptr; p++) {
    const std::string letters = format.planes[p];
    for (gsize c = 0; format.unpacked && c < letters.size(); c++)
      check_unpacked(params, role_of(work.element, letters[c]), in, out, static_cast<int>(c));
    if (format.unpacked) continue;
    ConvolvePlane plane;
    plane.in = {static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&in, p)),
                row_bytes(in.info, p), filtered_rows(work.in_info, p, interlaced),
                static_cast<gsize>(GST_VIDEO_FRAME_PLANE_STRIDE(&in, p))};
    plane.channels = static_cast<int>(letters.size());
    for (gsize c = 0; c < letters.size(); c++)
      plane.role[c] = role_of(work.element, letters[c]);
    check_plane(params, plane, out, p);
  }
  gst_video_frame_unmap(&in);
  gst_video_frame_unmap(&out);
}

}  // namespace test
