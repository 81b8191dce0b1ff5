// SPDX-License-Identifier: LGPL-2.1-or-later
#include "jp2.h"

#include <algorithm>

#include "big_endian.h"

namespace coalesce::j2k {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t box_type(const char (&name)[5]) {
  std::uint32_t type = 0;
  for (int i = 0; i < 4; ++i)
    type = type << 8 | static_cast<std::uint8_t>(name[i]);
  return type;
}

constexpr std::uint32_t kBoxHeader = 8;

// A box: its length is known at the end.
class Box {
 public:
  Box(const char (&name)[5], Bytes *out) : out_(out), begin_(out->size()) {
    put_u32(0, out);
    put_u32(box_type(name), out);
  }
  ~Box() { set_u32(static_cast<std::uint32_t>(out_->size() - begin_), begin_, out_); }
  Box(const Box &) = delete;
  Box &operator=(const Box &) = delete;

 private:
  Bytes *out_;
  std::size_t begin_;
};

bool same_bits(const CodingParams &p) {
  return std::all_of(p.component.begin(), p.component.begin() + p.num_components,
                     [&](const Component &c) { return c.bits == p.component[0].bits; });
}

// I.5.3.1
void put_image_header(const CodingParams &p, Bytes *out) {
  const Box box("ihdr", out);
  put_u32(static_cast<std::uint32_t>(p.image.height()), out);
  put_u32(static_cast<std::uint32_t>(p.image.width()), out);
  put_u16(static_cast<unsigned>(p.num_components), out);
  put_u8(same_bits(p) ? static_cast<unsigned>(p.component[0].bits - 1) : 255, out);
  put_u8(7, out);  // coded as this standard says
  put_u8(0, out);  // the colour space is known
  put_u8(0, out);  // no intellectual property box
}

// I.5.3.2
void put_bits(const CodingParams &p, Bytes *out) {
  if (same_bits(p)) return;
  const Box box("bpcc", out);
  for (int c = 0; c < p.num_components; ++c)
    put_u8(static_cast<unsigned>(p.component[static_cast<std::size_t>(c)].bits - 1), out);
}

// I.5.3.3
void put_colour(ColourSpace colour, Bytes *out) {
  const Box box("colr", out);
  put_u8(1, out);  // by number
  put_u8(0, out);
  put_u8(0, out);
  put_u32(colour == ColourSpace::srgb ? 16 : colour == ColourSpace::grey ? 17 : 18, out);
}

// I.5.3.6: each component, what it is, and of which colour.
void put_channels(const Jp2Params &jp2, const CodingParams &p, Bytes *out) {
  if (jp2.alpha < 0) return;
  const Box box("cdef", out);
  put_u16(static_cast<unsigned>(p.num_components), out);
  for (int c = 0; c < p.num_components; ++c) {
    const bool alpha = c == jp2.alpha;
    put_u16(static_cast<unsigned>(c), out);
    put_u16(!alpha ? 0 : jp2.premultiplied ? 2 : 1, out);
    put_u16(alpha ? 0 : static_cast<unsigned>(c) + 1, out);
  }
}

// I.5.3.7: pixels a metre, down and across. Only their ratio is meant: they are 100 times the
// sides.
void put_resolution(const Jp2Params &jp2, Bytes *out) {
  if (jp2.aspect_width == jp2.aspect_height) return;
  const Box box("res ", out);
  const Box display("resd", out);
  for (unsigned v : {unsigned{jp2.aspect_width}, 1u, unsigned{jp2.aspect_height}, 1u})
    put_u16(v, out);
  put_u8(2, out);  // times ten to the power of that
  put_u8(2, out);
}

}  // namespace

Status check_params(const Jp2Params &jp2, const CodingParams &coding) {
  const int colours = coding.num_components - (jp2.alpha >= 0);
  if (jp2.colour > ColourSpace::sycc) return invalid_argument("jp2: no such colour space");
  if (colours != (jp2.colour == ColourSpace::grey ? 1 : 3))
    return invalid_argument("jp2: the colour space has another number of components");
  if (jp2.alpha >= 0 && jp2.alpha != coding.num_components - 1)
    return invalid_argument("jp2: alpha is not the last component");
  if (jp2.aspect_width == 0 || jp2.aspect_height == 0)
    return invalid_argument("jp2: a side of the pixel-aspect-ratio is 0");
  return {};
}

Status put_jp2c_header(std::uint64_t codestream, Bytes *out) {
  if (codestream > UINT32_MAX - kBoxHeader)
    return {StatusCode::unsupported, "jp2: the codestream has 4 GiB or more"};
  put_u32(static_cast<std::uint32_t>(codestream) + kBoxHeader, out);
  put_u32(box_type("jp2c"), out);
  return {};
}

Status put_jp2_header(const Jp2Params &jp2, const CodingParams &coding, std::uint64_t codestream,
                      Bytes *out) {
  {
    const Box signature("jP  ", out);
    put_u32(0x0D0A870A, out);
  }
  {
    const Box type("ftyp", out);
    put_u32(box_type("jp2 "), out);
    put_u32(0, out);
    put_u32(box_type("jp2 "), out);
  }
  {
    const Box header("jp2h", out);
    put_image_header(coding, out);
    put_bits(coding, out);
    put_colour(jp2.colour, out);
    put_channels(jp2, coding, out);
    put_resolution(jp2, out);
  }
  return put_jp2c_header(codestream, out);
}

}  // namespace coalesce::j2k
