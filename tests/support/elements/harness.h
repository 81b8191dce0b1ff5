// SPDX-License-Identifier: LGPL-2.1-or-later
// An element, playing, between two test pads, with a bus. (One with several inputs has those that a
// test gives it.)
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "frames.h"
#include "messages.h"

namespace test {

using Properties = std::vector<std::pair<const char *, const char *>>;

// An element's line in the syntax of gst-launch, with properties with which it works on every frame
// as it comes. (Tests of all elements expect that.)
std::string at_work(const std::string &launch);

class Harness {
 public:
  // An element in the syntax of gst-launch, or several with "!" between them.
  explicit Harness(const std::string &launch, const Properties &properties = {});
  explicit Harness(GstElement *element);
  ~Harness();
  Harness(const Harness &) = delete;
  Harness &operator=(const Harness &) = delete;

  GstHarness *get() const { return harness_; }
  GstElement *element() const { return harness_->element; }
  GstPad *to_element() const { return harness_->srcpad; }
  GstPad *from_element() const { return harness_->sinkpad; }

  // Pushes CAPS, with STREAM_START before and SEGMENT after if there were none yet. Was it taken?
  bool set_input(const std::string &caps);
  // What downstream accepts; before set_input().
  void accept(const std::string &caps);
  GstFlowReturn push(GstBuffer *buffer) { return gst_harness_push(harness_, buffer); }
  bool push_event(GstEvent *event) { return gst_harness_push_event(harness_, event); }
  BufferRef pull() {
    return BufferRef(gst_harness_try_pull(harness_));
  }  // nullptr if there is none
  int waiting() const { return static_cast<int>(gst_harness_buffers_in_queue(harness_)); }

  CapsRef output_caps() const { return current_caps(from_element()); }
  GstVideoInfo output_info() const;

  // The next error on the bus must be this one, with all of `words` in its text; further ones are
  // dropped.
  void expect_error(GQuark domain, int code, const std::vector<const char *> &words);
  void expect_no_error();
  // The text of the next warning on the bus; empty if there is none.
  std::string take_warning();
  // The texts of all that has come since the last call, each with its details.
  std::vector<std::string> errors() { return take_all(GST_MESSAGE_ERROR); }
  std::vector<std::string> warnings() { return take_all(GST_MESSAGE_WARNING); }

 private:
  // An error or a warning; nullptr if there is none. Those of the other type are kept.
  MessageRef next(GstMessageType type);
  std::vector<std::string> take_all(GstMessageType type);

  Owned<GstBus> bus_;
  GstHarness *harness_;
  std::deque<MessageRef> messages_;
};

// A property, from text as gst-launch has it.
void set(Harness &harness, const char *name, const char *value);

// Of time, from the beginning.
GstEvent *segment_event();

// An element that cannot start: the one error that it posts on the way to PAUSED.
Message start_error(GstElement *element);

}  // namespace test
