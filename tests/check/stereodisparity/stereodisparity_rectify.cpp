// SPDX-License-Identifier: LGPL-2.1-or-later
// The property rectify: what a calibration makes of pictures and depths, and which are refused.
#include <cstring>

#include "picture/formats.h"
#include "remap/calibration.h"
#include "stereo/view.h"
#include "stereo_cases.h"

namespace test {
namespace {

using namespace coalesce;

const Size kSize{75, 18};
const std::string kCaps = video_caps("GRAY8", kSize);
const std::string kFew = "num-disparities=16 ";

StereoParams few() {
  StereoParams params;
  params.disparities = 16;
  return params;
}

// Distorted, turned, and of other lenses than the rectified ones.
Calibration distorted() {
  Calibration c;
  c.matrix[0] = {52, 0, 31.5, 0, 51.5, 9.25, 0, 0, 1};
  c.matrix[1] = {53, 0, 29, 0, 53.5, 11, 0, 0, 1};
  c.distortion[0] = {-0.3, 0.1, 0.001, -0.002, 0.05};
  c.distortion[1] = {0.2, -0.1, 0, 0.003, 0.01, 0.02, -0.01, 0.03};
  c.rotation[0] = {0.9998, 0.01, 0.0173, -0.0101, 0.99993, 0.0049, -0.0173, -0.0051, 0.99984};
  return c;
}

int word_at(const Bytes &bytes, gsize i) {
  return bytes[2 * i] | bytes[2 * i + 1] << 8;
}

// The next picture of disparities; empty without one.
Bytes next(const StereoPair &pair, Size size) {
  const BufferRef buffer(pair.pull());
  return buffer != nullptr ? picture(buffer.get(), video_info(GST_VIDEO_FORMAT_GRAY16_LE,
                                                              size.width, size.height))
                           : Bytes();
}

// The disparities of a pair, by the element.
Bytes found(const std::string &caps, const StereoFrames &frames, const std::string &properties) {
  const GstVideoInfo info = video_info(caps);
  StereoPair pair(caps, caps, kFew + properties);
  pair.start();
  pair.push_frames(frames, 0);
  pair.end_all();
  return next(pair, {GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info)});
}

// A map that leads to the same place changes nothing, in any format.
GST_START_TEST(identity) {
  const CalibrationFile file((Calibration()));
  for (const char *format : {"GRAY8", "GRAY16_LE", "NV12", "UYVY", "AYUV64", "P010_10LE",
                             "I420_12LE", "v210", "UYVP", "BGRA", "GBR_10LE", "RGB"})
    for (const char *method : {"method=sad", "method=sgm"}) {
      const std::string caps = video_caps(format, kSize);
      const StereoFrames frames(video_info(caps), 5);
      const Bytes expected = found(caps, frames, method);
      fail_unless(!expected.empty() && found(caps, frames, method + file.property()) == expected,
                  "%s, %s", format, method);
    }
}
GST_END_TEST;

// The library's steps, one by one.
GST_START_TEST(distorted_pair) {
  const Calibration calibration = distorted();
  const CalibrationFile file(calibration);
  StereoCalibration parsed;
  std::string error;
  fail_unless(parse_stereo_calibration(calibration.text(), &parsed, &error), "%s", error.c_str());
  const GstVideoInfo info = video_info(kCaps);
  const StereoFrames frames(info, 7), rectified(info, 8);
  const auto pixels = static_cast<gsize>(kSize.width * kSize.height);
  std::vector<MapPoint> points[2];
  std::vector<std::uint16_t> fractions[2];
  RemapMap maps[2];
  GstBuffer *const buffers[2][2] = {{frames.left.get(), rectified.left.get()},
                                    {frames.right.get(), rectified.right.get()}};
  for (int i = 0; i < 2; i++) {
    points[i].resize(pixels), fractions[i].resize(pixels);
    const Plane<MapPoint> point = {points[i].data(), kSize.width, kSize.height,
                                   4 * static_cast<gsize>(kSize.width)};
    const Plane<std::uint16_t> fraction = {fractions[i].data(), kSize.width, kSize.height,
                                           2 * static_cast<gsize>(kSize.width)};
    make_map(parsed.camera[i], point, fraction);
    maps[i] = {point, fraction};
    GstVideoFrame in, out;
    fail_unless(gst_video_frame_map(&in, &info, buffers[i][0], GST_MAP_READ) &&
                gst_video_frame_map(&out, &info, buffers[i][1], GST_MAP_WRITE));
    const auto plane = [](const GstVideoFrame &frame) {
      return Plane<std::uint8_t>{static_cast<std::uint8_t *>(frame.data[0]), kSize.width,
                                 kSize.height, static_cast<gsize>(frame.info.stride[0])};
    };
    const PixelFormat grey = pixel_format("GRAY8");
    fail_unless(remap(maps[i], {grey, kSize.width, kSize.height, false, {plane(in)}},
                      {grey, kSize.width, kSize.height, false, {plane(out)}}, Queue::cpu())
                    .ok());
    gst_video_frame_unmap(&in);
    gst_video_frame_unmap(&out);
  }
  Bytes expected = disparities(rectified, info, few());
  const Bytes with_border = expected;
  fail_unless(hide_outside(maps[0], maps[1],
                           {pixel_format("GRAY16_LE"),
                            kSize.width,
                            kSize.height,
                            false,
                            {{expected.data(), 2 * kSize.width, kSize.height,
                              2 * static_cast<gsize>(kSize.width)}}},
                           Queue::cpu())
                  .ok());
  fail_if(expected == with_border, "no pixel is outside");
  fail_unless(found(kCaps, frames, file.property()) == expected);
  fail_if(found(kCaps, frames, "") == expected);
}
GST_END_TEST;

// Frames whose right picture is the left one, 5 pixels further left. The second camera's axis is 3
// pixels further left: so the disparity is 2, and none of the first three columns of its
// rectified picture is seen.
GST_START_TEST(known_disparities) {
  Calibration calibration;
  calibration.matrix[1][2] -= 3;
  const CalibrationFile file(calibration);
  const std::string caps = video_caps("GRAY8", {200, 40});
  const Bytes all = found(caps, StereoFrames(video_info(caps), 7), file.property());
  int right = 0;
  for (gsize i = 0; 2 * i < all.size(); i++)
    right += word_at(all, i) / 16 == 2;
  fail_unless(right > 200 * 40 * 3 / 5, "%d", right);
  for (gsize row = 0; row < 40; row++)
    for (gsize x = 0; x < 3; x++)
      fail_unless(word_at(all, 200 * row + x) == 0);
  // The disparity of what is infinitely far is 0, wherever P2 has the principal point.
  calibration.projection[1][2] += 4;
  file.write(calibration.text());
  fail_unless(found(caps, StereoFrames(video_info(caps), 7), file.property()) == all);
}
GST_END_TEST;

// Focal length and baseline of the file, where the properties do not say otherwise.
GST_START_TEST(depths_of_the_file) {
  const CalibrationFile file(Calibration(50, 80.5));
  const StereoFrames frames(video_info(kCaps), 3);
  const auto expect = [&](const std::string &properties, const std::string &same) {
    const Bytes expected = found(kCaps, frames, "output=depth " + same);
    fail_unless(
        !expected.empty() &&
            found(kCaps, frames, "output=depth " + properties + file.property()) == expected,
        "%s", properties.c_str());
  };
  expect("", "focal-length=50 baseline=80.5");
  expect("focal-length=70", "focal-length=70 baseline=80.5");
  expect("baseline=1200", "focal-length=50 baseline=1200");
  // Without a distance of the cameras there is none.
  file.write(Calibration(50, 0).text());
  const Owned<GstElement> element(GST_ELEMENT(gst_object_ref_sink(
      gst_parse_launch(("stereodisparity output=depth" + file.property()).c_str(), nullptr))));
  const Message error = start_error(element.get());
  fail_unless(contains(error.text, "output=depth requires a focal-length and a baseline"), "%s",
              error.text.c_str());
  expect("baseline=80", "focal-length=50 baseline=80");
}
GST_END_TEST;

// Errors name the file, and the line.
GST_START_TEST(refused_files) {
  const Calibration good;
  Calibration skewed;
  skewed.projection[1][3] = 5;
  const CalibrationFile file(good);
  const std::string text = good.text();
  const struct {
    std::string name, text;
    GQuark domain;
    const char *words;
  } cases[] = {
      {file.name(), "", GST_LIBRARY_ERROR, "line 1: found nothing, expected %YAML"},
      {file.name(), text.substr(0, text.find("data", text.find("M2"))), GST_LIBRARY_ERROR,
       "M2 ends without data"},
      {file.name(), text.substr(0, text.find("D2")), GST_LIBRARY_ERROR, "there is no D2"},
      {file.name(), skewed.text(), GST_LIBRARY_ERROR,
       "line 48: by P2 the second camera is left of the first"},
      {file.name(), std::string((1 << 20) + 1, '#'), GST_RESOURCE_ERROR,
       "it has more than 1048576 bytes"},
      {"/nonexistent/pair.yml", text, GST_RESOURCE_ERROR, "No such file"},
      {g_get_tmp_dir(), text, GST_RESOURCE_ERROR, "Is a directory"},
  };
  for (const auto &c : cases) {
    file.write(c.text);
    const Owned<GstElement> element(GST_ELEMENT(gst_object_ref_sink(
        gst_parse_launch(("stereodisparity rectify=" + c.name).c_str(), nullptr))));
    const Message error = start_error(element.get());
    fail_unless(error.domain == c.domain && contains(error.text, c.words) &&
                    contains(error.text, "rectify=\"" + c.name + "\""),
                "%s", error.text.c_str());
    // Another file will do.
    file.write(text);
    g_object_set(element.get(), "rectify", file.name().c_str(), nullptr);
    fail_unless(gst_element_set_state(element.get(), GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
    gst_element_set_state(element.get(), GST_STATE_NULL);
  }
}
GST_END_TEST;

// A file that says its size is of no other; without, maps are those of the caps.
GST_START_TEST(sizes) {
  Calibration calibration = distorted();
  const CalibrationFile without(calibration);
  calibration.head += "image_width: 75\nimage_height: 19\n";
  const CalibrationFile other(calibration);
  {
    StereoPair pair(kCaps, kCaps, kFew + other.property());
    pair.start();
    pair.push(timed(plain_frame(video_info(kCaps), {}, 1), 0), "l");
    pair.push(timed(plain_frame(video_info(kCaps), {}, 1), 0), "r");
    const std::string error = pair.expect_error();
    fail_unless(contains(error, "Pads left and right have 75x18, and rectify=\"" + other.name() +
                                    "\", line 4, has the height 19"),
                "%s", error.c_str());
  }
  const std::string caps = video_caps("GRAY8", {75, 19});
  fail_if(found(caps, StereoFrames(video_info(caps), 1), other.property()).empty());
  // New caps have new maps.
  StereoPair pair(kCaps, kCaps, kFew + without.property());
  pair.start();
  for (unsigned n = 0; n < 4; n++) {
    const std::string now = n % 2 == 0 ? kCaps : caps;
    pair.set_caps(now);
    const StereoFrames frames(video_info(now), n + 1);
    pair.push_frames(frames, n);
    fail_unless(next(pair, {75, n % 2 == 0 ? 18 : 19}) == found(now, frames, without.property()),
                "%u", n);
  }
}
GST_END_TEST;

// The file is read at the start, and at no other time.
GST_START_TEST(read_at_the_start) {
  const CalibrationFile file(distorted());
  const StereoFrames frames(video_info(kCaps), 4);
  const Bytes rectified = found(kCaps, frames, file.property());
  const Bytes plain = found(kCaps, frames, "");
  fail_if(rectified == plain);
  StereoPair pair(kCaps, kCaps, kFew + file.property());
  const auto run = [&](bool is_rectified) {
    pair.start();
    for (unsigned n = 0; n < 2; n++) {
      pair.push_frames(frames, n);
      fail_unless(next(pair, kSize) == (is_rectified ? rectified : plain));
      file.write("nothing");
      g_object_set(pair.d(), "rectify", is_rectified ? "" : file.name().c_str(), nullptr);
    }
    pair.stop();
  };
  run(true);
  run(false);
  file.write(distorted().text());
  run(true);
  fail_unless(pair.errors().empty() && pair.warnings().empty());
}
GST_END_TEST;

}  // namespace

void add_rectify_cases(Suite *suite) {
  TCase *tests = new_case(suite, "rectify");
  tcase_add_test(tests, identity);
  tcase_add_test(tests, distorted_pair);
  tcase_add_test(tests, known_disparities);
  tcase_add_test(tests, depths_of_the_file);
  tcase_add_test(tests, refused_files);
  tcase_add_test(tests, sizes);
  tcase_add_test(tests, read_at_the_start);
}

}  // namespace test
