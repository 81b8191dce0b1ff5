// SPDX-License-Identifier: LGPL-2.1-or-later
// What the properties say, and the parameters of an encoder that this comes to.
#pragma once

#include <gst/video/video.h>

#include <cstdint>
#include <string>

#include "jpeg/plan/encoder_params.h"

namespace coalesce::gst {

constexpr int kJpegAutomaticInterval = -1;

// Named as the properties, with their defaults. 0, or no text: not set.
struct JpegSettings {
  int quality = 85;
  jpeg::Subsampling subsampling = jpeg::Subsampling::automatic;
  bool keep_rgb = false;
  bool optimize = false;
  int restart_interval = kJpegAutomaticInterval;
  std::string quant_table_luma, quant_table_chroma;
  unsigned max_frame_size = 0;  // bytes
  unsigned bitrate = 0;         // kbit/s
  int frames_in_flight = 0;

  bool operator==(const JpegSettings &) const = default;
};

// What is wrong with them in any format, naming property and value; empty if nothing is.
std::string jpeg_check(const JpegSettings &settings);
// What has been set and has no effect in any format; empty if there is nothing.
std::string jpeg_ignored(const JpegSettings &settings);

// For settings that jpeg_check() has passed. Returns what is wrong with them for these frames.
std::string jpeg_params(const JpegSettings &settings, const GstVideoInfo &info,
                        jpeg::EncoderParams *params);

// How chroma is sampled in the file, as caps name it: "GRAYSCALE", "RGB", "YCbCr-4:2:0".
const char *jpeg_sampling(const JpegSettings &settings, const GstVideoFormatInfo *format);
// Does the file have Y, Cb and Cr of R, G and B?
bool jpeg_converts(const JpegSettings &settings, const GstVideoFormatInfo *format);

// The limit that is set, as in "max-frame-size=1000"; empty if none is.
std::string jpeg_limit_text(const JpegSettings &settings);
// What the library says, without its name; of a limit that a frame does not meet, which one.
std::string jpeg_text(const Status &status, const JpegSettings &settings, std::size_t max_bytes);

}  // namespace coalesce::gst
