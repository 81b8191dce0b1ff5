// SPDX-License-Identifier: LGPL-2.1-or-later
// Profiles: what the caps say of them, and limits of bytes that are theirs.
#include <algorithm>

#include "j2kenc_cases.h"
#include "j2kenc_codestream.h"

namespace test {
namespace {

// The caps say what the codestreams say, levels included, which follow the rate.
GST_START_TEST(profiles) {
  const std::string caps = video_caps("I422_10LE", {320, 240});
  Harness harness("j2kenc", {{"profile", "imf-2k"}, {"bitrate", "50000"}});
  fail_unless(harness.set_input(caps));
  std::vector<int> seen;
  for (const auto &[name, value] : {std::pair{"comment", ""},
                                    {"bitrate", "300000"},
                                    {"bitrate", "0"},
                                    {"profile", "broadcast-single"},
                                    {"profile", "none"}}) {
    gst_util_set_object_arg(G_OBJECT(harness.element()), name, value);
    const Bytes bytes = code_frame(harness, caps);
    fail_unless(profile_in(bytes) == profile_in_caps(harness), "%s=%s: %d, caps %d", name, value,
                profile_in(bytes), profile_in_caps(harness));
    seen.push_back(profile_in(bytes));
  }
  fail_unless(seen[0] >> 8 == 4 && seen[1] >> 8 == 4 && seen[0] != seen[1], "%d, %d", seen[0],
              seen[1]);
  fail_unless(seen[3] >> 8 == 1 && seen[4] == 0);
  harness.expect_no_error();

  // What a profile refuses leaves both as they were.
  g_object_set(harness.element(), "profile", 5, nullptr);  // imf-2k
  const int before = profile_in(code_frame(harness, caps));
  g_object_set(harness.element(), "num-layers", 3, nullptr);
  fail_unless(profile_in(code_frame(harness, caps)) == before &&
              profile_in_caps(harness) == before);
  fail_unless(contains(harness.take_warning(), "num-layers"));
}
GST_END_TEST;

// All that grey noise has is in one component.
BufferRef grey_noise(const GstVideoInfo &info) {
  BufferRef buffer(random_frame(info, {}, 1));
  GstMapInfo map;
  fail_unless(gst_buffer_map(buffer.get(), &map, GST_MAP_READWRITE));
  for (int plane : {1, 2})
    std::copy_n(map.data, info.offset[1], map.data + info.offset[plane]);
  gst_buffer_unmap(buffer.get(), &map);
  return buffer;
}

// 250 Mbit/s, and 200 for a component.
GST_START_TEST(cinema) {
  constexpr std::size_t kFrame = 250000000 / 8 / 120, kComponent = 200000000 / 8 / 120;
  const std::string caps = "video/x-raw, format=GBR_12LE, width=640, height=480, framerate=120/1";
  for (const char *profile : {"cinema-2k", "cinema-4k"}) {
    Harness harness("j2kenc", {{"profile", profile}});
    fail_unless(harness.set_input(caps), "%s", profile);
    const std::size_t colour = code_frame(harness, caps).size();
    fail_unless(colour <= kFrame && colour >= kFrame * 98 / 100, "%s: %zu bytes", profile, colour);
    fail_unless_equals_int(harness.push(grey_noise(video_info(caps)).release()), GST_FLOW_OK);
    const std::size_t grey = gst_buffer_get_size(harness.pull().get());
    fail_unless(grey <= kComponent + 5000 && grey >= kComponent * 98 / 100, "%s: %zu bytes",
                profile, grey);
    fail_unless(code_frame(harness, caps).size() == colour, "the frame before made a difference");
  }
}
GST_END_TEST;

// A field has half of the time and half of the bytes: IMF's first sub-level has 200 Mbit/s.
GST_START_TEST(fields) {
  const std::string caps = video_caps("I422_10LE", {320, 240}, "interlace-mode=interleaved");
  for (const auto &[size, expected] : {std::pair{"1000000", 0x411}, {"1000002", 0x424}}) {
    Harness harness("j2kenc", {{"profile", "imf-2k"}, {"frame-size", size}});
    fail_unless(harness.set_input(caps));
    const auto coded = codestreams(code_frame(harness, caps));
    fail_unless_equals_int(static_cast<int>(coded.size()), 2);
    for (const Bytes &field : coded)
      fail_unless_equals_int(profile_in(field), expected);
    fail_unless_equals_int(profile_in_caps(harness), expected);
  }
}
GST_END_TEST;

}  // namespace

// Another rate in the same level is no reason to negotiate again, as a controlled one would be at
// every frame.
GST_START_TEST(negotiated_once_a_level) {
  const std::string caps = video_caps("I422_10LE", {64, 48});
  Harness harness("j2kenc", {{"profile", "imf-2k"}, {"bitrate", "1000"}});
  fail_unless(harness.set_input(caps));
  int events = 0;
  const auto count = [](GstPad *, GstPadProbeInfo *info, gpointer events) {
    if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_CAPS)
      ++*static_cast<int *>(events);
    return GST_PAD_PROBE_OK;
  };
  int queries = 0;
  const auto count_query = [](GstPad *, GstPadProbeInfo *info, gpointer queries) {
    if (GST_QUERY_TYPE(GST_PAD_PROBE_INFO_QUERY(info)) == GST_QUERY_ALLOCATION)
      ++*static_cast<int *>(queries);
    return GST_PAD_PROBE_OK;
  };
  gst_pad_add_probe(harness.from_element(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, count, &events,
                    nullptr);
  gst_pad_add_probe(harness.from_element(), GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, count_query,
                    &queries, nullptr);
  for (const char *rate : {"1100", "1200", "1300"}) {
    gst_util_set_object_arg(G_OBJECT(harness.element()), "bitrate", rate);
    (void)code_frame(harness, caps);
  }
  fail_unless_equals_int(events, 0);
  fail_unless_equals_int(queries, 0);
  const int before = profile_in_caps(harness);
  gst_util_set_object_arg(G_OBJECT(harness.element()), "bitrate", "400000");
  (void)code_frame(harness, caps);
  fail_unless_equals_int(events, 1);
  fail_unless(profile_in_caps(harness) != before);
}
GST_END_TEST;

void add_j2kenc_profile_cases(Suite *suite) {
  TCase *profile = new_case(suite, "profiles");
  tcase_add_test(profile, profiles);
  tcase_add_test(profile, negotiated_once_a_level);
  tcase_add_test(profile, fields);
  if (!small_run()) tcase_add_test(profile, cinema);
}

}  // namespace test
