// SPDX-License-Identifier: LGPL-2.1-or-later
// What the properties say, and the parameters of an encoder that this comes to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "j2k/params/encoder_params.h"
#include "j2k/profile/profile.h"

namespace coalesce::gst {

constexpr double kJ2kMostBpp = 1000;

enum class J2kWavelet { automatic, reversible_53, irreversible_97 };

// Named as the properties, with their defaults. 0, or no text: not set.
struct J2kSettings {
  std::optional<bool> lossless;
  J2kWavelet wavelet = J2kWavelet::automatic;
  double bpp = 0;
  unsigned bitrate = 0;     // kbit/s
  unsigned frame_size = 0;  // bytes
  double psnr = 0;          // dB
  int quality = 0;
  bool visual_weighting = false;
  int num_layers = 1;
  std::string layer_rates;
  int num_resolutions = 6;
  j2k::Progression progression = j2k::Progression::lrcp;
  int tile_width = 0, tile_height = 0;
  int block_width = 64, block_height = 64;
  std::string precincts;
  unsigned block_style = 0;
  bool sop = false, eph = false, plt = false, tlm = false;
  int guard_bits = 2;
  std::string roi;
  std::string comment;
  j2k::Profile profile = j2k::Profile::none;
  int frames_in_flight = 0;

  bool operator==(const J2kSettings &) const = default;
};

// What `lossless` reads as: what was set, else whether neither rate nor profile is.
bool j2k_is_lossless(const J2kSettings &settings);

// What is wrong with them in any format, naming property and value; empty if nothing is.
std::string j2k_check(const J2kSettings &settings);
// What has been set and has no effect in any format; empty if there is nothing.
std::string j2k_ignored(const J2kSettings &settings);

// What there is to code: one of them in each frame, or one for each field.
struct J2kPicture {
  j2k::CodingParams coding;  // image and components only
  bool rgb = false;
  int first_row = 0, row_step = 1;  // which of the frame's rows: a frame is row_step pictures
  int frame_height = 0;
  int fps_n = 0, fps_d = 1;
  std::uint64_t overhead = 0;  // bytes of a buffer that are in no codestream
};

// For settings that j2k_check() has passed. Returns what is wrong with them for this picture.
// Settings that are not the default go before what a profile chooses.
std::string j2k_params(const J2kSettings &settings, const J2kPicture &picture,
                       j2k::EncoderParams *params);

// As in "profile=cinema-2k".
std::string j2k_profile_setting(const J2kSettings &settings);

// What the library says, without its name.
std::string j2k_text(const Status &status);

// How many bytes a frame needs for its rate to leave so many to this picture's codestream.
std::uint64_t j2k_frame_bytes(const J2kPicture &picture, std::uint64_t bytes);
// The setting that gives a frame so many bytes: the property that the rate was set by, or, where
// that ends below, frame-size.
std::string j2k_least_rate(const J2kSettings &settings, const J2kPicture &picture,
                           std::uint64_t bytes);

// The rate that is set, as in "bpp=0.5"; empty if none is.
std::string j2k_rate_text(const J2kSettings &settings);

}  // namespace coalesce::gst
