// SPDX-License-Identifier: LGPL-2.1-or-later
// stereodisparity on one back end, with each pad in a memory.
#pragma once

#include "../../check/stereodisparity/stereo_pair.h"
#include "../gpu_support.h"

namespace gpu_test {

struct Memories {
  bool left, right, out;  // in CUDA memory?
};

class StereoSide {
 public:
  StereoSide(const char *format, Size size, const std::string &properties, const char *backend,
             const Memories &memories);
  ~StereoSide();
  StereoSide(const StereoSide &) = delete;
  StereoSide &operator=(const StereoSide &) = delete;

  GstElement *d() const { return pair_.d(); }
  const GstVideoInfo &info() const { return info_; }
  // Pushes the next pair; `lost`: 'l' or 'r', whose frame does not come.
  void push(const StereoFrames &frames, char lost = 0);
  // Of the next picture, which must come.
  Bytes pull();
  void restart();  // in READY, with all frames out
  void end();      // nothing more has come, and no error

 private:
  void start();
  void drop_pools();
  GstBuffer *frame(int pad, GstBuffer *from) const;

  const GstVideoInfo info_;
  const Memories memories_;
  StereoPair pair_;
  GstBufferPool *pools_[2] = {};
  unsigned next_ = 0;
};

}  // namespace gpu_test
