// SPDX-License-Identifier: LGPL-2.1-or-later
// Files that come cut anywhere, one behind the other, with bytes between them; events among them.
#include <algorithm>

#include "jpegdec_files.h"

namespace test {
namespace {

constexpr GstClockTime kTime = 40 * GST_MSECOND;

Bytes part(const Bytes &file, gsize begin, gsize end) {
  const auto at = [&](gsize place) {
    return file.begin() + static_cast<std::ptrdiff_t>(std::min(place, file.size()));
  };
  return Bytes(at(begin), at(end));
}

// As two buffers, for every cut there is. The picture has the time of the first one.
GST_START_TEST(cut_at_every_byte) {
  const Bytes file = with_orientation(jpeg_file("I420", {17, 9}, 5, 1), 1);
  const Bytes expected = decoded(file, "I420");
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg, framerate=25/1"));
  const gsize step = small_run() ? 37 : 1;
  for (gsize cut = 1; cut < file.size(); cut += step) {
    push_file(harness, part(file, 0, cut), cut * kTime);
    fail_unless_equals_int(harness.waiting(), 0);
    push_file(harness, part(file, cut, file.size()));
    fail_unless(harness.waiting() == 1, "cut at %zu", cut);
    const BufferRef out = harness.pull();
    fail_unless_equals_clocktime(GST_BUFFER_PTS(out.get()), cut * kTime);
    fail_unless(picture(out.get(), harness.output_info()) == expected, "cut at %zu", cut);
  }
  fail_unless(harness.warnings().empty());
  harness.expect_no_error();
}
GST_END_TEST;

// Bytes, pieces of odd sizes, and everything at once.
GST_START_TEST(stream_in_pieces) {
  std::vector<Bytes> files, expected;
  for (unsigned n = 0; n < 4; n++) {
    files.push_back(jpeg_file("Y42B", {33, 20}, n));
    expected.push_back(decoded(files.back(), "Y42B"));
  }
  const Bytes stream = joined(files);
  for (const gsize bytes : {gsize{1}, gsize{7}, gsize{1000}, stream.size()}) {
    Harness harness("coalescejpegdec");
    fail_unless(harness.set_input("image/jpeg"));
    for (gsize at = 0; at < stream.size(); at += bytes)
      push_file(harness, part(stream, at, at + bytes));
    fail_unless_equals_int(harness.waiting(), 4);
    for (const Bytes &each : expected)
      expect_picture(harness, each, std::to_string(bytes).c_str());
    harness.expect_no_error();
  }
}
GST_END_TEST;

// What belongs to no picture is left out: before, between and behind.
GST_START_TEST(bytes_between) {
  const Bytes file = jpeg_file("GRAY8", {20, 20}, 1), expected = decoded(file, "GRAY8");
  const Bytes noise = {0x00, 0xFF, 0xFF, 0x00, 0xFF, 0xD9, 0x0D, 0x0A, '-', '-', 0xFF};
  const Bytes stream = joined({noise, file, noise, noise, file, file, noise});
  for (const gsize bytes : {gsize{1}, gsize{64}, stream.size()}) {
    Harness harness("coalescejpegdec");
    fail_unless(harness.set_input("image/jpeg"));
    for (gsize at = 0; at < stream.size(); at += bytes)
      push_file(harness, part(stream, at, at + bytes));
    fail_unless(harness.push_event(gst_event_new_eos()));
    fail_unless_equals_int(harness.waiting(), 3);
    for (int i = 0; i < 3; i++)
      expect_picture(harness, expected, "bytes between");
    fail_unless(harness.warnings().empty());
    harness.expect_no_error();
  }
}
GST_END_TEST;

// A picture without EOI ends where the next one begins, or the stream ends.
GST_START_TEST(without_eoi) {
  const Bytes file = jpeg_file("I420", {33, 17}, 2), expected = decoded(file, "I420");
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg"));
  for (int n = 0; n < 3; n++) {
    push_file(harness, without_end(file));
    fail_unless_equals_int(harness.waiting(), n);
  }
  fail_unless(harness.push_event(gst_event_new_eos()));
  fail_unless_equals_int(harness.waiting(), 3);
  for (int n = 0; n < 3; n++)
    expect_picture(harness, expected, "without EOI");
  harness.expect_no_error();
}
GST_END_TEST;

// With parsed=true a buffer is a picture, and nothing waits for its end.
GST_START_TEST(packetized) {
  const Bytes file = jpeg_file("I420", {33, 17}, 2), expected = decoded(file, "I420");
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg, parsed=true"));
  for (const Bytes &each : {file, without_end(file), joined({{0, 0, 0xFF}, file, {0, 1}})}) {
    push_file(harness, each);
    expect_picture(harness, expected, "packetized");
  }
  harness.expect_no_error();
}
GST_END_TEST;

// A whole JPEG file in a segment, as EXIF has it, is no picture.
GST_START_TEST(thumbnail) {
  const Bytes file = jpeg_file("I420", {33, 17}, 2), small = jpeg_file("GRAY8", {8, 8}, 3);
  const Bytes with = with_segment(file, 0xE1, small);
  for (const gsize bytes : {gsize{3}, with.size()}) {
    Harness harness("coalescejpegdec");
    fail_unless(harness.set_input("image/jpeg"));
    for (gsize at = 0; at < with.size(); at += bytes)
      push_file(harness, part(with, at, at + bytes));
    fail_unless_equals_int(harness.waiting(), 1);
    expect_picture(harness, decoded(file, "I420"), "thumbnail");
  }
}
GST_END_TEST;

// Each picture comes under its own caps, in any order of sizes and samplings.
GST_START_TEST(size_changes) {
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg, framerate=25/1"));
  unsigned n = 0;
  for (const char *format : {"I420", "GRAY8", "I420", "Y444"})
    for (const Size size : {Size{33, 17}, Size{64, 48}, Size{8, 8}}) {
      const Bytes file = jpeg_file(format, size, n++);
      push_file(harness, file);
      expect_string(gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(
                        std::make_unique<GstVideoInfo>(harness.output_info()).get())),
                    format);
      expect_picture(harness, decoded(file, format), format);
    }
  harness.expect_no_error();
}
GST_END_TEST;

// The first half of a file is forgotten.
GST_START_TEST(flush_in_mid_file) {
  const Bytes file = jpeg_file("I420", {33, 17}, 2), expected = decoded(file, "I420");
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg"));
  for (int round = 0; round < 3; round++) {
    push_file(harness, file);
    push_file(harness, part(file, 0, file.size() / 2));
    fail_unless(harness.push_event(gst_event_new_flush_start()));
    fail_unless_equals_int(harness.push(buffer_with(file)), GST_FLOW_FLUSHING);
    fail_unless(harness.push_event(gst_event_new_flush_stop(TRUE)));
    fail_unless(harness.push_event(segment_event()));
    while (harness.pull() != nullptr) {
    }
    push_file(harness, file);
    fail_unless_equals_int(harness.waiting(), 1);
    expect_picture(harness, expected, "after a flush");
  }
  fail_unless(harness.warnings().empty());
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(ends) {
  const Bytes file = jpeg_file("I420", {33, 17}, 2);
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg"));
  push_file(harness, file);
  fail_unless(harness.push_event(gst_event_new_eos()));
  fail_unless_equals_int(harness.waiting(), 1);
  fail_unless_equals_int(harness.push(buffer_with(file)), GST_FLOW_EOS);
  harness.expect_no_error();
  // With no bytes, and with none that are a picture's.
  Harness empty("coalescejpegdec");
  fail_unless(empty.set_input("image/jpeg"));
  empty.push_event(gst_event_new_eos());
  fail_unless_equals_int(empty.waiting(), 0);
  empty.expect_no_error();
}
GST_END_TEST;

// A gap between pictures keeps its place.
GST_START_TEST(gap) {
  const Bytes file = jpeg_file("I420", {33, 17}, 2);
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg, framerate=25/1"));
  push_file(harness, file, 0);
  fail_unless(harness.push_event(gst_event_new_gap(kTime, kTime)));
  push_file(harness, file, 2 * kTime);
  fail_unless_equals_int(harness.waiting(), 2);
  harness.pull();
  fail_unless_equals_clocktime(GST_BUFFER_PTS(harness.pull().get()), 2 * kTime);
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(padding) {
  for (const char *format : {"GRAY8", "I420", "RGB"}) {
    Harness harness("coalescejpegdec");
    harness.accept(std::string("video/x-raw, format=") + format);
    fail_unless(harness.set_input("image/jpeg"));
    push_file(harness, jpeg_file(format[0] == 'G' ? "GRAY8" : "I420", {33, 17}, 2));
    const BufferRef out = harness.pull();
    expect_clear_padding(out.get(), harness.output_info());
  }
}
GST_END_TEST;

// A file is cut anywhere in its header, and the next one is whole all the same; however the bytes
// come.
GST_START_TEST(cut_in_header) {
  const Bytes file = jpeg_file("I420", {33, 17}, 2), expected = decoded(file, "I420");
  // Places where it is not to be seen: two bytes before the end of a segment, just before the data,
  // and in APP0 and DQT, which have any bytes. `data`: where they begin.
  std::vector<bool> hidden(file.size());
  gsize data = 2;
  for (bool is_scan = false; !is_scan;) {
    is_scan = file[data + 1] == 0xDA;
    const gsize end = data + 2 + (file[data + 2] << 8 | file[data + 3]);
    for (gsize at = data + 4; at < end; at++)
      hidden[at] = at + 2 == end || (is_scan && at + 3 >= end) || file[data + 1] == 0xE0 ||
                   file[data + 1] == 0xDB;
    hidden[data + 2] = file[data + 1] == 0xE0;
    hidden[data + 3] = hidden[data + 2] || file[data + 1] == 0xDB;
    data = end;
  }
  for (const auto &[piece, every] :
       {std::pair<gsize, gsize>{1, 37}, {2, 31}, {3, 17}, {7, 11}, {2 * file.size(), 1}}) {
    for (gsize cut = 2 + piece % 3; cut < data; cut += every * (small_run() ? 9 : 1)) {
      if (hidden[cut]) continue;
      Harness harness("coalescejpegdec");
      fail_unless(harness.set_input("image/jpeg"));
      const Bytes all = joined({part(file, 0, cut), file, file});
      for (gsize at = 0; at < all.size(); at += piece)
        push_file(harness, part(all, at, std::min(all.size(), at + piece)));
      harness.push_event(gst_event_new_eos());
      fail_unless(harness.waiting() == 2, "%d pictures, cut at %zu", harness.waiting(), cut);
      expect_picture(harness, expected, std::to_string(cut).c_str());
      expect_picture(harness, expected, std::to_string(cut).c_str());
    }
  }
}
GST_END_TEST;

// 4:1:1 becomes RGB alone, so the advice is about RGB.
GST_START_TEST(advice) {
  Bytes file = jpeg_file("I420", {64, 32}, 2);
  const Bytes sof = {0xFF, 0xC0};
  const auto at = std::search(file.begin(), file.end(), sof.begin(), sof.end());
  fail_unless(at != file.end());
  at[11] = 0x41;  // the sampling of Y
  Harness harness("coalescejpegdec");
  harness.accept("video/x-raw, format=I420");
  fail_unless(harness.set_input("image/jpeg, parsed=true"));
  fail_unless_equals_int(harness.push(buffer_with(file)), GST_FLOW_NOT_NEGOTIATED);
  harness.expect_error(GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, {"format=RGB", "rgb2yuv"});
}
GST_END_TEST;

// A table of quantisation may have numbers that look like a file's beginning.
GST_START_TEST(table_like_a_file) {
  Bytes file = jpeg_file("GRAY8", {33, 17}, 2);
  const Bytes dqt = {0xFF, 0xDB}, numbers = {255, 216, 255, 219};
  const auto at = std::search(file.begin(), file.end(), dqt.begin(), dqt.end());
  fail_unless(at != file.end());
  std::copy(numbers.begin(), numbers.end(), at + 5 + 20);  // behind the length and the number
  const Bytes expected = decoded(file, "GRAY8");
  for (const gsize piece : {gsize{1}, gsize{7}, file.size()}) {
    Harness harness("coalescejpegdec");
    fail_unless(harness.set_input("image/jpeg"));
    for (int i = 0; i < 2; i++)
      for (gsize from = 0; from < file.size(); from += piece)
        push_file(harness, part(file, from, std::min(file.size(), from + piece)));
    harness.push_event(gst_event_new_eos());
    fail_unless_equals_int(harness.waiting(), 2);
    expect_picture(harness, expected, "first");
    expect_picture(harness, expected, "second");
  }
}
GST_END_TEST;

// Before there are caps. Those of the input have a size; what comes then has its own.
GST_START_TEST(gap_first) {
  const Bytes file = jpeg_file("Y42B", {33, 17}, 2);
  {
    Harness harness("coalescejpegdec");
    harness.accept("video/x-raw, format=RGB");
    fail_unless(harness.set_input("image/jpeg, width=64, height=48, framerate=25/1"));
    fail_unless(harness.push_event(gst_event_new_gap(0, kTime)));
    const std::string caps = text_of(harness.output_caps().get());
    fail_unless(contains(caps, "width=(int)64"), "%s", caps.c_str());
    push_file(harness, file, kTime);
    expect_picture(harness, decoded(file, "RGB"), "after a gap");
    harness.expect_no_error();
  }
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg, framerate=25/1"));
  fail_unless(harness.push_event(gst_event_new_gap(0, kTime)));
  push_file(harness, file, kTime);
  expect_picture(harness, decoded(file, "Y42B"), "after a gap");
  harness.expect_no_error();
}
GST_END_TEST;

// Of another stream: the caps of the one before, not those that its own caps suggest.
GST_START_TEST(gap_first_of_another_stream) {
  const Bytes file = jpeg_file("Y42B", {33, 17}, 2);
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg, width=33, height=17, framerate=25/1"));
  push_file(harness, file, 0);
  expect_picture(harness, decoded(file, "Y42B"), "of the first stream");
  const CapsRef caps = harness.output_caps();
  fail_unless(harness.push_event(gst_event_new_stream_start("another")));
  fail_unless(harness.set_input("image/jpeg, width=64, height=48, framerate=25/1"));
  fail_unless(harness.push_event(segment_event()));
  fail_unless(harness.push_event(gst_event_new_gap(kTime, kTime)));
  fail_unless(gst_caps_is_equal(harness.output_caps().get(), caps.get()));
  const Bytes other = jpeg_file("I420", {64, 48}, 3);
  push_file(harness, other, 2 * kTime);
  expect_picture(harness, decoded(other, "I420"), "of the second stream");
  harness.expect_no_error();
}
GST_END_TEST;

// The pictures of a block come in reverse order.
GST_START_TEST(backwards) {
  const Bytes file = jpeg_file("GRAY8", {16, 16}, 1);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.rate = -1;
  segment.stop = segment.position = 10 * kTime;
  for (const char *parsed : {"", ", parsed=true"}) {
    Harness harness("coalescejpegdec");
    harness.push_event(gst_event_new_stream_start("backwards"));
    harness.push_event(
        gst_event_new_caps(parse_caps(std::string("image/jpeg, framerate=25/1") + parsed).get()));
    harness.push_event(gst_event_new_segment(&segment));
    for (const guint block : {3u, 0u})
      for (guint n = block; n < block + 3; n++) {
        GstBuffer *buffer = buffer_with(file, n * kTime);
        if (n == block) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
        fail_unless_equals_int(harness.push(buffer), GST_FLOW_OK);
      }
    harness.push_event(gst_event_new_eos());
    fail_unless_equals_int(harness.waiting(), 6);
    for (guint n = 6; n-- > 0;)
      fail_unless_equals_clocktime(GST_BUFFER_PTS(harness.pull().get()), n * kTime);
    harness.expect_no_error();
  }
}
GST_END_TEST;

// A file of motion JPEG has the times of its rate, and a segment of time.
GST_START_TEST(times_of_the_rate) {
  const Bytes file = jpeg_file("GRAY8", {16, 16}, 1);
  GstSegment bytes;
  gst_segment_init(&bytes, GST_FORMAT_BYTES);
  Harness harness("coalescejpegdec");
  harness.push_event(gst_event_new_stream_start("file"));
  harness.push_event(gst_event_new_caps(parse_caps("image/jpeg, framerate=25/1").get()));
  harness.push_event(gst_event_new_segment(&bytes));
  push_file(harness, joined({file, file, part(file, 0, 20)}));
  push_file(harness, part(file, 20, file.size()));
  push_file(harness, file, 10 * kTime);
  push_file(harness, file);
  for (const guint n : {0u, 1u, 2u, 10u, 11u}) {
    const BufferRef out = harness.pull();
    fail_unless(out != nullptr);
    fail_unless_equals_clocktime(GST_BUFFER_PTS(out.get()), n * kTime);
    fail_unless_equals_clocktime(GST_BUFFER_DURATION(out.get()), kTime);
    fail_unless_equals_uint64(GST_BUFFER_OFFSET(out.get()), GST_BUFFER_OFFSET_NONE);
  }
  const EventRef event(gst_pad_get_sticky_event(harness.from_element(), GST_EVENT_SEGMENT, 0));
  const GstSegment *segment = nullptr;
  gst_event_parse_segment(event.get(), &segment);
  fail_unless_equals_int(segment->format, GST_FORMAT_TIME);
  harness.expect_no_error();
}
GST_END_TEST;

// Pictures before the segment and after it do not come.
GST_START_TEST(outside_the_segment) {
  const Bytes file = jpeg_file("GRAY8", {16, 16}, 1);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.position = segment.time = 2 * kTime;
  segment.stop = 5 * kTime;
  Harness harness("coalescejpegdec");
  harness.push_event(gst_event_new_stream_start("part"));
  harness.push_event(
      gst_event_new_caps(parse_caps("image/jpeg, parsed=true, framerate=25/1").get()));
  harness.push_event(gst_event_new_segment(&segment));
  for (guint n = 0; n < 8; n++)
    push_file(harness, file, n * kTime);
  for (guint n = 2; n < 5; n++)
    fail_unless_equals_clocktime(GST_BUFFER_PTS(harness.pull().get()), n * kTime);
  fail_unless_equals_int(harness.waiting(), 0);
  harness.expect_no_error();
}
GST_END_TEST;

// A discontinuity ends a picture, and what follows it is one.
GST_START_TEST(discontinuity) {
  const Bytes file = jpeg_file("I420", {33, 17}, 2), expected = decoded(file, "I420");
  Harness harness("coalescejpegdec");
  fail_unless(harness.set_input("image/jpeg"));
  push_file(harness, without_end(file));
  GstBuffer *buffer = buffer_with(without_end(file));
  GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  fail_unless_equals_int(harness.push(buffer), GST_FLOW_OK);
  fail_unless_equals_int(harness.waiting(), 1);
  harness.push_event(gst_event_new_eos());
  expect_picture(harness, expected, "before");
  const BufferRef out = harness.pull();
  fail_unless(out != nullptr && GST_BUFFER_IS_DISCONT(out.get()));
  fail_unless(picture(out.get(), harness.output_info()) == expected);
  harness.expect_no_error();
}
GST_END_TEST;

// Caps that come again, and tags in mid-file, neither end a picture nor hurt the next one.
GST_START_TEST(events_between) {
  const Bytes file = jpeg_file("I420", {33, 17}, 2), expected = decoded(file, "I420");
  Harness harness("coalescejpegdec");
  for (int n = 0; n < 3; n++) {
    fail_unless(harness.set_input("image/jpeg, framerate=25/1"));
    push_file(harness, part(file, 0, 100));
    harness.push_event(gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "t", nullptr)));
    push_file(harness, part(file, 100, file.size()));
    expect_picture(harness, expected, "events between");
  }
  fail_unless(harness.warnings().empty());
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(states) {
  const Bytes file = jpeg_file("I420", {33, 17}, 2), expected = decoded(file, "I420");
  Harness harness("coalescejpegdec");
  for (int round = 0; round < 4; round++) {
    fail_unless(harness.set_input("image/jpeg"));
    push_file(harness, file);
    expect_picture(harness, expected, "after a start");
    push_file(harness, part(file, 0, 100));
    gst_element_set_state(harness.element(), round % 2 == 0 ? GST_STATE_READY : GST_STATE_NULL);
    fail_unless_equals_int(gst_element_set_state(harness.element(), GST_STATE_PLAYING),
                           GST_STATE_CHANGE_SUCCESS);
    harness.push_event(gst_event_new_stream_start("again"));
    fail_unless(harness.set_input("image/jpeg"));
    harness.push_event(segment_event());
  }
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(late_pictures) {
  const Bytes file = jpeg_file("I420", {33, 17}, 2);
  for (const bool qos : {true, false}) {
    Harness harness("coalescejpegdec", {{"qos", qos ? "true" : "false"}});
    fail_unless(harness.set_input("image/jpeg, framerate=25/1"));
    push_file(harness, file, 0);
    gst_harness_push_upstream_event(
        harness.get(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, kTime, 2 * kTime));
    for (guint n = 1; n < 6; n++)
      push_file(harness, file, n * kTime);
    fail_unless(qos ? harness.waiting() < 6 : harness.waiting() == 6, "%d", harness.waiting());
  }
}
GST_END_TEST;

}  // namespace

void add_jpegdec_input_cases(Suite *suite) {
  TCase *input = new_case(suite, "input");
  tcase_add_test(input, cut_at_every_byte);
  tcase_add_test(input, stream_in_pieces);
  tcase_add_test(input, bytes_between);
  tcase_add_test(input, without_eoi);
  tcase_add_test(input, packetized);
  tcase_add_test(input, thumbnail);
  tcase_add_test(input, size_changes);
  tcase_add_test(input, flush_in_mid_file);
  tcase_add_test(input, ends);
  tcase_add_test(input, gap);
  tcase_add_test(input, gap_first);
  tcase_add_test(input, gap_first_of_another_stream);
  tcase_add_test(input, cut_in_header);
  tcase_add_test(input, table_like_a_file);
  tcase_add_test(input, advice);
  tcase_add_test(input, padding);
  tcase_add_test(input, backwards);
  tcase_add_test(input, times_of_the_rate);
  tcase_add_test(input, outside_the_segment);
  tcase_add_test(input, discontinuity);
  tcase_add_test(input, events_between);
  tcase_add_test(input, states);
  tcase_add_test(input, late_pictures);
}

}  // namespace test
