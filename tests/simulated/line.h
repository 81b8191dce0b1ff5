// SPDX-License-Identifier: LGPL-2.1-or-later
// A whole pipeline under test: appsrc, elements, appsink, in threads of their own.
#pragma once

#include "support.h"

namespace simulated {

// The meaningful bytes of a frame, plane after plane, without padding; empty if it cannot be
// mapped with these flags.
std::vector<guint8> picture(GstBuffer *buffer, const GstVideoInfo &info, int flags = GST_MAP_READ);

int threads_of_process();

class Line {
 public:
  // `elements` stands between the source and the sink, which have these caps.
  Line(const std::string &elements, const std::string &in_caps, const std::string &out_caps);
  ~Line();
  Line(const Line &) = delete;
  Line &operator=(const Line &) = delete;

  GstElement *element(const char *name) const;  // no reference is given
  GstElement *pipeline() const { return pipeline_; }

  void start();  // to PLAYING; does not wait
  void stop();   // to NULL
  GstFlowReturn push(GstBuffer *buffer);
  // The next frame at an appsink; nullptr if the stream has ended or failed.
  GstBuffer *pull(const char *sink = "sink");
  void end();  // sends EOS
  // Waits until EOS or an error comes.
  void wait_for_end();

  struct Error {
    std::string element, text;
  };
  // The errors since the last call, with the names of who posted them.
  std::vector<Error> errors();

 private:
  void take_messages();

  GstElement *pipeline_;
  GstBus *bus_;
  std::vector<Error> errors_;  // not asked for yet
};

}  // namespace simulated
