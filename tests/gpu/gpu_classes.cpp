// SPDX-License-Identifier: LGPL-2.1-or-later
// The base classes of several frames and several inputs, by the elements of tests/elements, which
// are linked here with the plugin's objects, with kernels of their own.
#include "../elements/difference.h"
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

// The same of two streams, for an element on the class Aggregator.
struct Two {
  const char *element;
  const char *pads[2];
  std::string in[2], out;
};

std::vector<Bytes> pictures(const Two &two, const char *backend) {
  const Owned<GstElement> element(GST_ELEMENT(gst_object_ref_sink(
      gst_parse_launch((std::string(two.element) + " backend=" + backend).c_str(), nullptr))));
  share_context(element.get());
  GstHarness *inputs[2];
  GstBufferPool *pools[2];
  for (int i : {0, 1}) {
    inputs[i] = gst_harness_new_with_element(element.get(), two.pads[i], i == 0 ? "src" : nullptr);
    if (i == 0) gst_harness_set_sink_caps_str(inputs[i], two.out.c_str());
    gst_harness_set_src_caps_str(inputs[i], two.in[i].c_str());
  }
  for (int i : {0, 1})
    pools[i] = test::proposed_pool(inputs[i], two.in[i].c_str());
  for (unsigned picture = 0; picture < kFrames; picture++)
    for (unsigned i : {0u, 1u}) {
      GstBuffer *buffer = acquire(pools[i]);
      paint(buffer, video_info(two.in[i]), 2 * picture + i);
      GST_BUFFER_PTS(buffer) = picture * GST_SECOND / 25;
      GST_BUFFER_DURATION(buffer) = GST_SECOND / 25;
      fail_unless_equals_int(gst_harness_push(inputs[i], buffer), GST_FLOW_OK);
    }
  std::vector<Bytes> all;
  for (int n = 0; n < kFrames; n++) {
    const BufferRef buffer(gst_harness_pull(inputs[0]));
    fail_unless(buffer != nullptr, "%d pictures", n);
    const std::string caps = text_of(current_caps(inputs[0]->sinkpad).get());
    all.push_back(picture(buffer.get(), video_info(caps)));
  }
  for (int i : {1, 0}) {
    drop_pool(pools[i]);
    gst_harness_teardown(inputs[i]);
  }
  return all;
}

// Every mix of memories, beside the CPU.
void compare_mixes(const char *element, const char *first, const char *second,
                   const char *formats[2], const int size[2], const char *out_format) {
  const auto two = [&](bool a, bool b, bool out) {
    return Two{
        element,
        {first, second},
        {caps_text(formats[0], size[0], size[1], a), caps_text(formats[1], size[0], size[1], b)},
        std::string("video/x-raw") + (out ? "(memory:CUDAMemory)" : "") + ", format=" + out_format};
  };
  const auto expected = pictures(two(false, false, false), "cpu");
  for (bool a : {false, true})
    for (bool b : {false, true})
      for (bool out : {false, true})
        fail_unless(pictures(two(a, b, out), "cuda") == expected, "%s, %s, %dx%d, %d and %d to %d",
                    element, formats[0], size[0], size[1], a, b, out);
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

// Inputs on request.
GST_START_TEST(aggregator) {
  const int sizes[][2] = {{1, 1}, {37, 11}, {640, 357}, {1920, 1080}};
  for (const char *format : {"GRAY8", "I420"})
    for (const auto &size : sizes) {
      const char *formats[] = {format, format};
      compare_mixes("coalescedifference", "sink_0", "sink_1", formats, size, format);
    }
}
GST_END_TEST

// Named inputs of two formats, and an output of another size.
GST_START_TEST(aggregator_of_named_inputs) {
  const int sizes[][2] = {{1, 2}, {37, 11}, {1920, 1080}};
  for (const auto &size : sizes)
    for (const char *right : {"GRAY8", "I420"}) {
      const char *formats[] = {"GRAY8", right};
      compare_mixes("coalesceleftright", "left", "right", formats, size, "GRAY8");
    }
}
GST_END_TEST

// Inputs that other elements write, in their streams and in threads of their own.
GST_START_TEST(aggregator_behind_filters) {
  const GstVideoInfo info = video_info(caps_text("I420", 1920, 1080, false));
  for (const char *between : {" ! ", " ! queue ! "}) {
    std::vector<Bytes> expected;
    for (const char *backend : {"cpu", "cuda"}) {
      const bool cuda = *backend == 'c' && backend[1] == 'u';
      const auto branch = [&](const char *name, const char *preset, const char *pad) {
        return std::string("appsrc format=time name=") + name + " caps=\"" +
               caps_text("I420", 1920, 1080, false) + "\" ! convolve preset=" + preset +
               " backend=" + backend + between + (cuda ? "video/x-raw(memory:CUDAMemory) ! " : "") +
               "d." + pad + " ";
      };
      Pipeline line(branch("a", "sharpen", "sink_0") + branch("b", "sobel-x", "sink_1") +
                    "coalescedifference name=d backend=" + backend +
                    " ! appsink name=sink sync=false");
      line.start();
      for (unsigned n = 0; n < kFrames; n++)
        for (const char *name : {"a", "b"}) {
          GstBuffer *buffer = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr);
          paint(buffer, info, 2 * n + (*name == 'b' ? 1 : 0));
          GST_BUFFER_PTS(buffer) = n * GST_SECOND / 25;
          GST_BUFFER_DURATION(buffer) = GST_SECOND / 25;
          fail_unless_equals_int(line.push(buffer, name), GST_FLOW_OK);
        }
      line.end("a");
      line.end("b");
      std::vector<Bytes> all;
      while (GstBuffer *buffer = line.pull())
        all.push_back(picture(BufferRef(buffer).get(), info));
      fail_unless_equals_int(all.size(), kFrames);
      if (cuda)
        fail_unless(all == expected, "%s", between);
      else
        expected = std::move(all);
    }
  }
}
GST_END_TEST

int main(int argc, char **argv) {
  return gpu_test::run(&argc, &argv, "classes", [](TCase *tests) {
    gst_plugin_coalesce_register();
    gst_element_register(nullptr, "coalescefields", GST_RANK_NONE,
                         coalesce::testing::fields_get_type());
    gst_element_register(nullptr, "coalescedifference", GST_RANK_NONE,
                         coalesce::testing::difference_get_type());
    gst_element_register(nullptr, "coalesceleftright", GST_RANK_NONE,
                         coalesce::testing::left_right_get_type());
    tcase_add_test(tests, temporal);
    tcase_add_test(tests, temporal_behind_filters);
    tcase_add_test(tests, aggregator);
    tcase_add_test(tests, aggregator_of_named_inputs);
    tcase_add_test(tests, aggregator_behind_filters);
  });
}
