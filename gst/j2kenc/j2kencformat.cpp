// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kencformat.h"

#include <algorithm>
#include <cstring>

#include "video/conversion.h"

namespace coalesce::gst {
namespace {

// What a source that has a choice makes.
const std::vector<const char *> kFirst = {
    "GRAY8", "GRAY16_LE", "RGB",  "BGR",  "RGBx", "BGRx", "xRGB", "xBGR", "RGBA", "BGRA", "ARGB",
    "ABGR",  "GBR",       "RGBP", "I420", "YV12", "NV12", "NV21", "Y42B", "UYVY", "YUY2", "Y41B"};

// But for memory and pitch.
j2k::Samples place_of(const PixelComponent &c) {
  j2k::Samples samples = {};
  samples.container = c.container;
  samples.shift = c.shift;
  samples.bits = c.bits;
  samples.first = c.first;
  samples.step = c.step;
  return samples;
}

// So many rows of a plane, the last of them instead of those that it lacks.
const std::uint8_t *with_spare_row(const Plane<std::uint8_t> &plane, J2kRows rows, int count,
                                   std::vector<std::uint8_t> *spare) {
  const auto bytes = static_cast<std::size_t>(plane.width);
  spare->resize(bytes * static_cast<std::size_t>(count));
  for (int y = 0; y < count; y++)
    std::memcpy(spare->data() + bytes * static_cast<std::size_t>(y),
                plane.row(std::min(rows.first + rows.step * y, plane.height - 1)), bytes);
  return spare->data();
}

}  // namespace

std::string j2k_formats() {
  return format_list(formats_where(kFirst, [](const PixelFormat &) { return true; }));
}

bool j2k_is_rgb(const GstVideoFormatInfo *format) {
  return GST_VIDEO_FORMAT_INFO_IS_RGB(format);
}

void j2k_components(const GstVideoInfo &info, J2kRows rows, j2k::CodingParams *coding) {
  const PixelFormat format = pixel_format(info);
  coding->image = {0, 0, info.width, rows.count(info.height)};
  coding->num_components = format.components;
  for (std::size_t i = 0; i < format.components; i++) {
    const PixelComponent &c = format.component[i];
    coding->component[i] = {1 << c.log2_width, 1 << c.log2_height, c.bits};
  }
}

bool j2k_is_top_first(const GstVideoInfo &info, GstBuffer *buffer) {
  const GstVideoFieldOrder order = GST_VIDEO_INFO_FIELD_ORDER(&info);
  if (order != GST_VIDEO_FIELD_ORDER_UNKNOWN) return order == GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST;
  return GST_BUFFER_FLAG_IS_SET(buffer, GST_VIDEO_BUFFER_FLAG_TFF);
}

void j2k_samples(const Frame &frame, J2kRows rows, std::vector<std::uint8_t> *spare,
                 j2k::Samples *samples) {
  const PixelFormat format = pixel_format(frame.info());
  const int height = rows.count(frame.info().height);
  for (int c = 0; c < format.components; c++) {
    const PixelComponent &component = format.component[c];
    const Plane<std::uint8_t> plane = frame.plane(component.plane);
    j2k::Samples &s = samples[c] = place_of(component);
    const int needed = -(-height >> component.log2_height);
    if (rows.count(plane.height) < needed) {
      s.data = with_spare_row(plane, rows, needed, &spare[c]);
      s.pitch = static_cast<std::size_t>(plane.width);
    } else {
      s.data = plane.row(rows.first);
      s.pitch = plane.pitch * static_cast<std::size_t>(rows.step);
    }
  }
}

j2k::Jp2Params j2k_jp2_params(const GstVideoInfo &info) {
  j2k::Jp2Params jp2;
  jp2.colour = GST_VIDEO_INFO_IS_GRAY(&info) ? j2k::ColourSpace::grey
               : j2k_is_rgb(info.finfo)      ? j2k::ColourSpace::srgb
                                             : j2k::ColourSpace::sycc;
  if (GST_VIDEO_INFO_HAS_ALPHA(&info))
    jp2.alpha = static_cast<int>(GST_VIDEO_INFO_N_COMPONENTS(&info)) - 1;
  // Sixteen bits for each side will do.
  gint n = GST_VIDEO_INFO_PAR_N(&info), d = GST_VIDEO_INFO_PAR_D(&info);
  for (; n > G_MAXUINT16 || d > G_MAXUINT16; n /= 2, d /= 2) {
  }
  jp2.aspect_width = static_cast<std::uint16_t>(std::max(n, 1));
  jp2.aspect_height = static_cast<std::uint16_t>(std::max(d, 1));
  return jp2;
}

}  // namespace coalesce::gst
