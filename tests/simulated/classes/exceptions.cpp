// SPDX-License-Identifier: LGPL-2.1-or-later
// After an exception of any kind in an element's own code: one error, no more frames, no work in
// flight on buffers that are gone, and a fresh start from NULL. (Allocations that fail, one by one:
// allocations.)
#include "elements.h"

using namespace simulated;

namespace {

constexpr int kWidth = 8, kHeight = 2;

std::string caps(const char *memory) {
  return video_caps(memory, "GRAY8", kWidth, kHeight);
}

constexpr struct {
  const char *in, *out, *backend;
} kMixes[] = {{kSystem, kSystem, "cpu"},
              {kCuda, kCuda, "cuda"},
              {kSystem, kCuda, "cuda"},
              {kCuda, kSystem, "cuda"},
              {kSystem, kSystem, "cuda"}};

void begin(Bench &bench, const char *in) {
  fail_unless(bench.push_event(gst_event_new_stream_start("test")));
  fail_unless(bench.push_event(gst_event_new_caps(parse_caps(caps(in)).get())));
  fail_unless(bench.push_event(segment_event()));
}

GstBuffer *picture(GstBufferPool *pool, unsigned seed) {
  return pool_buffer(pool, video_info(GST_VIDEO_FORMAT_GRAY8, kWidth, kHeight), seed);
}

void expect_picture(Bench &bench, unsigned seed) {
  const BufferRef out(bench.pull());
  assert_inverted(out.get(), video_info(GST_VIDEO_FORMAT_GRAY8, kWidth, kHeight), seed);
}

}  // namespace

GST_START_TEST(from_run) {
  const auto &mix = kMixes[__i__];
  {
    // The GPU has run once before the first frame.
    const std::string second = g_str_equal(mix.backend, "cuda") ? "3" : "2";
    Bench bench("coalesceinvert delay=20 throw=" + second + " backend=" + mix.backend);
    bench.accept(caps(mix.out));
    begin(bench, mix.in);
    GstBufferPool *pool = proposed_pool(bench.get(), caps(mix.in).c_str());
    fail_unless_equals_int(bench.push(picture(pool, 1)), GST_FLOW_OK);
    expect_picture(bench, 1);
    fail_unless_equals_int(bench.push(picture(pool, 2)), GST_FLOW_ERROR);
    fail_unless_equals_uint64(counts().pending, 0);
    fail_unless_equals_int(bench.push(picture(pool, 3)), GST_FLOW_ERROR);
    fail_unless_equals_int(bench.waiting(), 0);
    const std::vector<std::string> errors = bench.errors();
    fail_unless_equals_int(errors.size(), 1);
    fail_unless(contains(errors[0], "the test threw it"), "%s", errors[0].c_str());

    gst_element_set_state(bench.element(), GST_STATE_NULL);
    gst_element_set_state(bench.element(), GST_STATE_PLAYING);
    begin(bench, mix.in);
    fail_unless_equals_int(bench.push(picture(pool, 4)), GST_FLOW_OK);
    expect_picture(bench, 4);
    bench.expect_no_error();
    drop_pool(pool);
  }
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

// A property that could not be set is an error of the start, where no bus has heard of it before.
GST_START_TEST(from_a_property) {
  GstElement *element =
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("coalesceinvert", nullptr)));
  g_object_set(element, "throw", -1, nullptr);
  const Message error = start_error(element);
  fail_unless(error.is(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS), "%s", error.text.c_str());
  fail_if(gst_element_set_state(element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE);
  gst_element_set_state(element, GST_STATE_NULL);
  gst_object_unref(element);
}
GST_END_TEST

static Suite *exceptions_suite() {
  register_elements();
  Suite *suite = suite_create("exceptions");
  TCase *tests = new_case(suite, "exceptions");
  tcase_add_loop_test(tests, from_run, 0, std::size(kMixes));
  tcase_add_test(tests, from_a_property);
  return suite;
}
SIMULATED_MAIN(exceptions)
