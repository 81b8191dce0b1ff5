// SPDX-License-Identifier: LGPL-2.1-or-later
// An encoder on the simulated driver: frames in, and what the CPU makes of them to compare with.
#pragma once

#include "../support.h"

namespace simulated {

struct J2kCase {
  const char *format;
  int width, height;
  const char *more_caps;   // as in ",interlace-mode=interleaved"
  const char *properties;  // of the element
  const char *media;       // of the output
  const char *element = "j2kenc";
};
constexpr J2kCase kGrey = {"GRAY8", 40, 24, "", "", "image/x-jpc"};
constexpr J2kCase kWideGrey = {"GRAY8", 64, 16, "", "", "image/x-jpc"};

std::string in_caps(const J2kCase &c, const char *memory);

// What the CPU makes of picture `seed`, or of a buffer.
const Bytes &on_cpu(const J2kCase &c, unsigned seed);
Bytes on_cpu(const J2kCase &c, GstBuffer *buffer);

// The element on the GPU, with a pool of its own proposal that pictures come from.
class J2kBench : public Bench {
 public:
  J2kBench(const J2kCase &c, const char *memory, int frames_in_flight,
           const char *more_properties = "");
  ~J2kBench();

  // New caps, and a pool for them.
  void change(const J2kCase &c);
  GstBuffer *buffer(unsigned seed);
  // Picture number `seed`, at its time: a 25th of a second for each.
  GstFlowReturn push_picture(unsigned seed);
  void push_pictures(unsigned first, unsigned last);
  void send(GstEvent *event);
  void end() { send(gst_event_new_eos()); }
  // Until all frames that were pushed have come out.
  void settle();

  guint received() const { return static_cast<guint>(waiting()); }
  // The next buffer, which comes when it is finished, is picture `seed`, coded, with its time.
  void expect(const J2kCase &c, unsigned seed);
  void expect_pictures(const J2kCase &c, unsigned first, unsigned last);
  // By itself.
  GstClockTime latency();

 private:
  J2kCase case_;
  const char *memory_;
  GstBufferPool *pool_ = nullptr;
};

// Of one case. After each of its tests nothing may have been called wrongly or be left; the
// device's memory is what it was.
Suite *j2k_suite(const char *name, void (*add_tests)(TCase *));

}  // namespace simulated
