// SPDX-License-Identifier: LGPL-2.1-or-later
// Settings to the library's parameters.
#include <glib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "j2k/encoder/encoder.h"
#include "j2k/pcrd/rate.h"
#include "j2k/transform/quantiser.h"
#include "j2k/transform/roi.h"
#include "j2kencsettings.h"
#include "j2kenctexts.h"
#include "object/settings.h"

namespace coalesce::gst {
namespace {

using j2k::EncoderParams;
using j2k::LayerBudget;

void set_precincts(const J2kSettings &s, j2k::CodingParams *coding) {
  std::vector<int> sizes;
  j2k_parse_precincts(s.precincts, &sizes);
  if (sizes.empty()) return;
  for (int r = coding->levels, i = 0; r >= 0; r--) {
    const auto at = static_cast<std::size_t>(i);
    coding->precinct[static_cast<std::size_t>(r)] = {
        static_cast<std::uint8_t>(std::countr_zero(static_cast<unsigned>(sizes[at]))),
        static_cast<std::uint8_t>(std::countr_zero(static_cast<unsigned>(sizes[at + 1])))};
    if (at + 2 < sizes.size()) i += 2;
  }
}

// The rows of the frame that a picture has; empty if it has none of them.
std::string set_roi(const J2kSettings &s, const J2kPicture &picture, EncoderParams *params) {
  std::vector<int> roi;
  j2k_parse_integers(s.roi, " ,", &roi);
  if (roi.empty()) return {};
  const int width = picture.coding.image.width();
  if (roi[2] > width || roi[0] > width - roi[2] || roi[3] > picture.frame_height ||
      roi[1] > picture.frame_height - roi[3])
    return j2k_setting("roi", s.roi) + ": outside the picture of " + std::to_string(width) + "x" +
           std::to_string(picture.frame_height);
  const auto row = [&picture](int y) {
    return (std::max(y - picture.first_row, 0) + picture.row_step - 1) / picture.row_step;
  };
  params->roi = {roi[0], row(roi[1]), roi[0] + roi[2], row(roi[1] + roi[3])};
  if (params->roi.empty()) params->roi = {};
  return {};
}

// Of all bands, whose planes a region is shifted by.
int most_planes(const EncoderParams &params) {
  int most = 0;
  for (int c = 0; c < params.coding.num_components; c++)
    for (int level = 0; level <= params.coding.levels; level++)
      for (int b = level == 0 ? 0 : 1; b <= (level == 0 ? 0 : 3); b++)
        most = std::max(
            most, j2k::band_quantiser(j2k::quantiser_params(params, c), static_cast<j2k::Band>(b),
                                      level == 0 ? params.coding.levels : level)
                      .planes);
  return most;
}

// What may help: guard-bits by themselves, if they do, and what else has an influence.
std::string fewer_planes(const J2kSettings &s, const EncoderParams &params) {
  EncoderParams with = params;
  while (with.guard_bits > 0 && !j2k::check_max_shift(most_planes(with)).ok())
    with.guard_bits--;
  std::string all = s.quality > 0 ? "a quality below " + std::to_string(s.quality)
                                  : "wavelet=9/7 with a rate instead of 5/3";
  if (j2k::check_max_shift(most_planes(with)).ok())
    all = j2k_setting("guard-bits", with.guard_bits) + " instead of " +
          std::to_string(params.guard_bits) + ", or " + all;
  return all;
}

// Fewer planes come of coarser steps. Where nobody has asked for a step, it is the finest that
// leaves room for the shift.
std::string make_room_for_roi(const J2kSettings &s, const J2kPicture &picture,
                              EncoderParams *params) {
  if (params->roi.empty()) return {};
  const auto fits = [params] { return j2k::check_max_shift(most_planes(*params)).ok(); };
  const bool free = params->wavelet == j2k::Wavelet::irreversible_97 && s.quality == 0;
  for (int eighths = 0; free && !fits() && eighths < 32 * 8; eighths++)
    params->base_step *= std::exp2(0.125);
  if (fits()) return {};
  return j2k_setting("roi", s.roi) + ": " + std::to_string(most_planes(*params)) +
         " bit-planes are too many for max-shift (the format has " +
         std::to_string(picture.coding.component[0].bits) + " bits); use " +
         fewer_planes(s, *params);
}

// Bytes of a frame's codestreams, all of them; 0 if the rate is not one of bytes.
double frame_bytes(const J2kSettings &s, const J2kPicture &picture) {
  const double pixels = double(picture.coding.image.width()) * picture.frame_height;
  if (s.bpp > 0) return s.bpp * pixels / 8;
  if (s.bitrate > 0) return s.bitrate * 125. * picture.fps_d / std::max(picture.fps_n, 1);
  return s.frame_size;
}

// Of one picture; 0 if the rate is not one of bytes.
double picture_bytes(const J2kSettings &s, const J2kPicture &picture) {
  const double all = frame_bytes(s, picture);
  const double share = double(picture.coding.image.height()) / picture.frame_height;
  return all > 0 ? std::max((all - double(picture.overhead)) * share, 0.) : 0;
}

std::uint64_t whole_bytes(double bytes) {
  return static_cast<std::uint64_t>(std::min(bytes, 1e18));
}

// With six digits, rounded up if need be.
std::string bpp_of(std::uint64_t bytes, const J2kPicture &picture) {
  const double exact =
      double(bytes) * 8 / (double(picture.coding.image.width()) * picture.frame_height);
  const std::string nearest = number_text(exact);
  J2kSettings s;
  s.bpp = g_ascii_strtod(nearest.c_str(), nullptr);
  if (whole_bytes(frame_bytes(s, picture)) >= bytes) return nearest;
  return number_text(exact + std::pow(10, std::floor(std::log10(exact)) - 5));
}

// The highest setting of the property that the rate was set by which leaves a codestream `bytes`.
std::string most_rate(const J2kSettings &s, const J2kPicture &picture, std::uint64_t bytes) {
  const double pixels = double(picture.coding.image.width()) * picture.frame_height;
  const double below =  // the frame's bytes
      (double(bytes) + 1) * picture.frame_height / picture.coding.image.height() +
      double(picture.overhead);
  const auto fits = [&](const J2kSettings &tried) {
    return whole_bytes(picture_bytes(tried, picture)) <= bytes;
  };
  J2kSettings most;
  if (s.bpp > 0) {
    const double exact = below * 8 / pixels,
                 digit = std::pow(10, std::floor(std::log10(exact)) - 5);
    for (int back = 0; back == 0 || !fits(most); back++)
      most.bpp = g_ascii_strtod(number_text(exact - back * digit).c_str(), nullptr);
  } else if (s.bitrate > 0) {
    most.bitrate = static_cast<unsigned>(
        std::min(below * picture.fps_n / (125. * picture.fps_d), double(G_MAXINT)));
    while (!fits(most))
      most.bitrate--;
  } else {
    most.frame_size = static_cast<unsigned>(std::min(below, double(G_MAXINT)));
    while (!fits(most))
      most.frame_size--;
  }
  return j2k_rate_text(most);
}

// most: what a profile allows, which has let the rate pass; 0 for no limit.
LayerBudget last_target(const J2kSettings &s, const J2kPicture &picture,
                        const EncoderParams &params, std::uint64_t most) {
  if (s.psnr > 0) return j2k::target_at_psnr(params, s.psnr);
  if (frame_bytes(s, picture) > 0)
    return {LayerBudget::Kind::bytes, whole_bytes(picture_bytes(s, picture))};
  if (most > 0) return {LayerBudget::Kind::bytes, most};
  return {};
}

std::string set_targets(const J2kSettings &s, const J2kPicture &picture, std::uint64_t most,
                        EncoderParams *params) {
  const LayerBudget last = last_target(s, picture, *params, most);
  if (params->layers == 1 && last.kind == LayerBudget::Kind::everything) return {};
  const double pixels = double(picture.coding.image.width()) * picture.coding.image.height();
  std::vector<double> list;
  j2k_parse_numbers(s.layer_rates, " ,", &list);
  params->targets.assign(static_cast<std::size_t>(params->layers - 1),
                         {LayerBudget::Kind::automatic, 0});
  for (std::size_t i = 0; i < list.size(); i++)
    params->targets[i] = {LayerBudget::Kind::bytes, whole_bytes(list[i] * pixels / 8)};
  if (!list.empty() && last.kind == LayerBudget::Kind::bytes &&
      params->targets.back().value >= last.value)
    return j2k_setting("layer-rates", s.layer_rates) + " and " + j2k_rate_text(s) +
           ": the rate must be above the last of layer-rates";
  params->targets.push_back(last);
  return {};
}

// Every 12.5 double or halve the step, which is at 100 (of 8 bits) what it is for rates.
double step_of(int quality, int bits, bool colour_transform) {
  return j2k::fine_base_step(colour_transform) * std::exp2((100 - quality) * 0.08 + (bits - 8));
}

// Was a property set to something? Without a profile everything was.
template <class T>
bool was_set(const J2kSettings &s, T J2kSettings::*field) {
  return s.profile == j2k::Profile::none || s.*field != J2kSettings().*field;
}

void set_coding(const J2kSettings &s, j2k::CodingParams *coding) {
  using S = J2kSettings;
  if (was_set(s, &S::tile_width)) coding->tile_width = s.tile_width;
  if (was_set(s, &S::tile_height)) coding->tile_height = s.tile_height;
  if (was_set(s, &S::num_resolutions)) coding->levels = s.num_resolutions - 1;
  if (was_set(s, &S::block_width))
    coding->block_x = std::countr_zero(static_cast<unsigned>(s.block_width));
  if (was_set(s, &S::block_height))
    coding->block_y = std::countr_zero(static_cast<unsigned>(s.block_height));
  set_precincts(s, coding);
}

void set_wavelet(const J2kSettings &s, EncoderParams *params) {
  if (s.wavelet != J2kWavelet::automatic || s.profile == j2k::Profile::none)
    params->wavelet = s.wavelet == J2kWavelet::reversible_53 ||
                              (s.wavelet == J2kWavelet::automatic && j2k_is_lossless(s))
                          ? j2k::Wavelet::reversible_53
                          : j2k::Wavelet::irreversible_97;
  if (was_set(s, &J2kSettings::guard_bits)) params->guard_bits = s.guard_bits;
  params->visual_weighting = s.visual_weighting;
  const auto bits = params->coding.component[0].bits;
  if (s.quality > 0)
    params->base_step = step_of(s.quality, bits, params->colour_transform);
  else if (s.psnr > 0)
    params->base_step = j2k::base_step_at_psnr(*params, s.psnr);
  else
    params->base_step = j2k::fine_base_step(params->colour_transform);
}

void set_markers(const J2kSettings &s, EncoderParams *params) {
  using S = J2kSettings;
  if (was_set(s, &S::block_style)) params->block_style = s.block_style;
  if (was_set(s, &S::progression)) params->progression = s.progression;
  if (was_set(s, &S::num_layers)) params->layers = s.num_layers;
  params->sop = s.sop;
  params->eph = s.eph;
  params->plt = s.plt;
  params->tlm = params->tlm || s.tlm;
  j2k_parse_comment(s.comment, &params->comment);
}

}  // namespace

std::string j2k_params(const J2kSettings &s, const J2kPicture &picture, EncoderParams *params) {
  *params = {};
  params->coding = picture.coding;
  params->colour_transform = picture.rgb;
  if (s.bitrate > 0 && picture.fps_n == 0)
    return j2k_rate_text(s) +
           ": a framerate is required, and the caps have none; use bpp or frame-size";
  std::uint64_t frame_limit;
  const j2k::ProfileRate rate = {std::int64_t{picture.fps_n} * picture.row_step, picture.fps_d,
                                 whole_bytes(picture_bytes(s, picture))};
  std::string text;
  if (Status status = set_profile(s.profile, rate, params, &frame_limit, &text); !status.ok()) {
    if (frame_limit > 0)
      return j2k_profile_setting(s) + " requires at most " + most_rate(s, picture, frame_limit) +
             " at this framerate; it is " + j2k_rate_text(s);
    return text.empty() ? j2k_text(status) : text;
  }
  set_coding(s, &params->coding);
  set_wavelet(s, params);
  set_markers(s, params);
  if (std::int64_t{j2k::tiles_wide(params->coding)} * j2k::tiles_high(params->coding) >
      j2k::kMaxTiles)
    return j2k_settings("tile-width", s.tile_width, "tile-height", s.tile_height) + ": more than " +
           std::to_string(j2k::kMaxTiles) + " tiles; use larger tiles";
  for (auto set : {set_roi, make_room_for_roi})
    if (std::string problem = set(s, picture, params); !problem.empty()) return problem;
  if (std::string problem = set_targets(s, picture, frame_limit, params); !problem.empty())
    return problem;
  if (Status status = check_profile(s.profile, *params, &text); !status.ok())
    return text.empty() ? j2k_text(status) : text;
  const Status status = j2k::check_params(*params);
  return status.ok() ? std::string() : j2k_text(status);
}

std::uint64_t j2k_frame_bytes(const J2kPicture &picture, std::uint64_t bytes) {
  J2kSettings s;
  const double fields = double(picture.frame_height) / picture.coding.image.height();
  s.frame_size = static_cast<unsigned>(double(bytes) * fields) + unsigned(picture.overhead);
  while (whole_bytes(picture_bytes(s, picture)) < bytes)
    s.frame_size++;
  return s.frame_size;
}

std::string j2k_least_rate(const J2kSettings &s, const J2kPicture &picture, std::uint64_t bytes) {
  J2kSettings most;
  most.bpp = s.bpp > 0 ? kJ2kMostBpp : 0;
  most.bitrate = s.bitrate > 0 ? G_MAXINT : 0;
  const std::string frame_size = j2k_setting("frame-size", bytes);
  if (frame_bytes(most, picture) > 0 && frame_bytes(most, picture) < double(bytes))
    return frame_size + ", which " + (s.bpp > 0 ? "bpp" : "bitrate") + " cannot express (at most " +
           j2k_rate_text(most) + "); use " + frame_size;
  if (s.bpp > 0) return "bpp=" + bpp_of(bytes, picture);
  if (s.bitrate > 0)
    return j2k_setting("bitrate", static_cast<unsigned>(std::ceil(double(bytes) * picture.fps_n /
                                                                  (125. * picture.fps_d))));
  return s.frame_size > 0 ? frame_size
                          : frame_size + "; that is more than the profile allows at this framerate";
}

}  // namespace coalesce::gst
