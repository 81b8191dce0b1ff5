// SPDX-License-Identifier: LGPL-2.1-or-later
// What profiles forbid: texts that stay, and beside them what is and what may be.
#include <cstdio>
#include <iterator>
#include <string>

#include "profile_limits.h"

namespace coalesce::j2k {
namespace {

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

// What is, and what may be.
std::string values(const std::string &is, const std::string &may_be) {
  return "it is " + is + ", and may be " + may_be;
}

std::string values(
    int is, Range range, int (*shown)(int) = [](int v) { return v; }) {
  const std::string least = text(shown(range.least)), most = text(shown(range.most));
  return values(text(shown(is)), least == most ? most : least + " to " + most);
}

std::string size_values(L l, P p) {
  return values(by(p.coding.image.x1, p.coding.image.y1), "up to " + by(l.width, l.height));
}

std::string bits_values(L l, P p) {
  for (int c = 0; c < p.coding.num_components; ++c)
    if (const int bits = p.coding.component[static_cast<std::size_t>(c)].bits; !l.bits.has(bits))
      return values(bits, l.bits);
  return {};
}

std::string sampling_values(L l, P p) {
  std::string is;
  for (int c = 0; c < p.coding.num_components; ++c) {
    const Component &component = p.coding.component[static_cast<std::size_t>(c)];
    is += (c > 0 ? ", " : "") + by(component.dx, component.dy);
  }
  const bool any = l.chroma_dx > 1 || l.chroma_dy > 1;
  return values(is, any ? "1x1, of chroma up to " + by(l.chroma_dx, l.chroma_dy) : "1x1");
}

std::string tile_values(L l, P p) {
  return values(by(tiles_wide(p.coding), tiles_high(p.coding)),
                l.tiles == 4 ? "1x1, 2x2 or 1x4" : "1x1");
}

std::string block_values(L l, P p) {
  return values(
      by(1 << p.coding.block_x, 1 << p.coding.block_y),
      by(1 << l.block.least, 1 << l.block.least) +
          (l.block.most > l.block.least ? " to " + by(1 << l.block.most, 1 << l.block.most) : ""));
}

std::string precinct_values(L, P p) {
  const auto size = [&p](int r) {
    const PrecinctSize &precinct = p.coding.precinct[static_cast<std::size_t>(r)];
    return by(1 << precinct.x, 1 << precinct.y);
  };
  std::string is;
  for (int r = p.coding.levels; r >= 0; --r)
    is += size(r) + (r > 0 ? " " : "");
  return values(is, "256x256, of the smallest resolution 128x128");
}

std::string order_values(L, P p) {
  constexpr const char *kNames[] = {"lrcp", "rlcp", "rpcl", "pcrl", "cprl"};
  return values(kNames[static_cast<std::size_t>(p.progression)], "cprl");
}

struct Rule {
  const char *text;
  bool (*holds)(const Limits &, const EncoderParams &);
  std::string (*values)(const Limits &, const EncoderParams &) = nullptr;  // beside the text
};

// The text if it does not hold.
constexpr Rule kRules[] = {
    {"the picture (width, height) is too large", size_fits, size_values},
    {"the image or the tiles do not begin at 0, 0", at_origin},
    {"the number of components (format) is not allowed", has_components,
     [](L l, P p) { return values(p.coding.num_components, l.components); }},
    {"the bits of a component (format) are not allowed", has_bits, bits_values},
    {"the subsampling (format) is not allowed", is_sampled, sampling_values},
    {"the number of tiles (tile-width, tile-height) is not allowed", has_tiles, tile_values},
    {"num-resolutions is not allowed", has_levels,
     [](L l, P p) { return values(p.coding.levels, l.levels, [](int v) { return v + 1; }); }},
    {"the size of code-blocks (code-block-width, code-block-height) is not allowed", has_blocks,
     block_values},
    {"precincts are not allowed", has_precincts, precinct_values},
    {"code-block-style has flags, and none is allowed", [](L, P p) { return p.block_style == 0; }},
    {"progression-order is not allowed", [](L, P p) { return p.progression == Progression::cprl; },
     order_values},
    {"the largest resolution is not where it is to be",
     [](L l, P p) { return p.largest_last == l.largest_last; }},
    {"wavelet is not 9/7", [](L, P p) { return p.wavelet == Wavelet::irreversible_97; }},
    {"num-layers is not allowed", [](L, P p) { return p.layers == 1; },
     [](L, P p) {
       return values(p.layers, {1, 1});
     }},
    {"guard-bits is not allowed", [](L l, P p) { return l.guard.has(p.guard_bits); },
     [](L l, P p) { return values(p.guard_bits, l.guard); }},
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

}  // namespace

Status refuse_level(Profile profile, LevelFit fit) {
  return refused(profile, std::size(kRules) + static_cast<std::size_t>(fit) - 1);
}

Status check_profile(Profile profile, const EncoderParams &params, std::string *values) {
  if (values != nullptr) values->clear();
  if (profile == Profile::none) return {};
  const Limits &limits = limits_of(profile);
  for (std::size_t i = 0; i < std::size(kRules); ++i) {
    const Rule &rule = kRules[i];
    if (rule.holds(limits, params)) continue;
    if (values != nullptr && rule.values != nullptr) *values = rule.values(limits, params);
    return refused(profile, i);
  }
  return {};
}

}  // namespace coalesce::j2k
