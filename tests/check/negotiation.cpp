// SPDX-License-Identifier: LGPL-2.1-or-later
#include "negotiation.h"

namespace test {

CapsRef negotiated(const char *element, const std::string &in, const std::string &downstream) {
  Harness harness(element);
  if (!downstream.empty()) harness.accept(downstream);
  fail_unless(harness.set_input(in), "refused: %s to %s", in.c_str(), downstream.c_str());
  fail_unless_equals_int(harness.push(random_frame(video_info(in), {}, 1)), GST_FLOW_OK);
  CapsRef out = harness.output_caps();
  fail_unless(out != nullptr);
  return out;
}

std::string field(const CapsRef &caps, const char *name) {
  const GValue *value = gst_structure_get_value(gst_caps_get_structure(caps.get(), 0), name);
  return value ? Owned<char>(gst_value_serialize(value)).get() : "";
}

void expect_field(const CapsRef &caps, const char *name, const std::string &value) {
  fail_unless(field(caps, name) == value, "%s should be \"%s\" in %s", name, value.c_str(),
              text_of(caps.get()).c_str());
}

CapsRef renegotiated(Harness &harness, const std::string &in, const std::string &downstream) {
  harness.accept(downstream);
  gst_harness_push_upstream_event(harness.get(), gst_event_new_reconfigure());
  fail_unless_equals_int(harness.push(random_frame(video_info(in), {}, 1)), GST_FLOW_OK);
  fail_unless_equals_int(gst_buffer_get_size(harness.pull().get()), harness.output_info().size);
  return harness.output_caps();
}

void expect_the_rest_kept(const char *element, const char *format) {
  const auto out =
      negotiated(element,
                 std::string("video/x-raw, format=") + format +
                     ", width=64, height=48, framerate=30000/1001, pixel-aspect-ratio=16/11, "
                     "interlace-mode=interleaved, field-order=bottom-field-first, "
                     "multiview-mode=(string)side-by-side, "
                     "multiview-flags=(GstVideoMultiviewFlagsSet)0:ffffffff, "
                     "max-framerate=60/1, x-custom=(string)still-here",
                 "");
  expect_field(out, "width", "64");
  expect_field(out, "height", "48");
  expect_field(out, "framerate", "30000/1001");
  expect_field(out, "pixel-aspect-ratio", "16/11");
  expect_field(out, "interlace-mode", "interleaved");
  expect_field(out, "field-order", "bottom-field-first");
  expect_field(out, "multiview-mode", "side-by-side");
  fail_unless(contains(field(out, "multiview-flags"), "ffffffff"));
  expect_field(out, "max-framerate", "60/1");
  expect_field(out, "x-custom", "still-here");
}

void expect_refused(const char *element, const std::string &in, const std::string &downstream) {
  Harness harness(element);
  if (!downstream.empty()) harness.accept(downstream);
  const bool taken = harness.set_input(in);
  GstBuffer *buffer = gst_buffer_new_allocate(nullptr, 64 * 64 * 4, nullptr);
  gst_buffer_memset(buffer, 0, 0, 64 * 64 * 4);
  const GstFlowReturn flow = harness.push(buffer);
  fail_unless(flow == GST_FLOW_NOT_NEGOTIATED, "%s to \"%s\": caps %s, flow %s", in.c_str(),
              downstream.c_str(), taken ? "taken" : "refused", gst_flow_get_name(flow));
  fail_unless_equals_int(harness.waiting(), 0);
}

}  // namespace test
