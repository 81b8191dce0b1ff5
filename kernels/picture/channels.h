// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures as filters of neighbourhoods see them: planes of interleaved channels, each of which is
// filtered by itself or copied.
#pragma once

#include <algorithm>
#include <cstdint>

#include "image.h"

namespace coalesce {

// How samples are stored: bits count, and stand `shift` bits up in a byte (8 bits) or in a
// little-endian 16-bit word. 8-bit formats {8, 0}; 10 and 12 bits in low bits {10, 0}, {12, 0}, in
// high bits (P010, P012) {10, 6}, {12, 4}; 16 bits {16, 0}. The other bits of a word are not looked
// at, and become 0.
struct SampleDepth {
  int bits = 8;
  int shift = 0;

  int bytes() const { return bits > 8 ? 2 : 1; }
  int max() const { return (1 << bits) - 1; }
  int middle() const { return 1 << (bits - 1); }
};

// Is it one of those?
bool is_known(SampleDepth depth);

// Of all components of a format that filters of neighbourhoods take; of v210 and words, how samples
// are once they are unpacked. 0 bits: it is none of those.
SampleDepth sample_depth(const PixelFormat &format);

// Are the samples of such a format where ChannelPlane has them? Elsewhere: containers.h.
bool is_in_channels(const PixelFormat &format);

enum class ChannelRole : std::uint8_t {
  copy,    // alpha and padding, or a plane that is left alone: every bit of it
  level,   // luma, R, G, B, filtered alpha
  chroma,  // its middle stands for zero
};

// Of a component. Alpha of two bits beside others of ten is always copied.
ChannelRole channel_role(const PixelFormat &format, const PixelComponent &component, bool luma_only,
                         bool filter_alpha);

// A plane of `channels` interleaved samples a pixel. Widths count bytes:
// width = pixels * channels * depth.bytes(). 16-bit samples are little-endian and aligned to 2
// bytes.
struct ChannelPlane {
  Plane<const std::uint8_t> in;
  Plane<std::uint8_t> out;
  int channels = 1;  // 1 to 4
  ChannelRole role[4] = {ChannelRole::level, ChannelRole::level, ChannelRole::level,
                         ChannelRole::level};
};

// Is none of its channels filtered?
inline bool is_copied(const ChannelPlane &plane) {
  return std::all_of(plane.role, plane.role + plane.channels,
                     [](ChannelRole role) { return role == ChannelRole::copy; });
}

struct ChannelPlanes {
  ChannelPlane plane[4];
  int planes = 1;
};

// The roles by the format's components, without the planes' memory. Where samples are not in
// channels, each component has a plane of its own.
ChannelPlanes channels_of(const PixelFormat &format, bool luma_only, bool filter_alpha);
// With it: the rows that both pictures have. Of interlaced chroma one may have a row more.
ChannelPlanes channels_of(const ConstImage &in, const Image &out, bool luma_only,
                          bool filter_alpha);
// The rows of chroma that only `out` has, or that no pixel has, to be copied from the nearest row
// of their field, which is there.
ChannelPlanes missing_rows(const ConstImage &in, const Image &out);

}  // namespace coalesce
