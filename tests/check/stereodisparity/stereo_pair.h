// SPDX-License-Identifier: LGPL-2.1-or-later
// stereodisparity between two sources of the test's and a sink.
#pragma once

#include "../../support/elements/elements.h"
#include "../../support/elements/pipeline.h"

namespace test {

// Frames of one format and size, for `seed`: the left one is random, and the right one is the left
// one moved by 5 pixels, where noise does not replace its bytes.
struct StereoFrames {
  StereoFrames(const GstVideoInfo &info, guint32 seed, bool noisy = false);
  BufferRef left, right;
};

// Its sources are l and r.
class StereoPair : public TwoInputs {
 public:
  StereoPair(const std::string &left, const std::string &right, const std::string &properties = "",
             const std::string &out = "ANY")
      : TwoInputs({"l", "left", left}, {"r", "right", right}, "stereodisparity " + properties,
                  out) {}

  // Copies of both, as the nth frames of their streams.
  void push_frames(const StereoFrames &frames, unsigned n) const;
};

}  // namespace test
