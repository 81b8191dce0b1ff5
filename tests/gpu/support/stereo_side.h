// SPDX-License-Identifier: LGPL-2.1-or-later
// stereodisparity on one back end, with each pad in a memory.
#pragma once

#include "../../check/stereodisparity/stereo_pair.h"
#include "inputs_side.h"

namespace gpu_test {

struct Memories {
  bool left, right, out;  // in CUDA memory?
};

class StereoSide : public InputsSide {
 public:
  StereoSide(const char *format, Size size, const std::string &properties,
             const std::string &backend, const Memories &memories)
      : InputsSide(
            std::make_unique<StereoPair>(caps_text(format, size.width, size.height, memories.left),
                                         caps_text(format, size.width, size.height, memories.right),
                                         properties + " backend=" + backend, out_in(memories.out)),
            format, size, {memories.left, memories.right}, backend == "cuda") {}

  // `lost`: 'l' or 'r', whose frame does not come.
  void push(const StereoFrames &frames, char lost = 0) {
    InputsSide::push(
        {lost == 'l' ? nullptr : frames.left.get(), lost == 'r' ? nullptr : frames.right.get()});
  }
};

}  // namespace gpu_test
