// SPDX-License-Identifier: LGPL-2.1-or-later
#include "codestream.h"

#include <algorithm>

#include "big_endian.h"

namespace coalesce::j2k {
namespace {

using Bytes = std::vector<std::uint8_t>;

// A marker segment: its length is known at the end.
class Segment {
 public:
  Segment(Marker marker, Bytes *out) : out_(out) {
    put_u16(marker, out);
    begin_ = out->size();
    put_u16(0, out);
  }
  ~Segment() { set_u16(static_cast<unsigned>(out_->size() - begin_), begin_, out_); }
  Segment(const Segment &) = delete;
  Segment &operator=(const Segment &) = delete;

 private:
  Bytes *out_;
  std::size_t begin_;
};

void put_int(int v, Bytes *out) {
  put_u32(static_cast<std::uint32_t>(v), out);
}

// A.5.1
void put_siz(const MainHeader &header, Bytes *out) {
  const CodingParams &p = header.coding;
  const Segment segment(kSiz, out);
  put_u16(header.profile, out);
  for (int v : {p.image.x1, p.image.y1, p.image.x0, p.image.y0, tile_width(p), tile_height(p),
                p.tile_x0, p.tile_y0})
    put_int(v, out);
  put_u16(static_cast<unsigned>(p.num_components), out);
  for (int c = 0; c < p.num_components; ++c) {
    const Component &component = p.component[static_cast<std::size_t>(c)];
    for (int v : {component.bits - 1, component.dx, component.dy})
      put_u8(static_cast<unsigned>(v), out);
  }
}

bool has_precincts(const CodingParams &p) {
  return std::any_of(p.precinct.begin(), p.precinct.begin() + p.resolutions(),
                     [](const PrecinctSize &size) {
                       return size.x != kMaxPrecinctExponent || size.y != kMaxPrecinctExponent;
                     });
}

// A.6.1. Nothing in it differs between components, so there is no COC.
void put_cod(const MainHeader &header, Bytes *out) {
  const CodingParams &p = header.coding;
  const Segment segment(kCod, out);
  const bool precincts = has_precincts(p);
  put_u8((precincts ? 1u : 0u) | (header.sop ? 2u : 0u) | (header.eph ? 4u : 0u), out);
  put_u8(static_cast<unsigned>(header.progression), out);
  put_u16(static_cast<unsigned>(header.layers), out);
  put_u8(header.colour_transform, out);
  for (int v : {p.levels, p.block_x - 2, p.block_y - 2})
    put_u8(static_cast<unsigned>(v), out);
  put_u8(header.block_style, out);
  put_u8(header.wavelet == Wavelet::reversible_53, out);
  if (!precincts) return;
  for (int r = 0; r < p.resolutions(); ++r) {
    const PrecinctSize &size = p.precinct[static_cast<std::size_t>(r)];
    put_u8(static_cast<unsigned>(size.y << 4 | size.x), out);
  }
}

// A.6.4: the part that QCD and QCC have in common.
void put_quantisation(const MainHeader &header, const MainHeader::Quantisation &component,
                      Bytes *out) {
  const bool reversible = header.wavelet == Wavelet::reversible_53;
  const unsigned style = reversible ? 0 : header.derived ? 1 : 2;
  put_u8(static_cast<unsigned>(header.guard_bits) << 5 | style, out);
  for (const MainHeader::Step &step : component.steps) {
    if (reversible)
      put_u8(static_cast<unsigned>(step.exponent) << 3, out);
    else
      put_u16(static_cast<unsigned>(step.exponent << 11 | step.mantissa), out);
    if (style == 1) break;
  }
}

// QCD is the first component's; QCC, of others that differ.
void put_quantisers(const MainHeader &header, Bytes *out) {
  for (int c = 0; c < header.coding.num_components; ++c) {
    const MainHeader::Quantisation &component = header.component[static_cast<std::size_t>(c)];
    if (c > 0 && component.steps == header.component[0].steps) continue;
    const Segment segment(c == 0 ? kQcd : kQcc, out);
    if (c > 0) put_u8(static_cast<unsigned>(c), out);
    put_quantisation(header, component, out);
  }
}

// A.6.3
void put_regions(const MainHeader &header, Bytes *out) {
  for (int c = 0; c < header.coding.num_components; ++c) {
    const int shift = header.component[static_cast<std::size_t>(c)].roi_shift;
    if (shift == 0) continue;
    const Segment segment(kRgn, out);
    put_u8(static_cast<unsigned>(c), out);
    put_u8(0, out);
    put_u8(static_cast<unsigned>(shift), out);
  }
}

// A.6.6: resolutions from first to end - 1, of all components and layers.
void put_progression(const MainHeader &header, int first, int end, Bytes *out) {
  put_u8(static_cast<unsigned>(first), out);
  put_u8(0, out);
  put_u16(static_cast<unsigned>(header.layers), out);
  put_u8(static_cast<unsigned>(end), out);
  put_u8(static_cast<unsigned>(header.coding.num_components), out);
  put_u8(static_cast<unsigned>(header.progression), out);
}

void put_poc(const MainHeader &header, Bytes *out) {
  if (!header.largest_last) return;
  const Segment segment(kPoc, out);
  const int levels = header.coding.levels;
  put_progression(header, 0, levels, out);
  put_progression(header, levels, levels + 1, out);
}

// A.9.2
void put_comment(const std::string &comment, Bytes *out) {
  if (comment.empty()) return;
  const Segment segment(kCom, out);
  put_u16(1, out);  // Latin-1
  out->insert(out->end(), comment.begin(), comment.end());
}

// A.7.1: a tile's number and a tile-part's length have 2 and 4 bytes.
constexpr std::size_t kTlmEntry = 6, kTlmHead = 6;  // bytes
constexpr std::size_t kTlmEntries = kMaxTlmEntries / 256;
constexpr unsigned kTlmSizes = 0x60;

void put_tlm(std::size_t entries, Bytes *out) {
  for (std::size_t first = 0; first < entries; first += kTlmEntries) {
    const Segment segment(kTlm, out);
    put_u8(static_cast<unsigned>(first / kTlmEntries), out);
    put_u8(kTlmSizes, out);
    out->resize(out->size() + kTlmEntry * std::min(entries - first, kTlmEntries));
  }
}

// The packets of one PLT: from first to what is returned, and the bytes of their lengths.
std::size_t plt_end(PacketLengths packets, std::size_t first, unsigned *bytes) {
  *bytes = 0;
  for (std::size_t i = first; i < packets.size(); ++i) {
    const auto more = static_cast<unsigned>(plt_bytes(packets[i]));
    if (*bytes + more > kPltRoom) return i;
    *bytes += more;
  }
  return packets.size();
}

void put_plt(PacketLengths packets, Bytes *out) {
  unsigned bytes, number = 0;
  for (std::size_t i = 0; i < packets.size(); ++number) {
    const Segment segment(kPlt, out);
    put_u8(number, out);
    for (const std::size_t end = plt_end(packets, i, &bytes); i < end; ++i)
      for (int k = plt_bytes(packets[i]) - 1; k >= 0; --k)
        put_u8(plt_byte(packets[i], k), out);
  }
}

}  // namespace

void put_main_header(const MainHeader &header, Bytes *out, std::size_t *tlm) {
  put_u16(kSoc, out);
  put_siz(header, out);
  put_cod(header, out);
  put_quantisers(header, out);
  put_regions(header, out);
  put_poc(header, out);
  put_comment(header.comment, out);
  *tlm = out->size() + kTlmHead;
  put_tlm(header.tile_parts, out);
}

std::size_t tlm_entry(std::size_t number, std::size_t tlm) {
  return tlm + number * kTlmEntry + number / kTlmEntries * kTlmHead;
}

void set_tlm_entry(std::size_t number, const TilePart &part, std::size_t tlm, Bytes *out) {
  const std::size_t at = tlm_entry(number, tlm);
  set_u16(static_cast<unsigned>(part.tile), at, out);
  set_u32(part.length, at + 2, out);
}

// If no segment had more than the longest lengths that fit.
std::uint64_t tile_part_header_bound(bool plt, std::size_t packets) {
  constexpr std::size_t kLeast = kPltRoom / kMaxPltBytes;
  return kSotBytes + kSodBytes + (plt ? (packets + kLeast - 1) / kLeast * kPltHead : 0);
}

std::uint64_t tile_part_header_length(bool plt, PacketLengths packets) {
  std::uint64_t length = kSotBytes + kSodBytes;
  if (!plt) return length;
  unsigned segments = 0, bytes;
  for (std::size_t i = 0; i < packets.size(); ++segments) {
    i = plt_end(packets, i, &bytes);
    length += kPltHead + bytes;
  }
  return segments > kMaxPltSegments ? 0 : length;
}

void put_tile_part_header(const TilePart &part, bool plt, PacketLengths packets, Bytes *out) {
  {
    const Segment segment(kSot, out);
    put_u16(static_cast<unsigned>(part.tile), out);
    put_u32(part.length, out);
    put_u8(static_cast<unsigned>(part.number), out);
    put_u8(static_cast<unsigned>(part.count), out);
  }
  if (plt) put_plt(packets, out);
  put_u16(kSod, out);
}

void put_end(Bytes *out) {
  put_u16(kEoc, out);
}

}  // namespace coalesce::j2k
