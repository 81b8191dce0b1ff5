// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kencsettings.h"

#include <bit>
#include <vector>

#include "j2kenctexts.h"
#include "object/settings.h"

namespace coalesce::gst {
namespace {

std::vector<std::string> rates(const J2kSettings &s) {
  std::vector<std::string> set;
  if (s.bpp > 0) set.push_back("bpp=" + number_text(s.bpp));
  if (s.bitrate > 0) set.push_back(j2k_setting("bitrate", s.bitrate));
  if (s.frame_size > 0) set.push_back(j2k_setting("frame-size", s.frame_size));
  if (s.psnr > 0) set.push_back("psnr=" + number_text(s.psnr));
  if (s.quality > 0) set.push_back(j2k_setting("quality", s.quality));
  return set;
}

std::string check_rates(const J2kSettings &s) {
  const std::vector<std::string> set = rates(s);
  if (set.size() > 1) return set[0] + " and " + set[1] + ": only one rate can be set";
  if (!set.empty() && s.lossless == true)
    return "lossless=true and " + set[0] + ": a rate is lossy; use lossless=false or no rate";
  if (s.profile != j2k::Profile::none && s.lossless == true)
    return "lossless=true and " + j2k_profile_setting(s) +
           ": profiles are lossy; use lossless=false or profile=none";
  if (s.profile != j2k::Profile::none && s.psnr > 0)
    return set[0] + " and " + j2k_profile_setting(s) +
           ": profiles limit the bytes of a frame, which may prevent this PSNR; use quality, bpp, "
           "bitrate or frame-size";
  if (j2k_is_lossless(s) && s.wavelet == J2kWavelet::irreversible_97)
    return std::string(s.lossless ? "lossless=true and wavelet=9/7"
                                  : "wavelet=9/7 without a rate") +
           ": 9/7 is lossy; use a rate or lossless=false";
  if (s.quality > 0 && s.wavelet == J2kWavelet::reversible_53)
    return set[0] +
           " and wavelet=5/3: quality is the quantiser step, and 5/3 has no quantiser; use "
           "wavelet=9/7 or psnr";
  return {};
}

std::string unreadable(const char *property, const std::string &text, const std::string &expected) {
  return j2k_setting(property, text) + ": expected " + expected + quoting_hint(property, text);
}

std::string check_blocks(const J2kSettings &s) {
  const std::string name =
      j2k_settings("code-block-width", s.block_width, "code-block-height", s.block_height);
  for (int side : {s.block_width, s.block_height})
    if (!std::has_single_bit(static_cast<unsigned>(side)))
      return name + ": " + std::to_string(side) + " is not a power of two";
  if (s.block_width * s.block_height > j2k::kMaxBlockArea)
    return name + ": the product is more than " + std::to_string(j2k::kMaxBlockArea) + " samples";
  return {};
}

// Precincts are shares of a resolution; above the lowest one, its bands are half as large.
std::string check_precincts(const J2kSettings &s) {
  std::vector<int> sizes;
  const std::string name = j2k_setting("precincts", s.precincts);
  if (!j2k_parse_precincts(s.precincts, &sizes))
    return unreadable("precincts", s.precincts,
                      "up to " + std::to_string(j2k::kMaxResolutions) +
                          " sizes as in \"256x256 128x128\", powers of two up to 32768");
  if (sizes.size() > 2 * static_cast<std::size_t>(s.num_resolutions))
    return name + ": more sizes than resolutions (" +
           j2k_setting("num-resolutions", s.num_resolutions) + ")";
  for (std::size_t i = 0; i + 1 < sizes.size(); i += 2) {
    const int share = i / 2 + 1 == static_cast<std::size_t>(s.num_resolutions) ? 1 : 2;
    if (sizes[i] / share < s.block_width || sizes[i + 1] / share < s.block_height)
      return name + ": the bands' share of a precinct of " + std::to_string(sizes[i]) + "x" +
             std::to_string(sizes[i + 1]) + " is smaller than a code-block (" +
             j2k_settings("code-block-width", s.block_width, "code-block-height", s.block_height) +
             ")";
  }
  return {};
}

std::string check_layers(const J2kSettings &s) {
  std::vector<double> list;
  if (s.layer_rates.empty()) return {};
  const std::string name = j2k_setting("layer-rates", s.layer_rates);
  if (!j2k_parse_numbers(s.layer_rates, " ,", &list))
    return unreadable("layer-rates", s.layer_rates,
                      "numbers of bits per pixel, as in \"0.25 0.5\"");
  if (list.size() + 1 != static_cast<std::size_t>(s.num_layers))
    return name + " and " + j2k_setting("num-layers", s.num_layers) + ": " +
           std::to_string(list.size()) + (list.size() == 1 ? " rate" : " rates") + " instead of " +
           (s.num_layers == 1 ? "none" : std::to_string(s.num_layers - 1)) +
           ", because every layer except the last requires one; use " +
           j2k_setting("num-layers", list.size() + 1);
  for (std::size_t i = 0; i < list.size(); i++)
    if (list[i] <= (i > 0 ? list[i - 1] : 0))
      return name + ": " + number_text(list[i]) + " is not above " +
             (i > 0 ? "the rate before" : "0");
  return {};
}

std::string check_texts(const J2kSettings &s) {
  std::vector<int> roi;
  if (!s.roi.empty() &&
      (!j2k_parse_integers(s.roi, " ,", &roi) || roi.size() != 4 || roi[2] == 0 || roi[3] == 0))
    return unreadable("roi", s.roi,
                      "\"x,y,width,height\" in whole pixels: none negative, width and height at "
                      "least 1");
  std::string latin;
  if (!j2k_parse_comment(s.comment, &latin))
    return unreadable("comment", s.comment,
                      "up to " + std::to_string(j2k::kMaxComment) + " characters of Latin-1");
  return {};
}

}  // namespace

std::string j2k_profile_setting(const J2kSettings &s) {
  constexpr const char *names[] = {
      "none", "cinema-2k", "cinema-4k", "broadcast-single", "broadcast-multi", "imf-2k", "imf-4k"};
  return std::string("profile=") + names[static_cast<std::size_t>(s.profile)];
}

bool j2k_is_lossless(const J2kSettings &settings) {
  return settings.lossless.value_or(rates(settings).empty() &&
                                    settings.profile == j2k::Profile::none);
}

std::string j2k_rate_text(const J2kSettings &settings) {
  const std::vector<std::string> set = rates(settings);
  return set.empty() ? std::string() : set[0];
}

std::string j2k_text(const Status &status) {
  std::string text = status.message();
  if (text.compare(0, 5, "j2k: ") == 0) text.erase(0, 5);
  return text;
}

// Weights choose among bytes: of one layer with all of them there is no choice.
std::string j2k_ignored(const J2kSettings &s) {
  const std::string rate = j2k_rate_text(s);
  if (!s.visual_weighting || s.num_layers > 1 || s.profile != j2k::Profile::none ||
      (!rate.empty() && s.quality == 0))
    return {};
  return "visual-weighting=true has no effect " +
         (rate.empty() ? "without a rate" : "with " + rate) +
         "; it requires bpp, bitrate, frame-size, psnr, a profile or several layers";
}

std::string j2k_check(const J2kSettings &settings) {
  for (auto check : {check_rates, check_blocks, check_precincts, check_layers, check_texts})
    if (std::string problem = check(settings); !problem.empty()) return problem;
  return {};
}

}  // namespace coalesce::gst
