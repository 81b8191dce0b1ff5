// SPDX-License-Identifier: LGPL-2.1-or-later
// The plugin as it ships, on a real GPU.
#include "gpu_support.h"

using namespace gpu_test;

namespace {

struct Case {
  const char *in, *out;
  int width, height;
  bool in_cuda, out_cuda;
};

const struct {
  const char *name;
  int first_luma;
} kIn[] = {{"UYVY", 1}, {"VYUY", 1}, {"YUY2", 0}, {"YVYU", 0}};
const char *kOut[] = {"GRAY8", "NV12", "I420"};
const int kSizes[][2] = {{1, 1}, {3, 1}, {1, 3}, {2, 2}, {33, 17}, {640, 357}, {1921, 1079}};

int first_luma(const char *format) {
  for (const auto &in : kIn)
    if (g_str_equal(in.name, format)) return in.first_luma;
  g_assert_not_reached();
}

// The luma of a packed picture, and chroma that is neutral.
void check_output(GstBuffer *buffer, const Case &c, const Bytes &packed) {
  const gsize row = packed.size() / gsize(c.height);
  const std::string wrong = wrong_bytes(
      buffer, video_info(caps_text(c.out, c.width, c.height, false)), GST_MAP_READ,
      [&](int plane, int x, int y) -> guint8 {
        return plane > 0 ? 128 : packed[gsize(y) * row + gsize(2 * x + first_luma(c.in))];
      });
  fail_unless(wrong.empty(), "%s to %s, %dx%d: %s", c.in, c.out, c.width, c.height, wrong.c_str());
}

// All frames are pushed before the first is looked at, so that their work is in flight together.
void run_case(const Case &c, int frames) {
  const std::string in = caps_text(c.in, c.width, c.height, c.in_cuda);
  GstHarness *h = harness("uyvy2y backend=cuda", in,
                          caps_text(c.out, c.width, c.height, c.out_cuda), Context::shared);
  const GstVideoInfo info = video_info(caps_text(c.in, c.width, c.height, false));
  const gsize bytes = gsize(row_bytes(info, 0)) * gsize(c.height);
  GstBufferPool *pool = proposed_pool(h);
  fail_unless(pool != nullptr);
  std::vector<Bytes> pictures;
  for (int i = 0; i < frames; i++) {
    // Now and then a frame in memory of upstream's own.
    GstBuffer *buffer = !c.in_cuda && i % 3 == 2 ? plain_frame(info, {}, 0) : acquire(pool);
    pictures.push_back(random_bytes(bytes, 1000 + unsigned(i)));
    write_picture(buffer, info, pictures.back());
    fail_unless_equals_int(gst_harness_push(h, buffer), GST_FLOW_OK);
  }
  GstElement *element = gst_harness_find_element(h, "uyvy2y");
  const guint64 waits_in_element = stat(element, "synchronizations");
  for (int i = 0; i < frames; i++) {
    const BufferRef buffer(gst_harness_pull(h));
    check_output(buffer.get(), c, pictures[gsize(i)]);
  }
  fail_unless_equals_uint64(stat(element, "frames"), frames);
  fail_unless_equals_uint64(stat(element, "uploads"), c.in_cuda ? 0 : frames);
  fail_unless_equals_uint64(stat(element, "downloads"), c.out_cuda ? 0 : frames);
  if (c.out_cuda) fail_unless_equals_uint64(waits_in_element, 0);
  drop_pool(pool);
  gst_object_unref(element);
  gst_harness_teardown(h);
}

}  // namespace

GST_START_TEST(formats_and_sizes) {
  for (const auto &in : kIn)
    for (const char *out : kOut)
      for (const auto &size : kSizes)
        run_case({in.name, out, size[0], size[1], true, true}, 2);
}
GST_END_TEST

GST_START_TEST(memory_combinations) {
  for (bool in_cuda : {false, true})
    for (bool out_cuda : {false, true})
      for (const char *out : kOut)
        run_case({"UYVY", out, 641, 359, in_cuda, out_cuda}, 12);
}
GST_END_TEST

GST_START_TEST(frames_in_flight) {
  run_case({"UYVY", "GRAY8", 3840, 2160, true, true}, 12);
}
GST_END_TEST

// The CPU and the GPU, one against the other, through whole pipelines and many state changes.
GST_START_TEST(state_changes) {
  Pipeline pipeline(
      "videotestsrc num-buffers=5 ! video/x-raw,format=YUY2,width=333,height=77 ! tee name=t "
      "t. ! queue ! uyvy2y backend=cuda name=g ! fakesink async=false "
      "t. ! queue ! uyvy2y backend=cpu ! fakesink async=false");
  for (int round = 1; round <= 20; round++) {
    pipeline.start();
    pipeline.wait_for_eos();
    pipeline.stop();
    fail_unless_equals_uint64(stat(pipeline.element("g"), "frames"), guint64(5 * round));
  }
}
GST_END_TEST

GST_START_TEST(missing_device) {
  const Owned<GstElement> element(
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("uyvy2y", nullptr))));
  g_object_set(element.get(), "cuda-device-id", 99, nullptr);
  const std::string error = start_error(element.get()).text;
  fail_unless(contains(error, "cuda-device-id=99"), "%s", error.c_str());
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_uyvy2y", [](TCase *tests) {
    tcase_add_test(tests, formats_and_sizes);
    tcase_add_test(tests, memory_combinations);
    tcase_add_test(tests, frames_in_flight);
    tcase_add_test(tests, state_changes);
    tcase_add_test(tests, missing_device);
  });
}
