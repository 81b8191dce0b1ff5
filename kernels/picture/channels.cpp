// SPDX-License-Identifier: LGPL-2.1-or-later
#include "channels.h"

#include <algorithm>

namespace coalesce {

namespace {

// Is a sample all that there is in a container?
bool is_alone(const PixelComponent &c) {
  return c.container == Container::u8 || c.container == Container::u16;
}

// Packed 4:2:2 with the containers and orders that rows.h knows: of fields, Cb Y Cr Y.
bool is_pairs(const PixelFormat &format) {
  const PixelComponent *c = format.component;
  return format.is_packed_422() &&
         (is_alone(c[0]) || (c[0].container != Container::u32 && c[0].first == 1 &&
                             c[1].first == 0 && c[2].first == 2));
}

// Is a pixel a word of three fields or four?
bool is_words(const PixelFormat &format) {
  return format.planes == 1 && format.components >= 3 &&
         std::all_of(format.component, format.component + format.components,
                     [](const PixelComponent &c) {
                       return c.container == Container::u32 && c.step == 1 && c.log2_width == 0 &&
                              c.log2_height == 0;
                     });
}

}  // namespace

bool is_known(SampleDepth depth) {
  if (depth.bits == 8 || depth.bits == 16) return depth.shift == 0;
  return (depth.bits == 10 || depth.bits == 12) &&
         (depth.shift == 0 || depth.shift == 16 - depth.bits);
}

SampleDepth sample_depth(const PixelFormat &format) {
  const PixelComponent &first = format.component[0];
  const bool alone = is_alone(first);
  for (int i = 0; i < format.components; ++i) {
    const PixelComponent &c = format.component[i];
    const bool alike = c.bits == first.bits && (!alone || c.shift == first.shift);
    if (c.container != first.container || !(alike || (!alone && c.role == Role::alpha)))
      return {0, 0};
  }
  if (!is_in_channels(format) && !is_pairs(format) && !is_words(format)) return {0, 0};
  const SampleDepth depth = {first.bits, alone ? first.shift : 0};
  const bool fits = depth.bytes() == (alone ? container_bytes(first.container) : 2);
  return fits && is_known(depth) ? depth : SampleDepth{0, 0};
}

bool is_in_channels(const PixelFormat &format) {
  for (int i = 0; i < format.components; ++i) {
    const PixelComponent &c = format.component[i];
    if (!is_alone(c)) return false;
    for (int j = 0; j < i; ++j) {
      const PixelComponent &other = format.component[j];
      if (c.plane == other.plane && (c.step != other.step || c.log2_width != other.log2_width))
        return false;
    }
  }
  return true;
}

ChannelRole channel_role(const PixelFormat &format, const PixelComponent &component, bool luma_only,
                         bool filter_alpha) {
  const bool whole = component.bits == format.component[0].bits;
  if (component.role == Role::alpha)
    return filter_alpha && whole ? ChannelRole::level : ChannelRole::copy;
  if (component.role != Role::u && component.role != Role::v) return ChannelRole::level;
  return luma_only ? ChannelRole::copy : ChannelRole::chroma;
}

ChannelPlanes channels_of(const PixelFormat &format, bool luma_only, bool filter_alpha) {
  const bool apart = !is_in_channels(format);
  ChannelPlanes planes;
  planes.planes = apart ? format.components : format.planes;
  for (ChannelPlane &plane : planes.plane)
    std::fill_n(plane.role, 4, ChannelRole::copy);  // padding stays so
  for (int i = 0; i < format.components; ++i) {
    const PixelComponent &c = format.component[i];
    ChannelPlane &plane = planes.plane[apart ? i : c.plane];
    plane.channels = apart ? 1 : c.step;
    plane.role[apart ? 0 : c.first] = channel_role(format, c, luma_only, filter_alpha);
  }
  return planes;
}

ChannelPlanes channels_of(const ConstImage &in, const Image &out, bool luma_only,
                          bool filter_alpha) {
  ChannelPlanes planes = channels_of(in.format, luma_only, filter_alpha);
  for (int p = 0; p < planes.planes; ++p) {
    ChannelPlane &plane = planes.plane[p];
    plane.in = in.plane[p];
    plane.out = out.plane[p];
    plane.in.height = plane.out.height = std::min(used_rows(in, p), out.plane[p].height);
  }
  return planes;
}

ChannelPlanes missing_rows(const ConstImage &in, const Image &out) {
  ChannelPlanes rows;
  rows.planes = 0;
  if (!in.interlaced) return rows;
  for (int p = 0; p < in.format.planes; ++p) {
    const Plane<std::uint8_t> &plane = out.plane[p];
    const int missing = used_rows(in, p);
    if (plane.height <= missing) continue;
    ChannelPlane &copied = rows.plane[rows.planes++];
    copied.in = {plane.row(std::max(missing - 2, 0)), plane.width, 1, plane.pitch};
    copied.out = {plane.row(missing), plane.width, 1, plane.pitch};
    copied.role[0] = ChannelRole::copy;
  }
  return rows;
}

}  // namespace coalesce
