// SPDX-License-Identifier: LGPL-2.1-or-later
// What j2kenc should have made of a frame: the library's bytes, which the tests' own decoder takes
// apart, and finds the samples in.
#pragma once

#include "element_caps.h"
#include "j2kenc/j2kenccoder.h"
#include "j2kenc_meaning.h"

namespace test {

struct Coded {
  GstBuffer *in, *out;
  const GstVideoInfo &info;
  coalesce::gst::J2kMedia media;
};

// Ends the program where something is wrong.
void judge_coded(const Coded &coded, const J2kSettings &settings);

}  // namespace test
