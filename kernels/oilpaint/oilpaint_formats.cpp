// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>
#include <cstdio>

#include "../picture/formats.h"
#include "oilpaint_job.h"

namespace coalesce {
namespace {

// Texts of a Status are static, so that they do not allocate.
constexpr std::size_t kMostFormats = 256, kTextBytes = 80;
using Texts = std::array<std::array<char, kTextBytes>, kMostFormats>;

const Texts &refusals() {
  static const Texts texts = [] {
    Texts made = {};
    const auto formats = named_formats();
    for (std::size_t i = 0; i < std::min(formats.size(), kMostFormats); ++i)
      std::snprintf(made[i].data(), kTextBytes, "oilpaint: %s has samples that are no bytes",
                    formats[i].name);
    return made;
  }();
  return texts;
}

OilChannel channel_of(const ConstImage &in, const Image &out, int plane, int first, int step) {
  const Plane<const std::uint8_t> &from = in.plane[plane];
  const Plane<std::uint8_t> &to = out.plane[plane];
  OilChannel c = {};
  c.in = from.data + first, c.in_pitch = from.pitch;
  c.out = to.data + first, c.out_pitch = to.pitch;
  c.step = step;
  c.columns = (from.width - first + step - 1) / step;
  c.in_rows = used_rows(in, plane), c.out_rows = to.height;
  return c;
}

OilChannel channel_of(const ConstImage &in, const Image &out, const PixelComponent &component) {
  OilChannel c = channel_of(in, out, component.plane, component.first, component.step);
  c.log2_width = component.log2_width, c.log2_height = component.log2_height;
  return c;
}

}  // namespace

Status check_oil_format(const PixelFormat &format) {
  if (format.in_bytes()) return {};
  const auto formats = named_formats();
  for (std::size_t i = 0; i < std::min(formats.size(), kMostFormats); ++i)
    if (formats[i].format == format) return invalid_argument(refusals()[i].data());
  return invalid_argument("oilpaint: a format has samples that are no bytes");
}

OilPicture make_oil_picture(const ConstImage &in, const Image &out) {
  const PixelFormat &format = in.format;
  OilPicture p;
  p.width = in.width, p.height = in.height;
  p.interlaced = in.interlaced, p.rgb = format.has(Role::r);
  unsigned used = 0;  // of the first plane's bytes, if pixels are packed there
  for (int i = 0; i < format.components; ++i) {
    const PixelComponent &c = format.component[i];
    if (c.role == Role::alpha)
      p.copy[p.copies++] = channel_of(in, out, c);
    else
      p.component[p.components++] = channel_of(in, out, c);
    if (c.plane == 0) used |= 1u << c.first;
  }
  const int step = format.component[0].step;
  const bool pairs = format.is_packed_422();
  for (int first = 0; first < step && format.planes == 1 && !pairs; ++first)
    if ((used >> first & 1) == 0) p.copy[p.copies++] = channel_of(in, out, 0, first, step);
  return p;
}

}  // namespace coalesce
