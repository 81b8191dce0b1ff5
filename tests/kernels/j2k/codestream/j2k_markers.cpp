// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_markers.h"

#include <algorithm>

namespace coalesce::test {
namespace {

using namespace j2k;

void demand(bool condition, const char *what) {
  if (!condition) throw Malformed(what);
}

int to_int(std::uint32_t v) {
  demand(v <= INT32_MAX, "a number of SIZ is above 2^31");
  return static_cast<int>(v);
}

void read_siz(ByteReader r, Stream *s) {
  CodingParams &p = s->coding;
  s->profile = r.u16();
  for (int *v : {&p.image.x1, &p.image.y1, &p.image.x0, &p.image.y0, &p.tile_width, &p.tile_height,
                 &p.tile_x0, &p.tile_y0})
    *v = to_int(r.u32());
  p.num_components = static_cast<int>(r.u16());
  demand(p.num_components >= 1 && p.num_components <= kMaxComponents, "SIZ: components");
  for (int c = 0; c < p.num_components; ++c) {
    const unsigned bits = r.u8(), dx = r.u8(), dy = r.u8();
    demand(bits < 16, "SIZ: bits");
    p.component[static_cast<std::size_t>(c)] = {static_cast<int>(dx), static_cast<int>(dy),
                                                static_cast<int>(bits) + 1};
  }
  s->components.resize(static_cast<std::size_t>(p.num_components));
  demand(r.left() == 0, "SIZ: length");
}

void read_cod(ByteReader r, Stream *s) {
  CodingParams &p = s->coding;
  const unsigned flags = r.u8();
  demand(flags < 8, "COD: flags");
  s->sop = (flags & 2) != 0;
  s->eph = (flags & 4) != 0;
  const int order = static_cast<int>(r.u8());
  s->layers = static_cast<int>(r.u16());
  const unsigned colour = r.u8();
  demand(order <= 4 && s->layers >= 1 && colour <= 1, "COD: order, layers or transform");
  s->colour = colour == 1;
  p.levels = static_cast<int>(r.u8());
  p.block_x = static_cast<int>(r.u8()) + 2;
  p.block_y = static_cast<int>(r.u8()) + 2;
  s->style = r.u8();
  const unsigned wavelet = r.u8();
  demand(p.levels <= kMaxLevels && s->style < 64 && wavelet <= 1, "COD: levels, style or wavelet");
  s->progressions = {{0, 0, s->layers, p.levels + 1, p.num_components, order}};
  s->reversible = wavelet == 1;
  for (int i = 0; i <= p.levels && (flags & 1) != 0; ++i) {
    const unsigned size = r.u8();
    p.precinct[static_cast<std::size_t>(i)] = {static_cast<std::uint8_t>(size & 15),
                                               static_cast<std::uint8_t>(size >> 4)};
  }
  demand(r.left() == 0, "COD: length");
}

StreamComponent read_quantisation(ByteReader r, const Stream &s) {
  StreamComponent c;
  const unsigned style = r.u8();
  c.guard_bits = static_cast<int>(style >> 5);
  demand((style & 31) <= 2 && ((style & 31) == 0) == s.reversible, "QCD: style");
  const int bands = 3 * s.coding.levels + 1;
  for (int i = 0; i < bands; ++i) {
    if ((style & 31) == 0) {
      const unsigned v = r.u8();
      demand((v & 7) == 0, "QCD: exponent");
      c.steps.push_back({static_cast<int>(v >> 3), 0});
    } else if ((style & 31) == 2 || i == 0) {
      const unsigned v = r.u16();
      c.steps.push_back({static_cast<int>(v >> 11), static_cast<int>(v & 2047)});
    } else {  // E-5
      StepSize step = c.steps[0];
      step.exponent -= (i - 1) / 3;
      demand(step.exponent >= 0, "QCD: derived exponent");
      c.steps.push_back(step);
    }
  }
  demand(r.left() == 0, "QCD: length");
  return c;
}

void set_quantisation(const StreamComponent &from, StreamComponent *to) {
  to->steps = from.steps;
  to->guard_bits = from.guard_bits;
}

StreamComponent &component(ByteReader *r, Stream *s) {
  const unsigned c = r->u8();
  demand(c < s->components.size(), "a component that is not there");
  return s->components[c];
}

// (That every packet is in one of the progressions is for_packets()'s business.)
void read_poc(ByteReader r, Stream *s) {
  s->progressions.clear();
  while (r.left() > 0) {
    StreamProgression p;
    p.first_resolution = static_cast<int>(r.u8());
    p.first_component = static_cast<int>(r.u8());
    p.end_layer = static_cast<int>(r.u16());
    p.end_resolution = static_cast<int>(r.u8());
    p.end_component = static_cast<int>(r.u8());
    p.order = static_cast<int>(r.u8());
    demand(p.first_resolution < p.end_resolution && p.end_resolution <= s->coding.levels + 1,
           "POC: resolutions");
    demand(p.first_component < p.end_component && p.end_component <= s->coding.num_components,
           "POC: components");
    demand(p.end_layer >= 1 && p.end_layer <= s->layers, "POC: layers");
    demand(p.order <= 4, "POC: order");
    s->progressions.push_back(p);
  }
  demand(s->progressions.size() > 1, "POC: no change");
}

void read_tlm(ByteReader r, unsigned number, Stream *s) {
  demand(r.u8() == number, "TLM: number");
  const unsigned sizes = r.u8();
  demand(sizes == 0x60, "TLM: sizes");
  s->has_tlm = true;
  while (r.left() > 0) {
    const unsigned tile = r.u16();
    s->tlm.push_back({tile, r.u32()});
  }
}

// What a main header may have once.
struct Seen {
  bool siz = false, cod = false, qcd = false, poc = false;
  unsigned tlms = 0;
};

void once(bool *seen, const char *twice) {
  demand(!*seen, twice);
  *seen = true;
}

void read_qcc(ByteReader r, Stream *s) {
  StreamComponent &c = component(&r, s);
  set_quantisation(read_quantisation(r, *s), &c);
}

void read_rgn(ByteReader r, Stream *s) {
  StreamComponent &c = component(&r, s);
  demand(r.u8() == 0, "RGN: style");
  c.roi_shift = static_cast<int>(r.u8());
  demand(r.left() == 0, "RGN: length");
}

// r: behind its length.
void read_segment(unsigned marker, ByteReader r, Seen *seen, Stream *s) {
  demand(marker == 0xFF51 || marker == 0xFF52 || seen->cod, "COD");
  switch (marker) {
    case 0xFF51:
      once(&seen->siz, "SIZ comes twice");
      return read_siz(r, s);
    case 0xFF52:
      once(&seen->cod, "COD comes twice");
      return read_cod(r, s);
    case 0xFF5C:
      once(&seen->qcd, "QCD comes twice");
      for (StreamComponent &c : s->components)
        set_quantisation(read_quantisation(r, *s), &c);
      return;
    case 0xFF5D:
      demand(seen->qcd, "QCC before QCD");
      return read_qcc(r, s);
    case 0xFF5E:
      return read_rgn(r, s);
    case 0xFF5F:
      once(&seen->poc, "POC comes twice");
      return read_poc(r, s);
    case 0xFF64:
      demand(r.u16() == 1, "COM: no text");
      s->comment.assign(r.data(), r.data() + r.left());
      return;
    case 0xFF55:
      return read_tlm(r, seen->tlms++, s);
    default:
      throw Malformed("a marker that is not expected in the main header");
  }
}

void read_main_header(ByteReader *all, Stream *s) {
  demand(all->u16() == 0xFF4F, "SOC");
  demand(all->peek_u16() == 0xFF51, "SIZ does not come first");
  Seen seen;
  while (all->peek_u16() != 0xFF90) {
    const unsigned marker = all->u16();
    const unsigned length = all->peek_u16();
    demand(length >= 2, "the length of a marker segment");
    ByteReader r = all->part(length);
    r.u16();
    read_segment(marker, r, &seen, s);
  }
  demand(seen.cod && seen.qcd, "COD or QCD is missing");
  demand(check_params(s->coding).ok(), "SIZ or COD");
}

void read_plt(ByteReader r, unsigned number, StreamPart *part) {
  demand(r.u8() == number, "PLT: number");
  while (r.left() > 0) {
    std::uint64_t length = 0;
    unsigned byte;
    do {
      byte = r.u8();
      length = length << 7 | (byte & 0x7F);
      demand(length < std::uint64_t{1} << 40, "PLT: a length");
    } while ((byte & 0x80) != 0);
    part->packet_lengths.push_back(length);
  }
}

// How many tile-parts the tile has. number: of those of all tiles.
unsigned read_tile_part(ByteReader *all, std::size_t number, Stream *s, StreamTile *tile) {
  ByteReader header(*all);
  demand(header.u16() == 0xFF90 && header.u16() == 10, "SOT");
  const unsigned index = header.u16();
  demand(index == s->tiles.size(), "SOT: tiles are not in their order");
  const std::uint32_t length = header.u32();
  demand(header.u8() == tile->parts.size(), "SOT: tile-parts are not in their order");
  const unsigned parts = header.u8();
  demand(parts > tile->parts.size(), "SOT: number of tile-parts");
  demand(!s->has_tlm || (number < s->tlm.size() && s->tlm[number].tile == index &&
                         s->tlm[number].length == length),
         "TLM and SOT differ");
  ByteReader r = all->part(length);
  r.part(12);
  StreamPart part;
  unsigned plts = 0;
  for (; r.peek_u16() == 0xFF58; s->has_plt = true) {
    r.u16();
    const unsigned segment = r.peek_u16();
    demand(segment >= 3, "PLT: length");
    ByteReader plt = r.part(segment);
    plt.u16();
    read_plt(plt, plts++, &part);
  }
  demand(r.u16() == 0xFF93, "SOD");
  tile->data.insert(tile->data.end(), r.data(), r.data() + r.left());
  part.end = tile->data.size();
  tile->parts.push_back(part);
  return parts;
}

StreamTile read_tile(ByteReader *all, std::size_t *number, Stream *s) {
  StreamTile tile;
  const unsigned parts = read_tile_part(all, (*number)++, s, &tile);
  while (tile.parts.size() < parts)
    demand(read_tile_part(all, (*number)++, s, &tile) == parts, "SOT: number of tile-parts");
  return tile;
}

}  // namespace

unsigned ByteReader::u8() {
  demand(at_ < count_, "too few bytes");
  return bytes_[at_++];
}

ByteReader ByteReader::part(std::size_t count) {
  demand(count <= left(), "a length goes beyond the end");
  const ByteReader result(data(), count);
  at_ += count;
  return result;
}

std::size_t find_marker(const std::vector<std::uint8_t> &bytes, unsigned marker, std::size_t from) {
  for (std::size_t i = from; i + 1 < bytes.size(); ++i)
    if ((unsigned{bytes[i]} << 8 | bytes[i + 1]) == marker) return i;
  return bytes.size();
}

Stream read_markers(const std::vector<std::uint8_t> &bytes) {
  Stream s;
  ByteReader all(bytes.data(), bytes.size());
  read_main_header(&all, &s);
  const int tiles = tile_count(s.coding);
  std::size_t parts = 0;
  for (int i = 0; i < tiles; ++i)
    s.tiles.push_back(read_tile(&all, &parts, &s));
  demand(!s.has_tlm || s.tlm.size() == parts, "TLM: tile-parts");
  demand(all.u16() == 0xFFD9 && all.left() == 0, "EOC");
  return s;
}

}  // namespace coalesce::test
