// SPDX-License-Identifier: LGPL-2.1-or-later
// An element with several inputs on one back end, with each pad in a memory.
#pragma once

#include <memory>

#include "../gpu_support.h"

namespace gpu_test {

class InputsSide {
 public:
  // cuda: which inputs are in CUDA memory? gpu: is the element on the GPU?
  InputsSide(std::unique_ptr<SeveralInputs> inputs, const char *format, Size size,
             const std::vector<bool> &cuda, bool gpu);
  ~InputsSide();
  InputsSide(const InputsSide &) = delete;
  InputsSide &operator=(const InputsSide &) = delete;

  GstElement *d() const { return inputs_->d(); }
  const GstVideoInfo &info() const { return info_; }
  // Pushes the next frame of each input; nullptr: one that does not come.
  void push(const std::vector<GstBuffer *> &frames);
  // Of the next picture, which must come.
  Bytes pull();
  void restart();  // in READY, with all frames out
  void end();      // nothing more has come, and no error

 private:
  void start();
  void drop_pools();
  GstBuffer *frame(std::size_t pad, GstBuffer *from) const;

  const GstVideoInfo info_;
  const std::vector<bool> cuda_;
  const std::unique_ptr<SeveralInputs> inputs_;
  std::vector<GstBufferPool *> pools_;
  unsigned next_ = 0;
};

// The caps of a sink for one memory.
constexpr const char *out_in(bool cuda) {
  return cuda ? "video/x-raw(memory:CUDAMemory)" : "video/x-raw";
}

}  // namespace gpu_test
