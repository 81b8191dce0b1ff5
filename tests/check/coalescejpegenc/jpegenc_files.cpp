// SPDX-License-Identifier: LGPL-2.1-or-later
// What comes out of coalescejpegenc: the files of the reference, and of libjpeg where it is there.
#include "jpeg/libjpeg_judge.h"
#include "jpegenc_cases.h"

namespace test {

bool has_marker(const Bytes &file, guint8 marker) {
  for (std::size_t at = 2; at + 4 <= file.size() && file[at] == 0xFF;) {
    if (file[at + 1] == marker) return true;
    if (file[at + 1] == 0xDA) return false;
    at += 2 + (std::size_t{file[at + 2]} << 8 | file[at + 3]);
  }
  return false;
}

namespace {

const Size kSize{61, 43};

// Something to compress: slopes, and a little noise.
GstBuffer *smooth_frame(const GstVideoInfo &info, guint32 seed) {
  GstBuffer *buffer = random_frame(info, {}, seed);
  GstMapInfo map;
  fail_unless(gst_buffer_map(buffer, &map, GST_MAP_READWRITE));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = static_cast<guint8>(map.data[i] % 16 + i % 200 / 2 + i / 300 % 120);
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

}  // namespace

Bytes code_and_check(Harness &harness, const std::string &caps, guint32 seed) {
  const GstVideoInfo info = video_info(caps);
  const BufferRef in(smooth_frame(info, seed));
  const GstFlowReturn flow = harness.push(gst_buffer_ref(in.get()));
  fail_unless(flow == GST_FLOW_OK, "%s: %s", caps.c_str(), gst_flow_get_name(flow));
  const BufferRef out = harness.pull();
  fail_unless(out != nullptr, "%s: nothing comes out", caps.c_str());
  const Bytes file = bytes_of(out.get());
  const std::string wrong = jpeg_difference(harness.element(), in.get(), info, file);
  fail_unless(wrong.empty(), "%s: %s", caps.c_str(), wrong.c_str());
  return file;
}

namespace {

void check(const std::string &caps, const Properties &properties = {}) {
  Harness harness("coalescejpegenc", properties);
  fail_unless(harness.set_input(caps), "%s", caps.c_str());
  code_and_check(harness, caps);
  harness.expect_no_error();
}

GST_START_TEST(every_format) {
  const int formats = n_sink_formats("coalescejpegenc");
  fail_unless(formats >= 28, "%d formats", formats);
  for (int format = 0; format < formats; format++)
    for (const Size size : {Size{1, 1}, Size{16, 16}, kSize})
      check(sink_caps("coalescejpegenc", size, format));
}
GST_END_TEST;

std::string numbers(int first, int step) {
  std::string text;
  for (int i = 0; i < 64; i++)
    text += (i == 0 ? "" : i % 8 == 0 ? ",\n" : " ") + std::to_string(first + step * i);
  return text;
}

GST_START_TEST(properties) {
  const std::string luma = numbers(1, 2), chroma = numbers(200, -3);
  const std::vector<Properties> all = {
      {{"quality", "1"}},
      {{"quality", "100"}},
      {{"subsampling", "444"}},
      {{"subsampling", "422"}, {"restart-interval", "2"}},
      {{"subsampling", "420"}, {"optimize", "true"}},
      {{"keep-rgb", "true"}},
      {{"keep-rgb", "true"}, {"subsampling", "420"}, {"optimize", "true"}},
      {{"restart-interval", "1"}},
      {{"restart-interval", "0"}},
      {{"quant-table-luma", luma.c_str()}},
      {{"quant-table-luma", luma.c_str()}, {"quant-table-chroma", chroma.c_str()}},
      {{"max-frame-size", "1500"}},
      {{"max-frame-size", "1200"}, {"optimize", "true"}, {"restart-interval", "3"}},
      {{"max-frame-size", "1800"}, {"quality", "40"}, {"quant-table-luma", luma.c_str()}},
      {{"max-frame-size", "1000000"}, {"quality", "95"}},
      {{"bitrate", "300"}},
  };
  for (const Properties &properties : all)
    check(video_caps("RGB", kSize), properties);
  for (std::size_t i : {0, 7, 10, 12, 15})
    check(video_caps("NV12", kSize), all[i]);
}
GST_END_TEST;

// Large frames have restart markers, a row of MCUs apart.
GST_START_TEST(automatic_restart_interval) {
  for (const auto &[size, restarts] :
       {std::pair{Size{1024, 1024}, true}, {Size{1024, 1023}, false}}) {
    const std::string caps = video_caps("GRAY8", size);
    Harness harness("coalescejpegenc", {{"quality", "10"}});
    fail_unless(harness.set_input(caps));
    fail_unless(has_marker(code_and_check(harness, caps), 0xDD) == restarts);
  }
}
GST_END_TEST;

// JFIF has the shape of the pixels, and RGB has Adobe's marker instead.
GST_START_TEST(headers) {
  for (const char *ratio : {"12/11", "1/2147483647"})
    check(video_caps("I420", kSize, std::string("pixel-aspect-ratio=") + ratio));
  const std::string caps = video_caps("RGB", kSize, "pixel-aspect-ratio=12/11");
  for (const char *keep : {"false", "true"}) {
    Harness harness("coalescejpegenc", {{"keep-rgb", keep}});
    fail_unless(harness.set_input(caps));
    const Bytes file = code_and_check(harness, caps);
    fail_unless(has_marker(file, 0xEE) == (keep[0] == 't') &&
                has_marker(file, 0xE0) == (keep[0] == 'f'));
    // X density 11, Y density 12.
    if (keep[0] == 'f') fail_unless(file[15] == 11 && file[17] == 12);
  }
}
GST_END_TEST;

// Fields of a frame are coded as one picture, their rows by turns.
GST_START_TEST(interlaced) {
  for (const char *format : {"I420", "NV12", "RGB", "UYVY"})
    for (const int height : {2, 5, 18, 43})
      check(video_caps(format, {33, height},
                       "interlace-mode=interleaved, field-order=top-field-first"));
}
GST_END_TEST;

Bytes file_of(const Properties &properties, const std::string &caps, GstBuffer *in) {
  Harness harness("coalescejpegenc", properties);
  fail_unless(harness.set_input(caps));
  fail_unless_equals_int(harness.push(gst_buffer_ref(in)), GST_FLOW_OK);
  return bytes_of(harness.pull().get());
}

GST_START_TEST(libjpeg) {
  using namespace coalesce::test;
  if (!have_libjpeg()) {
    skip("there is no libjpeg");
    return;
  }
  const Size size{61, 42};
  LibjpegCoding coding;
  coding.quality = 77;
  coding.optimize = true;
  coding.restart_interval = 3;
  const std::string rgb = video_caps("RGB", size), yuv = video_caps("I420", size);
  const Properties like = {{"quality", "77"}, {"optimize", "true"}, {"restart-interval", "3"}};
  const BufferRef pixels(smooth_frame(video_info(rgb), 1)),
      planes(smooth_frame(video_info(yuv), 2));
  const auto plane = [](const Bytes &bytes, const GstVideoInfo &info, int p) {
    return LibjpegPlane{bytes.data() + GST_VIDEO_INFO_PLANE_OFFSET(&info, p),
                        static_cast<std::size_t>(GST_VIDEO_INFO_PLANE_STRIDE(&info, p)),
                        GST_VIDEO_INFO_COMP_WIDTH(&info, p), GST_VIDEO_INFO_COMP_HEIGHT(&info, p)};
  };
  const GstVideoInfo rgb_info = video_info(rgb), yuv_info = video_info(yuv);
  const Bytes rgb_bytes = bytes_of(pixels.get()), yuv_bytes = bytes_of(planes.get());
  fail_unless(file_of(like, rgb, pixels.get()) ==
              libjpeg_file_of_rgb(plane(rgb_bytes, rgb_info, 0), false, coding));
  fail_unless(file_of(like, yuv, planes.get()) ==
              libjpeg_file(size.width, size.height,
                           {plane(yuv_bytes, yuv_info, 0), plane(yuv_bytes, yuv_info, 1),
                            plane(yuv_bytes, yuv_info, 2)},
                           coding));
}
GST_END_TEST;

}  // namespace

void add_jpegenc_file_cases(Suite *suite) {
  TCase *files = new_case(suite, "files");
  tcase_add_test(files, every_format);
  tcase_add_test(files, headers);
  tcase_add_test(files, interlaced);
  if (small_run()) return;
  tcase_add_test(files, properties);
  tcase_add_test(files, automatic_restart_interval);
  tcase_add_test(files, libjpeg);
}

}  // namespace test
