// SPDX-License-Identifier: LGPL-2.1-or-later
// What the properties of j2kenc mean to the library: docs/j2kenc.md, read a second time.
#pragma once

#include "../check/j2kenc/j2kenc_codestream.h"
#include "j2k/params/encoder_params.h"
#include "j2kenc/j2kencsettings.h"

namespace test {

using coalesce::gst::J2kSettings;

// One codestream of those that a frame becomes.
struct Part {
  const GstVideoInfo &info;
  int field, fields;       // fields: 1 for whole frames
  std::uint64_t overhead;  // bytes of the buffer that are in no codestream

  int rows() const { return (info.height - field + fields - 1) / fields; }
};

// Of settings that are possible, and without psnr.
coalesce::j2k::EncoderParams params_of(const J2kSettings &settings, const Part &part);

// Bytes that a frame may have; 0 for any number. (A profile's limit is not looked at.)
double frame_limit(const J2kSettings &settings, const GstVideoInfo &info);

// The library's bytes for these samples.
Bytes encode_with_library(const coalesce::j2k::EncoderParams &params,
                          const std::vector<Samples> &samples);

// Is every sample to come back?
bool is_exact(const coalesce::j2k::EncoderParams &params);

// The squared error that a sample may have on the average; 0 if nothing is promised. It is wide: a
// wrong step, a lost band or plane is far beyond.
double most_error(const J2kSettings &settings, const coalesce::j2k::EncoderParams &params);

}  // namespace test
