// SPDX-License-Identifier: LGPL-2.1-or-later
// coalescejpegenc on the GPU: the files are those of the CPU, whatever the memory, the format and
// the number of frames in flight, and while properties change.
#include "j2k.h"

using namespace simulated;

namespace {

constexpr const char *kFields = ",interlace-mode=interleaved,field-order=top-field-first";

constexpr J2kCase jpeg(const char *format, int width, int height, const char *properties = "",
                       const char *more_caps = "") {
  return {format, width, height, more_caps, properties, "image/jpeg", "coalescejpegenc"};
}
constexpr J2kCase kCases[] = {
    jpeg("GRAY8", 40, 24),
    jpeg("I420", 37, 23),
    jpeg("NV12", 38, 26, "quality=40 restart-interval=1"),
    jpeg("YV12", 33, 17, "optimize=true"),
    jpeg("NV16", 38, 26),
    jpeg("UYVY", 34, 9, "max-frame-size=1200"),
    jpeg("Y444", 17, 33, "quality=100"),
    jpeg("AYUV", 20, 20),
    jpeg("RGB", 33, 17),
    jpeg("BGRx", 33, 17, "subsampling=444 optimize=true"),
    jpeg("GBR", 24, 18, "keep-rgb=true"),
    jpeg("ARGB", 1, 1),
    jpeg("I420", 16, 22, "", kFields),
    jpeg("NV12", 16, 21, "bitrate=200", kFields),
};
constexpr unsigned kFrames = 5;
constexpr J2kCase kRgb = jpeg("RGB", 64, 40);

// What the encoders have made through the driver so far.
std::string made() {
  const FakecudaCounts now = counts();
  return std::to_string(now.streams) + " streams, " + std::to_string(now.allocations) +
         " pieces of memory";
}

const char *rate_of(unsigned seed) {
  const char *rates[] = {"quality=30", "quality=90", "quality=1", "quality=75"};
  return rates[seed % 4];
}

}  // namespace

GST_START_TEST(same_bytes) {
  const J2kCase &c = kCases[__i__];
  for (const char *memory : {kCuda, kSystem})
    for (int frames : {0, 1, 3}) {
      J2kBench bench(c, memory, frames, memory == kSystem ? "backend=cuda" : "");
      expect_string(active_backend(bench.element()), "cuda");
      bench.push_pictures(1, kFrames);
      bench.end();
      bench.expect_pictures(c, 1, kFrames);
      fail_unless_equals_int(bench.received(), 0);
      fail_unless_equals_uint64(stat(bench.element(), "frames"), kFrames);
      fail_unless_equals_uint64(stat(bench.element(), "uploads"), memory == kCuda ? 0 : kFrames);
      fail_unless_equals_uint64(stat(bench.element(), "downloads"), kFrames);
      fail_unless(bench.errors().empty() && bench.warnings().empty());
    }
}
GST_END_TEST

// Another quality for every frame: nothing is made for it, and those in flight keep theirs.
GST_START_TEST(qualities_change) {
  J2kBench bench(kRgb, kCuda, 4);
  std::vector<GstBuffer *> inputs;
  for (unsigned seed = 1; seed <= 20; seed++)
    inputs.push_back(bench.buffer(seed));
  std::string before;
  for (unsigned seed = 1; seed <= 20; seed++) {
    gst_util_set_object_arg(G_OBJECT(bench.element()), "quality", rate_of(seed) + 8);
    fail_unless_equals_int(bench.push(inputs[seed - 1]), GST_FLOW_OK);
    if (seed == 5) before = made();
  }
  expect_string(made(), before);
  bench.end();
  for (unsigned seed = 1; seed <= 20; seed++)
    bench.expect(jpeg("RGB", 64, 40, rate_of(seed)), seed);
  fail_unless(bench.errors().empty() && bench.warnings().empty());
}
GST_END_TEST

// What needs other encoders waits for the frames in flight; caps follow.
GST_START_TEST(properties_change) {
  for (int frames : {1, 3}) {
    J2kBench bench(kRgb, kCuda, frames);
    bench.push_pictures(1, 4);
    g_object_set(bench.element(), "keep-rgb", TRUE, nullptr);
    bench.push_pictures(5, 8);
    fail_unless(contains(bench.out_caps(), "sampling=(string)RGB"));
    g_object_set(bench.element(), "keep-rgb", FALSE, "optimize", TRUE, nullptr);
    bench.push_pictures(9, 12);
    g_object_set(bench.element(), "optimize", FALSE, "max-frame-size", 1500u, nullptr);
    bench.push_pictures(13, 16);
    bench.end();
    bench.expect_pictures(kRgb, 1, 4);
    bench.expect_pictures(jpeg("RGB", 64, 40, "keep-rgb=true"), 5, 8);
    bench.expect_pictures(jpeg("RGB", 64, 40, "optimize=true"), 9, 12);
    bench.expect_pictures(jpeg("RGB", 64, 40, "max-frame-size=1500"), 13, 16);
    fail_unless(bench.errors().empty() && bench.warnings().empty());
  }
}
GST_END_TEST

// A limit that a frame does not meet is one error, which names the limit that the frame had; frames
// before it have come out. Then another limit is in use.
GST_START_TEST(limits_that_no_quality_meets) {
  for (int frames : {1, 4}) {
    J2kBench bench(jpeg("RGB", 64, 40, "max-frame-size=2000"), kCuda, frames);
    bench.push_pictures(1, 3);
    bench.settle();
    g_object_set(bench.element(), "max-frame-size", 500u, nullptr);
    (void)bench.push_picture(4);
    g_object_set(bench.element(), "max-frame-size", 1900u, nullptr);
    fail_unless(
        eventually([&] { return bench.push(bench.buffer(5)) != GST_FLOW_OK || frames == 1; }));
    bench.expect_pictures(jpeg("RGB", 64, 40, "max-frame-size=2000"), 1, 3);
    const std::vector<std::string> errors = bench.errors();
    fail_unless_equals_int(errors.size(), 1);
    fail_unless(contains(errors[0], "max-frame-size=500: the frame has more than 500 bytes"), "%s",
                errors[0].c_str());
  }
}
GST_END_TEST

// Too little device memory for a frame: the CPU's, with a warning, or an error where the GPU was
// asked for.
GST_START_TEST(no_memory_for_a_frame) {
  const J2kCase wide = jpeg("RGB", 1000, 16);
  fakecuda_set_device_memory(counts().bytes_live + 2 * 16 * 4096);
  {
    J2kBench bench(wide, kCuda, 3);
    expect_string(active_backend(bench.element()), "cpu");
    const std::vector<std::string> warnings = bench.warnings();
    fail_unless(warnings.size() == 1 &&
                contains(warnings[0], "RGB frames of 1000x16 are encoded on the CPU") &&
                contains(warnings[0], "frames-in-flight=3: even one frame requires"));
    fakecuda_set_device_memory(std::size_t{1} << 30);
    bench.push_pictures(1, 3);
    bench.expect_pictures(wide, 1, 3);
  }
  fakecuda_set_device_memory(counts().bytes_live + 2 * 16 * 4096);
  Bench bench("coalescejpegenc backend=cuda");
  gst_harness_set_sink_caps_str(bench.harness(), "image/jpeg");
  gst_harness_set_src_caps_str(bench.harness(), in_caps(wide, kSystem).c_str());
  const std::vector<std::string> errors = bench.errors();
  fail_unless(errors.size() == 1 &&
              contains(errors[0], "backend=cuda cannot encode RGB frames of 1000x16"));
}
GST_END_TEST

// The driver fails in a running stream: one error at most, what comes out is right, and nothing is
// left.
GST_START_TEST(faults) {
  constexpr int kLaunchFailure = 719;
  for (FakecudaFunction function : {FAKECUDA_COPY, FAKECUDA_LAUNCH, FAKECUDA_STREAM_WAIT,
                                    FAKECUDA_EVENT_RECORD, FAKECUDA_SYNCHRONIZE, FAKECUDA_EXECUTE})
    for (const int nth : {1, 2, 3, 7}) {
      J2kBench bench(kRgb, kCuda, 2);
      std::vector<GstBuffer *> inputs;
      for (unsigned seed = 1; seed <= 6; seed++)
        inputs.push_back(bench.buffer(seed));
      unsigned seed = 1;
      for (; seed <= 2; seed++)
        fail_unless_equals_int(bench.push(inputs[seed - 1]), GST_FLOW_OK);
      fakecuda_fail(function, nth, kLaunchFailure);
      bool refused = false;
      for (; seed <= 6; seed++) {
        if (refused)
          gst_buffer_unref(inputs[seed - 1]);
        else
          refused = bench.push(inputs[seed - 1]) != GST_FLOW_OK;
      }
      gst_harness_push_event(bench.harness(), gst_event_new_eos());
      const guint come = bench.received();
      fail_unless(bench.errors().size() == (come == 6 ? 0 : 1), "%d, %d: %u frames", function, nth,
                  come);
      bench.expect_pictures(kRgb, 1, come);
      fakecuda_reset_faults();
    }
}
GST_END_TEST

static Suite *encoder_jpeg_suite() {
  return j2k_suite("encoder-jpeg", [](TCase *tests) {
    add_sampled_loop_test(tests, same_bytes, G_N_ELEMENTS(kCases));
    tcase_add_test(tests, qualities_change);
    tcase_add_test(tests, properties_change);
    tcase_add_test(tests, limits_that_no_quality_meets);
    tcase_add_test(tests, no_memory_for_a_frame);
    tcase_add_test(tests, faults);
  });
}
SIMULATED_MAIN(encoder_jpeg)
