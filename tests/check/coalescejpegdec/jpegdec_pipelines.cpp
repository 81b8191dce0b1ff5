// SPDX-License-Identifier: LGPL-2.1-or-later
// With GStreamer's elements before coalescejpegdec.
#include "../../support/elements/pipeline.h"
#include "../../support/temporary_file.h"
#include "jpegdec_files.h"

namespace test {
namespace {

constexpr const char *kSource =
    "videotestsrc num-buffers=7 ! video/x-raw,format=I420,width=64,height=48,framerate=25/1 ! "
    "jpegenc ! ";

void expect_seven(const std::string &line) {
  Pipeline pipeline(line + " ! coalescejpegdec ! fakesink name=sink");
  int sizes = 0;
  pipeline.on_buffer = [&sizes](GstBuffer *buffer, GstPad *) {
    sizes += gst_buffer_get_size(buffer) == 64 * 48 * 3 / 2;
  };
  pipeline.set_state(GST_STATE_PLAYING);
  pipeline.wait_for_eos();
  fail_unless_equals_int(pipeline.buffers(), 7);
  fail_unless_equals_int(sizes, 7);
}

GST_START_TEST(multipart) {
  if (skip_without({"jpegenc", "multipartmux", "multipartdemux"})) return;
  expect_seven(std::string(kSource) + "multipartmux ! multipartdemux");
}
GST_END_TEST;

GST_START_TEST(avi) {
  if (skip_without({"jpegenc", "avimux", "avidemux"})) return;
  TemporaryFile file;
  {
    Pipeline writer(std::string(kSource) + "avimux ! filesink name=sink location=" + file.name());
    writer.set_state(GST_STATE_PLAYING);
    writer.wait_for_eos();
  }
  expect_seven("filesrc location=" + file.name() + " ! avidemux");
}
GST_END_TEST;

// A file of files, read in pieces.
GST_START_TEST(file) {
  if (skip_without({"jpegenc"})) return;
  TemporaryFile file;
  {
    Pipeline writer(std::string(kSource) + "filesink name=sink location=" + file.name());
    writer.set_state(GST_STATE_PLAYING);
    writer.wait_for_eos();
  }
  for (const char *pieces : {"", " blocksize=100", " ! image/jpeg,framerate=25/1"})
    expect_seven("filesrc location=" + file.name() + pieces);
}
GST_END_TEST;

// Bytes that are no JPEG, and buffers that should each be one.
GST_START_TEST(nothing_to_show) {
  constexpr const char *kNone = "No valid frames decoded before end of stream",
                       *kNotFound = ": there is no JPEG image (FF D8) in 3000 bytes. A file";
  for (const char *parsed : {"false", "true"}) {
    Pipeline pipeline(
        "fakesrc num-buffers=3 sizetype=fixed sizemax=1000 filltype=zero ! image/jpeg,parsed=" +
        std::string(parsed) + " ! coalescejpegdec ! fakesink name=sink");
    pipeline.start();
    pipeline.wait_for_end();
    const std::string error = pipeline.take_error();
    fail_unless(contains(error, kNone), "%s", error.c_str());
    fail_unless(contains(error, kNotFound) == (*parsed == 'f'), "%s", error.c_str());
  }
  // Of other bytes that begin as a picture does by chance.
  TemporaryFile file;
  std::string bytes(1000, '\0');
  bytes.replace(0, 4, "\xFF\xD8\xFF\xC4");
  fail_unless(g_file_set_contents(file.name().c_str(), bytes.data(),
                                  static_cast<gssize>(bytes.size()), nullptr));
  Pipeline pipeline("filesrc location=" + file.name() + " ! coalescejpegdec ! fakesink name=sink");
  pipeline.start();
  pipeline.wait_for_end();
  const std::string error = pipeline.take_error();
  for (const char *part : {kNone, "A picture is left out: jpeg: ", "another decoder"})
    fail_unless(contains(error, part), "%s", error.c_str());
}
GST_END_TEST;

// Where another error has said why there is none.
GST_START_TEST(one_error) {
  const Bytes picture = jpeg_file("Y444", {33, 17}, 3), spoiled = {0xFF, 0xD8, 0xFF, 0xD9};
  const struct {
    const Bytes &bytes;
    const char *rest, *error;
  } kCases[] = {{picture, "coalescejpegdec ! video/x-raw,format=I420 ! fakesink", "format=Y444"},
                {picture, "coalescejpegdec", "not-linked"},
                {spoiled, "coalescejpegdec max-errors=0 ! fakesink", "left out"},
                {picture, "coalescejpegdec ! identity error-after=1 ! fakesink", "Failed after"}};
  for (const auto &[bytes, rest, error] : kCases) {
    TemporaryFile file;
    fail_unless(g_file_set_contents(file.name().c_str(),
                                    reinterpret_cast<const char *>(bytes.data()),
                                    static_cast<gssize>(bytes.size()), nullptr));
    Pipeline pipeline("filesrc location=" + file.name() + " ! " + rest);
    pipeline.start();
    pipeline.wait_for_end();
    pipeline.stop();
    std::string all;
    for (const Message &message : pipeline.errors())
      all += message.text + ", " + message.details + "\n";
    fail_unless(contains(all, error), "%s: %s", rest, all.c_str());
    fail_unless(!contains(all, "No valid frames"), "%s: %s", rest, all.c_str());
  }
}
GST_END_TEST;

// Of what is certainly a picture no other decoder is advised.
GST_START_TEST(larger_than_wanted) {
  const Bytes picture = jpeg_file("I420", {33, 17}, 3);
  TemporaryFile file;
  fail_unless(g_file_set_contents(file.name().c_str(),
                                  reinterpret_cast<const char *>(picture.data()),
                                  static_cast<gssize>(picture.size()), nullptr));
  Pipeline pipeline("filesrc location=" + file.name() +
                    " ! coalescejpegdec max-pixels=100 ! fakesink");
  pipeline.start();
  pipeline.wait_for_end();
  const std::string error = pipeline.take_error();
  fail_unless(contains(error, "33x17 pixels are more than max-pixels=100; a larger one, or 0"),
              "%s", error.c_str());
  fail_unless(!contains(error, "decodebin"), "%s", error.c_str());
}
GST_END_TEST;

}  // namespace

void add_jpegdec_pipeline_cases(Suite *suite) {
  TCase *pipelines = new_case(suite, "pipelines");
  tcase_add_test(pipelines, multipart);
  tcase_add_test(pipelines, avi);
  tcase_add_test(pipelines, file);
  tcase_add_test(pipelines, nothing_to_show);
  tcase_add_test(pipelines, one_error);
  tcase_add_test(pipelines, larger_than_wanted);
}

}  // namespace test
