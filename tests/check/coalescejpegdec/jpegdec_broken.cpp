// SPDX-License-Identifier: LGPL-2.1-or-later
// Files that are spoiled, too large, or of kinds that are left to libjpeg.
#include <algorithm>

#include "jpeg/libjpeg_judge.h"
#include "jpegdec_files.h"

namespace test {
namespace {

using coalesce::test::have_libjpeg;
using coalesce::test::LibjpegCoding;
using coalesce::test::LibjpegPicture;
using coalesce::test::LibjpegPlane;

constexpr const char *kWhole = "image/jpeg, parsed=true";

// One output for one input, as the library has it, or a warning.
void expect_what_the_library_shows(Harness &harness, const Bytes &file, const std::string &what) {
  bool broken = false;
  const Bytes expected = decoded(file, "I420", true, &broken);
  push_file(harness, file);
  fail_unless(harness.waiting() == (expected.empty() ? 0 : 1), "%s: %d pictures", what.c_str(),
              harness.waiting());
  if (expected.empty()) return;
  const BufferRef out = harness.pull();
  fail_unless(picture(out.get(), harness.output_info()) == expected, "%s", what.c_str());
  fail_unless((GST_BUFFER_FLAG_IS_SET(out.get(), GST_BUFFER_FLAG_CORRUPTED)) == broken, "%s",
              what.c_str());
}

GST_START_TEST(spoiled_bytes) {
  const Bytes file = jpeg_file("I420", {49, 33}, 4, 2), good = decoded(file, "I420");
  Harness harness("coalescejpegdec");
  harness.accept("video/x-raw, format=I420");
  fail_unless(harness.set_input(kWhole));
  guint32 state = 1;
  int shown = 0, spoiled = 0;
  for (int n = 0; n < (small_run() ? 20 : 400); n++) {
    Bytes other = file;
    for (int flips = 0; flips <= n % 3; flips++) {
      state = state * 1664525u + 1013904223u;
      other[(state >> 8) % other.size()] ^= static_cast<guint8>(1u << (state >> 29));
    }
    bool broken = false;
    // (Sizes and samplings of their own have other formats.)
    const Bytes expected = decoded(other, "I420", true, &broken);
    if (expected.size() != good.size()) continue;
    shown++, spoiled += broken;
    expect_what_the_library_shows(harness, other, "spoiled file " + std::to_string(n));
  }
  fail_unless(small_run() || (shown > 100 && spoiled > 20), "%d, %d", shown, spoiled);
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(truncated) {
  const Bytes file = jpeg_file("I420", {49, 33}, 4);
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input(kWhole));
  const gsize step = small_run() ? 101 : 7;
  for (gsize bytes = 1; bytes < file.size(); bytes += step)
    expect_what_the_library_shows(
        harness, Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(bytes)),
        std::to_string(bytes) + " bytes");
  harness.expect_no_error();
}
GST_END_TEST;

// Whatever comes, what comes after a flush is decoded.
GST_START_TEST(any_bytes) {
  const Bytes file = jpeg_file("I420", {49, 33}, 4), expected = decoded(file, "I420");
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg"));
  guint32 state = 7;
  for (int n = 0; n < (small_run() ? 5 : 60); n++) {
    Bytes noise = n % 2 == 0 ? file : Bytes(3000);
    for (gsize i = 0; i < noise.size(); i++) {
      state = state * 1664525u + 1013904223u;
      if (n % 2 == 1)
        noise[i] = state >> 30 == 0 ? 0xFF : static_cast<guint8>(state >> 24);
      else if (state >> 24 == 0)
        noise[i] = static_cast<guint8>(state >> 16);
    }
    push_file(harness, noise);
    harness.push_event(gst_event_new_flush_start());
    harness.push_event(gst_event_new_flush_stop(TRUE));
    harness.push_event(segment_event());
    while (harness.pull() != nullptr) {
    }
    push_file(harness, file);
    fail_unless_equals_int(harness.waiting(), 1);
    expect_picture(harness, expected, "after noise");
  }
  harness.expect_no_error();
}
GST_END_TEST;

// A run of pictures with one problem is one warning; a good one ends it.
GST_START_TEST(warnings) {
  const Bytes file = jpeg_file("I420", {49, 33}, 4);
  Bytes half(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2));
  Bytes none = file;
  std::fill(none.begin() + 2, none.begin() + 40, guint8{0});  // no table, or no frame
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input(kWhole));
  for (int round = 0; round < 2; round++) {
    for (int n = 0; n < 3; n++)
      push_file(harness, half);
    const std::vector<std::string> warnings = harness.warnings();
    fail_unless_equals_int(warnings.size(), 1);
    for (const char *part : {"is broken, and shown", ": jpeg: the data of a scan end too early"})
      fail_unless(contains(warnings[0], part), "%s", warnings[0].c_str());
    push_file(harness, none);
    push_file(harness, none);
    const std::string text = harness.take_warning();
    fail_unless(contains(text, "A picture is left out: jpeg: "), "%s", text.c_str());
    fail_unless(harness.take_warning().empty());
    push_file(harness, file);
  }
  harness.expect_no_error();
}
GST_END_TEST;

// Cameras write such bytes, and the picture is whole.
GST_START_TEST(bytes_before_the_end) {
  const Bytes file = jpeg_file("I420", {33, 17}, 2);
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg"));
  for (const gsize bytes : {1, 7, 100}) {
    push_file(harness, joined({without_end(file), Bytes(bytes, 0), {0xFF, 0xD9}}));
    const BufferRef out = harness.pull();
    fail_unless(out != nullptr && !GST_BUFFER_FLAG_IS_SET(out.get(), GST_BUFFER_FLAG_CORRUPTED));
    fail_unless(picture(out.get(), harness.output_info()) == decoded(file, "I420"));
  }
  fail_unless(harness.take_warning().empty());
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(too_many_errors) {
  const Bytes nothing = {0xFF, 0xD8, 0xFF, 0xD9};
  Harness harness("coalescejpegdec", {{"max-errors", "2"}});
  fail_unless(harness.set_input(kWhole));
  push_file(harness, nothing);
  push_file(harness, nothing);
  harness.expect_no_error();
  fail_unless_equals_int(harness.push(buffer_with(nothing)), GST_FLOW_ERROR);
  harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, {"left out"});
}
GST_END_TEST;

// A few bytes that stand for gigabytes.
GST_START_TEST(bomb) {
  Bytes file = jpeg_file("GRAY8", {16, 16}, 1);
  const Bytes sof = {0xFF, 0xC0};
  const auto at = std::search(file.begin(), file.end(), sof.begin(), sof.end());
  fail_unless(at != file.end());
  at[5] = at[7] = 0xFF, at[6] = at[8] = 0xDC;  // 65500 x 65500
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg"));
  push_file(harness, file);
  fail_unless_equals_int(harness.waiting(), 0);
  std::string text = harness.take_warning();
  fail_unless(contains(text, "65500x65500 pixels are more than max-pixels=134217728"), "%s",
              text.c_str());
  // Nor is it the end of a stream where any number is allowed.
  g_object_set(harness.element(), "max-pixels", 0, nullptr);
  push_file(harness, file);
  push_file(harness, jpeg_file("GRAY8", {16, 16}, 1));
  fail_unless(harness.push_event(gst_event_new_eos()));
  fail_unless_equals_int(harness.waiting(), 1);
  text = harness.take_warning();
  fail_unless(contains(text, "2 GiB or more"), "%s", text.c_str());
}
GST_END_TEST;

// What neither we nor libjpeg decode is left out in libjpeg's words.
GST_START_TEST(refused_by_libjpeg) {
  if (!have_libjpeg()) return;
  const Bytes file = jpeg_file("GRAY8", {16, 16}, 1), sof = {0xFF, 0xC0};
  const auto at = std::search(file.begin(), file.end(), sof.begin(), sof.end()) - file.begin();
  Bytes of_12_bits = file, lossless = file;
  of_12_bits[static_cast<gsize>(at) + 4] = 12;
  lossless[static_cast<gsize>(at) + 1] = 0xC3;
  for (const Bytes &refused : {of_12_bits, lossless}) {
    Harness harness("coalescejpegdec");
    fail_unless(harness.set_input("image/jpeg"));
    push_file(harness, refused);
    push_file(harness, file);
    fail_unless_equals_int(harness.waiting(), 1);
    // (Newer versions read 12 bits, which become no picture here.)
    const std::string text = harness.take_warning();
    fail_unless(contains(text, "libjpeg: ") || contains(text, "of 8 bits"), "%s", text.c_str());
  }
}
GST_END_TEST;

struct Pixels {
  Bytes bytes;
  LibjpegPlane plane;

  explicit Pixels(int samples, Size size = {37, 23})
      : bytes(static_cast<gsize>(samples * size.width * size.height)) {
    for (gsize i = 0; i < bytes.size(); i++)
      bytes[i] = static_cast<guint8>(i * i / 50 + i % 7 * 9);
    plane = {bytes.data(), static_cast<gsize>(samples * size.width), size.width, size.height};
  }
};

GST_START_TEST(left_to_libjpeg) {
  if (!have_libjpeg()) {
    // A progressive frame header will do.
    Bytes file = jpeg_file("GRAY8", {16, 16}, 1);
    const Bytes sof = {0xFF, 0xC0};
    std::search(file.begin(), file.end(), sof.begin(), sof.end())[1] = 0xC2;
    Harness harness("coalescejpegdec");
    fail_unless(harness.set_input("image/jpeg"));
    push_file(harness, file);
    fail_unless_equals_int(harness.waiting(), 0);
    fail_unless(contains(harness.take_warning(), "a build with libjpeg"));
    return;
  }
  const Pixels rgb(3), cmyk(4);
  LibjpegCoding coding;
  coding.progressive = true;
  const Bytes progressive = coalesce::test::libjpeg_file_of_rgb(rgb.plane, false, coding);
  for (const char *format : {"I420", "RGB"}) {
    Harness harness("coalescejpegdec");
    harness.accept(std::string("video/x-raw, format=") + format);
    fail_unless(harness.set_input("image/jpeg"));
    push_file(harness, progressive);
    const LibjpegPicture judge = format[0] == 'R' ? coalesce::test::libjpeg_rgb(progressive, true)
                                                  : coalesce::test::libjpeg_planes(progressive);
    Bytes expected;
    for (const auto &plane : judge.planes)
      expected.insert(expected.end(), plane.samples.begin(), plane.samples.end());
    expect_picture(harness, expected, format);
    // Without its second half it is shown as far as it goes.
    push_file(harness,
              joined({Bytes(progressive.begin(), progressive.begin() + static_cast<std::ptrdiff_t>(
                                                                           progressive.size() / 2)),
                      {0xFF, 0xD9}}));
    const BufferRef out = harness.pull();
    fail_unless(out && GST_BUFFER_FLAG_IS_SET(out.get(), GST_BUFFER_FLAG_CORRUPTED));
    const std::vector<std::string> warnings = harness.warnings();
    fail_unless(warnings.size() == 1 && contains(warnings[0], ": libjpeg: "), "%zu",
                warnings.size());
    harness.expect_no_error();
  }
  coding = {};
  coding.quality = 100;
  const Bytes four = coalesce::test::libjpeg_file_of_cmyk(cmyk.plane, coding);
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg"));
  push_file(harness, four);
  const BufferRef out = harness.pull();
  fail_unless(out != nullptr);
  const Bytes found = picture(out.get(), harness.output_info());
  fail_unless_equals_int(found.size(), 3 * 37 * 23);
  for (gsize i = 0; i < found.size(); i++) {
    const int c = cmyk.bytes[i / 3 * 4 + i % 3], k = cmyk.bytes[i / 3 * 4 + 3];
    fail_unless(std::abs(int{found[i]} - (c * k + 127) / 255) <= 6, "sample %zu: %d for %d", i,
                found[i], c * k / 255);
  }
  harness.expect_no_error();
}
GST_END_TEST;

gsize scan_begins(const Bytes &file, int number) {
  const Bytes sos = {0xFF, 0xDA};
  auto at = file.begin();
  for (int n = 0; n <= number; n++, at += 2)
    at = std::search(at, file.end(), sos.begin(), sos.end());
  fail_unless(at < file.end());
  return static_cast<gsize>(at - file.begin()) - 2;
}

// Without EOI a picture is whole, or cut between two scans.
GST_START_TEST(no_end) {
  if (!have_libjpeg()) return;
  const Pixels rgb(3), cmyk(4);
  LibjpegCoding coding;
  const Bytes four = coalesce::test::libjpeg_file_of_cmyk(cmyk.plane, coding);
  coding.progressive = true;
  const Bytes progressive = coalesce::test::libjpeg_file_of_rgb(rgb.plane, false, coding);
  const Bytes progressive_four = coalesce::test::libjpeg_file_of_cmyk(cmyk.plane, coding);
  for (const Bytes &file : {four, progressive, progressive_four}) {
    Harness harness("coalescejpegdec");
    harness.accept("video/x-raw, format=RGB");
    fail_unless(harness.set_input(kWhole));
    push_file(harness, file);
    const Bytes expected = picture(harness.pull().get(), harness.output_info());
    push_file(harness, without_end(file));
    const BufferRef whole = harness.pull();
    fail_unless(whole && !GST_BUFFER_FLAG_IS_SET(whole.get(), GST_BUFFER_FLAG_CORRUPTED));
    fail_unless(picture(whole.get(), harness.output_info()) == expected);
    fail_unless(harness.take_warning().empty());
    if (file == four) continue;
    const auto first_scans = static_cast<std::ptrdiff_t>(scan_begins(file, 3));
    push_file(harness, Bytes(file.begin(), file.begin() + first_scans));
    const BufferRef cut = harness.pull();
    fail_unless(cut && GST_BUFFER_FLAG_IS_SET(cut.get(), GST_BUFFER_FLAG_CORRUPTED));
    const std::vector<std::string> warnings = harness.warnings();
    fail_unless(warnings.size() == 1 && contains(warnings[0], "libjpeg: Premature end"), "%zu",
                warnings.size());
  }
}
GST_END_TEST;

}  // namespace

void add_jpegdec_broken_cases(Suite *suite) {
  TCase *broken = new_case(suite, "broken");
  tcase_add_test(broken, spoiled_bytes);
  tcase_add_test(broken, truncated);
  tcase_add_test(broken, any_bytes);
  tcase_add_test(broken, warnings);
  tcase_add_test(broken, bytes_before_the_end);
  tcase_add_test(broken, refused_by_libjpeg);
  tcase_add_test(broken, too_many_errors);
  tcase_add_test(broken, bomb);
  tcase_add_test(broken, left_to_libjpeg);
  tcase_add_test(broken, no_end);
}

}  // namespace test
