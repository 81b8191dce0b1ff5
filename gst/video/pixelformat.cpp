// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pixelformat.h"

#include <string_view>

namespace coalesce::gst {
namespace {

// Where samples are that GStreamer's description of their format does not find.
struct KnownPlaces {
  const char *format;
  Container container;
  struct {
    std::int8_t first, step;
    std::uint8_t shift;
  } component[4];
};
constexpr KnownPlaces kKnownPlaces[] = {
    // Words that hold Cb Y Cr Y Cb Y and so on.
    {"v210", Container::v210, {{1, 2, 0}, {0, 4, 0}, {2, 4, 0}}},
    {"Y216_LE", Container::u16, {{0, 2, 0}, {1, 4, 0}, {3, 4, 0}}},
    {"Y416_LE", Container::u16, {{1, 4, 0}, {0, 4, 0}, {2, 4, 0}, {3, 4, 0}}},
    {"RGB10x2_LE", Container::u32, {{0, 1, 0}, {0, 1, 10}, {0, 1, 20}}},
    {"BGR10x2_LE", Container::u32, {{0, 1, 20}, {0, 1, 10}, {0, 1, 0}}},
};

Role role_of(const GstVideoFormatInfo *format, guint component) {
  if (GST_VIDEO_FORMAT_INFO_HAS_ALPHA(format) && component == GST_VIDEO_COMP_A) return Role::alpha;
  if (GST_VIDEO_FORMAT_INFO_IS_GRAY(format)) return Role::grey;
  const Role first = GST_VIDEO_FORMAT_INFO_IS_RGB(format) ? Role::r : Role::y;
  return static_cast<Role>(static_cast<guint>(first) + component);
}

// Sets container, shift, first and step.
void set_place(const GstVideoFormatInfo *format, guint component, PixelComponent *c) {
  for (const KnownPlaces &known : kKnownPlaces)
    if (std::string_view(known.format) == GST_VIDEO_FORMAT_INFO_NAME(format)) {
      c->container = known.container;
      c->shift = known.component[component].shift;
      c->first = known.component[component].first;
      c->step = known.component[component].step;
      return;
    }
  c->shift = static_cast<std::uint8_t>(GST_VIDEO_FORMAT_INFO_SHIFT(format, component));
  c->container = c->bits + c->shift > 8 ? Container::u16 : Container::u8;
  const int bytes = container_bytes(c->container);
  // Rounded up: GStreamer 1.22 says that P010's V begins at byte 1, where it begins at 2.
  const auto offset = static_cast<int>(GST_VIDEO_FORMAT_INFO_POFFSET(format, component));
  c->first = static_cast<std::int8_t>((offset + bytes - 1) / bytes);
  c->step = static_cast<std::int8_t>(GST_VIDEO_FORMAT_INFO_PSTRIDE(format, component) / bytes);
}

}  // namespace

PixelFormat pixel_format(const GstVideoFormatInfo *format) {
  PixelFormat result;
  result.planes = static_cast<std::uint8_t>(GST_VIDEO_FORMAT_INFO_N_PLANES(format));
  result.components = static_cast<std::uint8_t>(GST_VIDEO_FORMAT_INFO_N_COMPONENTS(format));
  for (guint i = 0; i < result.components; i++) {
    PixelComponent &c = result.component[i];
    c.plane = static_cast<std::uint8_t>(GST_VIDEO_FORMAT_INFO_PLANE(format, i));
    c.bits = static_cast<std::uint8_t>(GST_VIDEO_FORMAT_INFO_DEPTH(format, i));
    c.log2_width = static_cast<std::uint8_t>(GST_VIDEO_FORMAT_INFO_W_SUB(format, i));
    c.log2_height = static_cast<std::uint8_t>(GST_VIDEO_FORMAT_INFO_H_SUB(format, i));
    c.role = role_of(format, i);
    set_place(format, i, &c);
  }
  return result;
}

}  // namespace coalesce::gst
