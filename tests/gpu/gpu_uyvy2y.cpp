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

std::size_t packed_row(int width) {
  return std::size_t(width + 1) / 2 * 4;
}

int first_luma(const char *format) {
  for (const auto &in : kIn)
    if (g_str_equal(in.name, format)) return in.first_luma;
  g_assert_not_reached();
}

std::vector<std::uint8_t> expected_luma(const std::vector<std::uint8_t> &packed, const Case &c) {
  std::vector<std::uint8_t> luma;
  for (int y = 0; y < c.height; y++)
    for (int x = 0; x < c.width; x++)
      luma.push_back(packed[y * packed_row(c.width) + 2 * x + first_luma(c.in)]);
  return luma;
}

void check_output(GstBuffer *buffer, const Case &c, const std::vector<std::uint8_t> &packed) {
  GstCaps *caps = gst_caps_from_string(caps_text(c.out, c.width, c.height, c.out_cuda).c_str());
  fail_unless(read_plane(buffer, caps, 0, c.width) == expected_luma(packed, c),
              "luma of %s to %s, %dx%d", c.in, c.out, c.width, c.height);
  GstVideoInfo info;
  gst_video_info_from_caps(&info, caps);
  for (guint p = 1; p < GST_VIDEO_INFO_N_PLANES(&info); p++) {
    const std::size_t row = std::size_t(c.width + 1) / 2 * GST_VIDEO_INFO_COMP_PSTRIDE(&info, p);
    for (std::uint8_t byte : read_plane(buffer, caps, p, row))
      fail_unless_equals_int(byte, 128);
  }
  gst_caps_unref(caps);
}

// All frames are pushed before the first is looked at, so that their work is in flight together.
void run_case(const Case &c, int frames) {
  const std::string in = caps_text(c.in, c.width, c.height, c.in_cuda);
  GstHarness *h =
      harness("uyvy2y backend=cuda", in, caps_text(c.out, c.width, c.height, c.out_cuda));
  GstCaps *in_caps = gst_caps_from_string(in.c_str());
  GstBufferPool *pool = proposed_pool(h);
  fail_unless(pool != nullptr);
  std::vector<std::vector<std::uint8_t>> pictures;
  for (int i = 0; i < frames; i++) {
    // Now and then a frame in memory of upstream's own.
    GstBuffer *buffer =
        !c.in_cuda && i % 3 == 2
            ? gst_buffer_new_allocate(nullptr, packed_row(c.width) * c.height, nullptr)
            : acquire(pool);
    pictures.push_back(random_bytes(packed_row(c.width) * c.height, 1000 + i));
    write_plane(buffer, in_caps, 0, pictures.back(), packed_row(c.width));
    fail_unless_equals_int(gst_harness_push(h, buffer), GST_FLOW_OK);
  }
  GstElement *element = gst_harness_find_element(h, "uyvy2y");
  const guint64 waits_in_element = statistic(element, "synchronizations");
  for (int i = 0; i < frames; i++) {
    GstBuffer *buffer = gst_harness_pull(h);
    check_output(buffer, c, pictures[i]);
    gst_buffer_unref(buffer);
  }
  fail_unless_equals_uint64(statistic(element, "frames"), frames);
  fail_unless_equals_uint64(statistic(element, "uploads"), c.in_cuda ? 0 : frames);
  fail_unless_equals_uint64(statistic(element, "downloads"), c.out_cuda ? 0 : frames);
  if (c.out_cuda) fail_unless_equals_uint64(waits_in_element, 0);
  drop_pool(pool);
  gst_object_unref(element);
  gst_caps_unref(in_caps);
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
  GstElement *pipeline = gst_parse_launch(
      "videotestsrc num-buffers=5 ! video/x-raw,format=YUY2,width=333,height=77 ! tee name=t "
      "t. ! queue ! uyvy2y backend=cuda name=g ! fakesink async=false "
      "t. ! queue ! uyvy2y backend=cpu ! fakesink async=false",
      nullptr);
  GstElement *gpu = gst_bin_get_by_name(GST_BIN(pipeline), "g");
  GstBus *bus = gst_element_get_bus(pipeline);
  for (int round = 1; round <= 20; round++) {
    fail_if(gst_element_set_state(pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE);
    GstMessage *message = gst_bus_timed_pop_filtered(
        bus, 20 * GST_SECOND, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
    fail_unless(message != nullptr && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS);
    gst_message_unref(message);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    fail_unless_equals_uint64(statistic(gpu, "frames"), guint64(5 * round));
  }
  gst_object_unref(bus);
  gst_object_unref(gpu);
  gst_object_unref(pipeline);
}
GST_END_TEST

GST_START_TEST(missing_device) {
  GstElement *element = gst_element_factory_make("uyvy2y", nullptr);
  GstBus *bus = gst_bus_new();
  gst_element_set_bus(element, bus);
  g_object_set(element, "cuda-device-id", 99, nullptr);
  fail_unless_equals_int(gst_element_set_state(element, GST_STATE_PAUSED),
                         GST_STATE_CHANGE_FAILURE);
  GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
  fail_unless(message != nullptr);
  GError *error = nullptr;
  gst_message_parse_error(message, &error, nullptr);
  fail_unless(strstr(error->message, "cuda-device-id=99") != nullptr, "%s", error->message);
  g_error_free(error);
  gst_message_unref(message);
  gst_element_set_state(element, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(element);
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
