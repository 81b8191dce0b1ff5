// SPDX-License-Identifier: LGPL-2.1-or-later
// What the tests of stereodisparity share: the kernel library's disparities beside the element's.
#pragma once

#include "stereo/stereo.h"
#include "stereo_pair.h"

namespace test {

// What the library makes of frames.
Bytes disparities(const StereoFrames &frames, const GstVideoInfo &info,
                  const coalesce::StereoParams &params);
// The next picture is what the library makes of these frames, at the nth time.
void expect_disparities(const StereoPair &pair, const StereoFrames &frames,
                        const GstVideoInfo &info, const coalesce::StereoParams &params, unsigned n);

void add_settings_cases(Suite *suite);
void add_output_cases(Suite *suite);
void add_rectify_cases(Suite *suite);

}  // namespace test
