// SPDX-License-Identifier: LGPL-2.1-or-later
// What leaves stereodisparity: disparities, depths and colours, and changes from one to another.
#include <cstring>

#include "picture/formats.h"
#include "stereo/view.h"
#include "stereo_cases.h"

namespace test {
namespace {

using namespace coalesce;

const std::string kCaps = video_caps("GRAY8", {75, 18});
const std::string kFew = "num-disparities=32 min-disparity=2 ";

StereoParams few() {
  StereoParams params;
  params.disparities = 32, params.min_disparity = 2;
  return params;
}

// What the library makes of a frame of disparities.
Bytes seen(const std::string &output, Bytes found, const GstVideoInfo &out, std::uint32_t scale) {
  if (output == "disparity") return found;
  const int width = GST_VIDEO_INFO_WIDTH(&out), height = GST_VIDEO_INFO_HEIGHT(&out);
  const auto image = [&](const char *format, Bytes &bytes) {
    Image made;
    made.format = pixel_format(format);
    made.width = width, made.height = height;
    const int row = static_cast<int>(row_bytes(made.format, 0, width));
    made.plane[0] = {bytes.data(), row, height, static_cast<std::size_t>(row)};
    return made;
  };
  const Image in = image("GRAY16_LE", found);
  if (output == "depth") {
    fail_unless(depths(scale, in, in, Queue::cpu()).ok());
    return found;
  }
  Bytes coloured(static_cast<std::size_t>(4 * width * height));
  const Image to = image(GST_VIDEO_INFO_NAME(&out), coloured);
  fail_unless(colours(output == "turbo" ? ColourMap::turbo : ColourMap::viridis,
                      {16 * 2, 16 * (2 + 31)}, in, to, Queue::cpu())
                  .ok());
  coloured.resize(static_cast<std::size_t>(to.plane[0].width) * to.plane[0].height);
  return coloured;
}

void expect_seen(const StereoPair &pair, const StereoFrames &frames, const std::string &output,
                 const char *format, std::uint32_t scale = 1) {
  CapsRef caps;
  const BufferRef buffer(pair.pull("sink", &caps));
  fail_unless(buffer != nullptr, "%s: no picture", output.c_str());
  const GstVideoInfo info = video_info(text_of(caps.get()));
  expect_string(GST_VIDEO_INFO_NAME(&info), format);
  const Bytes expected = seen(output, disparities(frames, video_info(kCaps), few()), info, scale);
  fail_unless(picture(buffer.get(), info) == expected, "%s in %s", output.c_str(), format);
}

GST_START_TEST(each_output) {
  const StereoFrames frames(video_info(kCaps), 3);
  const struct {
    const char *output, *accepted, *format;
  } cases[] = {{"disparity", "ANY", "GRAY16_LE"},
               {"depth focal-length=700.5 baseline=63", "ANY", "GRAY16_LE"},
               {"turbo", "ANY", "RGB"},
               {"viridis", "video/x-raw, format=BGRx", "BGRx"},
               {"turbo", "video/x-raw, format={ GRAY16_LE, ARGB }", "ARGB"}};
  for (const auto &c : cases) {
    const std::string output = c.output;
    StereoPair pair(kCaps, kCaps, kFew + "output=" + output, c.accepted);
    pair.start();
    for (unsigned n = 0; n < 2; n++) {
      pair.push_frames(frames, n);
      // 16 x 700.5 x 63 = 706,104.
      expect_seen(pair, frames, output.substr(0, output.find(' ')), c.format, 706104);
    }
    fail_unless(pair.errors().empty() && pair.warnings().empty());
  }
}
GST_END_TEST;

// While frames flow, also to other caps and back.
GST_START_TEST(changes) {
  const struct {
    const char *output, *format;
  } turns[] = {{"turbo", "RGB"},           {"viridis", "RGB"},     {"depth", "GRAY16_LE"},
               {"disparity", "GRAY16_LE"}, {"depth", "GRAY16_LE"}, {"turbo", "RGB"}};
  StereoPair pair(kCaps, kCaps, kFew);
  pair.start();
  unsigned n = 0;
  const auto pass = [&](const char *output, const char *format) {
    for (int i = 0; i < 2; i++) {
      const StereoFrames frames(video_info(kCaps), ++n, true);
      pair.push_frames(frames, n - 1);
      expect_seen(pair, frames, output, format, 16 * 500 * 100);
    }
  };
  pass("disparity", "GRAY16_LE");
  g_object_set(pair.d(), "focal-length", 500., "baseline", 100., nullptr);
  for (const auto &[output, format] : turns) {
    gst_util_set_object_arg(G_OBJECT(pair.d()), "output", output);
    pass(output, format);
  }
  pair.end_all();
  pair.expect_end();
  fail_unless(pair.errors().empty() && pair.warnings().empty());
}
GST_END_TEST;

// Depths without lengths are refused, and what was shown remains; so it does where downstream does
// not accept other caps, which is an error.
GST_START_TEST(refused) {
  const StereoFrames frames(video_info(kCaps), 3);
  for (const char *properties : {"output=depth", "output=depth focal-length=500",
                                 "output=depth baseline=100 focal-length=0"}) {
    const Owned<GstElement> element(GST_ELEMENT(gst_object_ref_sink(
        gst_parse_launch((std::string("stereodisparity ") + properties).c_str(), nullptr))));
    const Message error = start_error(element.get());
    fail_unless(contains(error.text, "output=depth requires a focal-length and a baseline"));
  }
  StereoPair pair(kCaps, kCaps, kFew + "output=turbo");
  pair.start();
  pair.push_frames(frames, 0);
  expect_seen(pair, frames, "turbo", "RGB");
  gst_util_set_object_arg(G_OBJECT(pair.d()), "output", "depth");
  for (unsigned n = 1; n < 3; n++) {
    pair.push_frames(frames, n);
    expect_seen(pair, frames, "turbo", "RGB");
  }
  const std::vector<std::string> warnings = pair.warnings();
  fail_unless(warnings.size() == 1 && contains(warnings[0], "requires a focal-length"));
  g_object_set(pair.d(), "focal-length", 500., "baseline", 100., nullptr);
  gst_util_set_object_arg(G_OBJECT(pair.d()), "output", "depth");
  pair.push_frames(frames, 3);
  expect_seen(pair, frames, "depth", "GRAY16_LE", 16 * 500 * 100);

  StereoPair grey(kCaps, kCaps, kFew, "video/x-raw, format=GRAY16_LE");
  grey.start();
  grey.push_frames(frames, 0);
  expect_seen(grey, frames, "disparity", "GRAY16_LE");
  gst_util_set_object_arg(G_OBJECT(grey.d()), "output", "viridis");
  grey.push(timed(gst_buffer_copy_deep(frames.left.get()), 1), "l");
  grey.push(timed(gst_buffer_copy_deep(frames.right.get()), 1), "r");
  const std::string error = grey.expect_error();
  fail_unless(contains(error, "Downstream accepts none") && contains(error, "RGB"), "%s",
              error.c_str());
}
GST_END_TEST;

GST_START_TEST(without_effect) {
  StereoPair pair(kCaps, kCaps, "focal-length=500 baseline=100");
  pair.start();
  const std::vector<std::string> expected = {"focal-length has no effect; it requires output=depth",
                                             "baseline has no effect; it requires output=depth"};
  fail_unless(pair.warnings() == expected);
}
GST_END_TEST;

}  // namespace

void add_output_cases(Suite *suite) {
  TCase *tests = new_case(suite, "outputs");
  tcase_add_test(tests, each_output);
  tcase_add_test(tests, changes);
  tcase_add_test(tests, refused);
  tcase_add_test(tests, without_effect);
}

}  // namespace test
