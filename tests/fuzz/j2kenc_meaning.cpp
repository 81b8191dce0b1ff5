// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kenc_meaning.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "j2k/encoder/encoder.h"
#include "j2k/profile/profile.h"
#include "j2k/transform/quantiser.h"
#include "j2kenc/j2kenctexts.h"

namespace test {
namespace {

using namespace coalesce::j2k;
using coalesce::gst::J2kWavelet;

int log2_of(int power) {
  return std::countr_zero(static_cast<unsigned>(power));
}

bool has_rate(const J2kSettings &s) {
  return s.bpp > 0 || s.bitrate > 0 || s.frame_size > 0 || s.psnr > 0 || s.quality > 0;
}

void set_image(const Part &part, EncoderParams *p) {
  const GstVideoFormatInfo *format = part.info.finfo;
  p->coding.image = {0, 0, part.info.width, part.rows()};
  p->coding.num_components = static_cast<int>(GST_VIDEO_INFO_N_COMPONENTS(&part.info));
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(&part.info); c++)
    p->coding.component[c] = {1 << GST_VIDEO_FORMAT_INFO_W_SUB(format, c),
                              1 << GST_VIDEO_FORMAT_INFO_H_SUB(format, c),
                              static_cast<int>(GST_VIDEO_INFO_COMP_DEPTH(&part.info, c))};
  p->colour_transform = GST_VIDEO_INFO_IS_RGB(&part.info);
}

// Fields share the bytes by their rows.
std::uint64_t bytes_of_part(const J2kSettings &s, const Part &part) {
  const double bytes = (frame_limit(s, part.info) - double(part.overhead)) *
                       (double(part.rows()) / part.info.height);
  return static_cast<std::uint64_t>(std::clamp(bytes, 0., 1e18));
}

void set_structure(const J2kSettings &s, EncoderParams *p) {
  const J2kSettings defaults;
  const bool all = s.profile == Profile::none;  // else what is not the default
  if (all || s.tile_width != 0) p->coding.tile_width = s.tile_width;
  if (all || s.tile_height != 0) p->coding.tile_height = s.tile_height;
  if (all || s.num_resolutions != defaults.num_resolutions)
    p->coding.levels = s.num_resolutions - 1;
  if (all || s.block_width != defaults.block_width) p->coding.block_x = log2_of(s.block_width);
  if (all || s.block_height != defaults.block_height) p->coding.block_y = log2_of(s.block_height);
  if (all || s.block_style != 0) p->block_style = s.block_style;
  if (all || s.progression != defaults.progression) p->progression = s.progression;
  if (all || s.num_layers != 1) p->layers = s.num_layers;
  if (all || s.guard_bits != defaults.guard_bits) p->guard_bits = s.guard_bits;
  p->sop = s.sop, p->eph = s.eph, p->plt = s.plt, p->tlm |= s.tlm;
  coalesce::gst::j2k_parse_comment(s.comment, &p->comment);
  std::vector<int> sizes;
  coalesce::gst::j2k_parse_precincts(s.precincts, &sizes);
  for (int r = p->coding.levels; r >= 0 && !sizes.empty(); r--) {
    const auto at =
        2 * std::min(static_cast<std::size_t>(p->coding.levels - r), sizes.size() / 2 - 1);
    p->coding.precinct[static_cast<std::size_t>(r)] = {
        static_cast<std::uint8_t>(log2_of(sizes[at])),
        static_cast<std::uint8_t>(log2_of(sizes[at + 1]))};
  }
}

void set_wavelet(const J2kSettings &s, EncoderParams *p) {
  const bool lossless = s.lossless.value_or(!has_rate(s) && s.profile == Profile::none);
  if (s.wavelet == J2kWavelet::reversible_53)
    p->wavelet = Wavelet::reversible_53;
  else if (s.wavelet == J2kWavelet::irreversible_97)
    p->wavelet = Wavelet::irreversible_97;
  else if (s.profile == Profile::none)
    p->wavelet = lossless ? Wavelet::reversible_53 : Wavelet::irreversible_97;
  p->base_step = fine_base_step(p->colour_transform);
  if (s.quality > 0)
    p->base_step *= std::exp2((100 - s.quality) * 0.08 + (p->coding.component[0].bits - 8));
  p->visual_weighting = s.visual_weighting;
}

// Rows that another field has are not the region's.
void set_region(const J2kSettings &s, const Part &part, EncoderParams *p) {
  std::vector<int> roi;
  coalesce::gst::j2k_parse_integers(s.roi, " ,", &roi);
  if (roi.empty()) return;
  const auto row = [&part](int y) {
    return y <= part.field ? 0 : (y - part.field + part.fields - 1) / part.fields;
  };
  const Rect region = {roi[0], row(roi[1]), roi[0] + roi[2], row(roi[1] + roi[3])};
  if (region.empty()) return;
  p->roi = region;
  // A coarser step, until there is room for the shift.
  EncoderParams trial = *p;
  trial.layers = 1;
  std::unique_ptr<Encoder> encoder;
  while (p->wavelet == Wavelet::irreversible_97 && s.quality == 0 && trial.base_step < 1e9 &&
         !Encoder::make(trial, &encoder).ok())
    trial.base_step *= std::exp2(0.125);
  p->base_step = trial.base_step;
}

// limit: the profile's.
void set_targets(const J2kSettings &s, const Part &part, std::uint64_t limit, EncoderParams *p) {
  using Kind = LayerBudget::Kind;
  LayerBudget last;
  if (frame_limit(s, part.info) > 0) {
    const std::uint64_t wanted = bytes_of_part(s, part);
    last = {Kind::bytes, limit > 0 ? std::min(wanted, limit) : wanted};
  } else if (limit > 0) {
    last = {Kind::bytes, limit};
  }
  p->targets.clear();
  if (p->layers == 1 && last.kind == Kind::everything) return;
  std::vector<double> rates;
  coalesce::gst::j2k_parse_numbers(s.layer_rates, " ,", &rates);
  const double pixels = double(part.info.width) * part.rows();
  for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(p->layers); i++)
    p->targets.push_back(i < rates.size()
                             ? LayerBudget{Kind::bytes, static_cast<std::uint64_t>(
                                                            std::min(rates[i] * pixels / 8, 1e18))}
                             : LayerBudget{Kind::automatic, 0});
  p->targets.push_back(last);
}

}  // namespace

double frame_limit(const J2kSettings &s, const GstVideoInfo &info) {
  if (s.bpp > 0) return s.bpp * (double(info.width) * info.height) / 8;
  if (s.bitrate > 0) return s.bitrate * 125. * info.fps_d / info.fps_n;
  return s.frame_size;
}

EncoderParams params_of(const J2kSettings &s, const Part &part) {
  EncoderParams p;
  set_image(part, &p);
  const double limit = frame_limit(s, part.info);
  std::uint64_t most = 0;
  const coalesce::Status status =
      set_profile(s.profile,
                  {std::int64_t{part.info.fps_n} * part.fields, part.info.fps_d,
                   limit > 0 ? bytes_of_part(s, part) : 0},
                  &p, &most);
  fail_unless(status.ok(), "%s", status.message());
  set_structure(s, &p);
  set_wavelet(s, &p);
  set_region(s, part, &p);
  set_targets(s, part, most, &p);
  return p;
}

Bytes encode_with_library(const EncoderParams &params, const std::vector<Samples> &planes) {
  std::vector<std::vector<std::uint16_t>> words;
  coalesce::j2k::Samples samples[kMaxComponents];
  for (std::size_t c = 0; c < planes.size(); c++) {
    words.emplace_back(planes[c].values.begin(), planes[c].values.end());
    samples[c].data = words.back().data();
    samples[c].pitch = sizeof(std::uint16_t) * static_cast<std::size_t>(planes[c].width);
    samples[c].container = coalesce::Container::u16;
    samples[c].bits = static_cast<std::uint8_t>(planes[c].bits);
  }
  std::unique_ptr<Encoder> encoder;
  coalesce::Status status = Encoder::make(params, &encoder);
  Bytes bytes;
  if (status.ok()) status = encoder->encode(samples, nullptr, &bytes);
  fail_unless(status.ok(), "the library: %s", status.message());
  return bytes;
}

bool is_exact(const EncoderParams &params) {
  return params.wavelet == Wavelet::reversible_53 &&
         (params.targets.empty() || params.targets.back().kind == LayerBudget::Kind::everything);
}

double most_error(const J2kSettings &s, const EncoderParams &p) {
  constexpr double kWide = 4;  // times what there should be
  const bool bytes = !p.targets.empty() && p.targets.back().kind == LayerBudget::Kind::bytes;
  // Coefficients beyond all planes are cut where there are few guard bits.
  if (bytes || p.guard_bits < 2 || (s.psnr > 0 && p.visual_weighting)) return 0;
  const double peak = std::exp2(p.coding.component[0].bits) - 1;
  const double asked = s.psnr > 0 ? peak * peak / std::pow(10, s.psnr / 10) : 0;
  const double step = p.wavelet == Wavelet::irreversible_97 ? p.base_step : 0;
  return kWide * (kWide * asked + step * step) + 1;
}

}  // namespace test
