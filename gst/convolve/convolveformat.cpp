// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolveformat.h"

#include <algorithm>

namespace coalesce::gst {
namespace {

ChannelRole role_of(const GstVideoInfo &info, guint component, bool luma_only, bool filter_alpha) {
  if (component == GST_VIDEO_COMP_A) return filter_alpha ? ChannelRole::level : ChannelRole::copy;
  if (component == GST_VIDEO_COMP_Y || !GST_VIDEO_INFO_IS_YUV(&info)) return ChannelRole::level;
  return luma_only ? ChannelRole::copy : ChannelRole::chroma;
}

// Which of its plane's channels a component is. Rounded up: GStreamer 1.22 gives V of P010 the
// offset 1, which should be 2.
int channel_of(const GstVideoInfo &info, guint component) {
  const int bytes = convolve_depth(info).bytes();
  return (GST_VIDEO_INFO_COMP_POFFSET(&info, component) + bytes - 1) / bytes;
}

}  // namespace

SampleDepth convolve_depth(const GstVideoInfo &info) {
  return {static_cast<int>(GST_VIDEO_INFO_COMP_DEPTH(&info, 0)),
          static_cast<int>(GST_VIDEO_FORMAT_INFO_SHIFT(info.finfo, 0))};
}

ConvolveImage convolve_image(const Frame &in, const Frame &out, bool luma_only, bool filter_alpha) {
  const GstVideoInfo &info = in.info();
  const int bytes = convolve_depth(info).bytes();
  ConvolveImage image;
  image.planes = static_cast<int>(in.n_planes());
  for (guint p = 0; p < in.n_planes(); p++) {
    ConvolvePlane &plane = image.plane[p];
    plane.in = in.plane(p);
    plane.out = out.plane(p);
    plane.in.height = plane.out.height = std::min(plane.in.height, plane.out.height);
    std::fill_n(plane.role, 4, ChannelRole::copy);  // padding stays so
  }
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(&info); c++) {
    ConvolvePlane &plane = image.plane[GST_VIDEO_INFO_COMP_PLANE(&info, c)];
    plane.channels = GST_VIDEO_INFO_COMP_PSTRIDE(&info, c) / bytes;
    plane.role[channel_of(info, c)] = role_of(info, c, luma_only, filter_alpha);
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
