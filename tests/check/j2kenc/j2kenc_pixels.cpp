// SPDX-License-Identifier: LGPL-2.1-or-later
// The pixels of j2kenc: OpenJPEG decodes what was encoded without loss to the samples that
// GStreamer finds in the input.
#include <cstdio>

#include "j2k/judges/j2k_openjpeg.h"
#include "j2kenc_cases.h"
#include "j2kenc_codestream.h"

namespace test {
namespace {

using coalesce::test::Decoded;

std::string nth_format(int n) {
  const GstVideoInfo info = video_info(sink_caps("j2kenc", {2, 2}, n));
  return GST_VIDEO_INFO_NAME(&info);
}

void compare(const Bytes &coded, const std::vector<Samples> &expected, const std::string &what) {
  const Decoded decoded = coalesce::test::decode_with_openjpeg(coded);
  fail_unless(decoded.complaint.empty(), "%s: %s", what.c_str(), decoded.complaint.c_str());
  fail_unless_equals_int(static_cast<int>(decoded.components.size()),
                         static_cast<int>(expected.size()));
  for (std::size_t c = 0; c < expected.size(); c++) {
    const Decoded::Component &got = decoded.components[c];
    const Samples &want = expected[c];
    fail_unless(got.width == want.width && got.height == want.height && got.bits == want.bits,
                "%s: component %zu is %dx%d of %d bits", what.c_str(), c, got.width, got.height,
                got.bits);
    for (std::size_t i = 0; i < want.values.size(); i++)
      if (got.samples[i] != want.values[i])
        ck_abort_msg("%s: sample %zu of component %zu is %d, not %d", what.c_str(), i, c,
                     got.samples[i], want.values[i]);
  }
}

struct Shot {
  GstVideoInfo info;
  BufferRef in, out;
};

Shot encode(Harness &harness, const std::string &caps, Layout layout, guint32 seed,
            guint flags = 0) {
  Shot shot;
  shot.info = video_info(caps);
  shot.in.reset(random_frame(shot.info, layout, seed));
  GST_BUFFER_FLAG_SET(shot.in.get(), flags);
  fail_unless_equals_int(harness.push(gst_buffer_ref(shot.in.get())), GST_FLOW_OK);
  shot.out = harness.pull();
  fail_unless(shot.out != nullptr, "%s", caps.c_str());
  return shot;
}

// Packed and odd: no plane begins where it is expected, rows do not follow each other.
constexpr Layout kOddLayout{.extra_stride = 6, .offset = 10, .misalign = 2, .with_meta = true};

void check_format(const std::string &format) {
  for (Size size : {Size{1, 1}, Size{2, 3}, Size{33, 17}, Size{7, 50}})
    for (Layout layout : {Layout{}, kOddLayout}) {
      // GStreamer 1.22 unpacks U as V, and V as U, in the last column of odd widths.
      if (format == "VYUY" && size.width % 2 == 1) continue;
      const std::string caps = video_caps(format, size);
      Harness harness("j2kenc");
      fail_unless(harness.set_input(caps));
      const Shot shot = encode(harness, caps, layout, 7);
      const auto coded = codestreams(bytes_of(shot.out.get()));
      fail_unless_equals_int(static_cast<int>(coded.size()), 1);
      compare(coded[0], samples_of(shot.in.get(), shot.info, 0, 1), caps);
    }
}

GST_START_TEST(every_format) {
  const int formats = n_sink_formats("j2kenc");
  fail_unless(formats >= 40);
  for (int n = 0; n < formats; n++)
    check_format(nth_format(n));
}
GST_END_TEST;

// GStreamer 1.22 does not make room for the last chroma row of P010's second field, and then reads
// what stands behind the frame.
bool layout_has_all_rows(const std::string &format, Size size) {
  return format != "P010_10LE" || (size.height + 1) / 2 % 2 == 0;
}

void check_fields(const std::string &caps, guint flags, bool top_first) {
  Harness harness("j2kenc");
  fail_unless(harness.set_input(caps));
  const Shot shot = encode(harness, caps, {}, 3, flags);
  const auto coded = codestreams(bytes_of(shot.out.get()));
  fail_unless_equals_int(static_cast<int>(coded.size()), 2);
  for (int field = 0; field < 2; field++)
    compare(coded[static_cast<std::size_t>(top_first ? field : 1 - field)],
            samples_of(shot.in.get(), shot.info, field, 2),
            caps + " field " + std::to_string(field));
}

// Fields are codestreams of their own, of as many rows as they have, in the order of time.
GST_START_TEST(fields) {
  const guint tff = GST_VIDEO_BUFFER_FLAG_TFF;
  for (const char *format : {"I420", "UYVY", "NV12", "RGB", "P010_10LE"})
    for (Size size : {Size{33, 2}, Size{17, 5}, Size{16, 6}, Size{16, 7}, Size{20, 16}}) {
      if (!layout_has_all_rows(format, size)) continue;
      const std::string caps = video_caps(format, size, "interlace-mode=interleaved");
      check_fields(caps + ", field-order=top-field-first", 0, true);
      check_fields(caps + ", field-order=bottom-field-first", tff, false);
      check_fields(caps, tff, true);
      check_fields(caps, 0, false);
    }
}
GST_END_TEST;

// Where a GstVideoMeta leaves no room for the chroma row that makes both fields equal, the nearest
// one that there is stands for it.
GST_START_TEST(fields_without_the_spare_row) {
  const std::string caps = video_caps("I420", {16, 6}, "interlace-mode=interleaved");
  Harness harness("j2kenc");
  fail_unless(harness.set_input(caps));
  const Shot shot = encode(harness, caps, kOddLayout, 3, GST_VIDEO_BUFFER_FLAG_TFF);
  const auto coded = codestreams(bytes_of(shot.out.get()));
  fail_unless_equals_int(static_cast<int>(coded.size()), 2);
  auto expected = samples_of(shot.in.get(), video_info(video_caps("I420", {16, 6})), 0, 1);
  const Decoded bottom = coalesce::test::decode_with_openjpeg(coded[1]);
  fail_unless(bottom.complaint.empty(), "%s", bottom.complaint.c_str());
  for (std::size_t c : {1u, 2u}) {
    fail_unless_equals_int(bottom.components[c].height, 2);
    for (std::size_t x = 0; x < 8; x++) {
      fail_unless_equals_int(bottom.components[c].samples[x], expected[c].values[8 + x]);
      fail_unless_equals_int(bottom.components[c].samples[8 + x], expected[c].values[16 + x]);
    }
  }
}
GST_END_TEST;

// The rows of a field, as a picture of their own.
BufferRef field_of(GstBuffer *frame, const GstVideoInfo &info, int field) {
  const auto stride = static_cast<gsize>(info.stride[0]);
  BufferRef result(gst_buffer_new_and_alloc(gst_buffer_get_size(frame) / 2));
  const Bytes all = bytes_of(frame);
  for (gsize row = static_cast<gsize>(field); row < static_cast<gsize>(info.height); row += 2)
    gst_buffer_fill(result.get(), row / 2 * stride, all.data() + row * stride, stride);
  return result;
}

// Of a region, a field has the rows that are its own; there may be none.
GST_START_TEST(regions_in_fields) {
  for (const auto &[frame, top, bottom] : {std::tuple{"8,5,9,6", "8,3,9,3", "8,2,9,3"},
                                           {"8,4,9,5", "8,2,9,3", "8,2,9,2"},
                                           {"0,4,4,1", "0,2,4,1", ""},
                                           {"0,7,4,1", "", "0,3,4,1"}}) {
    const std::string caps = video_caps("GRAY8", {32, 24}, "interlace-mode=interleaved");
    Harness harness("j2kenc", {{"roi", frame}});
    fail_unless(harness.set_input(caps));
    const Shot shot = encode(harness, caps, {}, 3, GST_VIDEO_BUFFER_FLAG_TFF);
    const auto coded = codestreams(bytes_of(shot.out.get()));
    fail_unless_equals_int(static_cast<int>(coded.size()), 2);
    for (int field = 0; field < 2; field++) {
      Harness alone("j2kenc", {{"roi", field == 0 ? top : bottom}});
      fail_unless(alone.set_input(video_caps("GRAY8", {32, 12})));
      BufferRef rows = field_of(shot.in.get(), shot.info, field);
      fail_unless_equals_int(alone.push(rows.release()), GST_FLOW_OK);
      fail_unless(bytes_of(alone.pull().get()) == coded[static_cast<std::size_t>(field)],
                  "roi=%s, field %d", frame, field);
    }
  }
}
GST_END_TEST;

// Whole frames, where two codestreams have no place, nothing says that there are two fields, or the
// second would have no row.
GST_START_TEST(frames_of_fields) {
  for (const auto &[media, mode, height] : {std::tuple{"image/jp2", "interleaved", 8},
                                            {"image/x-jpc", "mixed", 8},
                                            {"image/x-jpc", "interleaved", 1}}) {
    const std::string caps =
        video_caps("I420", {16, height}, std::string("interlace-mode=") + mode);
    Harness harness("j2kenc");
    harness.accept(media);
    fail_unless(harness.set_input(caps));
    const Shot shot = encode(harness, caps, {}, 3);
    gint fields = 0;
    gst_structure_get_int(gst_caps_get_structure(harness.output_caps().get(), 0), "fields",
                          &fields);
    fail_unless_equals_int(fields, 1);
    compare(bytes_of(shot.out.get()), samples_of(shot.in.get(), shot.info, 0, 1), caps);
  }
}
GST_END_TEST;

GST_START_TEST(boxes) {
  for (const char *mode : {"progressive", "interleaved"}) {
    const std::string caps = video_caps(
        "Y42B", {33, 17}, std::string("interlace-mode=") + mode + ", field-order=top-field-first");
    Harness harness("j2kenc");
    harness.accept("image/x-j2c");
    fail_unless(harness.set_input(caps));
    const Shot shot = encode(harness, caps, {}, 3);
    const auto coded = boxed_codestreams(bytes_of(shot.out.get()));
    const int fields = mode[0] == 'i' ? 2 : 1;
    fail_unless_equals_int(static_cast<int>(coded.size()), fields);
    for (int f = 0; f < fields; f++)
      compare(coded[static_cast<std::size_t>(f)], samples_of(shot.in.get(), shot.info, f, fields),
              caps);
  }
}
GST_END_TEST;

// Files say what the components are.
GST_START_TEST(files) {
  for (const auto &[format, colour_space, alpha] : {std::tuple{"GRAY8", 2, -1},
                                                    {"RGBx", 1, -1},
                                                    {"BGRA", 1, 3},
                                                    {"ARGB64", 1, 3},
                                                    {"Y444", 3, -1},
                                                    {"AYUV", 3, 3},
                                                    {"GBR_10LE", 1, -1}}) {
    const std::string caps = video_caps(format, {33, 17});
    Harness harness("j2kenc");
    harness.accept("image/jp2");
    fail_unless(harness.set_input(caps));
    const Shot shot = encode(harness, caps, {}, 3);
    const Bytes bytes = bytes_of(shot.out.get());
    compare(bytes, samples_of(shot.in.get(), shot.info, 0, 1), caps);
    const Decoded decoded = coalesce::test::decode_with_openjpeg(bytes);
    fail_unless_equals_int(decoded.colour_space, colour_space);
    fail_unless_equals_int(decoded.alpha, alpha);
  }
}
GST_END_TEST;

// I.5.3.7: the resolution down and across, and their ratio is the pixel's; in 16 bits.
GST_START_TEST(shapes_of_pixels) {
  for (const auto &[ratio, wide, high] :
       {std::tuple{"12/11", 12, 11}, {"300001/3", 37500, 1}, {"65535/131074", 16383, 32768}}) {
    Harness harness("j2kenc");
    harness.accept("image/jp2");
    const std::string caps =
        video_caps("GRAY8", {8, 8}, std::string("pixel-aspect-ratio=") + ratio);
    fail_unless(harness.set_input(caps), "%s", ratio);
    const Bytes bytes = bytes_of(encode(harness, caps, {}, 3).out.get());
    const std::string text(bytes.begin(), bytes.end());
    const std::size_t at = text.find("resd");
    fail_unless(at != std::string::npos, "no resolution box");
    fail_unless_equals_int(bytes[at + 4] << 8 | bytes[at + 5], wide);
    fail_unless_equals_int(bytes[at + 8] << 8 | bytes[at + 9], high);
  }
}
GST_END_TEST;

// Threads, and what was encoded before, change nothing.
GST_START_TEST(same_bytes) {
  const std::string caps = video_caps("RGB", {200, 111});
  Bytes first;
  for (const char *threads : {"1", "2", "5"}) {
    Harness harness("j2kenc", {{"n-threads", threads}});
    fail_unless(harness.set_input(caps));
    for (guint32 seed : {1u, 2u, 1u}) {
      const Bytes bytes = bytes_of(encode(harness, caps, {}, seed).out.get());
      if (first.empty()) first = bytes;
      fail_unless((bytes == first) == (seed == 1), "n-threads=%s", threads);
    }
  }
}
GST_END_TEST;

void add_pixel_cases(Suite *suite) {
  TCase *pixels = new_case(suite, "pixels");
  tcase_add_test(pixels, every_format);
  tcase_add_test(pixels, fields);
  tcase_add_test(pixels, fields_without_the_spare_row);
  tcase_add_test(pixels, regions_in_fields);
  tcase_add_test(pixels, frames_of_fields);
  tcase_add_test(pixels, boxes);
  tcase_add_test(pixels, files);
  tcase_add_test(pixels, shapes_of_pixels);
  tcase_add_test(pixels, same_bytes);
}

}  // namespace
}  // namespace test

int main(int argc, char **argv) {
  if (!coalesce::test::have_openjpeg()) {
    std::puts("SKIP: OpenJPEG was not there when the tests were built");
    return 77;
  }
  return test::run(&argc, &argv, "j2kenc-pixels", [](Suite *suite) {
    test::add_pixel_cases(suite);
    test::add_j2kenc_quality_cases(suite);
  });
}
