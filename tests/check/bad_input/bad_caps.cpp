// SPDX-License-Identifier: LGPL-2.1-or-later
// Caps that nobody can mean, and none at all.
#include <algorithm>
#include <cstring>

#include "../../support/elements/pipeline.h"
#include "bad_cases.h"

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

// What an error says of a size that would be 2 GiB, unless the template excludes it.
const char *too_large(const std::string &element) {
  return most_sink_size(element) < 65536 ? "] is accepted" : "frames of 2 GiB or more";
}

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
        {too_large(element), std::to_string(std::max(size.width, size.height)).c_str()});
  }
}
GST_END_TEST;

// Rows of more than 2^31 - 1 bytes. libgstvideo 1.22 lets some through, with a stride that is
// negative or 0.
GST_START_TEST(row_that_overflows) {
  const std::string &element = element_name(__i__);
  int tried = 0;
  for (int format = 0; format < n_sink_formats(element) && !(small_run() && tried > 2); format++)
    for (int width : {536870912, 1073741824, 2147483644}) {
      // All formats come in whole groups of as many pixels.
      constexpr int kPixels = 768;
      const int bytes = row_bytes(video_info(sink_caps(element, {kPixels, 1}, format)), 0);
      if (static_cast<gint64>(width) / kPixels * bytes <= G_MAXINT) continue;
      Harness harness(element);
      harness.set_input(sink_caps(element, {width, 1}, format));
      fail_unless(harness.push(tiny()) != GST_FLOW_OK);
      harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                           {too_large(element), std::to_string(width).c_str()});
      tried++;
    }
  fail_unless(tried > 0, "no row of %s overflows", element.c_str());
}
GST_END_TEST;

// Fields in pictures or buffers of their own: an error each time that such caps come anew, and none
// where caps are only asked about.
GST_START_TEST(fields_apart) {
  const std::string &element = element_name(__i__);
  const std::string good = sink_caps(element, {64, 48});
  const auto with_feature = [](std::string caps) {
    return caps.replace(0, std::strlen("video/x-raw"), "video/x-raw(format:Interlaced)");
  };
  Harness harness(element);
  for (const char *mode : {"interlace-mode=fields", "interlace-mode=alternate"})
    for (const std::string &caps : {with(element, mode), with_feature(with(element, mode))}) {
      const CapsRef asked = parse_caps(caps);
      // (coalescedeinterlace takes fields that come one a buffer.)
      if (gst_element_factory_can_sink_any_caps(gst_element_get_factory(harness.element()),
                                                asked.get()) &&
          contains(caps, "(format:Interlaced)") && contains(caps, "alternate"))
        continue;
      gst_pad_peer_query_accept_caps(harness.to_element(), asked.get());
      harness.expect_no_error();
      harness.set_input(caps);
      const GstFlowReturn flow = harness.push(tiny());
      fail_unless(flow == GST_FLOW_NOT_NEGOTIATED, "%s: %s", caps.c_str(), gst_flow_get_name(flow));
      const std::vector<std::string> errors = harness.errors();
      fail_unless_equals_int(errors.size(), 1);
      for (const char *words : {mode, "use progressive, interleaved or mixed"})
        fail_unless(contains(errors[0], words), "%s: %s", caps.c_str(), errors[0].c_str());
      fail_unless(contains(errors[0], "or alternate with") == (element == "coalescedeinterlace"),
                  "%s", errors[0].c_str());
      fail_unless(harness.set_input(good));
      fail_unless_equals_int(harness.push(random_frame(video_info(good), {}, 1)), GST_FLOW_OK);
    }
  harness.expect_no_error();
}
GST_END_TEST;

// Just below, and the buffer does not come.
GST_START_TEST(tiny_buffer_for_a_large_frame) {
  const std::string &element = element_name(__i__);
  Harness harness(element);
  let_convert(harness);
  fail_unless(harness.set_input(sink_caps(element, {16384, 16384})));
  fail_unless_equals_int(harness.push(tiny()), GST_FLOW_ERROR);
  fail_unless_equals_int(harness.waiting(), 0);
  harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, {"input", "16384x16384", "64"});
}
GST_END_TEST;

GST_START_TEST(buffer_before_caps) {
  Harness harness(element_name(__i__));
  harness.push_event(gst_event_new_stream_start("test"));
  harness.push_event(segment_event());
  fail_unless_equals_int(harness.push(tiny()), GST_FLOW_NOT_NEGOTIATED);
  fail_unless_equals_int(harness.waiting(), 0);

  // Where there is a source, it says so on the bus.
  Pipeline pipeline("appsrc name=source ! " + element_name(__i__) + " ! fakesink name=sink");
  pipeline.start();
  pipeline.push(tiny());
  pipeline.wait_for_end();
  const std::string error = pipeline.take_error();
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
    harness.set_input(sink_caps(element, {65500, 65500}));
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
  tcase_add_loop_test(caps, fields_apart, 0, n_elements());
  tcase_add_loop_test(caps, tiny_buffer_for_a_large_frame, 0, n_elements());
  tcase_add_loop_test(caps, buffer_before_caps, 0, n_elements());
  tcase_add_loop_test(caps, bad_caps_in_mid_stream, 0, n_elements());
  tcase_add_loop_test(caps, refused_caps_in_mid_stream, 0, n_elements());
}

}  // namespace test
