// SPDX-License-Identifier: LGPL-2.1-or-later
// Film in interlaced video: frames of film come back byte for byte, at their own rate.
#include "deinterlace_film.h"

#include <algorithm>
#include <fstream>

#include "../../support/data.h"
#include "../../support/random.h"
#include "../negotiation.h"
#include "deinterlace_frames.h"

namespace test {
namespace {

using coalesce::DeinterlaceMethod;

const Size kSize{64, 48};
constexpr GstClockTime kField = GST_SECOND / 60, kFrame = 2 * kField;
constexpr int kAhead = 6;  // frames

std::string film_caps(const std::string &format, Size size, const std::string &more) {
  return "video/x-raw, format=" + format + ", width=" + std::to_string(size.width) +
         ", height=" + std::to_string(size.height) + ", framerate=30/1, " + more;
}

// Bars, the same in every row, which have moved by so much.
Bytes bars(int bytes, int moved) {
  Bytes row(static_cast<gsize>(bytes));
  for (int i = 0; i < bytes; i++)
    row[static_cast<gsize>(i)] = (i + moved) / 24 % 2 == 0 ? 40 : 200;
  return row;
}
constexpr int kFilmMoves = 11, kVideoMoves = 9;  // from frame to frame, from field to field

// GStreamer's layout, with the row that fields may lack.
GstBuffer *new_frame(const GstVideoInfo &info) {
  GstBuffer *buffer = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr);
  gst_buffer_memset(buffer, 0, 0, GST_VIDEO_INFO_SIZE(&info));
  return buffer;
}

// A frame whose fields are of these frames of film, in the order of time; below 0: of video.
GstBuffer *telecined(const std::string &caps, int number, int first, int second, bool top_first) {
  const GstVideoInfo info = video_info(caps);
  GstBuffer *buffer = new_frame(info);
  fail_unless(each_row(buffer, info, GST_MAP_WRITE, [&](int plane, int y, guint8 *to) {
    const bool is_first = (y % 2 == 0) == top_first;
    const int film = is_first ? first : second;
    const int moved =
        film < 0 ? kVideoMoves * (2 * number + (is_first ? 0 : 1)) : kFilmMoves * film;
    const Bytes row = bars(row_bytes(info, plane), moved);
    std::copy(row.begin(), row.end(), to);
  }));
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(number) * kFrame;
  GST_BUFFER_DURATION(buffer) = kFrame;
  return buffer;
}

Bytes film_picture(const GstVideoInfo &info, int number) {
  const BufferRef buffer(new_frame(info));
  fail_unless(each_row(buffer.get(), info, GST_MAP_WRITE, [&](int plane, int, guint8 *to) {
    const Bytes row = bars(row_bytes(info, plane), kFilmMoves * number);
    std::copy(row.begin(), row.end(), to);
  }));
  return picture(buffer.get(), info);
}

// Which frame of film each field is of: as many fields of each, by turns.
std::vector<int> fields_of(const std::string &pattern, int fields) {
  std::vector<int> film;
  for (gsize frame = 0; static_cast<int>(film.size()) < fields; frame++)
    film.insert(film.end(), static_cast<gsize>(pattern[frame % pattern.size()] - '0'),
                static_cast<int>(frame));
  film.resize(static_cast<gsize>(fields));
  return film;
}

// Pushes the fields from `from` on as frames.
void push_fields(Harness *harness, const std::string &caps, const std::vector<int> &film, int from,
                 bool top_first, int first_number = 0) {
  for (gsize i = static_cast<gsize>(from); i + 1 < film.size(); i += 2)
    fail_unless_equals_int(
        harness->push(telecined(caps, first_number++, film[i], film[i + 1], top_first)),
        GST_FLOW_OK);
}

// ---- Bytes and times ----------------------------------------------------------------------------

struct Telecine {
  const char *properties, *fields;
  GstClockTime apart;  // frames of film
};

constexpr Telecine kTelecines[] = {{"pattern=3:2", "23", 5 * kField / 2},
                                   {"pattern=3:2", "2332", 5 * kField / 2},
                                   {"pattern=2:2", "22", kFrame},
                                   {"pattern=3:2 method=best", "32", 5 * kField / 2}};

void check_telecine(const Telecine &telecine, const std::string &format, Size size, int from,
                    bool top_first) {
  const std::string what = std::string(telecine.properties) + " " + telecine.fields + ", " +
                           format + ", from field " + std::to_string(from);
  const std::string caps = film_caps(format, size,
                                     std::string("interlace-mode=interleaved, field-order=") +
                                         (top_first ? "top-field-first" : "bottom-field-first"));
  Harness harness(std::string("coalescedeinterlace mode=auto ") + telecine.properties);
  fail_unless(harness.set_input(caps), "%s", caps.c_str());
  const std::vector<int> film = fields_of(telecine.fields, 60 + from);
  push_fields(&harness, caps, film, from, top_first);
  harness.push_event(gst_event_new_eos());
  // Frames of film of which both fields are there.
  std::vector<int> whole;
  for (gsize i = static_cast<gsize>(from); i + 1 < film.size(); i++)
    if (film[i] == film[i + 1] && (whole.empty() || whole.back() != film[i]))
      whole.push_back(film[i]);
  const int left_over = film[film.size() - 1] != film[film.size() - 2] ? 1 : 0;
  fail_unless_equals_int(harness.waiting(), static_cast<int>(whole.size()) + left_over);
  const GstVideoInfo info = harness.output_info();
  GstClockTime last = 0;
  for (gsize i = 0; i < whole.size(); i++) {
    const BufferRef out = harness.pull();
    fail_unless(picture(out.get(), info) == film_picture(info, whole[i]), "%s: picture %d",
                what.c_str(), static_cast<int>(i));
    // (The first one has the time of a field before it, too, and fields of it may be missing.)
    const GstClockTime pts = GST_BUFFER_PTS(out.get());
    fail_unless(i < 2 || GST_CLOCK_DIFF(last + telecine.apart, pts) < 3, "%s: picture %d",
                what.c_str(), static_cast<int>(i));
    fail_unless(i == 0 || GST_CLOCK_DIFF(telecine.apart, GST_BUFFER_DURATION(out.get())) < 3);
    last = pts;
  }
  harness.expect_no_error();
}

GST_START_TEST(film_comes_back) {
  const Telecine &telecine = kTelecines[__i__];
  for (const char *format : {"GRAY8", "NV12", "v210", "UYVY", "Y444_10LE", "RGB", "I420"})
    for (int from = 0; from < 10; from++) {
      if (small_run() && (from % 3 != 1 || *format == 'R')) continue;
      check_telecine(telecine, format, from % 2 == 0 ? kSize : Size{66, 33}, from, from % 3 != 0);
    }
}
GST_END_TEST

// What is of no cadence is deinterlaced, at the rate of film: of the first of two fields, and of
// the second of three.
GST_START_TEST(video_at_the_rate_of_film) {
  const std::string caps =
      film_caps("GRAY8", kSize, "interlace-mode=interleaved, field-order=top-field-first");
  Harness harness("coalescedeinterlace mode=auto pattern=3:2");
  fail_unless(harness.set_input(caps));
  DeinterlaceReference reference(caps);
  for (int n = 0; n < 20; n++) {
    GstBuffer *buffer = telecined(caps, n, -1, -1, true);
    reference.add(buffer);
    harness.push(buffer);
  }
  harness.push_event(gst_event_new_eos());
  fail_unless_equals_int(harness.waiting(), 16);
  for (int i = 0; i < 16; i++) {
    const int field = i / 2 * 5 + i % 2 * 3, n = field / 2;
    const bool second = field % 2 == 1;
    const BufferRef out = harness.pull();
    fail_unless(picture(out.get(), harness.output_info()) ==
                    reference.picture({DeinterlaceMethod::bwdif, 5, true}, n, second ? 1 : 0,
                                      second, field == 0, harness.output_info()),
                "picture %d", i);
    const GstClockTime due = static_cast<GstClockTime>(i) * 5 * kField / 2;
    fail_unless(ABS(GST_CLOCK_DIFF(due, GST_BUFFER_PTS(out.get()))) < 4);
  }
}
GST_END_TEST

// ---- By GStreamer's interlace
// --------------------------------------------------------------------

constexpr int kPhotograph = 128;

std::vector<guint8> photograph() {
  std::ifstream file(coalesce::test::test_data("photograph_128x128.pgm"), std::ios::binary);
  std::vector<guint8> all(std::istreambuf_iterator<char>(file), {});
  fail_unless(all.size() > kPhotograph * kPhotograph);
  all.erase(all.begin(), all.end() - kPhotograph * kPhotograph);
  return all;
}

// A part of the photograph, which moves.
GstBuffer *photographed(const GstVideoInfo &info, const std::vector<guint8> &all, int number) {
  GstBuffer *buffer = new_frame(info);
  const int left = ABS(3 * number % 60 - 30), top = number / 2;
  fail_unless(each_row(buffer, info, GST_MAP_WRITE, [&](int plane, int y, guint8 *to) {
    const guint8 *from = &all[static_cast<gsize>((top + y) * kPhotograph + left)];
    std::copy_n(from, row_bytes(info, plane), to);
  }));
  GST_BUFFER_PTS(buffer) = gst_util_uint64_scale(GST_SECOND, static_cast<guint64>(number), 24);
  GST_BUFFER_DURATION(buffer) = GST_SECOND / 24;
  return buffer;
}

GST_START_TEST(film_by_interlace) {
  const struct {
    const char *interlace, *pattern;
    int lost;  // frames before the cadence is known
  } cases[] = {{"field-pattern=2:3", "3:2", 0},
               {"field-pattern=2:3 top-field-first=true", "3:2", 0},
               {"field-pattern=2:3:3:2", "3:2", 0},
               {"field-pattern=2:2", "2:2", 0},
               {"field-pattern=2:3 allow-rff=true", "3:2", 0},
               {"field-pattern=2:3", "auto", kAhead + 1},
               {"field-pattern=2:3 allow-rff=true", "auto", 0}};
  const Owned<GstElementFactory> factory(gst_element_factory_find("interlace"));
  if (factory == nullptr) return;
  const std::string caps =
      "video/x-raw, format=I420, width=96, height=112, framerate=24/1, interlace-mode=progressive";
  const GstVideoInfo info = video_info(caps);
  const std::vector<guint8> all = photograph();
  for (const auto &[interlace, pattern, lost] : cases) {
    Harness harness(std::string("interlace ") + interlace +
                    " ! coalescedeinterlace mode=auto pattern=" + pattern);
    fail_unless(harness.set_input(caps));
    constexpr int kFrames = 30;
    for (int n = 0; n < kFrames; n++)
      fail_unless_equals_int(harness.push(photographed(info, all, n)), GST_FLOW_OK);
    harness.push_event(gst_event_new_eos());
    const GstVideoInfo out_info = harness.output_info();
    std::vector<Bytes> pictures;
    while (harness.waiting() > 0)
      pictures.push_back(picture(harness.pull().get(), out_info));
    for (int n = lost; n < kFrames - 1; n++) {
      const BufferRef frame(photographed(info, all, n));
      fail_unless(std::count(pictures.begin(), pictures.end(), picture(frame.get(), info)) == 1,
                  "%s, %s: frame %d of film", interlace, pattern, n);
    }
    fail_unless(static_cast<int>(pictures.size()) <= kFrames + (lost > 0 ? 3 : 0), "%d pictures",
                static_cast<int>(pictures.size()));
    harness.expect_no_error();
  }
}
GST_END_TEST

// ---- Rates --------------------------------------------------------------------------------------

int rate_of(const Harness &harness) {
  const GstVideoInfo info = harness.output_info();
  return info.fps_n / info.fps_d;
}

// Pulls what there is; all of it is in the order of time. How many?
int pull_all(Harness *harness, GstClockTime *last) {
  int count = 0;
  while (harness->waiting() > 0) {
    const BufferRef out = harness->pull();
    fail_unless(*last == GST_CLOCK_TIME_NONE || GST_BUFFER_PTS(out.get()) > *last);
    *last = GST_BUFFER_PTS(out.get());
    count++;
  }
  return count;
}

// Video, film, video: caps change, and no frame is lost.
GST_START_TEST(rate_follows_what_is_there) {
  const std::string caps =
      film_caps("NV12", kSize, "interlace-mode=interleaved, field-order=top-field-first");
  const struct {
    const char *properties, *fields;
    int video, film;  // pictures a second
  } cases[] = {{"", "23", 30, 24},
               {"fields=all", "23", 60, 24},
               {"fields=all", "22", 60, 30},
               {"", "22", 30, 30}};
  for (const auto &[properties, fields, video, film_rate] : cases) {
    Harness harness(std::string("coalescedeinterlace mode=auto pattern=auto ") + properties);
    fail_unless(harness.set_input(caps));
    GstClockTime last = GST_CLOCK_TIME_NONE;
    const std::vector<int> nothing(40, -1), film = fields_of(fields, 80);
    push_fields(&harness, caps, nothing, 0, true, 0);
    fail_unless_equals_int(rate_of(harness), video);
    const int at_first = pull_all(&harness, &last);
    fail_unless_equals_int(at_first, (20 - kAhead) * video / 30);
    push_fields(&harness, caps, film, 0, true, 20);
    fail_unless_equals_int(rate_of(harness), film_rate);
    pull_all(&harness, &last);
    push_fields(&harness, caps, nothing, 0, true, 60);
    push_fields(&harness, caps, nothing, 0, true, 80);
    fail_unless_equals_int(rate_of(harness), video);
    harness.push_event(gst_event_new_eos());
    pull_all(&harness, &last);
    fail_unless_equals_uint64(last, 100 * kFrame - (video == 60 ? kField : kFrame));
    harness.expect_no_error();
  }
}
GST_END_TEST

// Where downstream has one rate only, it is that one.
GST_START_TEST(rate_that_downstream_wants) {
  const std::string caps =
      film_caps("NV12", kSize, "interlace-mode=interleaved, field-order=top-field-first");
  for (int wanted : {24, 30}) {
    Harness harness("coalescedeinterlace mode=auto pattern=auto");
    harness.accept("video/x-raw, framerate=" + std::to_string(wanted) + "/1");
    fail_unless(harness.set_input(caps));
    push_fields(&harness, caps, fields_of("23", 40), 0, true);
    push_fields(&harness, caps, std::vector<int>(80, -1), 0, true, 20);
    harness.push_event(gst_event_new_eos());
    fail_unless_equals_int(rate_of(harness), wanted);
    fail_unless_equals_int(harness.waiting(), wanted * 2);  // of two seconds
    harness.expect_no_error();
  }
}
GST_END_TEST

// ---- Flags --------------------------------------------------------------------------------------

constexpr guint kRepeats = GST_VIDEO_BUFFER_FLAG_RFF;

// Progressive frames of two and three fields by turns go on without a copy, evenly.
GST_START_TEST(flags_of_repeated_fields) {
  const std::string caps = film_caps("NV12", kSize, "interlace-mode=mixed");
  for (const char *pattern : {"3:2", "auto"}) {
    Harness harness(std::string("coalescedeinterlace mode=auto pattern=") + pattern);
    fail_unless(harness.set_input(caps));
    std::vector<GstMemory *> memories;
    GstClockTime pts = 0;
    constexpr int kFrames = 20;
    for (int n = 0; n < kFrames; n++) {
      GstBuffer *buffer = telecined(caps, n, n, n, true);
      memories.push_back(gst_buffer_peek_memory(buffer, 0));
      GST_BUFFER_PTS(buffer) = pts;
      GST_BUFFER_DURATION(buffer) = (n % 2 == 0 ? 2 : 3) * kField;
      if (n % 2 == 1) GST_BUFFER_FLAG_SET(buffer, kRepeats);
      pts += GST_BUFFER_DURATION(buffer);
      harness.push(buffer);
    }
    harness.push_event(gst_event_new_eos());
    fail_unless_equals_int(rate_of(harness), 24);
    fail_unless_equals_int(harness.waiting(), kFrames);
    GstClockTime last = 0;
    for (int n = 0; n < kFrames; n++) {
      const BufferRef out = harness.pull();
      fail_unless(gst_buffer_peek_memory(out.get(), 0) == memories[static_cast<gsize>(n)]);
      // (Those that came before the cadence was known have the times of video; the next one begins
      // with its frame.)
      if (n > kAhead + 2 || *pattern == '3')
        fail_unless(n == 0 ||
                    ABS(GST_CLOCK_DIFF(last + 5 * kField / 2, GST_BUFFER_PTS(out.get()))) < 4);
      last = GST_BUFFER_PTS(out.get());
    }
    harness.expect_no_error();
  }
}
GST_END_TEST

// Hard telecine in mixed video, whose whole frames are marked as progressive: they say nothing of
// the order of fields.
GST_START_TEST(flags_of_mixed_video) {
  const std::string caps = film_caps("NV12", kSize, "interlace-mode=mixed");
  for (bool top_first : {true, false}) {
    Harness harness("coalescedeinterlace mode=auto pattern=3:2");
    fail_unless(harness.set_input(caps));
    const std::vector<int> film = fields_of("23", 60);
    for (gsize i = 0; i < film.size(); i += 2) {
      GstBuffer *buffer = telecined(caps, static_cast<int>(i) / 2, film[i], film[i + 1], top_first);
      if (film[i] != film[i + 1])
        GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED |
                                        (top_first ? guint(GST_VIDEO_BUFFER_FLAG_TFF) : 0));
      harness.push(buffer);
    }
    harness.push_event(gst_event_new_eos());
    fail_unless_equals_int(harness.waiting(), 24);
    for (int n = 0; n < 24; n++)
      fail_unless(picture(harness.pull().get(), harness.output_info()) ==
                      film_picture(harness.output_info(), n),
                  "picture %d", n);
    harness.expect_no_error();
  }
}
GST_END_TEST

// ---- The rest -----------------------------------------------------------------------------------

GST_START_TEST(film_latency) {
  const std::string caps = film_caps("NV12", kSize, "interlace-mode=interleaved");
  for (const char *pattern : {"auto", "3:2", "2:2"}) {
    Harness harness(std::string("coalescedeinterlace mode=auto method=linear pattern=") + pattern);
    fail_unless(harness.set_input(caps));
    harness.push(telecined(caps, 0, 0, 0, true));
    fail_unless_equals_uint64(gst_harness_query_latency(harness.get()),
                              kAhead * gst_util_uint64_scale(GST_SECOND, 1, 30));
  }
}
GST_END_TEST

// Behind a discontinuity the cadence is found anew; nothing is woven across it.
GST_START_TEST(film_discontinuity) {
  const std::string caps =
      film_caps("GRAY8", kSize, "interlace-mode=interleaved, field-order=top-field-first");
  Harness harness("coalescedeinterlace mode=auto pattern=3:2");
  fail_unless(harness.set_input(caps));
  const std::vector<int> film = fields_of("23", 62);
  int number = 0;
  for (gsize i = 0; i < film.size(); i += 2) {
    if (i == 24 || i == 26) continue;  // 9 is of fields 22 to 24, 10 and 11 are gone
    GstBuffer *buffer = telecined(caps, number++, film[i], film[i + 1], true);
    if (i == 28) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
    harness.push(buffer);
  }
  harness.push_event(gst_event_new_eos());
  const GstVideoInfo info = harness.output_info();
  std::vector<int> shown;
  while (harness.waiting() > 0) {
    const Bytes bytes = picture(harness.pull().get(), info);
    int n = 0;
    while (n < 30 && bytes != film_picture(info, n))
      n++;
    shown.push_back(n);
  }
  std::vector<int> expected;
  for (int n = 0; n < 25; n++)
    if (n != 10) expected.push_back(n);
  fail_unless(shown == expected);
}
GST_END_TEST

// No caption is lost with the frames that have no picture of their own.
GST_START_TEST(film_captions) {
  const std::string caps =
      film_caps("GRAY8", kSize, "interlace-mode=interleaved, field-order=top-field-first");
  Harness harness("coalescedeinterlace mode=auto pattern=3:2");
  fail_unless(harness.set_input(caps));
  const std::vector<int> film = fields_of("23", 60);
  for (gsize i = 0; i < film.size(); i += 2) {
    GstBuffer *buffer = telecined(caps, static_cast<int>(i) / 2, film[i], film[i + 1], true);
    const guint8 data[] = {0x80, static_cast<guint8>(i / 2)};
    gst_buffer_add_video_caption_meta(buffer, GST_VIDEO_CAPTION_TYPE_CEA608_RAW, data, sizeof data);
    harness.push(buffer);
  }
  harness.push_event(gst_event_new_eos());
  int pictures = 0;
  std::vector<int> captions;
  while (harness.waiting() > 0) {
    const BufferRef out = harness.pull();
    std::vector<int> of_one;
    gpointer state = nullptr;
    while (GstMeta *meta =
               gst_buffer_iterate_meta_filtered(out.get(), &state, GST_VIDEO_CAPTION_META_API_TYPE))
      of_one.push_back(reinterpret_cast<GstVideoCaptionMeta *>(meta)->data[1]);
    std::sort(of_one.begin(), of_one.end());
    captions.insert(captions.end(), of_one.begin(), of_one.end());
    pictures++;
  }
  fail_unless_equals_int(pictures, 24);
  std::vector<int> all;
  for (int n = 0; n < 29; n++)  // (frame 29 has no picture behind it)
    all.push_back(n);
  fail_unless(captions == all);
}
GST_END_TEST

// While frames are held, and where they have not been measured.
GST_START_TEST(film_while_playing) {
  const std::string caps =
      film_caps("NV12", kSize, "interlace-mode=interleaved, field-order=top-field-first");
  Harness harness("coalescedeinterlace mode=auto");
  fail_unless(harness.set_input(caps));
  GstClockTime last = GST_CLOCK_TIME_NONE;
  int number = 0;
  for (const char *pattern : {"none", "3:2", "none", "auto", "2:2", "none"}) {
    gst_util_set_object_arg(G_OBJECT(harness.element()), "pattern", pattern);
    push_fields(&harness, caps, fields_of("23", 40), 0, true, number);
    number += 20;
    fail_unless_equals_int(rate_of(harness), *pattern == '3' || *pattern == 'a' ? 24 : 30);
    pull_all(&harness, &last);
  }
  harness.push_event(gst_event_new_eos());
  pull_all(&harness, &last);
  fail_unless_equals_uint64(last, static_cast<GstClockTime>(number - 1) * kFrame);
  harness.expect_no_error();
}
GST_END_TEST

// Settings that change at frame `at` and back: each picture begins where the one before it ends,
// from the first frame on to the end of the last one, and what is far from a change has its bytes.
GST_START_TEST(changes_leave_no_hole) {
  const char *const changes[][2] = {
      {"pattern=none", "pattern=3:2"},  {"pattern=none", "pattern=2:2"},
      {"pattern=none", "pattern=auto"}, {"pattern=3:2", "pattern=2:2"},
      {"pattern=3:2", "pattern=auto"},  {"pattern=2:2", "pattern=auto"},
      {"method=linear", "method=best"}, {"method=weave pattern=2:2", "method=line pattern=none"},
      {"fields=auto", "fields=all"},    {"fields=top", "fields=bottom"},
      {"mode=auto", "mode=disabled"},   {"mode=disabled", "mode=interlaced pattern=2:2"}};
  constexpr int kFrames = 44, kBack = 14;
  const auto set = [](Harness *harness, const char *settings) {
    gchar **each = g_strsplit(settings, " ", -1);
    for (gchar **setting = each; *setting != nullptr; setting++) {
      gchar **name_value = g_strsplit(*setting, "=", 2);
      gst_util_set_object_arg(G_OBJECT(harness->element()), name_value[0], name_value[1]);
      g_strfreev(name_value);
    }
    g_strfreev(each);
  };
  const std::string caps =
      film_caps("GRAY8", kSize, "interlace-mode=interleaved, field-order=top-field-first");
  const auto run = [&](const std::string &first, const char *const *change, int at,
                       const std::vector<int> &film) {
    Harness harness("coalescedeinterlace " + first);
    fail_unless(harness.set_input(caps));
    std::vector<BufferRef> pictures;
    for (int n = 0; n < kFrames; n++) {
      if (n == at) set(&harness, change[1]);
      if (n == at + kBack) set(&harness, change[0]);
      const auto i = static_cast<gsize>(2 * n);
      fail_unless_equals_int(harness.push(telecined(caps, n, film[i], film[i + 1], true)),
                             GST_FLOW_OK);
    }
    harness.push_event(gst_event_new_eos());
    while (harness.waiting() > 0)
      pictures.push_back(harness.pull());
    harness.expect_no_error();
    return pictures;
  };
  for (const char *fields : {"all", "auto"})
    for (const auto &pair : changes)
      for (bool back : {false, true})
        for (const char *pattern : {"23", "32", "2332", "22", "122", ""}) {
          const char *const change[] = {pair[back ? 1 : 0], pair[back ? 0 : 1]};
          const std::string first =
              std::string("mode=interlaced fields=") + fields + " " + change[0];
          std::vector<int> film(2 * kFrames, -1);
          if (g_str_equal(pattern, "122")) {  // in two neighbouring frames each
            film = fields_of("22", 2 * kFrames + 1);
            film.erase(film.begin());
          } else if (*pattern != 0) {
            film = fields_of(pattern, 2 * kFrames);
          }
          const std::vector<BufferRef> unchanged = run(first, change, kFrames, film);
          for (int at = 8; at < 18; at += small_run() ? 9 : 3) {
            const std::string what =
                first + " to " + change[1] + " at " + std::to_string(at) + ", " + pattern;
            const std::vector<BufferRef> pictures = run(first, change, at, film);
            GstClockTime due = 0;
            for (gsize i = 0; i < pictures.size(); i++) {
              GstBuffer *out = pictures[i].get();
              const GstClockTime pts = GST_BUFFER_PTS(out);
              fail_unless(ABS(GST_CLOCK_DIFF(due, pts)) < 40 && GST_BUFFER_DURATION(out) > 40,
                          "%s: picture %d at %" GST_TIME_FORMAT " instead of %" GST_TIME_FORMAT,
                          what.c_str(), static_cast<int>(i), GST_TIME_ARGS(pts),
                          GST_TIME_ARGS(due));
              due = pts + GST_BUFFER_DURATION(out);
              if (due > static_cast<GstClockTime>(at - kAhead - 2) * kFrame) continue;
              fail_unless(gst_buffer_get_size(out) == gst_buffer_get_size(unchanged[i].get()) &&
                          picture(out, video_info(caps)) ==
                              picture(unchanged[i].get(), video_info(caps)));
            }
            fail_unless(ABS(GST_CLOCK_DIFF(kFrames * kFrame, due)) < 40,
                        "%s: ends at %" GST_TIME_FORMAT, what.c_str(), GST_TIME_ARGS(due));
          }
        }
}
GST_END_TEST

// Whatever the flags and the cadence, that change at random places: each picture is shown for some
// time, and after the one before it.
GST_START_TEST(times_of_any_flags) {
  constexpr int kFrames = 60;
  constexpr guint kInterlaced = GST_VIDEO_BUFFER_FLAG_INTERLACED;
  constexpr guint kFlags[] = {0, kRepeats, kInterlaced, kInterlaced | GST_VIDEO_BUFFER_FLAG_TFF};
  constexpr const char *kFields[] = {"23", "2332", "22", "1"}, *kOrders[] = {"tff", "auto"};
  const std::string caps = film_caps("GRAY8", kSize, "interlace-mode=mixed");
  coalesce::test::Random random = coalesce::test::random_of_run(67);
  for (int run = 0; run < (small_run() ? 20 : 200); run++)
    for (const char *pattern : {"3:2", "2:2", "auto"}) {
      Harness harness(std::string("coalescedeinterlace pattern=") + pattern);
      fail_unless(harness.set_input(caps));
      guint flags = 0;
      std::vector<int> film;
      GstClockTime pts = 0;
      for (int n = 0; n < kFrames; n++) {
        if (random.below(3) == 0) flags = random.pick(kFlags);
        if (film.empty() || random.below(5) == 0) {
          film = fields_of(random.pick(kFields), 3 * kFrames);
          film.erase(film.begin(), film.begin() + random.below(10));
        }
        if (random.below(6) == 0)
          gst_util_set_object_arg(G_OBJECT(harness.element()), "field-order", random.pick(kOrders));
        GstBuffer *buffer = telecined(caps, n, film[0], film[1], true);
        film.erase(film.begin(), film.begin() + 2);
        const bool repeats = flags == kRepeats && n % 2 == 1;
        GST_BUFFER_FLAG_SET(buffer, flags == kRepeats && !repeats ? 0 : flags);
        GST_BUFFER_PTS(buffer) = pts;
        GST_BUFFER_DURATION(buffer) = repeats ? 3 * kField : kFrame;
        pts += GST_BUFFER_DURATION(buffer);
        harness.push(buffer);
      }
      harness.push_event(gst_event_new_eos());
      GstClockTime last = GST_CLOCK_TIME_NONE;
      while (harness.waiting() > 0) {
        const BufferRef out = harness.pull();
        const GstClockTime begin = GST_BUFFER_PTS(out.get());
        const GstClockTime duration = GST_BUFFER_DURATION(out.get());
        fail_unless(
            (last == GST_CLOCK_TIME_NONE || begin > last) && duration > 0 && duration < 3 * kFrame,
            "%s, run %d: %" GST_TIME_FORMAT " for %" GST_TIME_FORMAT ", after %" GST_TIME_FORMAT,
            pattern, run, GST_TIME_ARGS(begin), GST_TIME_ARGS(duration), GST_TIME_ARGS(last));
        last = begin;
      }
    }
}
GST_END_TEST

}  // namespace

void add_film_tests(TCase *tests) {
  tcase_add_loop_test(tests, film_comes_back, 0, static_cast<int>(std::size(kTelecines)));
  tcase_add_test(tests, video_at_the_rate_of_film);
  tcase_add_test(tests, film_by_interlace);
  tcase_add_test(tests, rate_follows_what_is_there);
  tcase_add_test(tests, rate_that_downstream_wants);
  tcase_add_test(tests, flags_of_repeated_fields);
  tcase_add_test(tests, flags_of_mixed_video);
  tcase_add_test(tests, film_latency);
  tcase_add_test(tests, film_discontinuity);
  tcase_add_test(tests, film_captions);
  tcase_add_test(tests, film_while_playing);
  tcase_add_test(tests, changes_leave_no_hole);
  tcase_add_test(tests, times_of_any_flags);
}

}  // namespace test
