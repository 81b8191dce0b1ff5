// SPDX-License-Identifier: LGPL-2.1-or-later
// A pipeline of gst-launch syntax, watched. Its element called "sink" must be a fakesink.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>

#include "support.h"

namespace test {

class Pipeline {
 public:
  explicit Pipeline(const std::string &description);
  ~Pipeline();
  Pipeline(const Pipeline &) = delete;
  Pipeline &operator=(const Pipeline &) = delete;

  GstElement *get() const { return pipeline_.get(); }
  Owned<GstElement> element(const char *name) const;

  // Sets a state and waits until it is reached; fails the test on an error message.
  void set_state(GstState state);
  // Waits for the end of the stream; fails the test on an error message.
  void wait_for_eos();
  // Waits until `more` further buffers have reached the sink.
  void wait_for_buffers(int more);
  // Until then; fails the test if it takes longer than ten seconds.
  void wait_until(const std::function<bool()> &done, const char *what);

  // The first error since the last call, with its debug text; empty if there was none.
  std::string take_error();

  int buffers() const { return buffers_; }
  // Called for every buffer at the sink, in the streaming thread. Set it before PLAYING.
  std::function<void(GstBuffer *, GstPad *)> on_buffer;

 private:
  static void handoff(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer self);
  static GstBusSyncReply note(GstBus *bus, GstMessage *message, gpointer self);
  void fail_on_error();
  Owned<GstElement> pipeline_;
  std::atomic<int> buffers_{0};
  std::atomic<bool> eos_{false};
  std::mutex lock_;
  std::string error_;
};

}  // namespace test
