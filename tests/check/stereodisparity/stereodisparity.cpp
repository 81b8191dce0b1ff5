// SPDX-License-Identifier: LGPL-2.1-or-later
// stereodisparity beside the kernel library: the bytes of every format and method; caps, ends and
// partners of its pads.
#include <cstring>
#include <iterator>

#include "picture/formats.h"
#include "stereo_cases.h"

namespace test {
namespace {

using coalesce::StereoMethod;
using coalesce::StereoParams;

const Size kSize{75, 18};

coalesce::ConstImage image_of(const GstVideoFrame &frame) {
  coalesce::ConstImage image;
  image.format = coalesce::pixel_format(GST_VIDEO_INFO_NAME(&frame.info));
  image.width = GST_VIDEO_FRAME_WIDTH(&frame);
  image.height = GST_VIDEO_FRAME_HEIGHT(&frame);
  for (int p = 0; p < image.format.planes; p++)
    image.plane[p] = {static_cast<const guint8 *>(frame.data[p]),
                      static_cast<int>(coalesce::row_bytes(image.format, p, image.width)),
                      coalesce::plane_rows(image.format, p, image.height),
                      static_cast<std::size_t>(frame.info.stride[p])};
  return image;
}

// Those that the library looks at, or the others.
std::vector<std::string> formats(bool looked_at = true) {
  std::vector<std::string> names;
  for (const coalesce::NamedFormat &each : coalesce::named_formats())
    if (coalesce::stereo_takes(each.format) == looked_at &&
        gst_video_format_from_string(each.name) != GST_VIDEO_FORMAT_UNKNOWN)
      names.emplace_back(each.name);
  return names;
}

int n_formats(bool looked_at = true) {
  return static_cast<int>(formats(looked_at).size());
}

constexpr struct {
  StereoMethod method;
  const char *name;
} kMethods[] = {{StereoMethod::sad, "sad"},
                {StereoMethod::ncc, "ncc"},
                {StereoMethod::census, "census"},
                {StereoMethod::sgm, "sgm"}};

// Every method, with few candidates; `turn` selects the first one.
void check_size(const std::string &format, Size size, int turn, bool all) {
  const std::string caps = video_caps(format, size);
  const GstVideoInfo info = video_info(caps);
  for (int i = 0; i < (all ? 4 : 1); i++) {
    const auto &method = kMethods[(turn + i) % 4];
    StereoPair pair(caps, caps,
                    std::string("num-disparities=16 window-size=5 method=") + method.name);
    StereoParams params;
    params.method = method.method, params.disparities = 16, params.window = 5;
    pair.start();
    for (unsigned n = 0; n < 2; n++) {
      const StereoFrames frames(info, n + 1);
      pair.push_frames(frames, n);
      expect_disparities(pair, frames, info, params, n);
    }
  }
}

GST_START_TEST(every_format) {
  const std::string format = formats()[static_cast<gsize>(__i__)];
  check_size(format, kSize, 0, true);
  int turn = __i__;
  for (const Size size : {Size{1, 1}, Size{3, 1}, Size{2, 5}, Size{131, 7}})
    check_size(format, size, turn++, false);
}
GST_END_TEST;

// Formats of colours have the disparities of what the project's converters make of them in front.
GST_START_TEST(every_other_format) {
  const std::string format = formats(false)[static_cast<gsize>(__i__)];
  const coalesce::PixelFormat pixels = coalesce::pixel_format(format);
  const bool rgb = pixels.has(coalesce::Role::r), wide = pixels.component[0].bits > 8;
  const std::string front =
      rgb ? std::string(" ! rgb2yuv ! video/x-raw,format=") + (wide ? "GRAY16_LE" : "GRAY8")
          : " ! yuv2yuv ! video/x-raw,format=Y444_10LE";
  fail_unless(rgb || pixels.component[0].bits == 10);
  for (const char *colours : {"", rgb ? "colorimetry=2:1:7:1" : "colorimetry=1:3:5:1"})
    for (const char *method : {"sad", "sgm"})
      for (const Size size : {kSize, Size{1, 1}}) {
        const std::string caps = video_caps(format, size, colours);
        const GstVideoInfo info = video_info(caps);
        const std::string properties = std::string("num-disparities=16 method=") + method;
        StereoPair direct(caps, caps, properties), converted(caps, caps, properties, "ANY", front);
        direct.start();
        converted.start();
        for (unsigned n = 0; n < 2; n++) {
          const StereoFrames frames(info, n + 1);
          direct.push_frames(frames, n);
          converted.push_frames(frames, n);
          const Bytes found = take_bytes(direct.pull()), expected = take_bytes(converted.pull());
          fail_unless(!found.empty() && found == expected, "%s, %s, %dx%d, %s", format.c_str(),
                      colours, size.width, size.height, method);
        }
      }
}
GST_END_TEST;

// The pads accept what the library looks at, and all that has a grey.
GST_START_TEST(all_formats_are_known_here) {
  const Owned<GstElementFactory> factory(gst_element_factory_find("stereodisparity"));
  int pads = 0;
  const GList *item = gst_element_factory_get_static_pad_templates(factory.get());
  for (; item != nullptr; item = item->next) {
    auto *pad = static_cast<GstStaticPadTemplate *>(item->data);
    if (pad->direction != GST_PAD_SINK) continue;
    pads++;
    const CapsRef caps(gst_static_pad_template_get_caps(pad));
    for (guint i = 0; i < gst_caps_get_size(caps.get()); i++)
      fail_unless_equals_int(static_cast<int>(gst_value_list_get_size(gst_structure_get_value(
                                 gst_caps_get_structure(caps.get(), i), "format"))),
                             n_formats() + n_formats(false));
  }
  fail_unless_equals_int(pads, 2);
}
GST_END_TEST;

// A pair that matches is known in most places.
GST_START_TEST(known_disparities) {
  const GstVideoInfo info = video_info(video_caps("GRAY8", {200, 40}));
  for (const auto &method : kMethods) {
    StereoPair pair(video_caps("GRAY8", {200, 40}), video_caps("GRAY8", {200, 40}),
                    std::string("num-disparities=32 method=") + method.name);
    pair.start();
    pair.push_frames(StereoFrames(info, 7), 0);
    const Bytes found = take_bytes(pair.pull());
    int right = 0;
    for (gsize i = 0; i + 1 < found.size(); i += 2)
      right += found[i] / 16 == 5 && found[i + 1] == 0;
    fail_unless(right > 200 * 40 * 3 / 5, "%s: %d", method.name, right);
  }
}
GST_END_TEST;

// ---- caps ------------------------------------------------------------------------------------

GST_START_TEST(output_caps) {
  StereoPair pair(video_caps("NV12", kSize, "colorimetry=bt709, chroma-site=mpeg2"),
                  video_caps("NV12", kSize, "colorimetry=bt709, chroma-site=mpeg2"));
  pair.start();
  const GstVideoInfo info = video_info(video_caps("NV12", kSize));
  pair.push_frames(StereoFrames(info, 1), 0);
  CapsRef caps;
  const BufferRef buffer(pair.pull("sink", &caps));
  fail_unless(buffer != nullptr);
  const GstVideoInfo out = video_info(text_of(caps.get()));
  fail_unless_equals_int(GST_VIDEO_INFO_FORMAT(&out), GST_VIDEO_FORMAT_GRAY16_LE);
  fail_unless(out.width == kSize.width && out.height == kSize.height);
  fail_unless(out.fps_n == 25 && out.fps_d == 1);
  for (const char *field : {"colorimetry", "chroma-site"})
    fail_if(contains(text_of(caps.get()), std::string(field) + "=(string)bt709"));
}
GST_END_TEST;

// Downstream's size and rate reach the inputs.
GST_START_TEST(downstream_caps) {
  Pipeline asks(
      "videotestsrc num-buffers=2 ! d.left videotestsrc num-buffers=2 ! d.right stereodisparity "
      "name=d num-disparities=16 ! video/x-raw, format=GRAY16_LE, width=62, height=34, "
      "framerate=30/1 ! fakesink name=sink");
  asks.start();
  asks.wait_for_eos();
  fail_unless_equals_int(asks.buffers(), 2);

  StereoPair refuses(video_caps("GRAY8", kSize), video_caps("GRAY8", kSize), "",
                     "video/x-raw, format=GRAY16_LE, width=10, height=10");
  refuses.start();
  const StereoFrames frames(video_info(video_caps("GRAY8", kSize)), 1);
  refuses.push(timed(gst_buffer_copy_deep(frames.left.get()), 0), "l");
  refuses.push(timed(gst_buffer_copy_deep(frames.right.get()), 0), "r");
  const std::string error = refuses.expect_error();
  fail_unless(contains(error, "Downstream accepts none") && contains(error, "75"), "%s",
              error.c_str());
}
GST_END_TEST;

// One error, which names the pad and what it has.
GST_START_TEST(unlike_inputs) {
  const std::string left = video_caps("GRAY8", kSize);
  const struct {
    std::string left, right;
    const char *words;
  } cases[] = {
      {left, video_caps("I420", kSize), "Pad right has I420; GRAY8 is required, as pad left"},
      {left, video_caps("GRAY8", {76, 18}), "Pad right has 76x18; 75x18 is required, as pad left"},
      {left, video_caps("GRAY8", {75, 17}), "Pad right has 75x17; 75x18 is required, as pad left"},
      {left, "video/x-raw, format=GRAY8, width=75, height=18, framerate=30/1",
       "Pad right has 30/1 frames per second; 25/1 frames per second is required"},
      {left, video_caps("GRAY8", kSize, "interlace-mode=interleaved"),
       "Pad right has interlace-mode interleaved; interlace-mode progressive is required"},
      {video_caps("GRAY8", {16385, 1}), video_caps("GRAY8", {16385, 1}),
       "Pads left and right have 16385x1; sizes are limited to 16384"},
  };
  for (const auto &c : cases) {
    StereoPair pair(c.left, c.right);
    pair.start();
    pair.push(timed(plain_frame(video_info(c.left), {}, 1), 0), "l");
    pair.push(timed(plain_frame(video_info(c.right), {}, 1), 0), "r");
    const std::string error = pair.expect_error();
    fail_unless(contains(error, c.words), "%s", error.c_str());
  }
}
GST_END_TEST;

// Both inputs change; each frame goes with its own caps, and after a refusal others are taken.
GST_START_TEST(caps_change) {
  const std::string first = video_caps("GRAY8", kSize), second = video_caps("I420", {40, 30});
  const GstVideoInfo infos[] = {video_info(first), video_info(second)};
  StereoParams params;
  params.disparities = 16;
  StereoPair pair(first, first, "num-disparities=16");
  pair.start();
  for (unsigned n = 0; n < 6; n++) {
    const GstVideoInfo &info = infos[n / 2 % 2];
    if (n % 2 == 0) pair.set_caps(n / 2 % 2 == 0 ? first : second);
    const StereoFrames frames(info, n + 1);
    pair.push_frames(frames, n);
    expect_disparities(pair, frames, info, params, n);
  }
  pair.end_all();
  pair.expect_end();
  pair.stop();
  pair.set_caps(first);
  pair.start();
  const StereoFrames frames(infos[0], 1);
  pair.push_frames(frames, 0);
  expect_disparities(pair, frames, infos[0], params, 0);
  fail_unless(pair.errors().empty());
}
GST_END_TEST;

// ---- ends and partners -----------------------------------------------------------------------

// Where one pad ends, so does the output, after the pairs that there are.
GST_START_TEST(end_of_one_pad) {
  const std::string caps = video_caps("GRAY8", kSize);
  const GstVideoInfo info = video_info(caps);
  StereoParams params;
  params.disparities = 16;
  for (const char *first : {"l", "r"}) {
    const char *other = *first == 'l' ? "r" : "l";
    StereoPair pair(caps, caps, "num-disparities=16");
    pair.start();
    const StereoFrames frames(info, 1);
    pair.push_frames(frames, 0);
    pair.end(first);
    for (unsigned n = 1; n < 4; n++)
      pair.push(timed(gst_buffer_copy_deep(frames.left.get()), n), other);
    expect_disparities(pair, frames, info, params, 0);
    pair.expect_end();
    fail_unless(pair.errors().empty());
  }
}
GST_END_TEST;

// A camera fails: the error is its own, nothing hangs, and the pipeline starts again without it.
GST_START_TEST(camera_fails) {
  for (const char *pad : {"left", "right"}) {
    const std::string other = *pad == 'l' ? "right" : "left";
    const std::string source = "videotestsrc ! video/x-raw, format=GRAY8, width=75, height=18 ! ";
    Pipeline pipeline(source + "identity name=camera error-after=4 ! d." + pad + " " + source +
                      "d." + other +
                      " stereodisparity name=d num-disparities=16 ! fakesink name=sink");
    pipeline.start();
    pipeline.wait_for_end();
    const std::vector<Message> errors = pipeline.errors();
    fail_unless(!errors.empty() && errors[0].source == "camera", "%s", pad);
    pipeline.stop();
    fail_unless(pipeline.buffers() <= 4, "%d pictures", pipeline.buffers());
    pipeline.errors();
    g_object_set(pipeline.element("camera"), "error-after", -1, nullptr);
    pipeline.start();
    pipeline.wait_for_buffers(10);
    pipeline.stop();
  }
}
GST_END_TEST;

// One pad's frames come later than the other's, and pairs are right all the same.
GST_START_TEST(late_pad) {
  const std::string caps = video_caps("GRAY8", kSize);
  const GstVideoInfo info = video_info(caps);
  StereoParams params;
  params.disparities = 16;
  StereoPair pair(caps, caps, "num-disparities=16");
  pair.start();
  std::vector<StereoFrames> frames;
  for (unsigned n = 0; n < 4; n++) {
    frames.emplace_back(info, n + 1);
    pair.push(timed(gst_buffer_copy_deep(frames[n].left.get()), n), "l");
  }
  for (unsigned n = 0; n < 4; n++) {
    g_usleep(10000);
    pair.push(timed(gst_buffer_copy_deep(frames[n].right.get()), n), "r");
    expect_disparities(pair, frames[n], info, params, n);
  }
  pair.end_all();
  pair.expect_end();
  fail_unless_equals_uint64(pair.unpaired(), 0);
}
GST_END_TEST;

// Times at which one pad has no frame have no output, and are counted.
GST_START_TEST(missing_partner) {
  const std::string caps = video_caps("GRAY8", kSize);
  const GstVideoInfo info = video_info(caps);
  StereoParams params;
  params.disparities = 16;
  StereoPair pair(caps, caps, "num-disparities=16");
  pair.start();
  for (unsigned n = 0; n < 4; n++) {
    const StereoFrames frames(info, n + 1);
    pair.push(timed(gst_buffer_copy_deep(frames.left.get()), n), "l");
    if (n == 1 || n == 2) continue;
    pair.push(timed(gst_buffer_copy_deep(frames.right.get()), n), "r");
    expect_disparities(pair, frames, info, params, n);
  }
  pair.end_all();
  pair.expect_end();
  fail_unless_equals_uint64(pair.unpaired(), 2);
}
GST_END_TEST;

// A right camera that is late by some time, and that once drops a frame.
GST_START_TEST(skew) {
  const std::string caps = video_caps("GRAY8", kSize);
  const GstVideoInfo info = video_info(caps);
  StereoParams params;
  params.disparities = 16;
  const struct {
    const char *properties;
    int late;                     // ms
    std::vector<unsigned> right;  // the right camera's frame of each output
    guint64 unpaired;
  } cases[] = {
      // Without a limit the frame before takes the place of the one that is missing.
      {"", 10, {0, 1, 1, 3}, 0},           {"max-skew=10", 10, {0, 1, 3}, 1},
      {"max-skew=29.5", 10, {0, 1, 3}, 1}, {"max-skew=30", 10, {0, 1, 1, 3}, 0},
      {"max-skew=9", 10, {}, 4},           {"max-skew=9", 0, {0, 1, 3}, 1},
  };
  for (const auto &c : cases) {
    StereoPair pair(caps, caps, std::string("num-disparities=16 ") + c.properties);
    pair.start();
    std::vector<StereoFrames> frames;
    for (unsigned n = 0; n < 4; n++) {
      frames.emplace_back(info, n + 1);
      pair.push(timed(gst_buffer_copy_deep(frames[n].left.get()), n), "l");
      if (n == 2) continue;
      GstBuffer *right = timed(gst_buffer_copy_deep(frames[n].right.get()), n);
      GST_BUFFER_PTS(right) += static_cast<GstClockTime>(c.late) * GST_MSECOND;
      pair.push(right, "r");
    }
    pair.end_all();
    for (unsigned right : c.right) {
      const BufferRef buffer(pair.pull());
      fail_unless(buffer != nullptr, "%s: a picture is missing", c.properties);
      const auto n = static_cast<unsigned>(GST_BUFFER_PTS(buffer.get()) / kFrame);
      StereoFrames both(info, n + 1);
      both.right.reset(gst_buffer_ref(frames[right].right.get()));
      fail_unless(picture(buffer.get(),
                          video_info(GST_VIDEO_FORMAT_GRAY16_LE, kSize.width, kSize.height)) ==
                      disparities(both, info, params),
                  "%s: picture %u is not of the right camera's %u", c.properties, n, right);
    }
    pair.expect_end();
    fail_unless(pair.unpaired() == c.unpaired, "%s: %d", c.properties, int(pair.unpaired()));
  }
}
GST_END_TEST;

// Pictures without a rate make one picture.
GST_START_TEST(stills) {
  const std::string caps = "video/x-raw, format=GRAY8, width=75, height=18, framerate=0/1";
  const GstVideoInfo info = video_info(caps);
  StereoParams params;
  params.disparities = 16;
  StereoPair pair(caps, caps, "num-disparities=16");
  pair.start();
  const StereoFrames frames(info, 1);
  for (const char *source : {"l", "r"}) {
    GstBuffer *buffer = gst_buffer_copy_deep((*source == 'l' ? frames.left : frames.right).get());
    GST_BUFFER_PTS(buffer) = 0;
    GST_BUFFER_DURATION(buffer) = GST_CLOCK_TIME_NONE;
    fail_unless_equals_int(pair.push(buffer, source), GST_FLOW_OK);
  }
  pair.end_all();
  expect_disparities(pair, frames, info, params, 0);
  pair.expect_end();
}
GST_END_TEST;

}  // namespace

Bytes disparities(const StereoFrames &frames, const GstVideoInfo &info,
                  const StereoParams &params) {
  GstVideoFrame left, right;
  fail_unless(gst_video_frame_map(&left, &info, frames.left.get(), GST_MAP_READ) &&
              gst_video_frame_map(&right, &info, frames.right.get(), GST_MAP_READ));
  const int width = GST_VIDEO_INFO_WIDTH(&info), height = GST_VIDEO_INFO_HEIGHT(&info);
  Bytes bytes(static_cast<std::size_t>(2 * width) * static_cast<std::size_t>(height));
  coalesce::Image out;
  out.format = coalesce::pixel_format("GRAY16_LE");
  out.width = width, out.height = height;
  out.plane[0] = {bytes.data(), 2 * width, height, static_cast<std::size_t>(2 * width)};
  const std::size_t wanted = coalesce::stereo_scratch_bytes(params, width, height, false);
  const std::unique_ptr<void, decltype(&std::free)> scratch(std::aligned_alloc(256, wanted),
                                                            &std::free);
  const coalesce::Status status = coalesce::stereo(params, image_of(left), image_of(right), out,
                                                   coalesce::Queue::cpu(), scratch.get());
  fail_unless(status.ok(), "%s", status.message());
  gst_video_frame_unmap(&right);
  gst_video_frame_unmap(&left);
  return bytes;
}

void expect_disparities(const StereoPair &pair, const StereoFrames &frames,
                        const GstVideoInfo &info, const StereoParams &params, unsigned n) {
  CapsRef caps;
  const BufferRef buffer(pair.pull("sink", &caps));
  fail_unless(buffer != nullptr, "picture %u is missing", n);
  fail_unless_equals_uint64(GST_BUFFER_PTS(buffer.get()), n * kFrame);
  const Bytes found = picture(buffer.get(), video_info(text_of(caps.get())));
  const Bytes expected = disparities(frames, info, params);
  fail_unless_equals_uint64(found.size(), expected.size());
  for (gsize i = 0; i < found.size(); i++)
    fail_unless(found[i] == expected[i], "picture %u of %s: byte %zu is %d, not %d", n,
                text_of(caps.get()).c_str(), i, found[i], expected[i]);
}

}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "stereodisparity", [](Suite *suite) {
    using namespace test;
    TCase *tests = new_case(suite, "stereodisparity");
    tcase_add_loop_test(tests, every_format, 0, n_formats());
    tcase_add_loop_test(tests, every_other_format, 0, n_formats(false));
    tcase_add_test(tests, all_formats_are_known_here);
    tcase_add_test(tests, known_disparities);
    tcase_add_test(tests, output_caps);
    tcase_add_test(tests, downstream_caps);
    tcase_add_test(tests, unlike_inputs);
    tcase_add_test(tests, caps_change);
    tcase_add_test(tests, end_of_one_pad);
    tcase_add_test(tests, camera_fails);
    tcase_add_test(tests, late_pad);
    tcase_add_test(tests, missing_partner);
    tcase_add_test(tests, skew);
    tcase_add_test(tests, stills);
    add_settings_cases(suite);
    add_output_cases(suite);
    add_rectify_cases(suite);
  });
}
