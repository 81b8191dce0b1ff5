// SPDX-License-Identifier: LGPL-2.1-or-later
// multiview between sources of the test's and a sink, and a scene for it.
#pragma once

#include "../../support/cameras.h"
#include "../../support/elements/elements.h"
#include "../../support/elements/pipeline.h"

namespace test {

// Of the scene: what its camera i sees is between these depths.
constexpr double kSceneNear = 800, kSceneFar = 4000;
constexpr const char *kSceneProperties = "near=800 far=4000 num-depths=24 window-size=5 ";

// What camera i sees of a wall and a panel before it, both with waves on them, in each byte of
// plane 0. Other bytes are random.
GstBuffer *scene_frame(const GstVideoInfo &info, int i, guint32 seed);
std::vector<BufferRef> scene_frames(const GstVideoInfo &info, int n, guint32 seed = 1);

// Sources s0, s1, and on, linked to the pads with these numbers; the element, with all cameras.
// front: before each pad, as in " ! rgb2yuv".
class Views : public SeveralInputs {
 public:
  Views(const std::vector<std::string> &caps, const std::string &properties = "",
        const std::string &out = "ANY", const std::string &front = "",
        const std::vector<int> &numbers = {});

  static std::string source(int i) { return "s" + std::to_string(i); }
  GstFlowReturn push_view(int i, GstBuffer *buffer, GstClockTime time) const;
  // Copies, as the nth of each stream.
  void push_views(const std::vector<BufferRef> &frames, unsigned n) const;
};

}  // namespace test
