// SPDX-License-Identifier: LGPL-2.1-or-later
// Two streams into an element on the class Aggregator, in threads of their own.
#pragma once

#include <cuda.h>

#include "../../support/elements/pipeline.h"
#include "elements.h"

namespace simulated {

constexpr const char *kMemories[] = {kSystem, kCuda};

// Caps in a memory, of any size and rate.
inline std::string any_size(const char *memory, const char *format) {
  return std::string("video/x-raw") + (*memory != 0 ? "(" + std::string(memory) + ")" : "") +
         ", format=" + format;
}

// Memory of ours, with the picture on the device.
GstBuffer *cuda_frame(GstCudaContext *context, const GstVideoInfo &info, unsigned seed);

// Its sources are a and b.
class Pair : public SeveralInputs {
 public:
  Pair(const std::string &element, const std::string &a, const std::string &b,
       const std::string &out, const std::string &source = "appsrc format=time")
      : SeveralInputs({{"a", "sink_0", a}, {"b", "sink_1", b}}, element, out, source) {}

  GstPad *pad(const char *name) const;  // of d; no reference is given
  // The next picture is that difference, at the nth time.
  void expect(const GstVideoInfo &info, unsigned a, unsigned b, unsigned n) const;
};

// A running stream makes nothing in the driver. The sources push the frame n of their pad's caps,
// of one pool in CUDA memory, and `expect` takes the picture.
void check_steady(SeveralInputs &inputs, GstCudaContext *context, const std::string &caps,
                  const std::function<void(unsigned n)> &expect);

// Empty if a frame holds |a - b| of these two pictures.
std::string wrong_difference(GstBuffer *buffer, const GstVideoInfo &info, unsigned a, unsigned b);

}  // namespace simulated
