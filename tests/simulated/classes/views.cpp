// SPDX-License-Identifier: LGPL-2.1-or-later
// multiview on the GPU: the bytes of the CPU, in every mix of memories.
#include "gpu_views.h"

using namespace simulated;

namespace {

constexpr unsigned kFrames = 3;
const Size kSize{37, 14};

std::vector<ViewFrames> some_frames(const char *format, Size size, int views) {
  const GstVideoInfo info =
      video_info(gst_video_format_from_string(format), size.width, size.height);
  std::vector<ViewFrames> frames;
  for (guint32 seed = 1; seed <= kFrames; seed++)
    frames.push_back(test::scene_frames(info, views, seed));
  return frames;
}

void expect(const Views &views, const Bytes &expected, const std::string &what) {
  test::CapsRef caps;
  const test::BufferRef buffer(views.pull("sink", &caps));
  fail_unless(buffer != nullptr, "%s: a frame is missing", what.c_str());
  fail_unless(bytes_out(buffer.get(), caps.get()) == expected, "%s: not the CPU's bytes",
              what.c_str());
}

void done() {
  assert_clean();
  assert_nothing_lives();
}

}  // namespace

GST_START_TEST(every_memory) {
  GstCudaContext *context = new_context();
  const auto frames = some_frames("GRAY8", kSize, 3);
  for (const char *method : {"method=sad", "method=ncc"}) {
    const std::vector<Bytes> expected = views_on_cpu(frames, "GRAY8", kSize, method);
    for (int mix = 0; mix < 16; mix++) {
      const auto memory = [mix](int bit) { return (mix >> bit & 1) != 0 ? kCuda : kSystem; };
      const std::vector<const char *> in = {memory(0), memory(1), memory(2)};
      const std::string what = method + std::string(", mix ") + std::to_string(mix);
      GpuViews views(in, "GRAY8", kSize, method + std::string(" backend=cuda"), memory(3),
                     "GRAY16_LE");
      give_context(views.d(), context);
      views.start();
      for (unsigned n = 0; n < kFrames; n++)
        views.push_all(frames[n], context, n);
      views.end_all();
      for (unsigned n = 0; n < kFrames; n++)
        expect(views, expected[n], what);
      views.expect_end();
      fail_unless(active_backend(views.d()) == "cuda");
      fail_unless_equals_uint64(
          stat(views.d(), "uploads"),
          kFrames * static_cast<guint64>(std::count(in.begin(), in.end(), kSystem)));
      fail_unless_equals_uint64(stat(views.d(), "downloads"), memory(3) == kSystem ? kFrames : 0);
    }
  }
  gst_object_unref(context);
}
GST_END_TEST

// Bytes and words, samples alone and among others, colours by their grey, any size from 1.
GST_START_TEST(formats_and_sizes) {
  for (const char *format :
       {"GRAY16_LE", "I420", "UYVY", "P010_10LE", "BGRA", "GBR", "GBR_10LE", "v210"})
    for (const Size size : {Size{1, 1}, {2, 5}, kSize})
      for (int count : {2, 5}) {
        const auto frames = some_frames(format, size, count);
        const std::vector<Bytes> expected = views_on_cpu(frames, format, size, "");
        GpuViews views(std::vector<const char *>(static_cast<std::size_t>(count), kSystem), format,
                       size, "backend=cuda", kSystem, "GRAY16_LE");
        views.start();
        for (unsigned n = 0; n < kFrames; n++) {
          views.push_views(frames[n], n);
          expect(views, expected[n], format);
        }
      }
}
GST_END_TEST

// Outputs and settings, which change while frames are in flight.
GST_START_TEST(changes) {
  GstCudaContext *context = new_context();
  const auto frames = some_frames("GRAY8", kSize, 3);
  const struct {
    const char *name, *value, *all;
  } turns[] = {{"output", "depth", "output=depth"},
               {"output", "depth-confidence", "output=depth-confidence"},
               {"output", "turbo", "output=turbo"},
               {"output", "confidence", "output=confidence"},
               {"output", "float", "output=float"},
               {"num-depths", "200", "output=float num-depths=200"},
               {"reference", "2", "output=float num-depths=200 reference=2"},
               {"output", "viridis", "output=viridis num-depths=200 reference=2"},
               {"output", "depth", "output=depth num-depths=200 reference=2"}};
  for (const char *out : {kSystem, kCuda}) {
    GpuViews views({kCuda, kSystem, kCuda}, "GRAY8", kSize, "backend=cuda", out,
                   "{ GRAY16_LE, GRAY8, BGRx }");
    give_context(views.d(), context);
    views.start();
    std::vector<std::pair<test::CapsRef, test::BufferRef>> all;
    unsigned n = 0;
    for (const auto &turn : turns) {
      gst_util_set_object_arg(G_OBJECT(views.d()), turn.name, turn.value);
      for (const ViewFrames &each : frames) {
        views.push_all(each, context, n++);
        test::CapsRef caps;
        test::BufferRef buffer(views.pull("sink", &caps));
        all.emplace_back(std::move(caps), std::move(buffer));
      }
    }
    views.end_all();
    views.expect_end();
    std::size_t i = 0;
    for (const auto &turn : turns)
      for (const Bytes &expected : views_on_cpu(frames, "GRAY8", kSize, turn.all)) {
        const auto &[caps, buffer] = all[i++];
        fail_unless(buffer != nullptr, "%s: a frame is missing", turn.all);
        fail_unless(bytes_out(buffer.get(), caps.get()) == expected, "%s, frame %zu", turn.all,
                    i - 1);
      }
  }
  gst_object_unref(context);
}
GST_END_TEST

// System memory goes to the GPU where candidates x neighbours x pixels are many.
GST_START_TEST(heavy) {
  const struct {
    int count, depths;
    const char *backend;
  } cases[] = {{2, 16, "cpu"}, {2, 64, "cuda"}, {5, 16, "cuda"}};
  const Size size{640, 480};
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_GRAY8, size.width, size.height);
  for (const auto &c : cases) {
    GpuViews views(std::vector<const char *>(static_cast<std::size_t>(c.count), kSystem), "GRAY8",
                   size, "num-depths=" + std::to_string(c.depths), kSystem, "GRAY16_LE");
    views.start();
    for (int i = 0; i < c.count; i++)
      views.push_view(i, plain_frame(info, {}, 1), 0);
    views.wait_until([&] { return active_backend(views.d()) != "none"; }, "a back end");
    fail_unless(active_backend(views.d()) == c.backend, "%d views", c.count);
    views.end_all();
    const test::BufferRef buffer(views.pull());
    fail_unless(buffer != nullptr);
  }
}
GST_END_TEST

GST_START_TEST(steady) {
  GstCudaContext *context = new_context();
  GpuViews views({kCuda, kCuda, kCuda}, "GRAY8", {37, 11}, "output=depth-confidence", kCuda,
                 "GRAY16_LE");
  check_steady(views, context, stereo_caps(kCuda, "GRAY8", {37, 11}), [&](unsigned) {
    const test::BufferRef buffer(views.pull());
    fail_unless(buffer != nullptr);
  });
  gst_object_unref(context);
}
GST_END_TEST

static Suite *views_suite() {
  register_elements();
  Suite *suite = suite_create("views");
  TCase *tests = new_case(suite, "views");
  tcase_add_checked_fixture(tests, nullptr, done);
  tcase_add_test(tests, every_memory);
  tcase_add_test(tests, formats_and_sizes);
  tcase_add_test(tests, changes);
  tcase_add_test(tests, heavy);
  tcase_add_test(tests, steady);
  return suite;
}
SIMULATED_MAIN(views)
