// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests that every element of the plugin has to pass; later elements are covered by being
// registered.
#pragma once

#include "../../support/elements/elements.h"

namespace test {

void add_description_cases(Suite *suite);  // metadata, templates, properties
void add_event_cases(Suite *suite);        // order of events and buffers, flush, EOS, QoS, latency
void add_buffer_cases(Suite *suite);       // sizes, renegotiation, timestamps, flags, metas
void add_pipeline_cases(Suite *suite);     // states, seeks, threads
void add_log_cases(Suite *suite);          // decisions in GStreamer's log

// A frame of the n-th 40 ms.
GstBuffer *nth_frame(const std::string &caps, int n);

// What an element sends downstream, one line an item: "caps 64x48", "segment 0", "buffer 40",
// "gap 80", "tag name", "custom name", "eos", "flush-start", "flush-stop"; times in ms.
class Recorder {
 public:
  explicit Recorder(Harness &harness);
  ~Recorder();
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;
  std::vector<std::string> lines;
  std::string text() const;
  // Lines that start so.
  int count(const std::string &start) const;

 private:
  static GstPadProbeReturn record(GstPad *pad, GstPadProbeInfo *info, gpointer self);
  GstPad *pad_;
  gulong probe_;
};

}  // namespace test
