// SPDX-License-Identifier: LGPL-2.1-or-later
// Output of coalescejpegdec: formats, pixels, caps, properties, tags.
#include <cstring>

#include "jpegdec_files.h"

namespace test {
namespace {

const char *const kCoded[] = {"GRAY8", "I420", "Y42B", "Y444"};

GST_START_TEST(every_output) {
  const char *coded = kCoded[__i__];
  const bool is_420 = std::strcmp(coded, "I420") == 0;
  for (const Size size : {Size{1, 1}, Size{16, 16}, Size{37, 23}, Size{130, 50}}) {
    const Bytes file = jpeg_file(coded, size, 7, size.width == 130 ? 3 : 0);
    for (const char *out : {coded, is_420 ? "NV12" : coded, "RGB", "BGR", "RGBx", "BGRx", "xRGB",
                            "xBGR", "RGBA", "BGRA", "ARGB", "ABGR"})
      for (const char *fancy : {"true", "false"}) {
        Harness harness("coalescejpegdec", {{"fancy-upsampling", fancy}});
        harness.accept(std::string("video/x-raw, format=") + out);
        fail_unless(harness.set_input("image/jpeg, framerate=25/1"));
        push_file(harness, file);
        harness.expect_no_error();
        const std::string caps = text_of(harness.output_caps().get());
        fail_unless(contains(caps, "framerate=(fraction)25/1"), "%s", caps.c_str());
        // Bytes of x are the decoder's own affair.
        expect_picture(harness, decoded(file, out, fancy[0] == 't'), out);
      }
  }
}
GST_END_TEST;

// Where downstream takes anything: samples as they are coded.
GST_START_TEST(caps) {
  const struct {
    const char *coded, *words;
  } cases[] = {{"GRAY8", "format=(string)GRAY8"},
               {"I420", "chroma-site=(string)jpeg"},
               {"I420", "colorimetry=(string)1:4:0:0"},
               {"Y42B", "format=(string)Y42B"},
               {"Y444", "format=(string)Y444"}};
  for (const auto &[coded, words] : cases) {
    Harness harness("coalescejpegdec");
    fail_unless(harness.set_input("image/jpeg, framerate=30/1, pixel-aspect-ratio=4/3"));
    push_file(harness, jpeg_file(coded, {24, 18}, 1));
    const std::string caps = text_of(harness.output_caps().get());
    for (const char *word :
         {words, "width=(int)24", "height=(int)18", "pixel-aspect-ratio=(fraction)4/3",
          "interlace-mode=(string)progressive"})
      fail_unless(contains(caps, word), "%s in %s", word, caps.c_str());
  }
}
GST_END_TEST;

GST_START_TEST(aspect_of_jfif) {
  Bytes file = jpeg_file("GRAY8", {16, 16}, 1);
  // SOI, APP0, length, "JFIF\0", version, unit, X density, Y density.
  fail_unless(file[3] == 0xE0 && file[13] == 0);
  file[15] = 11, file[17] = 12;
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg"));
  push_file(harness, file);
  const std::string caps = text_of(harness.output_caps().get());
  fail_unless(contains(caps, "pixel-aspect-ratio=(fraction)12/11"), "%s", caps.c_str());
}
GST_END_TEST;

GST_START_TEST(orientation_is_a_tag) {
  constexpr const char *kNames[] = {"rotate-0",        "flip-rotate-0",   "rotate-180",
                                    "flip-rotate-180", "flip-rotate-270", "rotate-90",
                                    "flip-rotate-90",  "rotate-270"};
  const Bytes file = jpeg_file("GRAY8", {16, 16}, 1);
  for (int orientation = 1; orientation <= 8; orientation++) {
    Harness harness("coalescejpegdec");
    fail_unless(harness.set_input("image/jpeg"));
    push_file(harness, with_orientation(file, orientation));
    const EventRef event(gst_pad_get_sticky_event(harness.from_element(), GST_EVENT_TAG, 0));
    if (orientation == 1 && event == nullptr) continue;
    fail_unless(event != nullptr);
    GstTagList *tags = nullptr;
    gst_event_parse_tag(event.get(), &tags);
    gchar *name = nullptr;
    fail_unless(gst_tag_list_get_string(tags, GST_TAG_IMAGE_ORIENTATION, &name));
    const Owned<char> owned(name);
    expect_string(name, kNames[orientation - 1]);
    expect_picture(harness, decoded(file, "GRAY8"), name);  // which is not turned
  }
}
GST_END_TEST;

GST_START_TEST(properties_change_while_playing) {
  const Bytes file = jpeg_file("I420", {48, 32}, 3);
  Harness harness("coalescejpegdec");
  harness.accept("video/x-raw, format=RGB");
  fail_unless(harness.set_input("image/jpeg"));
  for (const bool fancy : {true, false, true}) {
    g_object_set(harness.element(), "fancy-upsampling", fancy, nullptr);
    push_file(harness, file);
    expect_picture(harness, decoded(file, "RGB", fancy), fancy ? "fancy" : "repeated");
  }
  g_object_set(harness.element(), "max-pixels", 48 * 32 - 1, nullptr);
  push_file(harness, file);
  fail_unless_equals_int(harness.waiting(), 0);
  fail_unless(contains(harness.take_warning(), "max-pixels"));
  g_object_set(harness.element(), "max-pixels", 0, nullptr);
  push_file(harness, file);
  fail_unless_equals_int(harness.waiting(), 1);
  harness.expect_no_error();
}
GST_END_TEST;

// Downstream takes none of what there can be: one error, with the fields that differ.
GST_START_TEST(downstream_wants_the_impossible) {
  const Bytes file = jpeg_file("I420", {48, 32}, 3);
  for (const char *accepted : {"video/x-raw, format=v210", "video/x-raw, width=320"}) {
    Harness harness("coalescejpegdec");
    harness.accept(accepted);
    harness.set_input("image/jpeg");
    for (int i = 0; i < 2; i++)
      fail_unless_equals_int(harness.push(buffer_with(file)), GST_FLOW_NOT_NEGOTIATED);
    const std::vector<std::string> errors = harness.errors();
    fail_unless_equals_int(errors.size(), 1);
    fail_unless(contains(errors[0], "downstream accepts "), "%s", errors[0].c_str());
  }
}
GST_END_TEST;

// Size and rate of downstream, and no field more.
GST_START_TEST(upstream_is_told) {
  const struct {
    const char *accepted, *expected;
  } cases[] = {{"ANY", "image/jpeg"},
               {"video/x-raw, format=RGB", "image/jpeg"},
               {"video/x-raw, width=64, height=[1, 48], framerate=25/1",
                "image/jpeg, width=(int)64, height=(int)[ 1, 48 ], framerate=(fraction)25/1"},
               {"audio/x-raw", "EMPTY"}};
  for (const auto &[accepted, expected] : cases) {
    Harness harness("coalescejpegdec");
    harness.accept(accepted);
    const CapsRef caps(gst_pad_peer_query_caps(harness.to_element(), nullptr));
    expect_string(text_of(caps.get()), expected);
  }
}
GST_END_TEST;

// Again and again: an error each time.
GST_START_TEST(downstream_refuses_at_times) {
  const Bytes file = jpeg_file("I420", {48, 32}, 3);
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg"));
  for (const char *out : {"I420", "v210", "I420", "v210", "RGB"}) {
    harness.accept(std::string("video/x-raw, format=") + out);
    gst_pad_push_event(harness.from_element(), gst_event_new_reconfigure());
    const bool possible = out[0] != 'v';
    fail_unless_equals_int(harness.push(buffer_with(file)),
                           possible ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED);
    fail_unless_equals_int(harness.errors().size(), possible ? 0 : 1);
    if (possible) expect_picture(harness, decoded(file, out), out);
  }
}
GST_END_TEST;

GST_START_TEST(downstream_changes_its_mind) {
  const Bytes file = jpeg_file("I420", {48, 32}, 3);
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg"));
  for (const char *out : {"I420", "RGB", "NV12"}) {
    harness.accept(std::string("video/x-raw, format=") + out);
    gst_pad_push_event(harness.from_element(), gst_event_new_reconfigure());
    push_file(harness, file);
    expect_picture(harness, decoded(file, out), out);
  }
}
GST_END_TEST;

// The element's part of what the tests of all elements ask of those that take raw video.
GST_START_TEST(back_ends_without_a_gpu) {
  Harness harness("coalescejpegdec", {{"cuda-device-id", "99"}, {"n-threads", "3"}});
  fail_unless(harness.set_input("image/jpeg"));
  push_file(harness, jpeg_file("I420", {48, 32}, 3));
  expect_string(active_backend(harness.element()), "cpu");
  fail_unless_equals_uint64(stat(harness.element(), "frames"), 1);
  fail_unless_equals_uint64(stat(harness.element(), "uploads"), 0);

  GstElement *element = gst_element_factory_make("coalescejpegdec", nullptr);
  const Owned<GstElement> owned(GST_ELEMENT(gst_object_ref_sink(element)));
  gst_util_set_object_arg(G_OBJECT(element), "backend", "cuda");
  for (int again = 0; again < 2; again++) {
    const Message error = start_error(element);
    fail_unless(error.is(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND) &&
                    contains(error.text, "No NVIDIA GPU can be used: "),
                "%s", error.text.c_str());
  }
}
GST_END_TEST;

}  // namespace
}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "coalescejpegdec", [](Suite *suite) {
    using namespace test;
    TCase *output = new_case(suite, "output");
    add_sampled_loop_test(output, every_output, 4);
    tcase_add_test(output, caps);
    tcase_add_test(output, aspect_of_jfif);
    tcase_add_test(output, orientation_is_a_tag);
    tcase_add_test(output, properties_change_while_playing);
    tcase_add_test(output, downstream_wants_the_impossible);
    tcase_add_test(output, upstream_is_told);
    tcase_add_test(output, downstream_refuses_at_times);
    tcase_add_test(output, downstream_changes_its_mind);
    tcase_add_test(output, back_ends_without_a_gpu);
    add_jpegdec_input_cases(suite);
    add_jpegdec_field_cases(suite);
    add_jpegdec_broken_cases(suite);
    add_jpegdec_pipeline_cases(suite);
  });
}
