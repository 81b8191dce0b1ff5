// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace coalesce {
namespace {

constexpr int kMaxWidth = 1 << 28;  // bytes of a row, and sums of positions in it, fit an int

bool between(int first, int x, int last) {
  return first <= x && x <= last;
}

bool is_sound(const PixelComponent &c, int planes) {
  const bool chroma = c.role == Role::u || c.role == Role::v;
  return c.plane < planes && c.container <= Container::be10 && between(1, c.step, 4) &&
         between(0, c.first, c.step - 1) && between(1, c.bits, 16) &&
         c.shift + c.bits <= container_bits(c.container) &&
         between(0, c.log2_width, chroma ? 2 : 0) && between(0, c.log2_height, chroma ? 1 : 0);
}

// Grey, or R, G, B, or Y, U, V; and alpha at the end.
bool has_roles(const PixelFormat &format) {
  const PixelComponent *c = format.component;
  const bool grey = c[0].role == Role::grey;
  const int colours = grey ? 1 : 3;
  const bool rgb = c[0].role == Role::r && c[1].role == Role::g && c[2].role == Role::b;
  const bool yuv = c[0].role == Role::y && c[1].role == Role::u && c[2].role == Role::v &&
                   c[1].log2_width == c[2].log2_width && c[1].log2_height == c[2].log2_height;
  return (grey || rgb || yuv) &&
         (format.components == colours ||
          (format.components == colours + 1 && c[colours].role == Role::alpha));
}

// What components say of the plane that they are in. All of them are in one kind of container, and
// have as many rows.
struct PlaneLayout {
  const PixelComponent *first = nullptr;  // of its components
  std::int64_t bytes = 0;                 // of a row
};

std::int64_t component_bytes(const PixelComponent &c, int width) {
  if (c.container == Container::v210) return (std::int64_t{width} + 47) / 48 * 128;
  if (c.container == Container::be10) return (std::int64_t{width} + 1) / 2 * 5;
  const std::int64_t samples = -(-std::int64_t{width} >> c.log2_width);
  return samples * c.step * container_bytes(c.container);
}

// A sound format, and its planes where rows are of so many pixels. None: no planes.
struct Layout {
  PixelFormat format;
  int width = 0;
  PlaneLayout planes[4];
};

// False if the format is unsound.
bool lay_out(const PixelFormat &format, int width, PlaneLayout (&planes)[4]) {
  if (!between(1, format.planes, 4) || !between(1, format.components, 4)) return false;
  for (int i = 0; i < format.components; ++i) {
    const PixelComponent &c = format.component[i];
    if (!is_sound(c, format.planes)) return false;
    PlaneLayout &plane = planes[c.plane];
    if (plane.first == nullptr) plane.first = &c;
    if (c.container != plane.first->container || c.log2_height != plane.first->log2_height)
      return false;
    plane.bytes = std::max(plane.bytes, component_bytes(c, width));
  }
  for (int p = 0; p < format.planes; ++p)
    if (planes[p].first == nullptr) return false;
  return has_roles(format);
}

bool same_bytes(const PixelFormat &a, const PixelFormat &b) {
  static_assert(std::has_unique_object_representations_v<PixelFormat>);
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// nullptr if the format is unsound. It takes longer than all other checks, and frame after frame is
// alike: each thread keeps the last few.
const Layout *layout_of(const PixelFormat &format, int width) {
  struct Kept {
    Layout layouts[4];
    unsigned oldest = 0;
  };
  thread_local Kept last;
  auto &[kept, oldest] = last;
  for (const Layout &layout : kept)
    if (layout.format.planes > 0 && layout.width == width && same_bytes(layout.format, format))
      return &layout;
  Layout &made = kept[oldest];
  made = {format, width, {}};
  if (!lay_out(made.format, width, made.planes)) {
    made = {};
    return nullptr;
  }
  oldest = (oldest + 1) % std::size(kept);
  return &made;
}

Status check_plane_of(const ConstImage &image, int p, const PlaneLayout &layout) {
  const Plane<const std::uint8_t> &plane = image.plane[p];
  if (Status s = check_plane(plane); !s.ok()) return s;
  if (plane.width != layout.bytes)
    return invalid_argument("a plane's width in bytes is not that of the picture's format");
  const int rows = -(-image.height >> layout.first->log2_height);
  const bool spare_row = image.interlaced && layout.first->log2_height == 1 && rows % 2 == 1;
  if (plane.height != rows && !(spare_row && plane.height == rows + 1))
    return invalid_argument("a plane's height is not that of the picture's format");
  const auto addresses = reinterpret_cast<std::uintptr_t>(plane.data) | plane.pitch;
  if ((addresses & static_cast<std::uintptr_t>(container_alignment(layout.first->container) - 1)) !=
      0)
    return invalid_argument("a plane or its pitch is not aligned to its samples");
  return {};
}

}  // namespace

std::int64_t row_bytes(const PixelFormat &format, int plane, int width) {
  std::int64_t bytes = 0;
  for (int i = 0; i < format.components; ++i)
    if (format.component[i].plane == plane)
      bytes = std::max(bytes, component_bytes(format.component[i], width));
  return bytes;
}

int plane_rows(const PixelFormat &format, int plane, int height) {
  for (int i = 0; i < format.components; ++i)
    if (format.component[i].plane == plane) return -(-height >> format.component[i].log2_height);
  return height;
}

int used_rows(const ConstImage &image, int plane) {
  const int progressive = plane_rows(image.format, plane, image.height);
  const int more = image.interlaced && image.height % 4 == 2 ? 1 : 0;
  return std::min(image.plane[plane].height, progressive + more);
}

Status check_image(const ConstImage &image) {
  const Layout *layout = layout_of(image.format, image.width);
  if (layout == nullptr)
    return invalid_argument("a picture has no pixel format, or an unsound one");
  if (image.width < 1 || image.height < 1) return invalid_argument("a picture is empty");
  if (image.width > kMaxWidth)
    return invalid_argument("a picture is too wide; the limit is 2^28 pixels");
  for (int p = 0; p < image.format.planes; ++p)
    if (Status s = check_plane_of(image, p, layout->planes[p]); !s.ok()) return s;
  return {};
}

Status check_alike(const ConstImage &in, const ConstImage &out) {
  if (Status s = check_image(in); !s.ok()) return s;
  if (Status s = check_image(out); !s.ok()) return s;
  if (!same_bytes(in.format, out.format) && !(in.format == out.format))
    return invalid_argument("the pictures differ in format");
  if (in.width != out.width || in.height != out.height || in.interlaced != out.interlaced)
    return invalid_argument("the pictures differ in size or interlacing");
  return {};
}

}  // namespace coalesce
