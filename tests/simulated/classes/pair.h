// SPDX-License-Identifier: LGPL-2.1-or-later
// Two streams into an element on the class Aggregator, in threads of their own.
#pragma once

#include <cuda.h>

#include "elements.h"

namespace simulated {

constexpr GstClockTime kFrame = GST_SECOND / 25;
constexpr const char *kMemories[] = {kSystem, kCuda};

// Caps in a memory, of any size and rate.
inline std::string any_size(const char *memory, const char *format) {
  return std::string("video/x-raw") + (*memory != 0 ? "(" + std::string(memory) + ")" : "") +
         ", format=" + format;
}

// Memory of ours, with the picture on the device.
GstBuffer *cuda_frame(GstCudaContext *context, const GstVideoInfo &info, unsigned seed);
// The nth frame of a stream.
GstBuffer *timed(GstBuffer *buffer, unsigned n, GstClockTime duration = kFrame);

class Pair : public Pipeline {
 public:
  // appsrc a and b, `element`, called d, and an appsink that accepts these caps.
  Pair(const std::string &element, const std::string &a, const std::string &b,
       const std::string &out, const std::string &source = "appsrc format=time");

  GstElement *d() const { return element("d"); }
  GstPad *pad(const char *name) const;  // of d; no reference is given
  void push_frame(const char *source, GstBuffer *buffer) const {
    fail_unless_equals_int(push(buffer, source), GST_FLOW_OK);
  }
  void end_both() const {
    end("a");
    end("b");
  }
  guint64 unpaired() const;

  // The next picture is that difference, at the nth time.
  void expect(const GstVideoInfo &info, unsigned a, unsigned b, unsigned n) const;
  void expect_end() const;
  // Waits for errors; those of d, of which there is one.
  std::string expect_error();
};

// Empty if a frame holds |a - b| of these two pictures.
std::string wrong_difference(GstBuffer *buffer, const GstVideoInfo &info, unsigned a, unsigned b);

}  // namespace simulated
