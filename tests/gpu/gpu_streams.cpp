// SPDX-License-Identifier: LGPL-2.1-or-later
// Others' work in flight on a real GPU: they write and read on streams of their own, late, and wait
// for nothing. Ours come behind a stream that is ordered with the default stream, and from
// GStreamer 1.24 on behind the GstCudaStream that memory names. Where nothing says that there is
// something to come behind, ours do not wait: so each late copy is late indeed. That is judged only
// where ours ended before theirs began, so it does not depend on the machine's pace.
#include <functional>

#include "support/late_stream.h"

using namespace gpu_test;

namespace {

using Kind = LateStream::Kind;

constexpr int kWidth = 1282, kHeight = 722, kFrames = 4, kLate = 20;  // milliseconds

// An element of ours between pads of the test, on either back end.
struct Line {
  const char *element, *in, *out;  // formats; "" is JPEG 2000

  std::string media(bool cuda) const {
    return *out == '\0' ? "image/x-jpc" : caps_text(out, kWidth, kHeight, cuda);
  }
  GstHarness *open(bool cuda, bool cuda_out) const {
    const std::string line = std::string(element) + (cuda ? " backend=cuda" : " backend=cpu");
    return harness(line.c_str(), caps_text(in, kWidth, kHeight, cuda), media(cuda_out),
                   Context::shared);
  }
  GstVideoInfo input() const { return video_info(caps_text(in, kWidth, kHeight, false)); }

  Bytes contents(GstBuffer *buffer) const {
    return *out != '\0' ? picture(buffer, video_info(media(false))) : bytes_of(buffer);
  }
  // What comes out, in the end.
  Bytes pull(GstHarness *h) const {
    GstBuffer *buffer = gst_harness_pull(h);
    fail_unless(buffer != nullptr, "no frame from %s", element);
    const Bytes all = contents(buffer);
    gst_buffer_unref(buffer);
    return all;
  }
  Bytes on_cpu(unsigned picture) const {
    GstHarness *h = open(false, false);
    const GstVideoInfo info = input();
    GstBuffer *frame = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr);
    paint(frame, info, picture);
    gst_harness_push(h, frame);
    gst_harness_push_event(h, gst_event_new_eos());
    const Bytes all = pull(h);
    gst_harness_teardown(h);
    return all;
  }
};

constexpr Line kLines[] = {{"convolve preset=sharpen", "RGBA", "RGBA"},
                           {"uyvy2y", "UYVY", "NV12"},
                           {"rgb2yuv", "RGBA", "NV12"},
                           {"j2kenc", "NV12", ""}};

// The context of an element, by a frame of the pool that it proposes.
GstCudaContext *context_of(GstHarness *h) {
  GstBufferPool *pool = proposed_pool(h);
  GstBuffer *buffer = acquire(pool);
  GstCudaContext *context = GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0))->context;
  gst_buffer_unref(buffer);
  drop_pool(pool);
  return context;  // the element's, as long as it lives
}

// Frames of pictures 1, 2, ..., that come late over 100 + 1, 100 + 2, ...: they are waited for.
void expect_late(const Line &line, bool cuda_out, Kind kind) {
  GstHarness *h = line.open(true, cuda_out);
  {
    LateStream theirs(context_of(h), kind, kLate);
    for (unsigned i = 1; i <= kFrames; i++)
      fail_unless_equals_int(gst_harness_push(h, theirs.frame(line.input(), 100 + i, i)),
                             GST_FLOW_OK);
    gst_harness_push_event(h, gst_event_new_eos());
    for (unsigned i = 1; i <= kFrames; i++)
      fail_unless(line.pull(h) == line.on_cpu(i), "%s, picture %u", line.element, i);
  }
  gst_harness_teardown(h);
}

// Whether ours came before theirs, of which nothing tells it: the frame of picture 2 became 1 late.
bool found_early(const Line &line, Kind kind, int milliseconds) {
  GstHarness *h = line.open(true, *line.out != '\0');
  bool early;
  {
    LateStream theirs(context_of(h), kind, milliseconds);
    GstBuffer *frame = theirs.frame(line.input(), 2, 1);
    if (kind == Kind::named) forget_stream(frame);
    fail_unless_equals_int(gst_harness_push(h, frame), GST_FLOW_OK);
    gst_harness_push_event(h, gst_event_new_eos());
    const Bytes found = line.pull(h);
    early = !theirs.begun();
    fail_unless(!early || found == line.on_cpu(2), "%s: picture 2 is not there", line.element);
  }
  gst_harness_teardown(h);
  return early;
}

// Twice as late each time, for a machine that is busy; one that waits is never early.
void expect_early(const char *what, const std::function<bool(int milliseconds)> &early) {
  for (int milliseconds = kLate; milliseconds < 5000; milliseconds *= 2)
    if (early(milliseconds)) return;
  fail_unless(false, "%s always comes behind theirs, of which nothing tells it", what);
}

void expect_found_early(Kind kind) {
  for (const Line &line : kLines)
    expect_early(line.element,
                 [&](int milliseconds) { return found_early(line, kind, milliseconds); });
}

}  // namespace

GST_START_TEST(ordered_stream) {
  for (const Line &line : kLines)
    for (bool cuda_out : {true, false})
      expect_late(line, cuda_out && *line.out != '\0', Kind::ordered);
}
GST_END_TEST

GST_START_TEST(unordered_stream) {
  expect_found_early(Kind::unordered);
}
GST_END_TEST

GST_START_TEST(named_stream) {
  if (skip_without_cuda_streams()) return;
  for (const Line &line : kLines)
    for (bool cuda_out : {true, false})
      expect_late(line, cuda_out && *line.out != '\0', Kind::named);
}
GST_END_TEST

GST_START_TEST(named_stream_without_work) {
  if (skip_without_cuda_streams()) return;
  expect_found_early(Kind::named);
}
GST_END_TEST

// They read our frames late, and have given them back to the pool by then, which gives them to us:
// their reading comes first, but on a stream that nothing is ordered with. Whether ours was first.
static bool overtaken(Kind kind, int milliseconds) {
  const Line line = kLines[0];
  GstHarness *h = line.open(true, true);
  const GstVideoInfo info = line.input();
  GstBufferPool *pool = proposed_pool(h);
  bool any = false;
  {
    LateStream theirs(context_of(h), kind, milliseconds);
    for (unsigned i = 1; i <= kFrames; i++) {
      GstBuffer *frame = acquire(pool), *next = acquire(pool);
      paint(frame, info, i);
      paint(next, info, 100 + i);
      fail_unless_equals_int(gst_harness_push(h, frame), GST_FLOW_OK);
      GstBuffer *ours = gst_harness_pull(h);
      const GstMemory *memory = gst_buffer_peek_memory(ours, 0);
      GstBuffer *copy = theirs.copy_of(ours, info);
      gst_buffer_unref(ours);
      // Over what they have not read yet, once the memory that has come back is in use again.
      bool again = false, first = false;
      for (int n = 0; n < 8 && !again; n++) {
        fail_unless_equals_int(gst_harness_push(h, gst_buffer_ref(next)), GST_FLOW_OK);
        ours = gst_harness_pull(h);
        again = gst_buffer_peek_memory(ours, 0) == memory;
        if (again) {
          const Bytes over = line.contents(ours);
          first = !theirs.begun();
          fail_unless(over == line.on_cpu(100 + i), "picture %u", 100 + i);
        }
        gst_buffer_unref(ours);
      }
      gst_buffer_unref(next);
      fail_unless(again, "the memory is not used again");
      theirs.wait();
      if (first || kind != Kind::unordered)
        fail_unless(line.contents(copy) == line.on_cpu(first ? 100 + i : i), "picture %u", i);
      gst_buffer_unref(copy);
      any = any || first;
    }
  }
  drop_pool(pool);
  gst_harness_teardown(h);
  return any;
}

GST_START_TEST(read_on_an_ordered_stream) {
  fail_if(overtaken(Kind::ordered, kLate));
}
GST_END_TEST

GST_START_TEST(read_on_an_unordered_stream) {
  expect_early("writing",
               [](int milliseconds) { return overtaken(Kind::unordered, milliseconds); });
}
GST_END_TEST

GST_START_TEST(read_on_a_named_stream) {
  if (skip_without_cuda_streams()) return;
  fail_if(overtaken(Kind::named, kLate));
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_streams", [](TCase *tests) {
    tcase_add_test(tests, ordered_stream);
    tcase_add_test(tests, unordered_stream);
    tcase_add_test(tests, read_on_an_ordered_stream);
    tcase_add_test(tests, read_on_an_unordered_stream);
    tcase_add_test(tests, named_stream);
    tcase_add_test(tests, named_stream_without_work);
    tcase_add_test(tests, read_on_a_named_stream);
  });
}
