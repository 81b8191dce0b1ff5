// SPDX-License-Identifier: LGPL-2.1-or-later
// Properties and caps of j2kenc change while frames are in flight: each frame is there, and coded
// as they were when it came.
#include "j2k.h"

using namespace simulated;

namespace {

// "bpp=2", and no other.
void set_rate(GstElement *element, const std::string &rate) {
  for (const char *name : {"bpp", "bitrate", "frame-size", "psnr"})
    gst_util_set_object_arg(G_OBJECT(element), name, "0");
  const std::size_t equals = rate.find('=');
  gst_util_set_object_arg(G_OBJECT(element), rate.substr(0, equals).c_str(),
                          rate.substr(equals + 1).c_str());
}

// Of picture `seed` where each has another from the 7th on.
constexpr unsigned kFirst = 7, kLast = 20;
const char *rate_of(unsigned seed) {
  const char *rates[] = {"bpp=6", "psnr=30", "frame-size=900", "bpp=8", "bitrate=150", "psnr=45"};
  return rates[seed >= kFirst ? seed % 6 : 0];
}
void expect_with_rate(J2kBench &bench, const J2kCase &c, unsigned seed) {
  const std::string properties = std::string(c.properties) + " " + rate_of(seed);
  bench.expect({c.format, c.width, c.height, c.more_caps, properties.c_str(), c.media}, seed);
}

// What the encoders have made through the driver so far: each frame in flight has memory and a
// stream. (Pools of frames in system memory, and their events, grow when threads are slow.)
std::string made(const char *memory) {
  const FakecudaCounts now = counts();
  return std::to_string(now.streams) + " streams" +
         (memory == kCuda ? ", " + std::to_string(now.allocations) + " pieces of memory" : "");
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
}
GST_END_TEST

// Another rate for every frame: nothing is made for it, and each is coded as by an element that
// never had another.
GST_START_TEST(rates_change) {
  const J2kCase cases[] = {{"GRAY8", 40, 24, "", "", "image/x-jpc"},
                           {"NV12", 40, 25, ",interlace-mode=interleaved", "num-layers=2",
                            "image/x-j2c"}};  // two fields, of other heights
  for (const J2kCase &c : cases)
    for (const char *memory : {kCuda, kSystem})
      for (const unsigned frames : {1u, 4u}) {
        J2kBench bench(c, memory, int(frames), rate_of(1));
        std::vector<GstBuffer *> inputs;
        for (unsigned seed = 1; seed <= kLast; seed++)
          inputs.push_back(bench.buffer(seed));
        std::string before;
        for (unsigned seed = 1; seed <= kLast; seed++) {
          if (seed >= kFirst) set_rate(bench.element(), rate_of(seed));
          fail_unless_equals_int(bench.push(inputs[seed - 1]), GST_FLOW_OK);
          if (seed < kFirst) before = made(memory);
        }
        const std::string after = made(memory);
        fail_unless(after == before, "%s, and %s before", after.c_str(), before.c_str());
        bench.end();
        for (unsigned seed = 1; seed <= kLast; seed++)
          expect_with_rate(bench, c, seed);
        fail_unless(bench.errors().empty() && bench.warnings().empty());
      }
}
GST_END_TEST

// One that will not do is a warning each time, costs nothing either, and the last one holds.
GST_START_TEST(impossible_rates) {
  const J2kCase small = {"GRAY8", 40, 24, "", "frame-size=400", "image/x-jpc"};
  J2kBench bench(small, kCuda, 4);
  std::vector<GstBuffer *> inputs;
  for (unsigned seed = 1; seed <= 10; seed++)
    inputs.push_back(bench.buffer(seed));
  const auto push = [&](unsigned seed) {
    fail_unless_equals_int(bench.push(inputs[seed - 1]), GST_FLOW_OK);
  };
  for (unsigned seed = 1; seed <= 4; seed++)
    push(seed);
  const std::string before = made(kCuda);
  for (unsigned n = 0; n < 3; n++) {
    g_object_set(bench.element(), "frame-size", 10u, nullptr);
    push(5 + 2 * n);
    push(6 + 2 * n);
    const std::vector<std::string> warnings = bench.warnings();
    fail_unless_equals_int(warnings.size(), 1);
    fail_unless(warnings[0].find("frame-size=10: ") != std::string::npos &&
                    warnings[0].find("the least is frame-size=") != std::string::npos,
                "%s", warnings[0].c_str());
  }
  const std::string after = made(kCuda);
  fail_unless(after == before, "%s, and %s before", after.c_str(), before.c_str());
  bench.end();
  bench.expect_pictures(small, 1, 10);
  fail_unless(bench.errors().empty());
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
}
GST_END_TEST

// What was good before a stop is not kept.
GST_START_TEST(impossible_after_a_stop) {
  for (const char *backend : {"cpu", "cuda"}) {
    Bench bench((std::string("j2kenc backend=") + backend).c_str());
    const std::string caps = in_caps(kGrey, kSystem);
    const GstVideoInfo info = video_info(caps);
    bench.negotiate(caps, kGrey.media);
    fail_unless_equals_int(bench.push(system_buffer(info, 1)), GST_FLOW_OK);
    gst_element_set_state(bench.element(), GST_STATE_NULL);
    g_object_set(bench.element(), "frame-size", 10u, nullptr);
    gst_element_set_state(bench.element(), GST_STATE_PLAYING);
    gst_harness_push_event(bench.harness(), gst_event_new_stream_start("again"));
    gst_harness_set_src_caps_str(bench.harness(), caps.c_str());
    gst_harness_push_event(bench.harness(), segment_event());
    fail_unless(bench.push(system_buffer(info, 2)) < GST_FLOW_OK);
    fail_unless_equals_int(bench.errors().size(), 1);
    fail_unless(bench.warnings().empty());
  }
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
                           kWideGrey,
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
}
GST_END_TEST

static GstPadProbeReturn answer_allocation(GstPad *, GstPadProbeInfo *info, gpointer params) {
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return GST_PAD_PROBE_OK;
  gst_query_add_allocation_param(query, nullptr, static_cast<GstAllocationParams *>(params));
  return GST_PAD_PROBE_HANDLED;
}

// Room before the codestream, which downstream wants more of, or less, when it is asked anew.
GST_START_TEST(downstream_wants_other_memory) {
  J2kBench bench(kGrey, kCuda, 1);
  GstAllocationParams params;
  gst_allocation_params_init(&params);
  GstPad *pad = gst_element_get_static_pad(bench.element(), "src");
  gst_pad_add_probe(
      pad,
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH),
      answer_allocation, &params, nullptr);
  gst_object_unref(pad);
  for (const gsize prefix : {0, 64, 256, 0}) {
    params.prefix = prefix;
    gst_harness_push_upstream_event(bench.harness(), gst_event_new_reconfigure());
    for (const unsigned seed : {1u, 2u}) {
      bench.push_pictures(seed, seed);
      GstBuffer *buffer = bench.pull();
      gsize offset = 0;
      gst_buffer_get_sizes(buffer, &offset, nullptr);
      fail_unless_equals_uint64(offset, prefix);
      fail_unless(take_bytes(buffer) == on_cpu(kGrey, seed), "picture %u", seed);
    }
  }
}
GST_END_TEST

static Suite *encoder_changes_suite() {
  return j2k_suite("encoder_changes", [](TCase *tests) {
    tcase_add_test(tests, properties_change);
    tcase_add_test(tests, rates_change);
    tcase_add_test(tests, impossible_rates);
    tcase_add_test(tests, impossible_settings);
    tcase_add_test(tests, impossible_from_the_start);
    tcase_add_test(tests, impossible_after_a_stop);
    tcase_add_test(tests, impossible_in_a_new_format);
    tcase_add_test(tests, the_number_changes);
    tcase_add_test(tests, caps_change);
    tcase_add_test(tests, downstream_wants_other_memory);
  });
}
SIMULATED_MAIN(encoder_changes)
