// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_judges.h"

#include <algorithm>

#include "../encoder/j2k_encode.h"
#include "j2k/codestream/big_endian.h"
#include "j2k/codestream/jp2.h"
#include "j2k/codestream/markers.h"
#include "j2k_grok.h"
#include "j2k_libavcodec.h"
#include "j2k_openjpeg.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Bytes = std::vector<std::uint8_t>;

// ---- kinds of codestreams -----------------------------------------------------------------------

template <class Is>
bool has_tile_component(const CodingParams &p, Is is) {
  for (int tile = 0; tile < tile_count(p); ++tile)
    for (int c = 0; c < p.num_components; ++c)
      if (is(tile_component_rect(p, tile, c))) return true;
  return false;
}

// A resolution that the wavelet puts together.
template <class Is>
bool has_resolution(const CodingParams &p, Is is) {
  return has_tile_component(p, [&](const Rect &rect) {
    for (int r = 1; r <= p.levels; ++r) {
      const Rect resolution = resolution_rect(rect, p.levels, r);
      if (!resolution.empty() && is(resolution)) return true;
    }
    return false;
  });
}

bool is_odd(int v) {
  return v % 2 != 0;
}

bool has_region(const JudgedStream &s) {
  return !s.params().roi.empty();
}
bool has_region_and_bypass(const JudgedStream &s) {
  return has_region(s) && (s.params().block_style & kBypass) != 0;
}
bool has_empty_component(const JudgedStream &s) {
  return has_tile_component(s.params().coding, [](const Rect &rect) { return rect.empty(); });
}
bool has_unequal_shifts(const JudgedStream &s) {
  const std::vector<StreamComponent> &components = s.stream.components;
  return std::any_of(components.begin(), components.end(), [&](const StreamComponent &c) {
    return c.roi_shift != components[0].roi_shift;
  });
}
bool has_cut_ends(const JudgedStream &s) {
  return !s.entry.whole && (s.params().block_style & (kPredictable | kTermAll)) == kPredictable;
}
bool has_many_tile_parts(const JudgedStream &s) {
  return std::any_of(s.stream.tiles.begin(), s.stream.tiles.end(),
                     [](const StreamTile &tile) { return tile.parts.size() > 32; });
}
bool has_long_tlm(const JudgedStream &s) {
  return s.stream.tlm.size() > 255;
}
bool has_cprl_off_origin(const JudgedStream &s) {
  const CodingParams &p = s.params().coding;
  return s.params().progression == Progression::cprl &&
         (tile_count(p) > 1 || p.image.x0 > 0 || p.image.y0 > 0);
}
// A resolution of which a tile has no sample in any component.
bool has_rpcl_gap(const JudgedStream &s) {
  const CodingParams &p = s.params().coding;
  if (s.params().progression != Progression::rpcl) return false;
  for (int tile = 0; tile < tile_count(p); ++tile)
    for (int r = 0; r < p.levels; ++r) {
      bool empty = true;
      for (int c = 0; c < p.num_components; ++c)
        empty = empty && resolution_rect(tile_component_rect(p, tile, c), p.levels, r).empty();
      if (empty) return true;
    }
  return false;
}
bool has_lone_odd_samples(const JudgedStream &s) {
  return s.stream.reversible && has_resolution(s.params().coding, [](const Rect &r) {
           return (r.width() == 1 && is_odd(r.x0)) || (r.height() == 1 && is_odd(r.y0));
         });
}
// Layers, and more than 1,024 blocks of a band in a precinct.
bool has_large_precinct(const JudgedStream &s) {
  const CodingParams &p = s.params().coding;
  for (int tile = 0; tile < tile_count(p) && s.stream.layers > 1; ++tile)
    for (const PrecinctBand &band : tile_geometry(p, tile).precinct_bands)
      if (band.blocks() > 1024) return true;
  return false;
}
bool has_few_odd_rows(const JudgedStream &s) {
  return s.stream.reversible && has_resolution(s.params().coding, [](const Rect &r) {
           return r.height() <= 2 && is_odd(r.y0);
         });
}

// ---- without tile-parts -------------------------------------------------------------------------

// The same packets: those of a tile in one tile-part, which goes on for a byte behind them.
Bytes regrouped(const JudgedStream &s) {
  Bytes out;
  ByteReader reader(s.bytes.data(), s.bytes.size());
  put_u16(reader.u16(), &out);
  while (reader.peek_u16() != kSot) {
    const unsigned marker = reader.u16();
    const ByteReader segment = reader.part(reader.peek_u16());
    if (marker == kTlm) continue;
    put_u16(marker, &out);
    out.insert(out.end(), segment.data(), segment.data() + segment.left());
  }
  for (std::size_t tile = 0; tile < s.stream.tiles.size(); ++tile) {
    const Bytes &data = s.stream.tiles[tile].data;
    put_u16(kSot, &out);
    put_u16(10, &out);
    put_u16(static_cast<unsigned>(tile), &out);
    put_u32(static_cast<std::uint32_t>(14 + data.size() + 1), &out);
    put_u8(0, &out);
    put_u8(1, &out);
    put_u16(kSod, &out);
    out.insert(out.end(), data.begin(), data.end());
    put_u8(0, &out);
  }
  put_u16(kEoc, &out);
  return out;
}

enum JudgeIndex : std::size_t { kOpenjpeg, kLibavcodec, kGrok };

bool agrees_regrouped(JudgeIndex index, const JudgedStream &s) {
  JudgedStream other = s;
  other.bytes = regrouped(s);
  const Judge &judge = judges()[index];
  return largest_difference(judge.decode(other), s.expected) <= tolerance(judge, s);
}

// ---- libavcodec ---------------------------------------------------------------------------------

// FFmpeg 7.1 counts the bit-planes of a region of interest in every component with the shift of
// component 0. Versions up to 6.1 count them without a shift.
bool adds_region_shift() {
  return libavcodec_version() >= (61u << 16 | 19u << 8);
}

// ---- Grok ---------------------------------------------------------------------------------------

// It would make R, G and B of three components of which two are subsampled, if it did not know that
// they are something else: so they come in a file that says so.
Decoded ask_grok(const JudgedStream &s) {
  Jp2Params jp2;
  jp2.colour = ColourSpace::grey;
  Bytes file;
  if (s.params().coding.num_components == 3 &&
      !put_jp2_header(jp2, s.params().coding, s.bytes.size(), &file).ok())
    return {};
  file.insert(file.end(), s.bytes.begin(), s.bytes.end());
  return decode_with_grok(file);
}

}  // namespace

// ---- all of them --------------------------------------------------------------------------------

// Where the faults are in their sources: docs/jpeg2000.md, "Judged by others".
const std::vector<Judge> &judges() {
  static const std::vector<Judge> all = {
      {"OpenJPEG",
       have_openjpeg,
       [](const JudgedStream &s) { return decode_with_openjpeg(s.bytes); },
       5,
       {{"a region of interest and bypass", nullptr, has_region_and_bypass},
        {"a tile without a sample of a component", "did not decode", has_empty_component},
        {"cut segments that should end predictably", "PTERM check failure", has_cut_ends, 0,
         true}}},
      {"libavcodec",
       have_libavcodec,
       [](const JudgedStream &s) { return decode_with_libavcodec(s.bytes, s.params().coding); },
       1,
       {{"a tile without a sample of a component", "Picture size", has_empty_component},
        {"more than 32 tile-parts of a tile, packets right", "segment ff90",
         [](const JudgedStream &s) {
           return has_many_tile_parts(s) && agrees_regrouped(kLibavcodec, s);
         },
         INT_MAX, true},
        {"more than 32 tile-parts of a tile", "segment ff90", has_many_tile_parts},
        {"more than 255 entries of TLM, packets right", "segment ff55",
         [](const JudgedStream &s) { return has_long_tlm(s) && agrees_regrouped(kLibavcodec, s); },
         INT_MAX, true},
        {"more than 255 entries of TLM", "segment ff55", has_long_tlm},
        {"blocks outside of a region of interest", "nonzerobits",
         [](const JudgedStream &s) { return has_region(s) && !adds_region_shift(); }},
        {"regions of interest with shifts that differ", nullptr,
         [](const JudgedStream &s) { return has_unequal_shifts(s) && adds_region_shift(); }},
        {"CPRL that does not begin at 0, 0", nullptr, has_cprl_off_origin},
        {"RPCL without a sample of a resolution", nullptr, has_rpcl_gap},
        {"half of an odd number", nullptr, has_lone_odd_samples, 2, true}}},
      {"Grok",
       have_grok,
       ask_grok,
       5,
       {{"more than 25 bit-planes", "bit planes", has_region},
        {"5/3 of one or two rows from an odd one on", nullptr, has_few_odd_rows},
        {"more than 1,024 blocks of a precinct, in layers", nullptr, has_large_precinct},
        {"empty segments at the end of a tile-part, packets right", nullptr,
         [](const JudgedStream &s) { return agrees_regrouped(kGrok, s); }, INT_MAX, true}}},
  };
  return all;
}

int tolerance(const Judge &judge, const JudgedStream &coded) {
  if (coded.lossless) return 0;
  return coded.params().coding.component[0].bits > 14 ? judge.lossy_deep : 1;
}

Verdict ask(const Judge &judge, const JudgedStream &coded, Decoded *decoded) {
  *decoded = judge.decode(coded);
  Verdict verdict;
  verdict.complaint = decoded->complaint;
  verdict.difference = largest_difference(*decoded, coded.expected);
  verdict.agrees = verdict.difference <= tolerance(judge, coded);
  if (verdict.is_known()) return verdict;
  for (const KnownFault &fault : judge.faults) {
    const bool says =
        fault.says == nullptr || verdict.complaint.find(fault.says) != std::string::npos;
    if (says && verdict.difference <= std::max(fault.most, tolerance(judge, coded)) &&
        fault.has(coded)) {
      verdict.fault = &fault;
      break;
    }
  }
  return verdict;
}

}  // namespace coalesce::test
