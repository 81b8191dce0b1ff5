// SPDX-License-Identifier: LGPL-2.1-or-later
// What comes out of j2kenc, taken apart, and what went in, as samples.
#pragma once

#include "../../support/elements/elements.h"

namespace test {

// What comes of a random frame, always the same one.
Bytes code_frame(Harness &harness, const std::string &caps);

// The codestreams in a buffer, in their order, from SOC to EOC; by their own lengths. Bytes between
// them or behind are a failure.
std::vector<Bytes> codestreams(const Bytes &buffer);

// Rsiz, in SIZ; and what the caps on the source pad say of it, -1 if nothing.
int profile_in(const Bytes &codestream);
int profile_in_caps(const Harness &harness);

// Those of x-j2c: each in a box.
std::vector<Bytes> boxed_codestreams(const Bytes &buffer);

// One component of the rows first, first + step, ... of a frame.
struct Samples {
  int width = 0, height = 0, bits = 0;
  std::vector<std::int32_t> values;
};
// As GStreamer unpacks the frame; it is told if it is two fields.
std::vector<Samples> samples_of(GstBuffer *frame, const GstVideoInfo &info, int first, int step);

}  // namespace test
