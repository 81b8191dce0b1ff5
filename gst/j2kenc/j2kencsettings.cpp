// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kencsettings.h"

#include <glib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "j2k/rate.h"
#include "j2k/roi.h"

namespace coalesce::gst {
namespace {

using j2k::EncoderParams;
using j2k::LayerTarget;

std::string number(double value) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  return g_ascii_formatd(text, sizeof text, "%g", value);
}

template <class T>
std::string setting(const char *property, T value) {
  return std::string(property) + "=" + std::to_string(value);
}

std::string setting(const char *property, const std::string &text) {
  constexpr std::size_t kLongest = 200;
  gchar *readable =
      g_utf8_make_valid(text.c_str(), static_cast<gssize>(std::min(text.size(), kLongest)));
  const std::string result =
      std::string(property) + "=\"" + readable + (text.size() > kLongest ? "...\"" : "\"");
  g_free(readable);
  return result;
}

std::string size_setting(const char *width, int w, const char *height, int h) {
  return setting(width, w) + " and " + setting(height, h);
}

// ---- texts -----------------------------------------------------------------------------------

// Numbers from 0 on, between them any of the separators. False if there is anything else.
bool parse_numbers(const std::string &text, const char *separators, std::vector<double> *numbers) {
  numbers->clear();
  const char *at = text.c_str();
  while (*(at += std::strspn(at, separators)) != '\0') {
    if (!g_ascii_isdigit(*at) && *at != '.') return false;
    gchar *end = nullptr;
    const double value = g_ascii_strtod(at, &end);
    if (end == at || !std::isfinite(value)) return false;
    if (*end != '\0' && std::strchr(separators, *end) == nullptr) return false;
    numbers->push_back(value);
    at = end;
  }
  return true;
}

bool parse_integers(const std::string &text, const char *separators, std::vector<int> *integers) {
  std::vector<double> numbers;
  if (!parse_numbers(text, separators, &numbers)) return false;
  integers->clear();
  for (double value : numbers) {
    if (value != std::floor(value) || value > G_MAXINT) return false;
    integers->push_back(static_cast<int>(value));
  }
  return true;
}

// Widths and heights by turns.
bool parse_precincts(const std::string &text, std::vector<int> *sizes) {
  return parse_integers(text, " ,x", sizes) && sizes->size() % 2 == 0 &&
         sizes->size() <= 2 * j2k::kMaxResolutions &&
         std::all_of(sizes->begin(), sizes->end(), [](int size) {
           return size > 0 && std::has_single_bit(static_cast<unsigned>(size)) &&
                  size <= 1 << j2k::kMaxPrecinctExponent;
         });
}

// In Latin-1.
bool convert_comment(const std::string &text, std::string *latin) {
  gsize length = 0;
  gchar *converted = g_convert(text.c_str(), static_cast<gssize>(text.size()), "ISO-8859-1",
                               "UTF-8", nullptr, &length, nullptr);
  if (converted == nullptr) return false;
  latin->assign(converted, length);
  g_free(converted);
  return latin->size() <= j2k::kMaxComment;
}

// ---- checks ----------------------------------------------------------------------------------

std::vector<std::string> rates(const J2kSettings &s) {
  std::vector<std::string> set;
  if (s.bpp > 0) set.push_back("bpp=" + number(s.bpp));
  if (s.bitrate > 0) set.push_back(setting("bitrate", s.bitrate));
  if (s.frame_size > 0) set.push_back(setting("frame-size", s.frame_size));
  if (s.psnr > 0) set.push_back("psnr=" + number(s.psnr));
  if (s.quality > 0) set.push_back(setting("quality", s.quality));
  return set;
}

std::string check_rates(const J2kSettings &s) {
  const std::vector<std::string> set = rates(s);
  if (set.size() > 1) return set[0] + " and " + set[1] + ": only one rate can be set";
  if (!set.empty() && s.lossless == true)
    return "lossless=true and " + set[0] + ": what has a rate is not lossless";
  if (j2k_is_lossless(s) && s.wavelet == J2kWavelet::irreversible_97)
    return "lossless=true and wavelet=9/7: that wavelet is lossy; set a rate, or lossless=false";
  if (s.quality > 0 && s.wavelet == J2kWavelet::reversible_53)
    return set[0] +
           " and wavelet=5/3: quality is the step of the quantiser, which 5/3 has not; "
           "psnr works with both";
  return {};
}

std::string check_blocks(const J2kSettings &s) {
  const std::string name =
      size_setting("code-block-width", s.block_width, "code-block-height", s.block_height);
  for (int side : {s.block_width, s.block_height})
    if (!std::has_single_bit(static_cast<unsigned>(side)))
      return name + ": " + std::to_string(side) + " is not a power of two";
  if (s.block_width * s.block_height > j2k::kMaxBlockArea)
    return name + ": that is more than " + std::to_string(j2k::kMaxBlockArea) + " samples";
  return {};
}

// Precincts are shares of a resolution; above the lowest one, its bands are half as large.
std::string check_precincts(const J2kSettings &s) {
  std::vector<int> sizes;
  const std::string name = setting("precincts", s.precincts);
  if (!parse_precincts(s.precincts, &sizes))
    return name + ": not up to " + std::to_string(j2k::kMaxResolutions) +
           " sizes as in \"256x256 128x128\", powers of two up to 32768";
  if (sizes.size() > 2 * static_cast<std::size_t>(s.num_resolutions))
    return name + ": more than there are resolutions (" +
           setting("num-resolutions", s.num_resolutions) + ")";
  for (std::size_t i = 0; i + 1 < sizes.size(); i += 2) {
    const int share = i / 2 + 1 == static_cast<std::size_t>(s.num_resolutions) ? 1 : 2;
    if (sizes[i] / share < s.block_width || sizes[i + 1] / share < s.block_height)
      return name + ": the bands' share of a precinct of " + std::to_string(sizes[i]) + "x" +
             std::to_string(sizes[i + 1]) + " is smaller than a code-block (" +
             size_setting("code-block-width", s.block_width, "code-block-height", s.block_height) +
             ")";
  }
  return {};
}

std::string check_layers(const J2kSettings &s) {
  std::vector<double> list;
  if (s.layer_rates.empty()) return {};
  const std::string name = setting("layer-rates", s.layer_rates);
  if (!parse_numbers(s.layer_rates, " ,", &list))
    return name + ": not numbers of bits per pixel, as in \"0.25 0.5\"";
  if (list.size() + 1 != static_cast<std::size_t>(s.num_layers))
    return name + " and " + setting("num-layers", s.num_layers) + ": " +
           std::to_string(list.size()) + " rates, where each layer but the last needs one";
  for (std::size_t i = 0; i < list.size(); i++)
    if (list[i] <= (i > 0 ? list[i - 1] : 0))
      return name + ": " + number(list[i]) + " is not above " + (i > 0 ? "the rate before" : "0");
  return {};
}

std::string check_texts(const J2kSettings &s) {
  std::vector<int> roi;
  if (!s.roi.empty() &&
      (!parse_integers(s.roi, " ,", &roi) || roi.size() != 4 || roi[2] == 0 || roi[3] == 0))
    return setting("roi", s.roi) + ": not a rectangle as in \"x,y,width,height\"";
  std::string latin;
  if (!convert_comment(s.comment, &latin))
    return setting("comment", s.comment) + ": not up to " + std::to_string(j2k::kMaxComment) +
           " characters of Latin-1";
  return {};
}

// ---- parameters ------------------------------------------------------------------------------

void set_precincts(const J2kSettings &s, j2k::CodingParams *coding) {
  std::vector<int> sizes;
  parse_precincts(s.precincts, &sizes);
  if (sizes.empty()) return;
  for (int r = s.num_resolutions - 1, i = 0; r >= 0; r--) {
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
  parse_integers(s.roi, " ,", &roi);
  if (roi.empty()) return {};
  const int width = picture.coding.image.width();
  if (roi[2] > width || roi[0] > width - roi[2] || roi[3] > picture.frame_height ||
      roi[1] > picture.frame_height - roi[3])
    return setting("roi", s.roi) + ": outside of the picture of " + std::to_string(width) + "x" +
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

// Fewer planes come of coarser steps. Where nobody has asked for a step, it is the finest that
// leaves room for the shift.
std::string make_room_for_roi(const J2kSettings &s, EncoderParams *params) {
  if (params->roi.empty()) return {};
  const auto fits = [params] { return j2k::check_max_shift(most_planes(*params)).ok(); };
  const bool free = params->wavelet == j2k::Wavelet::irreversible_97 && s.quality == 0;
  for (int doublings = 0; free && !fits() && doublings < 32; doublings++)
    params->base_step *= 2;
  if (fits()) return {};
  return setting("roi", s.roi) + ": " +
         (s.quality > 0 ? "too many bit-planes to shift it by; a lower quality than " +
                              setting("quality", s.quality) + " has fewer"
                        : "samples of " + std::to_string(params->coding.component[0].bits) +
                              " bits have too many bit-planes to shift it by, with the wavelet "
                              "5/3; 9/7 has fewer");
}

// Bytes of a frame's codestreams, all of them; 0 if the rate is not one of bytes.
double frame_bytes(const J2kSettings &s, const J2kPicture &picture) {
  const double pixels = double(picture.coding.image.width()) * picture.frame_height;
  if (s.bpp > 0) return s.bpp * pixels / 8;
  if (s.bitrate > 0) return s.bitrate * 125. * picture.fps_d / picture.fps_n;
  return s.frame_size;
}

std::string set_targets(const J2kSettings &s, const J2kPicture &picture, EncoderParams *params) {
  const double share = double(picture.coding.image.height()) / picture.frame_height;
  const double pixels = double(picture.coding.image.width()) * picture.coding.image.height();
  LayerTarget last;
  if (s.psnr > 0) {
    last = {LayerTarget::Kind::error, j2k::error_at_psnr(*params, s.psnr)};
  } else if (s.bpp > 0 || s.bitrate > 0 || s.frame_size > 0) {
    if (s.bitrate > 0 && picture.fps_n == 0)
      return j2k_rate_text(s) + ": the caps have no framerate";
    const double bytes = (frame_bytes(s, picture) - double(picture.overhead)) * share;
    if (bytes < 1) return j2k_rate_text(s) + ": less than the headers take";
    last = {LayerTarget::Kind::bytes, static_cast<std::uint64_t>(std::min(bytes, 1e18))};
  } else if (s.num_layers == 1) {
    return {};
  }
  std::vector<double> list;
  parse_numbers(s.layer_rates, " ,", &list);
  params->targets.assign(static_cast<std::size_t>(s.num_layers - 1),
                         {LayerTarget::Kind::automatic, 0});
  for (std::size_t i = 0; i < list.size(); i++)
    params->targets[i] = {LayerTarget::Kind::bytes,
                          static_cast<std::uint64_t>(std::min(list[i] * pixels / 8, 1e18))};
  if (!list.empty() && last.kind == LayerTarget::Kind::bytes &&
      params->targets.back().value >= last.value)
    return setting("layer-rates", s.layer_rates) + " and " + j2k_rate_text(s) +
           ": the rate of all layers is not above that of the last but one";
  params->targets.push_back(last);
  return {};
}

// Every 12.5 double or halve the step, which is half of a sample's unit at 100 (of 8 bits).
double step_of(int quality, int bits) {
  return std::exp2((100 - quality) * 0.08 - 1 + (bits - 8));
}

}  // namespace

bool j2k_is_lossless(const J2kSettings &settings) {
  return settings.lossless.value_or(rates(settings).empty());
}

std::string j2k_rate_text(const J2kSettings &settings) {
  const std::vector<std::string> set = rates(settings);
  return set.empty() ? std::string() : set[0];
}

std::string j2k_text(const Status &status) {
  const std::string text = status.message();
  return text.compare(0, 5, "j2k: ") == 0 ? text.substr(5) : text;
}

std::string j2k_check(const J2kSettings &settings) {
  for (auto check : {check_rates, check_blocks, check_precincts, check_layers, check_texts})
    if (std::string problem = check(settings); !problem.empty()) return problem;
  return {};
}

std::string j2k_params(const J2kSettings &s, const J2kPicture &picture, EncoderParams *params) {
  *params = {};
  params->coding = picture.coding;
  j2k::CodingParams &coding = params->coding;
  coding.tile_width = s.tile_width;
  coding.tile_height = s.tile_height;
  coding.levels = s.num_resolutions - 1;
  coding.block_x = std::countr_zero(static_cast<unsigned>(s.block_width));
  coding.block_y = std::countr_zero(static_cast<unsigned>(s.block_height));
  set_precincts(s, &coding);
  const bool reversible = s.wavelet == J2kWavelet::reversible_53 ||
                          (s.wavelet == J2kWavelet::automatic && j2k_is_lossless(s));
  params->wavelet = reversible ? j2k::Wavelet::reversible_53 : j2k::Wavelet::irreversible_97;
  params->colour_transform = picture.rgb;
  params->guard_bits = s.guard_bits;
  if (s.quality > 0) params->base_step = step_of(s.quality, coding.component[0].bits);
  params->visual_weighting = s.visual_weighting;
  params->block_style = s.block_style;
  params->progression = s.progression;
  params->layers = s.num_layers;
  params->sop = s.sop;
  params->eph = s.eph;
  params->plt = s.plt;
  params->tlm = s.tlm;
  convert_comment(s.comment, &params->comment);
  if (std::int64_t{j2k::tiles_wide(coding)} * j2k::tiles_high(coding) > j2k::kMaxTiles)
    return size_setting("tile-width", s.tile_width, "tile-height", s.tile_height) + ": more than " +
           std::to_string(j2k::kMaxTiles) + " tiles";
  if (std::string problem = set_roi(s, picture, params); !problem.empty()) return problem;
  if (std::string problem = set_targets(s, picture, params); !problem.empty()) return problem;
  if (const Status status = j2k::check_params(*params); !status.ok()) return j2k_text(status);
  return make_room_for_roi(s, params);
}

}  // namespace coalesce::gst
