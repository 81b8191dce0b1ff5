// SPDX-License-Identifier: LGPL-2.1-or-later
// Buffers: sizes, renegotiation, and what they carry besides samples.
#include <algorithm>

#include "generic_cases.h"

namespace test {
namespace {

const Size kSize{64, 48};

// Steps through the formats: all of them, or about eight where everything is slow.
int few_formats(const std::string &element) {
  return small_run() ? n_sink_formats(element) / 8 + 1 : 1;
}

void end(Harness &harness) {
  fail_unless(harness.push_event(gst_event_new_eos()));
}

bool is_raw(const CapsRef &caps) {
  return gst_structure_has_name(gst_caps_get_structure(caps.get(), 0), "video/x-raw");
}

// If the output is raw video, it is a whole frame of its caps.
void expect_whole_frame(Harness &harness, GstBuffer *buffer) {
  const CapsRef caps = harness.output_caps();
  fail_unless(caps != nullptr && gst_buffer_get_size(buffer) > 0);
  if (!is_raw(caps)) return;
  GstVideoFrame frame;
  const GstVideoInfo info = harness.output_info();
  fail_unless(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ), "%s",
              text_of(caps.get()).c_str());
  gst_video_frame_unmap(&frame);
}

// In every format; where everything is slow, each size in some of them, and each of them with some
// sizes.
GST_START_TEST(every_size) {
  const std::string &element = element_name(__i__);
  const int step = few_formats(element), formats = (n_sink_formats(element) - 1) / step + 1;
  const int turns = small_run() ? std::min(formats, 4) : 1;
  int turn = 0;
  const Size large = small_run() ? Size{80, 61} : Size{320, 241};
  for (Size size : {Size{1, 1}, Size{1, 3}, Size{3, 1}, Size{2, 2}, Size{5, 7}, Size{33, 17}, large,
                    Size{1023, 3}, Size{3, 1023}, Size{8192, 1}}) {
    for (int format = turn++ % turns; format < formats; format += turns) {
      const std::string caps = sink_caps(element, size, format * step);
      Harness harness(element);
      fail_unless(harness.set_input(caps), "%s", caps.c_str());
      for (int n = 0; n < 2; n++)
        fail_unless_equals_int(harness.push(nth_frame(caps, n)), GST_FLOW_OK);
      end(harness);
      fail_unless(harness.waiting() == 2, "%s: %d frames", caps.c_str(), harness.waiting());
      expect_whole_frame(harness, harness.pull().get());
      harness.expect_no_error();
    }
  }
}
GST_END_TEST;

// Each buffer comes under the caps that it was made for, however many were held back.
GST_START_TEST(caps_change_with_pending_buffers) {
  const std::string &element = element_name(__i__);
  Harness harness(element);
  Recorder recorder(harness);
  int n = 0;
  for (Size size : {kSize, Size{33, 17}, Size{640, 3}}) {
    const std::string caps = sink_caps(element, size);
    fail_unless(harness.set_input(caps));
    for (int i = 0; i < 2; i++)
      fail_unless_equals_int(harness.push(nth_frame(caps, n++)), GST_FLOW_OK);
  }
  end(harness);
  const std::string expected =
      "stream-start, caps 64x48, segment 0, buffer 0, buffer 40, caps 33x17, buffer 80, "
      "buffer 120, caps 640x3, buffer 160, buffer 200, eos";
  fail_unless(recorder.text() == expected, "%s", recorder.text().c_str());
}
GST_END_TEST;

GST_START_TEST(format_and_rate_change) {
  const std::string &element = element_name(__i__);
  Harness harness(element);
  int n = 0;
  for (int round = 0; round < 2; round++)
    for (int format = 0; format < n_sink_formats(element); format += few_formats(element))
      for (const char *rate : {"25/1", "30000/1001", "0/1"}) {
        const std::string caps = sink_caps(element, kSize, format, rate);
        fail_unless(harness.set_input(caps));
        fail_unless_equals_int(harness.push(nth_frame(caps, n++)), GST_FLOW_OK);
        const CapsRef out = harness.output_caps();
        fail_unless(out && contains(text_of(out.get()), std::string("framerate=(fraction)") + rate),
                    "%s", caps.c_str());
      }
  end(harness);
  fail_unless_equals_int(harness.waiting(), n);
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(times_and_flags_are_carried) {
  constexpr guint kFlags = GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_MARKER |
                           GST_BUFFER_FLAG_CORRUPTED | GST_BUFFER_FLAG_DROPPABLE |
                           GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF;
  const std::string caps = sink_caps(element_name(__i__), kSize);
  Harness harness(element_name(__i__));
  fail_unless(harness.set_input(caps));
  for (guint flags : {kFlags, 0u}) {
    GstBuffer *buffer = nth_frame(caps, 3);
    GST_BUFFER_DTS(buffer) = 100 * GST_MSECOND;
    GST_BUFFER_OFFSET(buffer) = 17;
    GST_BUFFER_OFFSET_END(buffer) = 18;
    GST_BUFFER_FLAGS(buffer) |= flags;
    fail_unless_equals_int(harness.push(buffer), GST_FLOW_OK);
  }
  end(harness);
  for (guint flags : {kFlags, 0u}) {
    const BufferRef out = harness.pull();
    fail_unless(out != nullptr);
    fail_unless_equals_clocktime(GST_BUFFER_PTS(out.get()), 120 * GST_MSECOND);
    fail_unless_equals_clocktime(GST_BUFFER_DTS(out.get()), 100 * GST_MSECOND);
    fail_unless_equals_clocktime(GST_BUFFER_DURATION(out.get()), 40 * GST_MSECOND);
    fail_unless_equals_uint64(GST_BUFFER_OFFSET(out.get()), 17);
    fail_unless_equals_uint64(GST_BUFFER_OFFSET_END(out.get()), 18);
    fail_unless_equals_int_hex(GST_BUFFER_FLAGS(out.get()) & kFlags, flags);
  }
}
GST_END_TEST;

// The frames keep their geometry, so what is said about places in them stays as it is.
GST_START_TEST(metas_are_carried) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  Harness harness(element_name(__i__));
  fail_unless(harness.set_input(caps));
  GstBuffer *in = nth_frame(caps, 0);
  gst_buffer_add_video_time_code_meta_full(in, 25, 1, nullptr, GST_VIDEO_TIME_CODE_FLAGS_NONE, 10,
                                           59, 58, 24, 0);
  auto *region = gst_buffer_add_video_region_of_interest_meta(in, "face", 3, 5, 7, 11);
  region->id = 42;
  gst_video_region_of_interest_meta_add_param(
      region, gst_structure_new("detection", "confidence", G_TYPE_DOUBLE, 0.5, nullptr));
  const CapsRef ntp = parse_caps("timestamp/x-ntp");
  gst_buffer_add_reference_timestamp_meta(in, ntp.get(), 123456, 789);
  auto *crop = gst_buffer_add_video_crop_meta(in);
  crop->x = 2, crop->y = 4, crop->width = 20, crop->height = 10;
  const guint8 caption[] = {0xfc, 0x94, 0x2c};
  gst_buffer_add_video_caption_meta(in, GST_VIDEO_CAPTION_TYPE_CEA708_RAW, caption, sizeof caption);
  fail_unless_equals_int(harness.push(in), GST_FLOW_OK);
  end(harness);

  const BufferRef out = harness.pull();
  const auto *timecode = gst_buffer_get_video_time_code_meta(out.get());
  fail_unless(timecode != nullptr);
  fail_unless(timecode->tc.hours == 10 && timecode->tc.minutes == 59 &&
              timecode->tc.seconds == 58 && timecode->tc.frames == 24 &&
              timecode->tc.config.fps_n == 25);
  auto *same = gst_buffer_get_video_region_of_interest_meta_id(out.get(), 42);
  fail_unless(same != nullptr);
  fail_unless(same->x == 3 && same->y == 5 && same->w == 7 && same->h == 11);
  fail_unless(same->roi_type == g_quark_from_string("face"));
  fail_unless(gst_video_region_of_interest_meta_get_param(same, "detection") != nullptr);
  const auto *reference = gst_buffer_get_reference_timestamp_meta(out.get(), ntp.get());
  fail_unless(reference && reference->timestamp == 123456 && reference->duration == 789);
  const auto *cropped = gst_buffer_get_video_crop_meta(out.get());
  fail_unless(cropped != nullptr, "GstVideoCropMeta was ignored");
  fail_unless(cropped->x == 2 && cropped->y == 4 && cropped->width == 20 && cropped->height == 10);
  const auto *captioned = gst_buffer_get_video_caption_meta(out.get());
  fail_unless(captioned && captioned->size == sizeof caption && captioned->data[1] == 0x94);
}
GST_END_TEST;

// A meta that the core copies where it is allowed to.
void register_meta(const char *name, std::initializer_list<const char *> tags) {
  if (gst_meta_get_info(name) != nullptr) return;
  std::vector<const gchar *> list(tags);
  list.push_back(nullptr);
  gst_meta_register_custom(name, list.data(), nullptr, nullptr, nullptr);
}

// What is said about the input's memory or colours is not true of the output's.
GST_START_TEST(memory_and_colour_metas_are_not_carried) {
  register_meta("x-test-picture", {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR});
  register_meta("x-test-colour", {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_COLORSPACE_STR});
  register_meta("x-test-memory", {GST_META_TAG_VIDEO_STR, GST_META_TAG_MEMORY_STR});
  register_meta("x-test-unknown", {"x-test-tag"});
  const std::string caps = sink_caps(element_name(__i__), {33, 17});
  Harness harness(element_name(__i__));
  let_convert(harness);
  fail_unless(harness.set_input(caps));
  GstBuffer *in = random_frame(video_info(caps), {13, 5, 0, true}, 1);
  for (const char *name : {"x-test-picture", "x-test-colour", "x-test-memory", "x-test-unknown"})
    gst_buffer_add_custom_meta(in, name);
  const BufferRef parent(gst_buffer_new());
  gst_buffer_add_parent_buffer_meta(in, parent.get());
  fail_unless_equals_int(harness.push(in), GST_FLOW_OK);
  end(harness);

  const BufferRef out = harness.pull();
  fail_unless(gst_buffer_get_custom_meta(out.get(), "x-test-picture") != nullptr);
  for (const char *name : {"x-test-colour", "x-test-memory", "x-test-unknown"})
    fail_unless(gst_buffer_get_custom_meta(out.get(), name) == nullptr, "%s was carried", name);
  fail_unless(gst_buffer_get_parent_buffer_meta(out.get()) == nullptr);
  expect_whole_frame(harness, out.get());
  if (!is_raw(harness.output_caps())) return;
  const GstVideoInfo info = harness.output_info();
  fail_unless_equals_int(gst_buffer_get_size(out.get()), info.size);
  // Where there is a GstVideoMeta, it is the output's own.
  if (const GstVideoMeta *meta = gst_buffer_get_video_meta(out.get()))
    for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&info); p++) {
      fail_unless(meta->format == GST_VIDEO_INFO_FORMAT(&info));
      fail_unless_equals_int(meta->stride[p], info.stride[p]);
      fail_unless_equals_int(meta->offset[p], info.offset[p]);
    }
}
GST_END_TEST;

// The caller's frame is never written to.
GST_START_TEST(input_is_left_alone) {
  const std::string caps = sink_caps(element_name(__i__), {33, 17});
  Harness harness(element_name(__i__));
  fail_unless(harness.set_input(caps));
  const BufferRef in(nth_frame(caps, 0)), copy(gst_buffer_copy_deep(in.get()));
  fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
  end(harness);
  GstMapInfo map;
  fail_unless(gst_buffer_map(copy.get(), &map, GST_MAP_READ));
  fail_unless(gst_buffer_memcmp(in.get(), 0, map.data, map.size) == 0);
  gst_buffer_unmap(copy.get(), &map);
  // And nobody holds on to it.
  harness.pull();
  ASSERT_MINI_OBJECT_REFCOUNT(in.get(), "input", 1);
}
GST_END_TEST;

GstPadProbeReturn want_buffers_of(GstPad *, GstPadProbeInfo *info, gpointer size) {
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool(query, nullptr, GPOINTER_TO_UINT(size), 0, 0);
  return GST_PAD_PROBE_HANDLED;
}

// Downstream may answer an allocation query without knowing how large a frame is.
GST_START_TEST(downstream_asks_for_too_small_buffers) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  for (guint size : {0u, 1u}) {
    Harness harness(element_name(__i__));
    gst_pad_add_probe(harness.from_element(), GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, want_buffers_of,
                      GUINT_TO_POINTER(size), nullptr);
    fail_unless(harness.set_input(caps));
    for (int n = 0; n < 2; n++)
      fail_unless_equals_int(harness.push(nth_frame(caps, n)), GST_FLOW_OK);
    end(harness);
    harness.expect_no_error();
    fail_unless_equals_int(harness.waiting(), 2);
    expect_whole_frame(harness, harness.pull().get());
  }
}
GST_END_TEST;

}  // namespace

void add_buffer_cases(Suite *suite) {
  TCase *buffers = new_case(suite, "buffers");
  tcase_add_loop_test(buffers, every_size, 0, n_elements());
  tcase_add_loop_test(buffers, caps_change_with_pending_buffers, 0, n_elements());
  tcase_add_loop_test(buffers, format_and_rate_change, 0, n_elements());
  tcase_add_loop_test(buffers, times_and_flags_are_carried, 0, n_elements());
  tcase_add_loop_test(buffers, metas_are_carried, 0, n_elements());
  tcase_add_loop_test(buffers, memory_and_colour_metas_are_not_carried, 0, n_elements());
  tcase_add_loop_test(buffers, input_is_left_alone, 0, n_elements());
  tcase_add_loop_test(buffers, downstream_asks_for_too_small_buffers, 0, n_elements());
}

}  // namespace test
