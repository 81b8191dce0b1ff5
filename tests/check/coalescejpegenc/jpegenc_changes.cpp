// SPDX-License-Identifier: LGPL-2.1-or-later
// Settings that cannot be: an error that names property and value. And those that change while
// frames flow.
#include "../control.h"
#include "jpegenc_cases.h"

namespace test {
namespace {

const Size kSize{64, 48};
const std::string kRgb = video_caps("RGB", kSize);

struct Refusal {
  Properties properties;
  std::vector<const char *> words;
};

// At the start, in whatever format.
GST_START_TEST(settings_that_cannot_be) {
  const std::string many = [] {
    std::string text;
    for (int i = 0; i < 65; i++)
      text += "9 ";
    return text;
  }();
  const std::string zero = many.substr(2 * 2) + "0", large = many.substr(2 * 2) + "256";
  const std::vector<Refusal> all = {
      {{{"max-frame-size", "900"}, {"bitrate", "100"}},
       {"max-frame-size=900 and bitrate=100", "only one"}},
      {{{"quant-table-luma", "1 2 3"}}, {"quant-table-luma=\"1 2 3\"", "64 whole numbers"}},
      {{{"quant-table-chroma", many.c_str()}}, {"quant-table-chroma=\"9 9", "64 whole numbers"}},
      {{{"quant-table-luma", zero.c_str()}}, {"quant-table-luma=", "1 to 255"}},
      {{{"quant-table-luma", large.c_str()}}, {"quant-table-luma=", "1 to 255"}},
      {{{"quant-table-luma", "coarse"}}, {"quant-table-luma=\"coarse\""}},
      {{{"quant-table-luma", "!"}}, {"quant-table-luma=\"!\"", "a shell removes"}},
  };
  for (const auto &[properties, words] : all) {
    Owned<GstElement> element(
        GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("coalescejpegenc", nullptr))));
    for (const auto &[name, value] : properties)
      gst_util_set_object_arg(G_OBJECT(element.get()), name, value);
    const Message error = start_error(element.get());
    fail_unless(error.is(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS), "%s", error.text.c_str());
    for (const char *word : words)
      fail_unless(contains(error.text, word), "\"%s\" should say \"%s\"", error.text.c_str(), word);
  }
}
GST_END_TEST;

// With the caps, before anything comes out.
GST_START_TEST(settings_that_the_format_forbids) {
  const struct {
    const char *format;
    Refusal refusal;
  } cases[] = {
      {"Y42B", {{{"subsampling", "420"}}, {"subsampling=420", "Y42B has YCbCr-4:2:2", "yuv2yuv"}}},
      {"I420", {{{"subsampling", "444"}}, {"subsampling=444", "I420 has YCbCr-4:2:0"}}},
      {"AYUV", {{{"subsampling", "422"}}, {"subsampling=422", "AYUV has YCbCr-4:4:4"}}},
  };
  for (const auto &[format, refusal] : cases) {
    const std::string caps = video_caps(format, kSize);
    Harness harness("coalescejpegenc", refusal.properties);
    harness.set_input(caps);
    fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)),
                           GST_FLOW_NOT_NEGOTIATED);
    fail_unless_equals_int(harness.waiting(), 0);
    harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, refusal.words);
  }
  std::string still = kRgb;
  still.replace(still.find("25/1"), 4, "0/1");
  Harness harness("coalescejpegenc", {{"bitrate", "1000"}});
  harness.set_input(still);
  harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                       {"bitrate=1000", "framerate", "max-frame-size"});
}
GST_END_TEST;

// A frame that no quality makes small enough ends the stream; the error names the limit.
GST_START_TEST(limits_that_no_quality_meets) {
  for (const auto &[name, value, told] :
       {std::tuple{"max-frame-size", "600",
                   "max-frame-size=600: the frame has more than 600 bytes"},
        {"bitrate", "100", "bitrate=100: the frame has more than 500 bytes"}}) {
    Harness harness("coalescejpegenc", {{name, value}});
    fail_unless(harness.set_input(kRgb));
    fail_unless_equals_int(harness.push(random_frame(video_info(kRgb), {}, 1)), GST_FLOW_ERROR);
    harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_ENCODE, {told, "quality=1"});
    // It can be put right without a restart.
    set(harness, name, "100000");
    code_and_check(harness, kRgb);
  }
}
GST_END_TEST;

GST_START_TEST(ignored_settings) {
  std::string table;
  for (int i = 0; i < 64; i++)
    table += "9 ";
  const Properties own = {{"quant-table-luma", table.c_str()},
                          {"quant-table-chroma", table.c_str()}};
  for (const auto &[quality, limit, ignored] :
       {std::tuple{"70", "0", true}, {"85", "0", false}, {"70", "9000", false}}) {
    Properties all = own;
    all.emplace_back("quality", quality);
    all.emplace_back("max-frame-size", limit);
    Harness harness("coalescejpegenc", all);
    fail_unless(harness.set_input(kRgb));
    const std::string warning = harness.take_warning();
    fail_unless(contains(warning, "quality=70 has no effect") == ignored, "%s", warning.c_str());
  }
}
GST_END_TEST;

// Each is in use from the next frame on; caps follow.
GST_START_TEST(from_the_next_frame_on) {
  Harness harness("coalescejpegenc");
  fail_unless(harness.set_input(kRgb));
  code_and_check(harness, kRgb);
  for (const auto &[name, value, sampling] : {std::tuple{"quality", "30", "YCbCr-4:2:0"},
                                              {"optimize", "true", "YCbCr-4:2:0"},
                                              {"restart-interval", "2", "YCbCr-4:2:0"},
                                              {"subsampling", "444", "YCbCr-4:4:4"},
                                              {"keep-rgb", "true", "RGB"},
                                              {"max-frame-size", "2500", "RGB"},
                                              {"max-frame-size", "2000", "RGB"},
                                              {"keep-rgb", "false", "YCbCr-4:4:4"},
                                              {"max-frame-size", "0", "YCbCr-4:4:4"},
                                              {"bitrate", "450", "YCbCr-4:4:4"}}) {
    set(harness, name, value);
    code_and_check(harness, kRgb);
    const CapsRef caps = harness.output_caps();
    expect_string(gst_structure_get_string(gst_caps_get_structure(caps.get(), 0), "sampling"),
                  sampling);
  }
  fail_unless(harness.take_warning().empty());
  harness.expect_no_error();
}
GST_END_TEST;

// A warning, and what was good holds.
GST_START_TEST(bad_settings_are_not_used) {
  const std::string yuv = video_caps("I420", kSize);
  for (const auto &[name, value, word] : {std::tuple{"quant-table-luma", "?", "\"?\""},
                                          {"subsampling", "444", "subsampling=444"},
                                          {"max-frame-size", "5000", "only one limit"}}) {
    Harness harness("coalescejpegenc", {{"bitrate", "10000"}});
    fail_unless(harness.set_input(yuv));
    const Bytes good = code_and_check(harness, yuv);
    const auto again = [&] {
      fail_unless_equals_int(harness.push(random_frame(video_info(yuv), {}, 1)), GST_FLOW_OK);
      return bytes_of(harness.pull().get());
    };
    const Bytes random = again();
    const char *before = contains(name, "table") ? "" : contains(name, "size") ? "0" : "auto";
    for (int round = 0; round < 2; round++) {
      set(harness, name, value);
      fail_unless(again() == random && again() == random, "%s=%s", name, value);
      const std::string warning = harness.take_warning();
      fail_unless(contains(warning, word), "%s=%s: \"%s\"", name, value, warning.c_str());
      fail_unless(harness.take_warning().empty(), "%s=%s: a second warning", name, value);
      set(harness, name, before);
    }
    harness.expect_no_error();
  }
}
GST_END_TEST;

// Quality and limit follow the time of the frames.
GST_START_TEST(controlled_quality) {
  const GstVideoInfo info = video_info(kRgb);
  Harness harness("coalescejpegenc");
  control(harness.element(), "quality", {20, 80});
  fail_unless(harness.set_input(kRgb));
  for (const int tenths : {0, 5, 10, 2}) {
    GstBuffer *in = random_frame(info, {}, 1);
    GST_BUFFER_PTS(in) = static_cast<GstClockTime>(tenths) * GST_SECOND / 10;
    const BufferRef kept(gst_buffer_ref(in));
    fail_unless_equals_int(harness.push(in), GST_FLOW_OK);
    const std::string wrong =
        jpeg_difference(harness.element(), kept.get(), info, bytes_of(harness.pull().get()));
    gint quality = 0;
    g_object_get(harness.element(), "quality", &quality, nullptr);
    fail_unless(wrong.empty() && quality == 20 + 6 * tenths, "%d: %s", quality, wrong.c_str());
  }
  harness.expect_no_error();
}
GST_END_TEST;

// Each size is coded as if there had been no other.
GST_START_TEST(sizes_by_turns) {
  Harness harness("coalescejpegenc", {{"max-frame-size", "40000"}});
  for (const Size size : {kSize, Size{1, 1}, Size{2, 3}, Size{1, 90}, kSize, Size{90, 1}}) {
    const std::string caps = video_caps("I420", size);
    fail_unless(harness.set_input(caps));
    code_and_check(harness, caps);
  }
}
GST_END_TEST;

}  // namespace

void add_jpegenc_change_cases(Suite *suite) {
  TCase *changes = new_case(suite, "changes");
  tcase_add_test(changes, settings_that_cannot_be);
  tcase_add_test(changes, settings_that_the_format_forbids);
  tcase_add_test(changes, limits_that_no_quality_meets);
  tcase_add_test(changes, ignored_settings);
  tcase_add_test(changes, from_the_next_frame_on);
  tcase_add_test(changes, bad_settings_are_not_used);
  tcase_add_test(changes, controlled_quality);
  tcase_add_test(changes, sizes_by_turns);
}

}  // namespace test
