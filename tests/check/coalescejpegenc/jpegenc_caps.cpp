// SPDX-License-Identifier: LGPL-2.1-or-later
// The caps of coalescejpegenc, and the wishes of downstream.
#include "../../support/elements/pipeline.h"
#include "jpegenc_cases.h"

namespace test {
namespace {

const Size kSize{64, 48};

// Each field of `expected` is so in the output's caps.
void expect_caps(Harness &harness, const std::string &expected) {
  const CapsRef caps = harness.output_caps();
  fail_unless(caps != nullptr, "no output caps");
  fail_unless(gst_caps_is_subset(caps.get(), parse_caps(expected).get()), "%s is not %s",
              text_of(caps.get()).c_str(), expected.c_str());
}

GST_START_TEST(every_field) {
  const struct {
    const char *format, *more;
    Properties properties;
    const char *expected;
  } cases[] = {
      {"GRAY8", "", {}, "sampling=GRAYSCALE, colorspace=GRAY"},
      {"I420", "", {}, "sampling=YCbCr-4:2:0, colorspace=sYUV, colorimetry=bt601"},
      {"NV16", "", {}, "sampling=YCbCr-4:2:2, colorspace=sYUV"},
      {"UYVY", "", {}, "sampling=YCbCr-4:2:2, colorspace=sYUV"},
      {"Y444", "", {}, "sampling=YCbCr-4:4:4, colorspace=sYUV"},
      {"AYUV", "", {}, "sampling=YCbCr-4:4:4, colorspace=sYUV"},
      {"Y41B", "", {}, "sampling=YCbCr-4:1:1, colorspace=sYUV"},
      {"RGB", "", {}, "sampling=YCbCr-4:2:0, colorspace=sYUV, colorimetry=1:4:7:1"},
      {"BGRA", "", {}, "sampling=YCbCr-4:2:0, colorspace=sYUV, chroma-site=jpeg"},
      {"RGB", "", {{"subsampling", "422"}}, "sampling=YCbCr-4:2:2, colorspace=sYUV"},
      {"xBGR", "", {{"subsampling", "444"}}, "sampling=YCbCr-4:4:4, colorspace=sYUV"},
      {"GBR", "", {{"keep-rgb", "true"}}, "sampling=RGB, colorspace=sRGB, colorimetry=sRGB"},
      {"I420",
       "colorimetry=bt709, chroma-site=mpeg2, pixel-aspect-ratio=12/11",
       {},
       "colorimetry=bt709, chroma-site=mpeg2, pixel-aspect-ratio=12/11"},
      {"I420",
       "interlace-mode=interleaved, field-order=top-field-first",
       {},
       "interlace-mode=interleaved, field-order=top-field-first, height=48"},
      {"I420", "framerate=30000/1001", {}, "framerate=30000/1001"},
  };
  for (const auto &[format, more, properties, expected] : cases) {
    Harness harness("coalescejpegenc", properties);
    fail_unless(harness.set_input(video_caps(format, kSize, more)), "%s %s", format, more);
    expect_caps(harness,
                std::string("image/jpeg, parsed=true, sof-marker=0, width=64, ") + expected);
    if (more[0] == '\0')
      expect_caps(harness,
                  "image/jpeg, height=48, framerate=25/1, pixel-aspect-ratio=1/1, "
                  "interlace-mode=progressive");
  }
}
GST_END_TEST;

// A source that has the choice makes what downstream can use.
GST_START_TEST(wishes_of_downstream) {
  for (const auto &[accepted, format] :
       {std::pair{"image/jpeg", "I420"},
        {"image/jpeg, sampling=YCbCr-4:1:1", "Y41B"},
        {"image/jpeg, sampling=YCbCr-4:2:2, colorimetry=bt709", "Y42B"},
        {"image/jpeg, colorspace=GRAY", "GRAY8"}}) {
    Pipeline pipeline(std::string("videotestsrc num-buffers=1 ! coalescejpegenc name=coder ! ") +
                      accepted + " ! fakesink name=sink");
    pipeline.set_state(GST_STATE_PLAYING);
    pipeline.wait_for_eos();
    const Owned<GstPad> pad(gst_element_get_static_pad(pipeline.element("coder"), "sink"));
    const CapsRef caps = current_caps(pad.get());
    expect_string(gst_structure_get_string(gst_caps_get_structure(caps.get(), 0), "format"),
                  format);
    pipeline.set_state(GST_STATE_NULL);
  }
}
GST_END_TEST;

GST_START_TEST(what_downstream_cannot_use) {
  const struct {
    const char *accepted, *format, *made, *taken;
  } cases[] = {
      {"image/jpeg, sampling=RGB", "I420", "sampling=YCbCr-4:2:0,", "accepts sampling=RGB "},
      {"image/jpeg, sampling=RGB", "RGB", "sampling=YCbCr-4:2:0,", "accepts sampling=RGB "},
      {"image/jpeg, width=[ 100, 200 ]", "I420", "width=64,", "width=[ 100, 200 ] "},
      {"image/jpeg, sof-marker=2", "I420", "sof-marker=0,", "sof-marker=2 "},
      {"image/png", "I420", "no JPEG (image/jpeg)", "format=(string)I420"},
  };
  for (const auto &[accepted, format, made, taken] : cases) {
    Harness harness("coalescejpegenc");
    harness.accept(accepted);
    const std::string caps = video_caps(format, kSize);
    harness.set_input(caps);
    fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)),
                           GST_FLOW_NOT_NEGOTIATED);
    harness.expect_error(GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, {made, taken});
    harness.expect_no_error();
  }
}
GST_END_TEST;

GST_START_TEST(fields_in_a_row) {
  Harness harness("coalescejpegenc");
  harness.set_input(video_caps("I420", kSize, "interlace-mode=fields"));
  const GstVideoInfo info = video_info(video_caps("I420", kSize));
  fail_unless_equals_int(harness.push(random_frame(info, {}, 1)), GST_FLOW_NOT_NEGOTIATED);
  harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, {"interlace-mode=fields"});
}
GST_END_TEST;

}  // namespace

void add_jpegenc_caps_cases(Suite *suite) {
  TCase *caps = new_case(suite, "caps");
  tcase_add_test(caps, every_field);
  tcase_add_test(caps, wishes_of_downstream);
  tcase_add_test(caps, what_downstream_cannot_use);
  tcase_add_test(caps, fields_in_a_row);
}

}  // namespace test
