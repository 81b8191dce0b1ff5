// SPDX-License-Identifier: LGPL-2.1-or-later
// Properties and caps of j2kenc change while frames are in flight: each frame is there, and coded
// as they were when it came.
#include "j2k.h"

using namespace simulated;

namespace {

constexpr J2kCase kWide = {"GRAY8", 64, 16, "", "", "image/x-jpc"};

void done() {
  assert_clean();
  assert_nothing_lives();
}

}  // namespace

// Each frame is coded as the properties were when it came.
GST_START_TEST(properties_change) {
  const J2kCase half = {"GRAY8", 40, 24, "", "bpp=4", "image/x-jpc"};
  for (int frames : {1, 3, 8}) {
    J2kBench bench(kGrey, kCuda, frames);
    bench.push_pictures(1, 5);
    g_object_set(bench.element(), "bpp", 4.0, nullptr);
    bench.push_pictures(6, 10);
    g_object_set(bench.element(), "bpp", 0.0, nullptr);
    bench.push_pictures(11, 12);
    bench.end();
    bench.expect_pictures(kGrey, 1, 5);
    bench.expect_pictures(half, 6, 10);
    bench.expect_pictures(kGrey, 11, 12);
    fail_unless(bench.errors().empty() && bench.warnings().empty());
  }
  done();
}
GST_END_TEST

// Settings that will not do are a warning, be it before or after the GPU has seen them, and no
// frame is lost.
GST_START_TEST(impossible_settings) {
  J2kBench bench(kGrey, kCuda, 4);
  bench.push_pictures(1, 4);
  g_object_set(bench.element(), "frame-size", 10u, nullptr);  // noticed with the first frame
  bench.push_pictures(5, 6);
  fail_unless_equals_int(bench.warnings().size(), 1);
  g_object_set(bench.element(), "frame-size", 0u, "wavelet", 2, nullptr);  // at once
  bench.push_pictures(7, 8);
  fail_unless_equals_int(bench.warnings().size(), 1);
  bench.end();
  bench.expect_pictures(kGrey, 1, 8);
  fail_unless(bench.errors().empty());
}
GST_END_TEST

// Without settings that were good before they are one error, on either back end.
GST_START_TEST(impossible_from_the_start) {
  for (const char *backend : {"cpu", "cuda"}) {
    Bench bench((std::string("j2kenc frame-size=10 backend=") + backend).c_str());
    bench.negotiate(in_caps(kGrey, kSystem), kGrey.media);
    const GstVideoInfo info = video_info(in_caps(kGrey, kSystem));
    for (unsigned seed = 1; seed <= 2; seed++)
      fail_unless(bench.push(system_buffer(info, seed)) < GST_FLOW_OK);
    const std::vector<std::string> errors = bench.errors();
    fail_unless_equals_int(errors.size(), 1);
    fail_unless(errors[0].find("frame-size=10") != std::string::npos, "%s", errors[0].c_str());
    fail_unless(bench.warnings().empty());
  }
  done();
}
GST_END_TEST

// What was good for one format need not be for the next.
GST_START_TEST(impossible_in_a_new_format) {
  for (const char *backend : {"cpu", "cuda"}) {
    const J2kCase many = {"GRAY8", 300, 300, "", "", "image/x-jpc"};
    Bench bench(
        (std::string("j2kenc frame-size=400 tile-width=16 tile-height=16 backend=") + backend)
            .c_str());
    for (const J2kCase &c : {kGrey, many}) {
      bench.negotiate(in_caps(c, kSystem), c.media);
      const GstFlowReturn flow = bench.push(system_buffer(video_info(in_caps(c, kSystem)), 1));
      fail_unless_equals_int(flow == GST_FLOW_OK, c.width == kGrey.width);
    }
    fail_unless_equals_int(bench.errors().size(), 1);
  }
  done();
}
GST_END_TEST

GST_START_TEST(the_number_changes) {
  J2kBench bench(kGrey, kCuda, 2);
  unsigned seed = 0;
  for (int frames : {2, 6, 1, 3}) {
    g_object_set(bench.element(), "frames-in-flight", frames, nullptr);
    bench.push_pictures(seed + 1, seed + 8);
    seed += 8;
    fail_unless_equals_uint64(bench.latency(), guint(frames - 1) * GST_SECOND / 25);
  }
  bench.end();
  bench.expect_pictures(kGrey, 1, seed);
}
GST_END_TEST

GST_START_TEST(caps_change) {
  const J2kCase steps[] = {kGrey,
                           kWide,
                           {"NV12", 32, 24, ",interlace-mode=interleaved", "", "image/x-jpc"},
                           {"RGB", 33, 17, "", "", "image/x-jpc"},
                           kGrey};
  for (const char *memory : {kCuda, kSystem}) {
    J2kBench bench(kGrey, memory, 4);
    for (const J2kCase &step : steps) {
      bench.change(step);
      bench.push_pictures(1, 6);
    }
    bench.end();
    for (const J2kCase &step : steps)
      bench.expect_pictures(step, 1, 6);
  }
  done();
}
GST_END_TEST

static Suite *encoder_changes_suite() {
  Suite *suite = suite_create("encoder_changes");
  TCase *tests = tcase_create("encoder_changes");
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, properties_change);
  tcase_add_test(tests, impossible_settings);
  tcase_add_test(tests, impossible_from_the_start);
  tcase_add_test(tests, impossible_in_a_new_format);
  tcase_add_test(tests, the_number_changes);
  tcase_add_test(tests, caps_change);
  return suite;
}
GST_CHECK_MAIN(encoder_changes)
