// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolveformat.h"

#include <algorithm>

namespace coalesce::gst {
namespace {

ChannelRole role_of(Role role, bool luma_only, bool filter_alpha) {
  if (role == Role::alpha) return filter_alpha ? ChannelRole::level : ChannelRole::copy;
  if (role != Role::u && role != Role::v) return ChannelRole::level;
  return luma_only ? ChannelRole::copy : ChannelRole::chroma;
}

}  // namespace

SampleDepth convolve_depth(const GstVideoInfo &info) {
  const PixelComponent &first = pixel_format(info).component[0];
  return {first.bits, first.shift};
}

ConvolveImage convolve_image(const Frame &in, const Frame &out, bool luma_only, bool filter_alpha) {
  const PixelFormat format = pixel_format(in.info());
  ConvolveImage image;
  image.planes = static_cast<int>(in.n_planes());
  for (guint p = 0; p < in.n_planes(); p++) {
    ConvolvePlane &plane = image.plane[p];
    plane.in = in.plane(p);
    plane.out = out.plane(p);
    plane.in.height = plane.out.height = std::min(plane.in.height, plane.out.height);
    std::fill_n(plane.role, 4, ChannelRole::copy);  // padding stays so
  }
  for (int i = 0; i < format.components; i++) {
    const PixelComponent &c = format.component[i];
    ConvolvePlane &plane = image.plane[c.plane];
    plane.channels = c.step;
    plane.role[c.first] = role_of(c.role, luma_only, filter_alpha);
  }
  return image;
}

ConvolveImage convolve_missing_rows(const Frame &in, const Frame &out) {
  ConvolveImage image;
  image.planes = 0;
  for (guint p = 0; p < in.n_planes(); p++) {
    const Plane<std::uint8_t> plane = out.plane(p);
    const int missing = in.plane(p).height;
    if (plane.height <= missing) continue;
    ConvolvePlane &copied = image.plane[image.planes++];
    copied.in = {plane.row(std::max(missing - 2, 0)), plane.width, 1, plane.pitch};
    copied.out = {plane.row(missing), plane.width, 1, plane.pitch};
    copied.channels = 1;
    copied.role[0] = ChannelRole::copy;
  }
  return image;
}

}  // namespace coalesce::gst
