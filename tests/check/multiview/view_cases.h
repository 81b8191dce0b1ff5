// SPDX-License-Identifier: LGPL-2.1-or-later
// What the tests of multiview share: the depths of the kernels' reference beside the element's.
#pragma once

#include "multiview/multiview.h"
#include "views.h"

namespace test {

// As kSceneProperties has them.
coalesce::MultiviewParams scene_params();

// What the definition makes of frames.
struct Depths {
  // reference: which of the frames it is; numbers: of their cameras, 0 and on if there are none.
  Depths(const std::vector<BufferRef> &frames, const GstVideoInfo &info,
         const coalesce::MultiviewParams &params, int reference = 0,
         const std::vector<int> &numbers = {});
  Bytes depth, confidence;
};
// The next picture has these bytes, at the nth time.
void expect_bytes(const Views &views, const Bytes &expected, unsigned n);

void add_settings_cases(Suite *suite);
void add_output_cases(Suite *suite);

}  // namespace test
