// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of motion JPEG that are two files, one a field.
#include <algorithm>

#include "jpeg/libjpeg_judge.h"
#include "jpegdec_files.h"

namespace test {
namespace {

constexpr Size kField{32, 16};

// Rows by turns.
Bytes woven(const Bytes &top, const Bytes &bottom, gsize row) {
  Bytes all;
  for (gsize at = 0; at < top.size(); at += row)
    for (const Bytes *field : {&top, &bottom})
      all.insert(all.end(), field->begin() + static_cast<std::ptrdiff_t>(at),
                 field->begin() + static_cast<std::ptrdiff_t>(at + row));
  return all;
}

Bytes of_polarity(const Bytes &file, guint8 polarity) {
  return with_segment(file, 0xE0, {'A', 'V', 'I', '1', polarity, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

struct Fields {
  Bytes first = jpeg_file("GRAY8", kField, 1), second = jpeg_file("GRAY8", kField, 2);
  Bytes top_first() const { return woven(decoded(first, "GRAY8"), decoded(second, "GRAY8"), 32); }
  Bytes bottom_first() const {
    return woven(decoded(second, "GRAY8"), decoded(first, "GRAY8"), 32);
  }
};

void expect_frame(Harness &harness, const Bytes &expected, const char *order, bool one_field) {
  fail_unless_equals_int(harness.waiting(), 1);
  const BufferRef out = harness.pull();
  const std::string caps = text_of(harness.output_caps().get());
  for (const char *word : {"height=(int)32", "interlace-mode=(string)interleaved", order})
    fail_unless(contains(caps, word), "%s in %s", word, caps.c_str());
  fail_unless(picture(out.get(), harness.output_info()) == expected);
  fail_unless(GST_BUFFER_FLAG_IS_SET(out.get(), GST_VIDEO_BUFFER_FLAG_INTERLACED));
  fail_unless_equals_int(GST_BUFFER_FLAG_IS_SET(out.get(), GST_VIDEO_BUFFER_FLAG_TFF) ? 1 : 0,
                         contains(order, "top") ? 1 : 0);
  fail_unless((GST_BUFFER_FLAGS(out.get()) & GST_VIDEO_BUFFER_FLAG_ONEFIELD) != 0 ? one_field
                                                                                  : !one_field);
  harness.expect_no_error();
}

// The caps say the frame's height.
GST_START_TEST(by_caps) {
  const Fields fields;
  const Bytes both = joined({fields.first, {0, 0}, fields.second, {0xFF}});
  for (const char *parsed : {"", ", parsed=true"}) {
    Harness harness("coalescejpegdec");
    fail_unless(harness.set_input(std::string("image/jpeg, width=32, height=32") + parsed));
    for (int n = 0; n < 2; n++) {
      push_file(harness, both);
      expect_frame(harness, fields.top_first(), "field-order=(string)top-field-first", false);
    }
  }
}
GST_END_TEST;

// The files say which field they are, cut anywhere.
GST_START_TEST(by_avi1) {
  const Fields fields;
  for (const guint8 polarity : {guint8{1}, guint8{2}}) {
    const auto other = static_cast<guint8>(3 - polarity);
    const Bytes both =
        joined({of_polarity(fields.first, polarity), of_polarity(fields.second, other)});
    Harness harness("coalescejpegdec");
    fail_unless(harness.set_input("image/jpeg"));
    for (gsize at = 0; at < both.size(); at += 11)
      push_file(harness,
                Bytes(both.begin() + static_cast<std::ptrdiff_t>(at),
                      both.begin() + static_cast<std::ptrdiff_t>(std::min(both.size(), at + 11))));
    expect_frame(harness, polarity == 1 ? fields.top_first() : fields.bottom_first(),
                 polarity == 1 ? "top-field-first" : "bottom-field-first", false);
  }
  // And that they are none.
  Harness frames("coalescejpegdec");
  fail_unless(frames.set_input("image/jpeg"));
  push_file(frames, of_polarity(fields.first, 0));
  expect_picture(frames, decoded(fields.first, "GRAY8"), "a frame");
}
GST_END_TEST;

// So do the caps; but what the files say counts more.
GST_START_TEST(order_of_caps) {
  const Fields fields;
  for (const bool bottom : {false, true})
    for (const int polarity : {-1, 0, 1}) {
      const bool bottom_first = polarity == 1 ? false : bottom;
      const Bytes first =
          polarity < 0 ? fields.first : of_polarity(fields.first, static_cast<guint8>(polarity));
      Harness harness("coalescejpegdec");
      fail_unless(harness.set_input(
          std::string("image/jpeg, height=32, interlace-mode=interleaved, field-order=") +
          (bottom ? "bottom-field-first" : "top-field-first")));
      push_file(harness, joined({first, fields.second}));
      expect_frame(harness, bottom_first ? fields.bottom_first() : fields.top_first(),
                   bottom_first ? "bottom-field-first" : "top-field-first", false);
    }
}
GST_END_TEST;

// One without its second has its rows twice.
GST_START_TEST(one_field) {
  const Fields fields;
  const Bytes expected = woven(decoded(fields.first, "GRAY8"), decoded(fields.first, "GRAY8"), 32);
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg, height=32"));
  push_file(harness, fields.first);
  fail_unless_equals_int(harness.waiting(), 0);
  fail_unless(harness.push_event(gst_event_new_eos()));
  expect_frame(harness, expected, "top-field-first", true);
}
GST_END_TEST;

Bytes progressive(int width, int height) {
  const Bytes rgb(static_cast<gsize>(3 * width * height), 77);
  coalesce::test::LibjpegCoding coding;
  coding.progressive = true;
  return coalesce::test::libjpeg_file_of_rgb(
      {rgb.data(), static_cast<gsize>(3 * width), width, height}, false, coding);
}

// One field is libjpeg's, the other might be ours.
GST_START_TEST(one_progressive) {
  if (!coalesce::test::have_libjpeg()) return;
  const Bytes files[] = {jpeg_file("I420", {16, 8}, 1), progressive(16, 8)};
  for (const gsize first : {gsize{0}, gsize{1}}) {
    const Bytes &top = files[first], &bottom = files[1 - first];
    Harness harness("coalescejpegdec");
    harness.accept("video/x-raw, format=RGB");
    fail_unless(harness.set_input("image/jpeg, height=16"));
    push_file(harness, joined({top, bottom}));
    const auto rgb = [](const Bytes &file) {
      return coalesce::test::libjpeg_rgb(file, true).planes[0].samples;
    };
    expect_picture(harness, woven(rgb(top), rgb(bottom), 48), "one progressive field");
    fail_unless(harness.take_warning().empty());
    harness.expect_no_error();
  }
}
GST_END_TEST;

// The second field has other samples than the first one, and both are libjpeg's.
GST_START_TEST(unlike_fields) {
  if (!coalesce::test::have_libjpeg()) return;
  for (const char *format : {"I420", "RGB"})
    for (const Size &second : {Size{40, 8}, Size{16, 24}, Size{8, 4}}) {
      Harness harness("coalescejpegdec");
      harness.accept(std::string("video/x-raw, format=") + format);
      fail_unless(harness.set_input("image/jpeg"));
      push_file(harness, joined({of_polarity(progressive(16, 8), 1),
                                 of_polarity(progressive(second.width, second.height), 2)}));
      fail_unless_equals_int(harness.waiting(), 0);
      const std::string warning = harness.take_warning();
      fail_unless(contains(warning, "second field is unlike the first"), "%s", warning.c_str());
      // The next picture is none the worse.
      const Bytes file = jpeg_file("I420", {16, 8}, 3);
      push_file(harness, of_polarity(file, 0));
      fail_unless_equals_int(harness.waiting(), 1);
      harness.expect_no_error();
    }
}
GST_END_TEST;

GST_START_TEST(fields_of_chroma) {
  const Bytes first = jpeg_file("I420", kField, 1), second = jpeg_file("I420", kField, 2);
  for (const char *format : {"I420", "NV12", "RGB"}) {
    Harness harness("coalescejpegdec");
    harness.accept(std::string("video/x-raw, format=") + format);
    fail_unless(harness.set_input("image/jpeg, height=32"));
    push_file(harness, joined({first, second}));
    fail_unless_equals_int(harness.waiting(), 1);
    const GstVideoInfo info = harness.output_info();
    Bytes expected;
    gsize at = 0;
    const Bytes top = decoded(first, format), bottom = decoded(second, format);
    for (int p = 0; p < static_cast<int>(GST_VIDEO_INFO_N_PLANES(&info)); p++) {
      const auto row = static_cast<gsize>(row_bytes(info, p));
      const auto bytes = static_cast<std::ptrdiff_t>(row) * (rows(info, p) / 2);
      const auto begin = static_cast<std::ptrdiff_t>(at);
      const Bytes plane = woven(Bytes(top.begin() + begin, top.begin() + begin + bytes),
                                Bytes(bottom.begin() + begin, bottom.begin() + begin + bytes), row);
      expected.insert(expected.end(), plane.begin(), plane.end());
      at += static_cast<gsize>(bytes);
    }
    expect_picture(harness, expected, format);
  }
}
GST_END_TEST;

}  // namespace

void add_jpegdec_field_cases(Suite *suite) {
  TCase *fields = new_case(suite, "fields");
  tcase_add_test(fields, by_caps);
  tcase_add_test(fields, by_avi1);
  tcase_add_test(fields, order_of_caps);
  tcase_add_test(fields, one_field);
  tcase_add_test(fields, one_progressive);
  tcase_add_test(fields, unlike_fields);
  tcase_add_test(fields, fields_of_chroma);
}

}  // namespace test
