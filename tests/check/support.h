// SPDX-License-Identifier: LGPL-2.1-or-later
// What the element tests share: owners, a harness with a bus, frames of any layout, the elements of
// the plugin, and a main() that insists on the plugin of this build and on no object left behind.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// Behind the standard headers, in which `fail` is a name.
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#undef fail

namespace test {

struct Drop {
  void operator()(gpointer object) const { gst_object_unref(object); }
  void operator()(GstMiniObject *object) const { gst_mini_object_unref(object); }
  void operator()(GstStructure *structure) const { gst_structure_free(structure); }
  void operator()(char *text) const { g_free(text); }
};
// For what derives from GstObject, and structures and strings.
template <class T>
using Owned = std::unique_ptr<T, Drop>;
struct DropMini {
  void operator()(gpointer object) const { gst_mini_object_unref(GST_MINI_OBJECT_CAST(object)); }
};
using BufferRef = std::unique_ptr<GstBuffer, DropMini>;
using CapsRef = std::unique_ptr<GstCaps, DropMini>;
using MessageRef = std::unique_ptr<GstMessage, DropMini>;
using EventRef = std::unique_ptr<GstEvent, DropMini>;

// ---- caps and frames -------------------------------------------------------------------------

struct Size {
  int width, height;
};

// "video/x-raw, format=F, width=W, height=H, framerate=25/1" and `more` ("colorimetry=bt601").
std::string video_caps(const std::string &format, Size size, const std::string &more = {});
CapsRef parse_caps(const std::string &text);
std::string text_of(const GstCaps *caps);
GstVideoInfo video_info(const std::string &caps);
bool contains(const std::string &text, const std::string &part);

// Bytes of a row of a plane that carry samples, and rows of a plane, for the formats that tests
// look into: written down here, not taken from the code under test.
int row_bytes(const GstVideoInfo &info, int plane);
int rows(const GstVideoInfo &info, int plane);

// How a frame lies in its buffer. By default as the caps say, without a GstVideoMeta.
struct Layout {
  int extra_stride = 0;  // bytes a row more than its samples need
  gsize offset = 0;      // bytes before the first plane
  gsize misalign = 0;    // bytes that the memory starts behind an aligned address
  bool with_meta = false;
};

// A buffer of exactly the bytes that are spoken of, each of them, padding too, drawn from `seed`.
GstBuffer *random_frame(const GstVideoInfo &info, Layout layout, guint32 seed);

// ---- harness ---------------------------------------------------------------------------------

using Properties = std::vector<std::pair<const char *, const char *>>;

// An element, playing, between two test pads, with a bus.
class Harness {
 public:
  explicit Harness(const std::string &element, const Properties &properties = {});
  ~Harness();
  Harness(const Harness &) = delete;
  Harness &operator=(const Harness &) = delete;

  GstHarness *get() const { return harness_; }
  GstElement *element() const { return harness_->element; }
  GstPad *to_element() const { return harness_->srcpad; }
  GstPad *from_element() const { return harness_->sinkpad; }

  // Pushes CAPS, with STREAM_START before and SEGMENT behind if there were none yet. Was it taken?
  bool set_input(const std::string &caps);
  // What downstream accepts; before set_input().
  void accept(const std::string &caps);
  GstFlowReturn push(GstBuffer *buffer) { return gst_harness_push(harness_, buffer); }
  bool push_event(GstEvent *event) { return gst_harness_push_event(harness_, event); }
  BufferRef pull() {
    return BufferRef(gst_harness_try_pull(harness_));
  }  // nullptr if there is none
  int waiting() { return static_cast<int>(gst_harness_buffers_in_queue(harness_)); }

  CapsRef output_caps() const;  // nullptr if none were announced
  GstVideoInfo output_info() const;

  // The next error on the bus must be this one, with all of `words` in its text; further ones are
  // dropped.
  void expect_error(GQuark domain, int code, const std::vector<const char *> &words);
  void expect_no_error();
  // The text of the next warning on the bus; empty if there is none.
  std::string take_warning();

 private:
  // nullptr if there is none. Those of other types that come before it are kept.
  MessageRef next(GstMessageType type);
  GstHarness *harness_;
  Owned<GstBus> bus_;
  std::deque<MessageRef> messages_;
};

// ---- a pool that downstream offers -----------------------------------------------------------

// Its buffers have odd strides, offsets and bases, and kGuard in every byte that belongs to no
// plane; but only once it was told that GstVideoMeta is understood.
constexpr guint8 kGuard = 0xa5;
GstBufferPool *odd_pool_new();
// Every guard byte still stands.
void check_guards(GstBuffer *buffer, const GstVideoInfo &info);
// Answers the element's ALLOCATION queries with `pool`, with word of GstVideoMeta or without.
void offer_pool(Harness &harness, GstBufferPool *pool, bool video_meta);

// ---- the plugin ------------------------------------------------------------------------------

// The elements of the plugin, in the order of their names.
int n_elements();
const std::string &element_name(int index);
// What an element takes in system memory, with the n-th format of its sink template.
std::string sink_caps(const std::string &element, Size size, int nth_format = 0,
                      const std::string &framerate = "25/1");
int n_sink_formats(const std::string &element);

// ---- running ---------------------------------------------------------------------------------

// COALESCE_TEST_SMALL=1: fewer and smaller frames, for tools under which everything is slow.
bool small_run();

// A test case whose every test is followed by a check that no GStreamer object is left.
TCase *new_case(Suite *suite, const char *name, int timeout_s = 20);
int run(int *argc, char ***argv, const char *name, void (*add_cases)(Suite *));

}  // namespace test
