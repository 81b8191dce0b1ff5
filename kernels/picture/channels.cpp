// SPDX-License-Identifier: LGPL-2.1-or-later
#include "channels.h"

#include <algorithm>

namespace coalesce {

bool is_known(SampleDepth depth) {
  if (depth.bits == 8 || depth.bits == 16) return depth.shift == 0;
  return (depth.bits == 10 || depth.bits == 12) &&
         (depth.shift == 0 || depth.shift == 16 - depth.bits);
}

SampleDepth sample_depth(const PixelFormat &format) {
  const PixelComponent &first = format.component[0];
  for (int i = 0; i < format.components; ++i) {
    const PixelComponent &c = format.component[i];
    const bool alone = c.container == Container::u8 || c.container == Container::u16;
    if (!alone || c.container != first.container || c.bits != first.bits || c.shift != first.shift)
      return {0, 0};
    for (int j = 0; j < i; ++j)
      if (c.plane == format.component[j].plane && c.step != format.component[j].step) return {0, 0};
  }
  const SampleDepth depth = {first.bits, first.shift};
  const bool fits = container_bytes(first.container) == depth.bytes();
  return fits && is_known(depth) ? depth : SampleDepth{0, 0};
}

ChannelPlanes channels_of(const PixelFormat &format, bool luma_only, bool filter_alpha) {
  const auto role_of = [&](Role role) {
    if (role == Role::alpha) return filter_alpha ? ChannelRole::level : ChannelRole::copy;
    if (role != Role::u && role != Role::v) return ChannelRole::level;
    return luma_only ? ChannelRole::copy : ChannelRole::chroma;
  };
  ChannelPlanes planes;
  planes.planes = format.planes;
  for (ChannelPlane &plane : planes.plane)
    std::fill_n(plane.role, 4, ChannelRole::copy);  // padding stays so
  for (int i = 0; i < format.components; ++i) {
    const PixelComponent &c = format.component[i];
    ChannelPlane &plane = planes.plane[c.plane];
    plane.channels = c.step;
    plane.role[c.first] = role_of(c.role);
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
