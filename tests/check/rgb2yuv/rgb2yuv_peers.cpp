// SPDX-License-Identifier: LGPL-2.1-or-later
// rgb2yuv beside GStreamer's own elements: the pictures of videoconvert, and pipelines with
// whatever encoders and converters are installed.
#include <algorithm>
#include <cstdlib>

#include "../../support/elements/pipeline.h"
#include "../negotiation.h"
#include "rgb2yuv_cases.h"
#include "rgb2yuv_reference.h"

namespace test {
namespace {

guint8 &byte_of(const GstVideoFrame &frame, int component, int x, int y) {
  return static_cast<guint8 *>(GST_VIDEO_FRAME_COMP_DATA(
      &frame, component))[y * GST_VIDEO_FRAME_COMP_STRIDE(&frame, component) +
                          x * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, component)];
}

// The mean difference of luma and chroma. Not of alpha: videoconvert 1.22 takes the x of RGBx for
// it.
double difference(GstBuffer *one, GstBuffer *other, const GstVideoInfo &info) {
  GstVideoFrame a, b;
  fail_unless(gst_video_frame_map(&a, &info, one, GST_MAP_READ));
  fail_unless(gst_video_frame_map(&b, &info, other, GST_MAP_READ));
  double sum = 0;
  int samples = 0;
  for (int c = 0; c < std::min(3, static_cast<int>(GST_VIDEO_INFO_N_COMPONENTS(&info))); c++)
    for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&a, c); y++)
      for (int x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH(&a, c); x++, samples++)
        sum += std::abs(byte_of(a, c, x, y) - byte_of(b, c, x, y));
  gst_video_frame_unmap(&a);
  gst_video_frame_unmap(&b);
  return sum / samples;
}

// A photograph would do; this is what a test has: smooth, with some edges.
GstBuffer *picture(const GstVideoInfo &info) {
  GstBuffer *buffer = random_frame(info, {}, 1);
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &info, buffer, GST_MAP_WRITE));
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < info.height; y++)
      for (int x = 0; x < info.width; x++)
        byte_of(frame, c, x, y) =
            static_cast<guint8>((x * (c + 1) + y * (3 - c)) / 3 + (x / 20 + y / 15) % 3 * 60);
  gst_video_frame_unmap(&frame);
  return buffer;
}

void compare(const std::string &in_caps, const std::string &downstream) {
  Harness ours("rgb2yuv"), theirs("videoconvert");
  start_rgb2yuv(ours, in_caps, downstream);
  const CapsRef negotiated = ours.output_caps();
  theirs.accept(text_of(negotiated.get()));
  fail_unless(theirs.set_input(in_caps));
  const BufferRef in(picture(video_info(in_caps)));
  fail_unless_equals_int(ours.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
  fail_unless_equals_int(theirs.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
  const double mean = difference(ours.pull().get(), theirs.pull().get(), ours.output_info());
  fail_unless(mean < 1, "%s to %s: a mean difference of %.2f", in_caps.c_str(),
              text_of(negotiated.get()).c_str(), mean);
}

GST_START_TEST(as_videoconvert) {
  for (const char *yuv : kYuvFormats)
    for (const char *colours : {"", ", colorimetry=bt601", ", colorimetry=bt709",
                                ", colorimetry=bt2020", ", colorimetry=(string)1:4:0:0"})
      compare(video_caps(kRgbFormats[__i__], {128, 66}),
              std::string("video/x-raw, format=") + yuv + colours);
}
GST_END_TEST;

// (It does not filter down the columns where chroma is cosited there, or the picture interlaced.)
GST_START_TEST(as_videoconvert_by_site) {
  for (const char *yuv : {"NV12", "I420", "Y42B", "YUY2"})
    for (const char *site : {"jpeg", "mpeg2", "cosited", "v-cosited", "dv"})
      for (const char *mode : {"progressive", "interleaved"})
        compare(video_caps("RGB", {128, 68}, std::string("interlace-mode=") + mode),
                std::string("video/x-raw, format=") + yuv + ", chroma-site=" + site);
}
GST_END_TEST;

struct Line {
  const char *needs;       // an element that may be missing
  const char *downstream;  // gst-launch syntax, up to a sink
  const char *format;      // what is chosen for it
  const char *colorimetry = "2:4:7:1";
};

const Line kLines[] = {
    {"pngenc", "pngenc", "GRAY8", "1:4:7:1"},
    {"jpegenc", "jpegenc", "Y444"},
    {"y4menc", "y4menc", "Y444"},
    {"theoraenc", "theoraenc", "Y444"},
    {"vp8enc", "vp8enc deadline=1", "I420"},
    {"vp9enc", "vp9enc deadline=1 cpu-used=8", "Y444"},
    {"openjpegenc", "openjpegenc", "Y444"},
    {"x264enc", "x264enc", "Y444"},
    {"videoconvert", "videoconvert ! video/x-raw, format=BGR", "Y444"},
    {"videoscale", "videoscale ! video/x-raw, width=32", "Y444"},
    {"deinterlace", "deinterlace", "Y444"},
    {"uyvy2y", "uyvy2y", "YUY2"},
    {"uyvy2y", "uyvy2y ! video/x-raw, colorimetry=(string)1:4:0:0", "YUY2", "1:4:0:0"},
    {"vp8enc", "video/x-raw, colorimetry=bt709 ! vp8enc deadline=1", "I420", "bt709"},
    {"pngenc", "video/x-raw, colorimetry=(string)1:4:0:0 ! pngenc", "GRAY8", "1:4:0:0"},
    {"identity", "identity ! video/x-raw, format={ NV21, YUY2 }, chroma-site=cosited ! queue",
     "NV21"},
    {"pngenc", "tee name=t ! queue ! jpegenc ! fakesink async=false  t. ! queue ! pngenc", "GRAY8",
     "1:4:7:1"},
    {"theoraenc", "tee name=t ! queue ! vp8enc ! fakesink async=false  t. ! queue ! theoraenc",
     "I420"},
};

// They get what they can take, without a word said about it.
GST_START_TEST(pipelines) {
  const Line &line = kLines[__i__];
  if (skip_without({line.needs})) return;
  Pipeline pipeline(
      std::string("videotestsrc num-buffers=2 ! video/x-raw, format=BGRx, width=64, height=48, "
                  "framerate=25/1 ! rgb2yuv name=subject ! ") +
      line.downstream + " ! fakesink name=sink async=false");
  const Owned<GstPad> pad(gst_element_get_static_pad(pipeline.element("subject"), "src"));
  CapsRef caps;
  pipeline.on_buffer = [&](GstBuffer *, GstPad *) { caps = current_caps(pad.get()); };
  pipeline.set_state(GST_STATE_PLAYING);
  pipeline.wait_for_eos();
  pipeline.set_state(GST_STATE_NULL);
  fail_unless(caps != nullptr, "%s: nothing came out", line.downstream);
  expect_field(caps, "format", line.format);
  expect_field(caps, "colorimetry", line.colorimetry);
}
GST_END_TEST;

std::vector<std::string> elements;  // of the command line

}  // namespace

void add_peer_cases(Suite *suite) {
  TCase *peers = new_case(suite, "peers");
  if (elements.empty()) {
    tcase_add_loop_test(peers, as_videoconvert, 0, G_N_ELEMENTS(kRgbFormats));
    tcase_add_test(peers, as_videoconvert_by_site);
  }
  for (int i = 0; i < static_cast<int>(std::size(kLines)); i++)
    if (std::find(elements.begin(), elements.end(), kLines[i].needs) != elements.end())
      tcase_add_loop_test(peers, pipelines, i, i + 1);
}

}  // namespace test

// check-rgb2yuv-peers [ELEMENT...]: pipelines with these elements, or, without any, the pictures.
int main(int argc, char **argv) {
  test::elements.assign(argv + 1, argv + argc);
  argc = 1;
  return test::run(&argc, &argv, "rgb2yuv-peers", test::add_peer_cases);
}
