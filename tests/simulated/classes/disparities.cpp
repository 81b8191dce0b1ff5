// SPDX-License-Identifier: LGPL-2.1-or-later
// stereodisparity on the GPU: the bytes of the CPU, in every mix of memories.
#include "pair.h"
#include "stereo.h"

using namespace simulated;

namespace {

constexpr unsigned kFrames = 3;
const Size kSize{67, 14};

std::vector<StereoFrames> some_frames(const GstVideoInfo &info) {
  std::vector<StereoFrames> frames;
  for (guint32 seed = 1; seed <= kFrames; seed++)
    frames.emplace_back(info, seed, true);
  return frames;
}

void push(const StereoPair &pair, const StereoFrames &frames, GstCudaContext *context,
          const char *left, const char *right, const GstVideoInfo &info, unsigned n) {
  fail_unless_equals_int(pair.push(in_memory(frames.left.get(), context, left, info, n), "l"), 0);
  fail_unless_equals_int(pair.push(in_memory(frames.right.get(), context, right, info, n), "r"), 0);
}

void expect(const StereoPair &pair, const Bytes &expected, Size size, const std::string &what) {
  const test::BufferRef buffer(pair.pull());
  fail_unless(buffer != nullptr, "%s: a frame is missing", what.c_str());
  fail_unless(disparities_of(buffer.get(), size) == expected, "%s: not the CPU's bytes",
              what.c_str());
}

void done() {
  assert_clean();
  assert_nothing_lives();
}

}  // namespace

GST_START_TEST(every_memory) {
  GstCudaContext *context = new_context();
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_GRAY8, kSize.width, kSize.height);
  const auto frames = some_frames(info);
  for (const char *method : {"sad", "ncc", "census", "sgm"}) {
    const std::string properties = std::string("num-disparities=16 method=") + method;
    const std::vector<Bytes> expected = on_cpu(frames, info, properties);
    for (const char *left : {kSystem, kCuda})
      for (const char *right : {kSystem, kCuda})
        for (const char *out : {kSystem, kCuda}) {
          const std::string what = properties + ", left " + left + ", right " + right;
          StereoPair pair(stereo_caps(left, "GRAY8", kSize), stereo_caps(right, "GRAY8", kSize),
                          properties + " backend=cuda", any_size(out, "GRAY16_LE"));
          give_context(pair.d(), context);
          pair.start();
          for (unsigned n = 0; n < kFrames; n++)
            push(pair, frames[n], context, left, right, info, n);
          pair.end_all();
          for (unsigned n = 0; n < kFrames; n++)
            expect(pair, expected[n], kSize, what);
          pair.expect_end();
          fail_unless(active_backend(pair.d()) == "cuda");
          fail_unless_equals_uint64(stat(pair.d(), "frames"), kFrames);
          fail_unless_equals_uint64(stat(pair.d(), "uploads"),
                                    kFrames * ((left == kSystem) + (right == kSystem)));
          fail_unless_equals_uint64(stat(pair.d(), "downloads"), out == kSystem ? kFrames : 0);
        }
  }
  gst_object_unref(context);
}
GST_END_TEST

// Bytes and words, samples alone and among others, any size from 1.
GST_START_TEST(formats_and_sizes) {
  for (const char *format : {"GRAY16_LE", "I420", "UYVY", "AYUV", "P010_10LE", "I420_12LE", "BGRA",
                             "GBR", "GBR_10LE", "v210"})
    for (const Size size : {Size{1, 1}, {3, 1}, {2, 5}, {67, 14}}) {
      const GstVideoInfo info =
          video_info(gst_video_format_from_string(format), size.width, size.height);
      const auto frames = some_frames(info);
      const std::vector<Bytes> expected = on_cpu(frames, info, "num-disparities=16");
      StereoPair pair(stereo_caps(kSystem, format, size), stereo_caps(kSystem, format, size),
                      "num-disparities=16 backend=cuda");
      pair.start();
      for (unsigned n = 0; n < kFrames; n++) {
        push(pair, frames[n], nullptr, kSystem, kSystem, info, n);
        expect(pair, expected[n], size, format);
      }
    }
}
GST_END_TEST

// Maps are on the GPU, where they are uploaded once.
GST_START_TEST(rectified) {
  GstCudaContext *context = new_context();
  Calibration calibration;
  calibration.distortion[0] = {-0.3, 0.1, 0.001, -0.002, 0.05};
  calibration.matrix[1][2] += 1.5;
  const CalibrationFile file(calibration);
  const std::string properties = "num-disparities=16" + file.property();
  for (const char *format : {"GRAY8", "P010_10LE", "BGRx"})
    for (const Size size : {kSize, Size{1, 1}})
      for (const char *memory : {kSystem, kCuda}) {
        const GstVideoInfo info =
            video_info(gst_video_format_from_string(format), size.width, size.height);
        const auto frames = some_frames(info);
        const std::vector<Bytes> expected = on_cpu(frames, info, properties);
        const std::string caps = stereo_caps(memory, format, size);
        StereoPair pair(caps, caps, properties + "backend=cuda", any_size(memory, "GRAY16_LE"));
        // Also when it starts anew.
        for (unsigned turn = 0; turn < 2; turn++) {
          give_context(pair.d(), context);
          pair.start();
          for (unsigned n = 0; n < kFrames; n++)
            push(pair, frames[n], context, memory, memory, info, n);
          pair.end_all();
          for (unsigned n = 0; n < kFrames; n++)
            expect(pair, expected[n], size, format);
          pair.expect_end();
          fail_unless_equals_uint64(stat(pair.d(), "uploads"),
                                    (turn + 1) * (1 + (memory == kSystem ? 2 * kFrames : 0)));
          pair.stop();
        }
        fail_unless(pair.errors().empty());
      }
  gst_object_unref(context);
}
GST_END_TEST

// Settings that need more scratch memory, and less, while frames are in flight.
GST_START_TEST(settings_change) {
  GstCudaContext *context = new_context();
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_GRAY8, kSize.width, kSize.height);
  const auto frames = some_frames(info);
  const struct {
    const char *method, *candidates;
  } turns[] = {{"sad", "16"},    {"sgm", "16"},  {"sgm", "128"},
               {"census", "64"}, {"sgm", "256"}, {"ncc", "32"}};
  std::vector<Bytes> expected;
  StereoPair pair(stereo_caps(kCuda, "GRAY8", kSize), stereo_caps(kCuda, "GRAY8", kSize),
                  "backend=cuda", any_size(kCuda, "GRAY16_LE"));
  give_context(pair.d(), context);
  pair.start();
  unsigned n = 0;
  std::vector<test::BufferRef> all;
  for (const auto &turn : turns) {
    const std::string properties =
        std::string("method=") + turn.method + " num-disparities=" + turn.candidates;
    for (Bytes &each : on_cpu(frames, info, properties))
      expected.push_back(std::move(each));
    gst_util_set_object_arg(G_OBJECT(pair.d()), "method", turn.method);
    gst_util_set_object_arg(G_OBJECT(pair.d()), "num-disparities", turn.candidates);
    for (const StereoFrames &each : frames) {
      push(pair, each, context, kCuda, kCuda, info, n++);
      all.emplace_back(pair.pull());
    }
  }
  pair.end_all();
  pair.expect_end();
  for (std::size_t i = 0; i < all.size(); i++)
    fail_unless(all[i] != nullptr && disparities_of(all[i].get(), kSize) == expected[i],
                "frame %zu", i);
  gst_object_unref(context);
}
GST_END_TEST

// Depths and colours, which change while frames are in flight.
GST_START_TEST(outputs) {
  GstCudaContext *context = new_context();
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_GRAY8, kSize.width, kSize.height);
  const auto frames = some_frames(info);
  const std::string properties = "num-disparities=16 focal-length=300 baseline=70 output=";
  const struct {
    const char *output, *format;
  } turns[] = {{"disparity", "GRAY16_LE"}, {"turbo", "BGR"},           {"viridis", "BGR"},
               {"depth", "GRAY16_LE"},     {"disparity", "GRAY16_LE"}, {"viridis", "BGR"}};
  for (const char *out : {kSystem, kCuda}) {
    StereoPair pair(stereo_caps(kCuda, "GRAY8", kSize), stereo_caps(kSystem, "GRAY8", kSize),
                    properties + "disparity backend=cuda", any_size(out, "{ GRAY16_LE, BGR }"));
    give_context(pair.d(), context);
    pair.start();
    std::vector<test::BufferRef> all;
    unsigned n = 0;
    for (const auto &turn : turns) {
      gst_util_set_object_arg(G_OBJECT(pair.d()), "output", turn.output);
      for (const StereoFrames &each : frames) {
        push(pair, each, context, kCuda, kSystem, info, n++);
        all.emplace_back(pair.pull());
      }
    }
    pair.end_all();
    pair.expect_end();
    std::size_t i = 0;
    for (const auto &turn : turns)
      for (const Bytes &expected : on_cpu(frames, info, properties + turn.output, turn.format)) {
        fail_unless(all[i] != nullptr, "%s: a frame is missing", turn.output);
        fail_unless(disparities_of(all[i].get(), kSize, turn.format) == expected, "%s, frame %zu",
                    turn.output, i);
        i++;
      }
  }
  gst_object_unref(context);
}
GST_END_TEST

// System memory goes to the GPU where candidates x pixels are many.
GST_START_TEST(heavy) {
  const struct {
    const char *properties;
    Size size;
    const char *backend;
  } cases[] = {{"num-disparities=16", {64, 48}, "cpu"},
               {"num-disparities=16", {640, 480}, "cuda"},
               {"num-disparities=16 method=sad", {640, 480}, "cpu"},
               {"num-disparities=64 method=sad", {640, 480}, "cuda"}};
  for (const auto &c : cases) {
    const std::string caps = stereo_caps(kSystem, "GRAY8", c.size);
    StereoPair pair(caps, caps, c.properties);
    pair.start();
    const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_GRAY8, c.size.width, c.size.height);
    for (const char *source : {"l", "r"})
      pair.push(timed(plain_frame(info, {}, 1), 0), source);
    pair.wait_until([&] { return active_backend(pair.d()) != "none"; }, "a back end");
    fail_unless(active_backend(pair.d()) == c.backend, "%s", c.properties);
    pair.end_all();
    const test::BufferRef buffer(pair.pull());
    fail_unless(buffer != nullptr);
  }
}
GST_END_TEST

GST_START_TEST(steady) {
  const CalibrationFile file((Calibration()));
  GstCudaContext *context = new_context();
  const std::string in = stereo_caps(kCuda, "GRAY8", {37, 11});
  StereoPair pair(in, in, "num-disparities=16" + file.property(), any_size(kCuda, "GRAY16_LE"));
  check_steady(pair, context, in, [&](unsigned) {
    const test::BufferRef buffer(pair.pull());
    fail_unless(buffer != nullptr);
  });
  gst_object_unref(context);
}
GST_END_TEST

static Suite *disparities_suite() {
  register_elements();
  Suite *suite = suite_create("disparities");
  TCase *tests = new_case(suite, "disparities");
  tcase_add_checked_fixture(tests, nullptr, done);
  tcase_add_test(tests, every_memory);
  tcase_add_test(tests, formats_and_sizes);
  tcase_add_test(tests, rectified);
  tcase_add_test(tests, settings_change);
  tcase_add_test(tests, outputs);
  tcase_add_test(tests, heavy);
  tcase_add_test(tests, steady);
  return suite;
}
SIMULATED_MAIN(disparities)
