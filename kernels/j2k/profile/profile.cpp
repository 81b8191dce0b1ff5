// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <string>

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
  bool strict = false;        // TLM; no SOP, EPH, PLT
  bool largest_last = false;  // must be
};

constexpr std::array<Limits, 7> kLimits = {{
    {"none", 0, kAny, kAny, {}, {}, 0, 0, 0, {}, {}, {}},
    {"cinema-2k", 3, 2048, 1080, {3, 3}, {12, 12}, 1, 1, 1, {0, 5}, {5, 5}, {1, 1}, true},
    {"cinema-4k", 4, 4096, 2160, {3, 3}, {12, 12}, 1, 1, 1, {1, 6}, {5, 5}, {2, 2}, true, true},
    {"broadcast-single", 0x100, kAny, kAny, {1, 4}, {8, 12}, 2, 2, 1, {1, 5}, {5, 7}, {0, 7}},
    {"broadcast-multi", 0x200, kAny, kAny, {1, 4}, {8, 12}, 2, 2, 4, {1, 5}, {5, 7}, {0, 7}},
    {"imf-2k", 0x400, 2048, 1556, {1, 3}, {8, 16}, 2, 1, 1, {1, 5}, {5, 5}, {0, 7}},
    {"imf-4k", 0x500, 4096, 3112, {1, 3}, {8, 16}, 2, 1, 1, {1, 6}, {5, 5}, {0, 7}},
}};

const Limits &limits_of(Profile profile) {
  return kLimits[static_cast<std::size_t>(profile)];
}

// What profiles forbid: texts that stay, and texts with what is required and what there is.

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

using P = const EncoderParams &;
using L = const Limits &;

std::string text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.10g", value);
  return digits;
}

std::string by(int width, int height) {
  return text(width) + "x" + text(height);
}

std::string range(Range r) {
  return r.least == r.most ? text(r.most) : text(r.least) + " to " + text(r.most);
}

std::string size_text(L l, P p) {
  return "a picture of at most " + by(l.width, l.height) + "; the input has " +
         by(p.coding.image.x1, p.coding.image.y1);
}

std::string components_text(L l, P p) {
  return range(l.components) + " components; the input has " + text(p.coding.num_components);
}

std::string bits_text(L l, P p) {
  std::string is;
  for (int c = p.coding.num_components - 1; c >= 0; --c)
    if (const int bits = p.coding.component[static_cast<std::size_t>(c)].bits; !l.bits.has(bits))
      is = text(bits);
  return (l.bits.least == l.bits.most ? text(l.bits.most) + "-bit components"
                                      : "components of " + range(l.bits) + " bits") +
         "; the input has " + is;
}

// The usual name, or the distances of the components' samples.
std::string sampling(P p) {
  const Component &chroma = p.coding.component[1];
  const bool has_name = all_components(p, [&](int i, const Component &c) {
    return i == 0 || i == 3 ? c.dx == 1 && c.dy == 1
                            : c.dx == chroma.dx && c.dy == chroma.dy && c.dy <= c.dx && c.dx <= 2;
  });
  if (has_name) return chroma.dx == 1 ? "4:4:4" : chroma.dy == 1 ? "4:2:2" : "4:2:0";
  std::string distances;
  for (int c = 0; c < p.coding.num_components; ++c) {
    const Component &component = p.coding.component[static_cast<std::size_t>(c)];
    distances += (c > 0 ? ", " : "") + by(component.dx, component.dy);
  }
  return distances;
}

std::string sampling_text(L l, P p) {
  const char *required = l.chroma_dx == 1   ? "4:4:4"
                         : l.chroma_dy == 1 ? "4:4:4 or 4:2:2"
                                            : "4:4:4, 4:2:2 or 4:2:0";
  return std::string(required) + "; the input has " + sampling(p);
}

std::string tiles_text(L l, P p) {
  return std::string(l.tiles == 4 ? "1x1, 2x2 or 1x4 tiles" : "one tile") +
         "; tile-width and tile-height make " + by(tiles_wide(p.coding), tiles_high(p.coding));
}

// property=value, with the values that are allowed, and the one that it has.
std::string setting(const char *property, const std::string &required, const std::string &is) {
  return property + ("=" + required) + "; it is " + is;
}

std::string levels_text(L l, P p) {
  return setting("num-resolutions", range({l.levels.least + 1, l.levels.most + 1}),
                 text(p.coding.levels + 1));
}

std::string blocks_text(L l, P p) {
  return "code-block-width and code-block-height of " +
         range({1 << l.block.least, 1 << l.block.most}) + "; they are " +
         text(1 << p.coding.block_x) + " and " + text(1 << p.coding.block_y);
}

std::string precincts_text(L, P p) {
  std::string is;
  for (int r = p.coding.levels; r >= 0; --r) {
    const PrecinctSize &size = p.coding.precinct[static_cast<std::size_t>(r)];
    is += by(1 << size.x, 1 << size.y) + (r > 0 ? " " : "");
  }
  return "precincts of 256x256, and of 128x128 at the smallest resolution; they are " + is;
}

std::string order_text(L, P p) {
  constexpr const char *kNames[] = {"lrcp", "rlcp", "rpcl", "pcrl", "cprl"};
  return setting("progression-order", "cprl", kNames[static_cast<std::size_t>(p.progression)]);
}

std::string guard_text(L l, P p) {
  return setting("guard-bits", range(l.guard), text(p.guard_bits));
}

struct Rule {
  const char *text;
  bool (*holds)(const Limits &, const EncoderParams &);
  // What the profile requires, and what there is instead; the empty text without it.
  std::string (*required)(const Limits &, const EncoderParams &) = [](L, P) {
    return std::string();
  };
};

// The text if it does not hold.
constexpr Rule kRules[] = {
    {"the picture (width, height) is too large", size_fits, size_text},
    {"the image or the tiles do not begin at 0, 0", at_origin},
    {"the number of components (format) is not allowed", has_components, components_text},
    {"the bits of a component (format) are not allowed", has_bits, bits_text},
    {"the subsampling (format) is not allowed", is_sampled, sampling_text},
    {"the number of tiles (tile-width, tile-height) is not allowed", has_tiles, tiles_text},
    {"num-resolutions is not allowed", has_levels, levels_text},
    {"the size of code-blocks (code-block-width, code-block-height) is not allowed", has_blocks,
     blocks_text},
    {"precincts are not allowed", has_precincts, precincts_text},
    {"code-block-style has flags, and none is allowed", [](L, P p) { return p.block_style == 0; },
     [](L, P) { return std::string("code-block-style=0; it has flags"); }},
    {"progression-order is not allowed", [](L, P p) { return p.progression == Progression::cprl; },
     order_text},
    {"the largest resolution is not where it is to be",
     [](L l, P p) { return p.largest_last == l.largest_last; }},
    {"wavelet is not 9/7", [](L, P p) { return p.wavelet == Wavelet::irreversible_97; },
     [](L, P) { return setting("wavelet", "9/7", "5/3"); }},
    {"num-layers is not allowed", [](L, P p) { return p.layers == 1; },
     [](L, P p) { return setting("num-layers", "1", text(p.layers)); }},
    {"guard-bits is not allowed", [](L l, P p) { return l.guard.has(p.guard_bits); }, guard_text},
    {"roi is not allowed", [](L, P p) { return p.roi == Rect{}; },
     [](L, P) { return std::string("an empty roi; a region is set"); }},
    {"tile-parts are not components", [](L, P p) { return p.tile_parts == TileParts::component; }},
    {"sop is not allowed", [](L l, P p) { return !l.strict || !p.sop; },
     [](L, P) { return setting("sop", "false", "true"); }},
    {"eph is not allowed", [](L l, P p) { return !l.strict || !p.eph; },
     [](L, P) { return setting("eph", "false", "true"); }},
    {"plt is not allowed", [](L l, P p) { return !l.strict || !p.plt; },
     [](L, P) { return setting("plt", "false", "true"); }},
    {"tlm is missing", [](L l, P p) { return !l.strict || p.tlm; },
     [](L, P) { return setting("tlm", "true", "false"); }},
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

// required: as the text goes on after "requires".
Status refused(Profile profile, std::size_t rule, const std::string &required, std::string *text) {
  if (text != nullptr)
    *text = required.empty()
                ? required
                : "profile=" + std::string(limits_of(profile).name) + " requires " + required;
  return invalid_argument(kTexts[static_cast<std::size_t>(profile)][rule].data());
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
    c.tile_width = c.image.x1 / 2 + c.image.x1 % 2;
    c.tile_height = c.image.y1 / 2 + c.image.y1 % 2;
  }
  c.levels = limits.levels.most;
  c.block_x = c.block_y = std::min(limits.block.most, 6);
  c.precinct.fill({8, 8});
  c.precinct[0] = {7, 7};
}

// What is required, and what there is.
std::string level_text(LevelFit fit, double samples, const ProfileRate &rate,
                       const LevelLimits &limits) {
  switch (fit) {
    case LevelFit::fits:
      break;
    case LevelFit::no_frame_rate:
      return "a framerate; the caps have none";
    case LevelFit::too_many_samples:
      return "at most " + std::to_string(std::llround(limits.samples)) +
             " samples a second; width, height and framerate make " +
             std::to_string(std::llround(samples * rate.fps_num / rate.fps_den));
    case LevelFit::too_many_bytes:
      return "at most " + std::to_string(limits.frame) +
             " bytes a frame at this framerate; frame-size, bitrate or bpp allows " +
             std::to_string(rate.frame_bytes);
  }
  return {};
}

}  // namespace

Status check_profile(Profile profile, const EncoderParams &params, std::string *text) {
  if (profile == Profile::none) return {};
  const Limits &limits = limits_of(profile);
  for (std::size_t i = 0; i < std::size(kRules); ++i)
    if (!kRules[i].holds(limits, params))
      return refused(profile, i, kRules[i].required(limits, params), text);
  return {};
}

Status set_profile(Profile profile, const ProfileRate &rate, EncoderParams *p,
                   std::uint64_t *frame_limit, std::string *text) {
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
  LevelLimits limits;
  const LevelFit fit = fit_levels(profile, samples_of(*p), rate, &levels, &limits);
  if (fit == LevelFit::too_many_bytes) *frame_limit = limits.frame;
  if (fit != LevelFit::fits)
    return refused(profile, std::size(kRules) + static_cast<std::size_t>(fit) - 1,
                   level_text(fit, samples_of(*p), rate, limits), text);
  p->profile = static_cast<std::uint16_t>(l.rsiz | levels);
  *frame_limit = limits.frame;
  const std::uint64_t bytes = rate.frame_bytes > 0 ? rate.frame_bytes : limits.frame;
  p->targets = {{LayerBudget::Kind::bytes, bytes}};
  p->component_bytes = limits.component;
  return {};
}

}  // namespace coalesce::j2k
