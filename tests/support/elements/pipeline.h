// SPDX-License-Identifier: LGPL-2.1-or-later
// A pipeline of gst-launch syntax, watched. Its end is seen by its messages, its buffers in one of
// two ways: an element "sink" that is a fakesink counts them, and from an appsink they are pulled.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "frames.h"
#include "messages.h"

namespace test {

// Waits until the condition holds. False after two minutes: then something hangs.
bool eventually(const std::function<bool()> &condition);

// Stops a pipeline and drops it for good: a thread of GstBin's own, which continues a state change,
// may hold it a moment longer than we do.
void drop_pipeline(GstElement *pipeline);

int threads_of_process();

class Pipeline {
 public:
  explicit Pipeline(const std::string &description);
  virtual ~Pipeline();
  Pipeline(const Pipeline &) = delete;
  Pipeline &operator=(const Pipeline &) = delete;

  GstElement *get() const { return pipeline_; }
  GstElement *element(const char *name) const;  // no reference is given

  void start() { gst_element_set_state(pipeline_, GST_STATE_PLAYING); }  // does not wait
  void stop();
  // Sets a state and waits until it is reached; fails the test on an error message.
  void set_state(GstState state);

  // To the appsrc of that name.
  GstFlowReturn push(GstBuffer *buffer, const char *source = "source") const;
  void end(const char *source = "source") const;
  // The next buffer at an appsink, with its caps; nullptr after the stream's end or an error.
  GstBuffer *pull(const char *sink = "sink", CapsRef *caps = nullptr) const;

  // Waits for the end of the stream; fails the test on an error message.
  void wait_for_eos();
  // Waits for the end of the stream or for an error message.
  void wait_for_end() const;
  // Waits until `more` further buffers have reached the fakesink.
  void wait_for_buffers(int more);
  // Until then; fails the test if it takes too long.
  void wait_until(const std::function<bool()> &done, const char *what) const;

  // The errors since the last call.
  std::vector<Message> errors();
  // The first of them, with its details; empty if there was none.
  std::string take_error();
  // The texts of the warnings since the last call.
  std::vector<std::string> warnings();

  int buffers() const { return buffers_; }
  // Called for every buffer at the fakesink, in the streaming thread. Set it before PLAYING.
  std::function<void(GstBuffer *, GstPad *)> on_buffer;

 protected:
  // Fails the test. The pipeline stops first: a test that does not come to its end leaves threads.
  [[noreturn]] virtual void die(const std::string &why) const;
  bool failed() const;
  void die_on_error();

 private:
  static void handoff(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer self);
  static GstBusSyncReply note(GstBus *bus, GstMessage *message, gpointer self);

  GstElement *pipeline_ = nullptr;
  std::atomic<int> buffers_{0};
  std::atomic<bool> eos_{false};
  mutable std::mutex lock_;
  std::vector<Message> errors_;
  std::vector<std::string> warnings_;
};

constexpr GstClockTime kFrame = GST_SECOND / 25;

// The nth frame of a stream.
GstBuffer *timed(GstBuffer *buffer, unsigned n, GstClockTime duration = kFrame);

// An element with several inputs, between as many sources of the test's and a sink.
class SeveralInputs : public Pipeline {
 public:
  struct Source {
    std::string name, pad;  // to which it is linked
    std::string caps;
    std::string front = "";  // what is in between, as in " ! rgb2yuv"
  };

  // The sources, `element` with its properties, called d, and an appsink called sink.
  SeveralInputs(const std::vector<Source> &sources, const std::string &element,
                const std::string &out, const std::string &source = "appsrc format=time");

  GstElement *d() const { return element("d"); }
  const std::vector<std::string> &sources() const { return sources_; }
  void push_frame(const std::string &source, GstBuffer *buffer) const {
    fail_unless_equals_int(push(buffer, source.c_str()), GST_FLOW_OK);
  }
  void end_all() const;
  void set_caps(const std::string &text) const;  // of all sources
  guint64 unpaired() const;
  void expect_end() const;
  // Waits for errors; those of d, of which there is one, with its details.
  std::string expect_error();

 private:
  std::vector<std::string> sources_;
};

}  // namespace test
