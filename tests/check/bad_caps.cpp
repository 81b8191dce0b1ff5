// SPDX-License-Identifier: LGPL-2.1-or-later
// Caps that nobody can mean, and none at all.
#include "bad_cases.h"
#include "pipeline.h"

namespace test {
namespace {

GstBuffer *tiny() {
  GstBuffer *buffer = gst_buffer_new_allocate(nullptr, 64, nullptr);
  gst_buffer_memset(buffer, 0, 0, 64);
  return buffer;
}

// The element's caps with these fields changed.
std::string with(const std::string &element, const std::string &fields) {
  const CapsRef caps = parse_caps(sink_caps(element, {64, 48}));
  const CapsRef changes = parse_caps("video/x-raw, " + fields);
  gst_structure_foreach(
      gst_caps_get_structure(changes.get(), 0),
      [](GQuark field, const GValue *value, gpointer target) -> gboolean {
        gst_structure_id_set_value(static_cast<GstStructure *>(target), field, value);
        return TRUE;
      },
      gst_caps_get_structure(caps.get(), 0));
  return text_of(caps.get());
}

GST_START_TEST(refused_caps) {
  const std::string &element = element_name(__i__);
  for (const char *fields :
       {"width=0", "height=0", "width=-1", "height=-2147483648", "width=0, height=0",
        "framerate=-25/1", "width=(string)wide", "format=(string)NONSENSE",
        "format=(string)ENCODED", "width=2147483647, height=2147483647",
        "width=2147483647, height=1", "width=1073741824, height=1073741824"}) {
    const std::string caps = with(element, fields);
    Harness harness(element);
    harness.set_input(caps);
    const GstFlowReturn flow = harness.push(tiny());
    fail_unless(flow == GST_FLOW_NOT_NEGOTIATED, "%s: %s", fields, gst_flow_get_name(flow));
    fail_unless_equals_int(harness.waiting(), 0);

    // It has not done for the element.
    const std::string good = sink_caps(element, {64, 48});
    fail_unless(harness.set_input(good), "after %s", fields);
    fail_unless_equals_int(harness.push(random_frame(video_info(good), {}, 1)), GST_FLOW_OK);
  }
}
GST_END_TEST;

// Sizes that caps may have: an error that names them, before anyone takes such memory.
GST_START_TEST(huge_caps) {
  const std::string &element = element_name(__i__);
  for (Size size : {Size{65536, 65536}, Size{65536, 65535}, Size{65535, 65536}, Size{1, 2147483647},
                    Size{2147483647, 1}, Size{2147483644, 3}}) {
    Harness harness(element);
    harness.set_input(sink_caps(element, size));
    const GstFlowReturn flow = harness.push(tiny());
    fail_unless(flow == GST_FLOW_ERROR || flow == GST_FLOW_NOT_NEGOTIATED, "%dx%d: %s", size.width,
                size.height, gst_flow_get_name(flow));
    fail_unless_equals_int(harness.waiting(), 0);
    harness.expect_error(
        GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        {"2 GiB", std::to_string(size.width).c_str(), std::to_string(size.height).c_str()});
  }
}
GST_END_TEST;

// libgstvideo lets a row of 2^31 bytes through and makes its stride negative, one of 2^32 and makes
// it none.
GST_START_TEST(row_that_overflows) {
  const std::string &element = element_name(__i__);
  int tried = 0;
  for (int format = 0; format < n_sink_formats(element); format++)
    for (int width : {536870912, 1073741824, 2147483644}) {
      GstVideoInfo info;
      const std::string caps = sink_caps(element, {width, 1}, format);
      if (!gst_video_info_from_caps(&info, parse_caps(caps).get()) || info.stride[0] >= width)
        continue;
      Harness harness(element);
      harness.set_input(caps);
      fail_unless(harness.push(tiny()) != GST_FLOW_OK);
      harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                           {"2 GiB", std::to_string(width).c_str()});
      tried++;
    }
  GST_INFO("%d widths overflow", tried);  // none, where libgstvideo is better
}
GST_END_TEST;

// Just below, and the buffer does not come.
GST_START_TEST(tiny_buffer_for_a_large_frame) {
  const std::string &element = element_name(__i__);
  Harness harness(element);
  fail_unless(harness.set_input(sink_caps(element, {16384, 16384})));
  fail_unless_equals_int(harness.push(tiny()), GST_FLOW_ERROR);
  fail_unless_equals_int(harness.waiting(), 0);
  harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, {"input", "16384x16384", "64"});
}
GST_END_TEST;

GST_START_TEST(buffer_before_caps) {
  Harness harness(element_name(__i__));
  harness.push_event(gst_event_new_stream_start("test"));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  harness.push_event(gst_event_new_segment(&segment));
  fail_unless_equals_int(harness.push(tiny()), GST_FLOW_NOT_NEGOTIATED);
  fail_unless_equals_int(harness.waiting(), 0);

  // Where there is a source, it says so on the bus.
  Pipeline pipeline("appsrc name=input ! " + element_name(__i__) + " ! fakesink name=sink");
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const BufferRef buffer(tiny());
  GstFlowReturn flow = GST_FLOW_OK;
  g_signal_emit_by_name(pipeline.element("input").get(), "push-buffer", buffer.get(), &flow);
  std::string error;
  pipeline.wait_until([&] { return !(error = pipeline.take_error()).empty(); }, "an error");
  fail_unless(contains(error, "not-negotiated"), "%s", error.c_str());
}
GST_END_TEST;

// Caps that were good and are good no more.
GST_START_TEST(bad_caps_in_mid_stream) {
  const std::string &element = element_name(__i__);
  const std::string good = sink_caps(element, {64, 48});
  Harness harness(element);
  fail_unless(harness.set_input(good));
  fail_unless_equals_int(harness.push(random_frame(video_info(good), {}, 1)), GST_FLOW_OK);
  harness.set_input(with(element, "format=(string)ENCODED"));
  const GstFlowReturn flow = harness.push(tiny());
  fail_unless(flow == GST_FLOW_NOT_NEGOTIATED, "%s", gst_flow_get_name(flow));
  fail_unless(harness.set_input(good));
  fail_unless_equals_int(harness.push(random_frame(video_info(good), {}, 2)), GST_FLOW_OK);
  harness.push_event(gst_event_new_eos());
  fail_unless_equals_int(harness.waiting(), 2);
}
GST_END_TEST;

// Caps that are refused late, behind the pad's template, leave no trace: the good ones before are
// in use again, and refused ones are an error each time that they come anew.
GST_START_TEST(refused_caps_in_mid_stream) {
  const std::string &element = element_name(__i__);
  const std::string good = sink_caps(element, {64, 48});
  Harness harness(element);
  fail_unless(harness.set_input(good));
  for (guint32 round = 0; round < 3; round++) {
    fail_unless_equals_int(harness.push(random_frame(video_info(good), {}, round)), GST_FLOW_OK);
    harness.set_input(sink_caps(element, {65536, 65535}));
    fail_unless(harness.push(tiny()) != GST_FLOW_OK);
    harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, {"2 GiB"});
    harness.set_input(good);
  }
  harness.push_event(gst_event_new_eos());
  fail_unless_equals_int(harness.waiting(), 3);
}
GST_END_TEST;

}  // namespace

void add_bad_caps_cases(Suite *suite) {
  TCase *caps = new_case(suite, "caps");
  tcase_add_loop_test(caps, refused_caps, 0, n_elements());
  tcase_add_loop_test(caps, huge_caps, 0, n_elements());
  tcase_add_loop_test(caps, row_that_overflows, 0, n_elements());
  tcase_add_loop_test(caps, tiny_buffer_for_a_large_frame, 0, n_elements());
  tcase_add_loop_test(caps, buffer_before_caps, 0, n_elements());
  tcase_add_loop_test(caps, bad_caps_in_mid_stream, 0, n_elements());
  tcase_add_loop_test(caps, refused_caps_in_mid_stream, 0, n_elements());
}

}  // namespace test
