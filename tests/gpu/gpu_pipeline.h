// SPDX-License-Identifier: LGPL-2.1-or-later
// Pipelines of gst-launch syntax whose end is two branches that must give the same bytes.
#pragma once

#include <initializer_list>

#include "gpu_support.h"

namespace gpu_test {

// Elements of GStreamer's that may be missing: those that nvcodec registers only where NVIDIA's
// video libraries are, above all. Says so.
bool skipped(const char *test, std::initializer_list<const char *> elements);

class Pipeline {
 public:
  explicit Pipeline(const std::string &text);
  ~Pipeline();
  Pipeline(const Pipeline &) = delete;
  Pipeline &operator=(const Pipeline &) = delete;

  GstElement *element(const char *name) const;  // no reference is given

  // Pushes these bytes, and the end, into the appsrc of that name.
  void feed(const char *source, const void *bytes, std::size_t count) const;
  // What comes to the appsinks gpu and cpu, to their end; the number of buffers.
  int compare() const;
  // To the end of what comes to all of its sinks.
  void run() const;

 private:
  GstSample *pull(const char *sink) const;
  void fail_on_error() const;
  // Stops the pipeline, for a test that fails does not come to its end, and threads would go on.
  [[noreturn]] void die(const std::string &why) const;

  GstElement *pipeline_;
};

}  // namespace gpu_test
