// SPDX-License-Identifier: LGPL-2.1-or-later
// The base classes that no element of ours stands on yet, by the elements of tests/elements, which
// are linked here with the plugin's objects, with kernels of their own.
#include "../elements/fields.h"
#include "gpu_support.h"

using namespace gpu_test;

extern "C" void gst_plugin_coalesce_register();

namespace {

constexpr int kFrames = 40;

std::string gray(int width, int height, bool cuda) {
  return caps_text("GRAY8", width, height, cuda) + ", interlace-mode=interleaved";
}

std::string any_gray(bool cuda) {
  return std::string("video/x-raw") + (cuda ? "(memory:CUDAMemory)" : "") + ", format=GRAY8";
}

// All pictures of a stream that is pushed whole, so that its work is in flight together.
std::vector<Bytes> pictures(const std::string &element, const std::string &in,
                            const std::string &out) {
  GstHarness *h = harness(element.c_str(), in, out, Context::shared);
  GstBufferPool *pool = proposed_pool(h);
  const GstVideoInfo info = video_info(in);
  for (unsigned picture = 0; picture < kFrames; picture++) {
    GstBuffer *buffer = acquire(pool);
    paint(buffer, info, picture);
    GST_BUFFER_PTS(buffer) = picture * GST_SECOND / 25;
    GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
    if (picture % 3 != 0) GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_TFF);
    fail_unless_equals_int(gst_harness_push(h, buffer), GST_FLOW_OK);
  }
  fail_unless(gst_harness_push_event(h, gst_event_new_eos()));
  std::vector<Bytes> all;
  for (int i = 0; i < 2 * kFrames; i++) {
    GstBuffer *buffer = gst_harness_pull(h);
    fail_unless(buffer != nullptr, "%d pictures", i);
    const CapsRef caps = current_caps(h->sinkpad);
    GstVideoInfo out_info;
    fail_unless(gst_video_info_from_caps(&out_info, caps.get()));
    all.push_back(picture(buffer, out_info));
    gst_buffer_unref(buffer);
  }
  drop_pool(pool);
  gst_harness_teardown(h);
  return all;
}

}  // namespace

GST_START_TEST(temporal) {
  const int sizes[][2] = {{1, 2}, {37, 11}, {640, 357}, {1920, 1080}};
  for (const auto &size : sizes) {
    const auto expected =
        pictures("coalescefields backend=cpu", gray(size[0], size[1], false), any_gray(false));
    for (bool in_cuda : {false, true})
      for (bool out_cuda : {false, true})
        fail_unless(pictures("coalescefields backend=cuda", gray(size[0], size[1], in_cuda),
                             any_gray(out_cuda)) == expected,
                    "%dx%d, %d to %d", size[0], size[1], in_cuda, out_cuda);
  }
}
GST_END_TEST

// Frames that another element writes, in its streams and in another thread.
GST_START_TEST(temporal_behind_filters) {
  const std::string filter = "convolve preset=sharpen backend=";
  for (const char *between : {" ! ", " ! queue ! "}) {
    const auto line = [&](const char *backend) {
      return filter + backend + between + "coalescefields backend=" + backend;
    };
    const auto expected = pictures(line("cpu"), gray(1920, 1080, false), any_gray(false));
    fail_unless(pictures(line("cuda"), gray(1920, 1080, true), any_gray(true)) == expected, "%s",
                between);
  }
}
GST_END_TEST

int main(int argc, char **argv) {
  return gpu_test::run(&argc, &argv, "classes", [](TCase *tests) {
    gst_plugin_coalesce_register();
    gst_element_register(nullptr, "coalescefields", GST_RANK_NONE,
                         coalesce::testing::fields_get_type());
    tcase_add_test(tests, temporal);
    tcase_add_test(tests, temporal_behind_filters);
  });
}
