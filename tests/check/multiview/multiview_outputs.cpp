// SPDX-License-Identifier: LGPL-2.1-or-later
// What leaves multiview, and changes from one output to another.
#include <algorithm>
#include <cmath>

#include "picture/formats.h"
#include "stereo/view.h"
#include "view_cases.h"

namespace test {
namespace {

using namespace coalesce;

const std::string kCaps = video_caps("GRAY8", {41, 22});
const std::vector<std::string> kInputs = {kCaps, kCaps, kCaps};

Image image_on(Bytes *bytes, const char *format) {
  Image image = {pixel_format(format), 41, 22, false, {}};
  const auto row = static_cast<gsize>(row_bytes(image.format, 0, image.width));
  bytes->resize(row * 22);
  image.plane[0] = {bytes->data(), static_cast<int>(row), image.height, row};
  return image;
}

// As docs/multiview.md has it, for the depths of the scene.
Bytes coloured(const std::vector<BufferRef> &frames, ColourMap map, const char *format) {
  MultiviewParams params = scene_params();
  params.scale = 65535 / kSceneFar;
  Bytes depth = Depths(frames, video_info(kCaps), params).depth, colour;
  const Image in = image_on(&depth, "GRAY16_LE"), out = image_on(&colour, format);
  const double near = std::round(kSceneNear * params.scale);
  const double scale = std::min(near * 65535, double{kMaxDepthScale});
  fail_unless(depths(static_cast<std::uint32_t>(scale), in, in, Queue::cpu()).ok());
  const ColourRange range = {static_cast<int>(scale / 65535), static_cast<int>(scale / near)};
  fail_unless(colours(map, range, in, out, Queue::cpu()).ok());
  return colour;
}

Bytes seen(const std::string &output, const std::vector<BufferRef> &frames, const char *format,
           double scale = 1) {
  if (output == "turbo") return coloured(frames, ColourMap::turbo, format);
  if (output == "viridis") return coloured(frames, ColourMap::viridis, format);
  MultiviewParams params = scene_params();
  params.scale = scale;
  if (output == "float") params.output = MultiviewDepth::floats;
  const Depths expected(frames, video_info(kCaps), params);
  if (output == "confidence") return expected.confidence;
  Bytes all = expected.depth;
  if (output == "depth-confidence")
    for (guint8 each : expected.confidence)
      all.insert(all.end(), {each, each});
  return all;
}

struct Kind {
  const char *output, *caps, *format;
};
constexpr Kind kKinds[] = {
    {"depth", "format=(string)GRAY16_LE, width=(int)41, height=(int)22", "GRAY16_LE"},
    {"float", "format=(string)GRAY16_LE, width=(int)82, height=(int)22", "GRAY16_LE"},
    {"confidence", "format=(string)GRAY8, width=(int)41, height=(int)22", "GRAY8"},
    {"depth-confidence", "format=(string)GRAY16_LE, width=(int)41, height=(int)44", "GRAY16_LE"},
    {"turbo", "format=(string)RGB, width=(int)41, height=(int)22", "RGB"},
    {"viridis", "format=(string)RGB, width=(int)41, height=(int)22", "RGB"}};

void expect_kind(const Views &views, const std::vector<BufferRef> &frames, const Kind &kind,
                 double scale = 1) {
  CapsRef caps;
  const BufferRef buffer(views.pull("sink", &caps));
  fail_unless(buffer != nullptr, "%s: no picture", kind.output);
  const std::string text = text_of(caps.get());
  fail_unless(contains(text, kind.caps), "%s: %s", kind.output, text.c_str());
  fail_if(contains(text, "colorimetry=(string)bt709") || contains(text, "chroma-site"));
  fail_unless(
      picture(buffer.get(), video_info(text)) == seen(kind.output, frames, kind.format, scale),
      "%s", kind.output);
}

GST_START_TEST(each_output) {
  const auto frames = scene_frames(video_info(kCaps), 3);
  for (const Kind &kind : kKinds) {
    Views views(kInputs, kSceneProperties + std::string("output=") + kind.output);
    views.start();
    for (unsigned n = 0; n < 2; n++) {
      views.push_views(frames, n);
      expect_kind(views, frames, kind);
    }
    fail_unless(views.errors().empty() && views.warnings().empty());
  }
  const Bytes argb = seen("viridis", frames, "ARGB");
  Views others(kInputs, kSceneProperties + std::string("output=viridis"),
               "video/x-raw, format={ GRAY16_LE, ARGB }");
  others.start();
  others.push_views(frames, 0);
  expect_bytes(others, argb, 0);
}
GST_END_TEST;

GST_START_TEST(depth_scale) {
  const auto frames = scene_frames(video_info(kCaps), 3);
  for (const Kind &kind : {kKinds[0], kKinds[3]})
    for (const char *scale : {"0.001", "12.5", "1e6"}) {
      Views views(kInputs, kSceneProperties + std::string("output=") + kind.output +
                               " depth-scale=" + scale);
      views.start();
      views.push_views(frames, 0);
      expect_kind(views, frames, kind, g_ascii_strtod(scale, nullptr));
      fail_unless(views.warnings().empty());
    }
  Views views(kInputs, kSceneProperties + std::string("output=float depth-scale=3"));
  views.start();
  fail_unless(views.warnings() ==
              std::vector<std::string>{
                  "depth-scale has no effect; it requires output=depth or depth-confidence"});
}
GST_END_TEST;

// While frames flow, from each to each.
GST_START_TEST(changes) {
  Views views(kInputs, kSceneProperties);
  views.start();
  unsigned n = 0;
  for (std::size_t from = 0; from < std::size(kKinds); from++)
    for (std::size_t to = 0; to < std::size(kKinds); to++)
      for (const Kind &kind : {kKinds[from], kKinds[to]}) {
        gst_util_set_object_arg(G_OBJECT(views.d()), "output", kind.output);
        const auto frames = scene_frames(video_info(kCaps), 3, n + 1);
        views.push_views(frames, n++);
        expect_kind(views, frames, kind);
      }
  views.end_all();
  views.expect_end();
  fail_unless(views.errors().empty() && views.warnings().empty());
}
GST_END_TEST;

// Near is red, far is blue.
GST_START_TEST(colours_of_depths) {
  const std::string caps = video_caps("GRAY8", {120, 90});
  const GstVideoInfo info = video_info(caps);
  for (const char *range : {"near=1000 far=3000", "near=1000 far=1e9", "near=1100 far=2700"}) {
    const std::string properties = std::string(range) + " num-depths=64 window-size=7 output=";
    Views depth({caps, caps, caps, caps}, properties + "depth");
    Views turbo({caps, caps, caps, caps}, properties + "turbo");
    for (const Views *views : {&depth, &turbo}) {
      const_cast<Views *>(views)->start();
      views->push_views(scene_frames(info, 4), 0);
    }
    const Bytes depths = take_bytes(depth.pull()), colours = take_bytes(turbo.pull());
    int wrong = 0, known = 0;
    for (gsize i = 0; 2 * i + 1 < depths.size(); i++) {
      const int z = depths[2 * i] + 256 * depths[2 * i + 1];
      const int red = colours[3 * i], blue = colours[3 * i + 2];
      if (z == 0) wrong += red + blue + colours[3 * i + 1] != 0;
      if (std::abs(z - 1200) > 60) continue;
      known++;
      wrong += red <= blue;
    }
    fail_unless(known > 800 && wrong == 0, "%s: %d of %d", range, wrong, known);
  }
}
GST_END_TEST;

// Downstream's size and rate reach the inputs.
GST_START_TEST(downstream_caps) {
  const std::string source =
      "videotestsrc num-buffers=2 ! d.sink_0 videotestsrc num-buffers=2 ! "
      "d.sink_1 multiview name=d cameras=" +
      camera_file() + " ";
  for (const char *end : {"! video/x-raw, width=62, height=34, framerate=30/1",
                          "output=float ! video/x-raw, height=34, framerate=30/1",
                          "output=depth-confidence ! video/x-raw, width=62, framerate=30/1"}) {
    Pipeline asks(source + end + " ! fakesink name=sink");
    asks.start();
    asks.wait_for_eos();
    fail_unless_equals_int(asks.buffers(), 2);
  }
  Views refuses(kInputs, "output=float", "video/x-raw, format=GRAY16_LE, width=41");
  refuses.start();
  const auto frames = scene_frames(video_info(kCaps), 3);
  for (int i = 0; i < 3; i++)
    refuses.push_view(i, gst_buffer_copy_deep(frames[0].get()), 0);
  const std::string error = refuses.expect_error();
  fail_unless(contains(error, "Downstream accepts none") && contains(error, "82"), "%s",
              error.c_str());
}
GST_END_TEST;

}  // namespace

void add_output_cases(Suite *suite) {
  TCase *tests = new_case(suite, "outputs");
  tcase_add_test(tests, each_output);
  tcase_add_test(tests, depth_scale);
  tcase_add_test(tests, changes);
  tcase_add_test(tests, colours_of_depths);
  tcase_add_test(tests, downstream_caps);
}

}  // namespace test
