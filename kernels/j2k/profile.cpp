// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "profile_levels.h"

namespace coalesce::j2k {
namespace {

struct Range {
  int least, most;
  bool has(int v) const { return v >= least && v <= most; }
};

constexpr int kAny = INT32_MAX;

// What a profile says, as far as they differ.
struct Limits {
  const char *name;
  unsigned rsiz;
  int width, height;
  Range components, bits;
  int chroma_dx, chroma_dy;  // at most; others are not subsampled
  int tiles;                 // 1, or 4, too
  Range levels;
  Range block;  // log2
  Range guard;
  bool strict;        // TLM; no SOP, EPH, PLT
  bool largest_last;  // must be
};

constexpr std::array<Limits, 7> kLimits = {{
    {"none", 0, kAny, kAny, {}, {}, 0, 0, 0, {}, {}, {}, false, false},
    {"cinema-2k", 3, 2048, 1080, {3, 3}, {12, 12}, 1, 1, 1, {0, 5}, {5, 5}, {1, 1}, true, false},
    {"cinema-4k", 4, 4096, 2160, {3, 3}, {12, 12}, 1, 1, 1, {1, 6}, {5, 5}, {2, 2}, true, true},
    {"broadcast-single",
     0x100,
     kAny,
     kAny,
     {1, 4},
     {8, 12},
     2,
     2,
     1,
     {1, 5},
     {5, 7},
     {0, 7},
     false,
     false},
    {"broadcast-multi",
     0x200,
     kAny,
     kAny,
     {1, 4},
     {8, 12},
     2,
     2,
     4,
     {1, 5},
     {5, 7},
     {0, 7},
     false,
     false},
    {"imf-2k", 0x400, 2048, 1556, {1, 3}, {8, 16}, 2, 1, 1, {1, 5}, {5, 5}, {0, 7}, false, false},
    {"imf-4k", 0x500, 4096, 3112, {1, 3}, {8, 16}, 2, 1, 1, {1, 6}, {5, 5}, {0, 7}, false, false},
}};

const Limits &limits_of(Profile profile) {
  return kLimits[static_cast<std::size_t>(profile)];
}

bool size_fits(const Limits &l, const EncoderParams &p) {
  return p.coding.image.x1 <= l.width && p.coding.image.y1 <= l.height;
}

bool at_origin(const Limits &, const EncoderParams &p) {
  const CodingParams &c = p.coding;
  return c.image.x0 == 0 && c.image.y0 == 0 && c.tile_x0 == 0 && c.tile_y0 == 0;
}

bool has_components(const Limits &l, const EncoderParams &p) {
  return l.components.has(p.coding.num_components);
}

template <class Test>
bool all_components(const EncoderParams &p, Test &&test) {
  for (int i = 0; i < p.coding.num_components; ++i)
    if (!test(i, p.coding.component[static_cast<std::size_t>(i)])) return false;
  return true;
}

bool has_bits(const Limits &l, const EncoderParams &p) {
  return all_components(p, [&](int, const Component &c) { return l.bits.has(c.bits); });
}

bool is_sampled(const Limits &l, const EncoderParams &p) {
  const Component &second = p.coding.component[1];
  return all_components(p, [&](int i, const Component &c) {
    if (i == 0 || i == 3) return c.dx == 1 && c.dy == 1;
    return c.dx <= l.chroma_dx && c.dy <= l.chroma_dy && c.dx == second.dx && c.dy == second.dy;
  });
}

// Four: 2 x 2, or one above the other.
bool has_tiles(const Limits &l, const EncoderParams &p) {
  const int wide = tiles_wide(p.coding), high = tiles_high(p.coding);
  return (wide == 1 && high == 1) || (l.tiles == 4 && wide * high == 4 && (wide == 2 || high == 4));
}

bool has_levels(const Limits &l, const EncoderParams &p) {
  return l.levels.has(p.coding.levels);
}

bool has_blocks(const Limits &l, const EncoderParams &p) {
  return l.block.has(p.coding.block_x) && l.block.has(p.coding.block_y);
}

bool has_precincts(const Limits &, const EncoderParams &p) {
  for (int r = 0; r <= p.coding.levels; ++r) {
    const PrecinctSize &size = p.coding.precinct[static_cast<std::size_t>(r)];
    if (size.x != (r == 0 ? 7 : 8) || size.y != size.x) return false;
  }
  return true;
}

struct Rule {
  const char *text;
  bool (*holds)(const Limits &, const EncoderParams &);
};

using P = const EncoderParams &;
using L = const Limits &;

// The text if it does not hold.
constexpr Rule kRules[] = {
    {"the picture is too large", size_fits},
    {"the image or the tiles do not begin at 0, 0", at_origin},
    {"the number of components is not allowed", has_components},
    {"the bits of a component are not allowed", has_bits},
    {"the subsampling is not allowed", is_sampled},
    {"the number of tiles (tile-width, tile-height) is not allowed", has_tiles},
    {"num-resolutions is not allowed", has_levels},
    {"the size of code-blocks (code-block-width, code-block-height) is not allowed", has_blocks},
    {"precincts are not 256x256, the first 128x128", has_precincts},
    {"code-block-style has flags", [](L, P p) { return p.block_style == 0; }},
    {"progression-order is not cprl", [](L, P p) { return p.progression == Progression::cprl; }},
    {"the largest resolution is not where it is to be",
     [](L l, P p) { return p.largest_last == l.largest_last; }},
    {"wavelet is not 9/7", [](L, P p) { return p.wavelet == Wavelet::irreversible_97; }},
    {"num-layers is not 1", [](L, P p) { return p.layers == 1; }},
    {"guard-bits is not allowed", [](L l, P p) { return l.guard.has(p.guard_bits); }},
    {"roi is not allowed", [](L, P p) { return p.roi == Rect{}; }},
    {"tile-parts are not components", [](L, P p) { return p.tile_parts == TileParts::component; }},
    {"sop is not allowed", [](L l, P p) { return !l.strict || !p.sop; }},
    {"eph is not allowed", [](L l, P p) { return !l.strict || !p.eph; }},
    {"plt is not allowed", [](L l, P p) { return !l.strict || !p.plt; }},
    {"tlm is missing", [](L l, P p) { return !l.strict || p.tlm; }},
    {"Rsiz is another", [](L l, P p) { return (p.profile & (l.strict ? ~0u : ~0xFFu)) == l.rsiz; }},
};

constexpr const char *kLevelTexts[] = {
    // by LevelFit
    "framerate is missing",
    "width, height and framerate are more than its highest level has",
    "frame-size, bitrate or bpp is more than it has",
};

using Text = std::array<char, 112>;

constexpr Text text_of(const char *profile, const char *what) {
  Text text{};
  std::size_t at = 0;
  for (const char *part : {"j2k: profile ", profile, ": ", what})
    while (*part != 0)
      text[at++] = *part++;  // too much does not compile
  return text;
}

// By profile: a status has a text that stays.
constexpr auto kTexts = [] {
  std::array<std::array<Text, std::size(kRules) + std::size(kLevelTexts)>, kLimits.size()> texts{};
  for (std::size_t p = 0; p < kLimits.size(); ++p) {
    std::size_t at = 0;
    for (const Rule &rule : kRules)
      texts[p][at++] = text_of(kLimits[p].name, rule.text);
    for (const char *text : kLevelTexts)
      texts[p][at++] = text_of(kLimits[p].name, text);
  }
  return texts;
}();

Status refused(Profile profile, std::size_t rule) {
  return invalid_argument(kTexts[static_cast<std::size_t>(profile)][rule].data());
}

Status refused(Profile profile, LevelFit fit) {
  return refused(profile, std::size(kRules) + static_cast<std::size_t>(fit) - 1);
}

double samples_of(const EncoderParams &p) {
  double samples = 0;
  for (int c = 0; c < p.coding.num_components; ++c) {
    const Rect rect = component_rect(p.coding, c);
    samples += static_cast<double>(rect.width()) * rect.height();
  }
  return samples;
}

void set_coding(const Limits &limits, EncoderParams *p) {
  CodingParams &c = p->coding;
  c.tile_x0 = c.tile_y0 = 0;
  c.tile_width = c.tile_height = 0;
  if (limits.tiles == 4) {
    c.tile_width = (c.image.x1 + 1) / 2;
    c.tile_height = (c.image.y1 + 1) / 2;
  }
  c.levels = limits.levels.most;
  c.block_x = c.block_y = std::min(limits.block.most, 6);
  c.precinct.fill({8, 8});
  c.precinct[0] = {7, 7};
}

}  // namespace

Status set_profile(Profile profile, const ProfileRate &rate, EncoderParams *p,
                   std::uint64_t *frame_limit) {
  const Limits &l = limits_of(profile);
  *frame_limit = 0;
  p->profile = static_cast<std::uint16_t>(l.rsiz);
  if (profile == Profile::none) return {};
  set_coding(l, p);
  p->wavelet = Wavelet::irreversible_97;
  p->colour_transform = p->colour_transform || l.strict;
  p->guard_bits = std::clamp(p->guard_bits, l.guard.least, l.guard.most);
  p->block_style = 0;
  p->progression = Progression::cprl;
  p->largest_last = l.largest_last;
  p->tile_parts = TileParts::component;
  p->layers = 1;
  p->roi = {};
  p->sop = p->eph = p->plt = false;
  p->tlm = true;
  unsigned levels;
  ByteLimits limits;
  const LevelFit fit = fit_levels(profile, samples_of(*p), rate, &levels, &limits);
  if (fit != LevelFit::fits) return refused(profile, fit);
  p->profile = static_cast<std::uint16_t>(l.rsiz | levels);
  *frame_limit = limits.frame;
  const std::uint64_t bytes = rate.frame_bytes > 0 ? rate.frame_bytes : limits.frame;
  p->targets = {{LayerTarget::Kind::bytes, bytes}};
  p->component_bytes = limits.component;
  return {};
}

Status check_profile(Profile profile, const EncoderParams &params) {
  if (profile == Profile::none) return {};
  const Limits &limits = limits_of(profile);
  for (std::size_t i = 0; i < std::size(kRules); ++i)
    if (!kRules[i].holds(limits, params)) return refused(profile, i);
  return {};
}

}  // namespace coalesce::j2k
