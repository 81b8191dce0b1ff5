// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile.h"

#include <algorithm>
#include <cmath>

#include "profile_limits.h"

namespace coalesce::j2k {
namespace {

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
    return refuse_level(profile, fit, level_text(fit, samples_of(*p), rate, limits), text);
  p->profile = static_cast<std::uint16_t>(l.rsiz | levels);
  *frame_limit = limits.frame;
  const std::uint64_t bytes = rate.frame_bytes > 0 ? rate.frame_bytes : limits.frame;
  p->targets = {{LayerTarget::Kind::bytes, bytes}};
  p->component_bytes = limits.component;
  return {};
}

}  // namespace coalesce::j2k
