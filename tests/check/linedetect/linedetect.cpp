// SPDX-License-Identifier: LGPL-2.1-or-later
// Lines of frames in every format, on the buffer, drawn and on the bus; where the buffer goes on as
// it is; what becomes of the lines downstream; properties while frames flow, and what is refused.
#include <algorithm>
#include <cmath>

#include "../control.h"
#include "../neighbourhood.h"
#include "../out_of_range.h"
#include "lines_reference.h"

namespace test {
namespace {

const Size kSize{41, 22};

// Random bytes have many edges, and short lines among them.
const Properties kNoise = {
    {"sigma", "0"}, {"low-threshold", "400"}, {"high-threshold", "800"}, {"min-length", "5"}};

LineFilter noise_filter() {
  LineFilter filter;
  filter.edges = {400, 800, 3, false};
  filter.lines.min_length = 5;
  return filter;
}

Properties operator+(Properties a, const Properties &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Properties kNotDrawn = {{"draw", "false"}};

BufferRef push_and_pull(Harness &harness, GstBuffer *in) {
  fail_unless_equals_int(harness.push(gst_buffer_ref(in)), GST_FLOW_OK);
  BufferRef out = harness.pull();
  fail_unless(out != nullptr);
  return out;
}

// Pushes a frame of these caps, random for `seed`, and checks what comes out. Returns the number of
// lines.
guint push_and_check(Harness &harness, const std::string &caps, const LineFilter &filter,
                     guint32 seed = 1) {
  const GstVideoInfo info = video_info(caps);
  const BufferRef in(random_frame(info, {}, seed));
  const BufferRef out = push_and_pull(harness, in.get());
  const std::string difference = lines_difference(in.get(), info, out.get(), harness.output_info(),
                                                  filter, GST_VIDEO_INFO_IS_INTERLACED(&info));
  fail_unless(difference.empty(), "%s: %s", caps.c_str(), difference.c_str());
  return lines_on(out.get()).count;
}

// Grey, with a white rectangle: its sides are from (x0 - 0.5, y0 - 0.5) to (x1 + 0.5, y1 + 0.5).
BufferRef rectangle(const GstVideoInfo &info, int x0, int y0, int x1, int y1) {
  BufferRef buffer(plain_frame(info, {}, 40));
  fail_unless(each_row(buffer.get(), info, GST_MAP_WRITE, [&](int plane, int y, guint8 *row) {
    if (plane == 0 && y >= y0 && y <= y1) std::fill(row + x0, row + x1 + 1, 220);
  }));
  GST_BUFFER_PTS(buffer.get()) = 0;
  GST_BUFFER_DURATION(buffer.get()) = 40 * GST_MSECOND;
  return buffer;
}

// ---- formats ---------------------------------------------------------------------------------

GST_START_TEST(every_format) {
  const std::string format = formats_of_8_bits()[static_cast<gsize>(__i__)];
  guint lines = 0;
  for (Size size : {Size{1, 1}, Size{2, 5}, Size{67, 42}})
    for (const char *mode : {"progressive", "interleaved"}) {
      if (size.height == 1 && std::string(mode) == "interleaved") continue;
      const std::string caps = video_caps(format, size, std::string("interlace-mode=") + mode);
      Harness passed("linedetect", kNoise + kNotDrawn);
      fail_unless(passed.set_input(caps));
      lines += push_and_check(passed, caps, noise_filter());
      Harness drawn("linedetect", kNoise + Properties{{"draw", "true"},
                                                      {"line-color", "0xb0ff8020"},
                                                      {"thickness", "3"},
                                                      {"tolerance", "1.3"}});
      fail_unless(drawn.set_input(caps));
      LineFilter filter = noise_filter();
      filter.draw = true, filter.line_color = 0xb0ff8020, filter.thickness = 3;
      filter.lines.tolerance = 1.3;
      push_and_check(drawn, caps, filter);
      passed.expect_no_error();
      drawn.expect_no_error();
    }
  fail_unless(lines > 12, "%s: %u lines", format.c_str(), lines);
}
GST_END_TEST;

GST_START_TEST(all_formats_are_known_here) {
  fail_unless_equals_int(n_sink_formats("linedetect"), n_formats_of_8_bits());
}
GST_END_TEST;

// ---- properties ------------------------------------------------------------------------------

// One at a time, each on top of those before.
GST_START_TEST(each_property) {
  for (const char *format : {"NV12", "RGB"}) {
    const std::string caps = video_caps(format, {97, 60});
    Harness harness("linedetect", kNoise + kNotDrawn);
    fail_unless(harness.set_input(caps));
    LineFilter f = noise_filter();
    fail_unless(push_and_check(harness, caps, f) > 10);
    const struct {
      const char *name, *value;
      void (*apply)(LineFilter &);
    } steps[] = {
        {"tolerance", "1", [](LineFilter &f) { f.lines.tolerance = 1; }},
        {"min-length", "7", [](LineFilter &f) { f.lines.min_length = 7; }},
        {"max-lines", "3", [](LineFilter &f) { f.lines.max_lines = 3; }},
        {"draw", "true", [](LineFilter &f) { f.draw = true; }},
        {"thickness", "1", [](LineFilter &f) { f.thickness = 1; }},
        {"line-color", "0x800000ff", [](LineFilter &f) { f.line_color = 0x800000ff; }},
        {"max-lines", "16384", [](LineFilter &f) { f.lines.max_lines = 16384; }},
        {"high-threshold", "900", [](LineFilter &f) { f.edges.high = 900; }},
        {"low-threshold", "350.5", [](LineFilter &f) { f.edges.low = 350.5; }},
        {"l2-gradient", "true", [](LineFilter &f) { f.edges.l2 = true; }},
        {"draw", "false", [](LineFilter &f) { f.draw = false; }},
        {"aperture", "5", [](LineFilter &f) { f.edges.aperture = 5; }},
        {"low-threshold", "6000", [](LineFilter &f) { f.edges.low = 6000; }},
        {"min-length", "32767", [](LineFilter &f) { f.lines.min_length = 32767; }},
    };
    guint32 seed = 1;
    for (const auto &[name, value, apply] : steps) {
      set(harness, name, value);
      apply(f);
      push_and_check(harness, caps, f, ++seed);
    }
    fail_unless(harness.take_warning().empty());
    harness.expect_no_error();
  }
}
GST_END_TEST;

// The lines behind a Gaussian are those of canny's edges behind the same.
GST_START_TEST(smoothed) {
  const std::string caps = video_caps("I420", {67, 40});
  const GstVideoInfo info = video_info(caps);
  for (const char *sigma : {"0.8", "9"}) {
    const Properties properties = {
        {"sigma", sigma}, {"low-threshold", "2"}, {"high-threshold", "5"}};
    Harness canny("canny", properties);
    fail_unless(canny.set_input(caps));
    Harness harness("linedetect", properties + Properties{{"min-length", "5"}, {"draw", "false"}});
    fail_unless(harness.set_input(caps));
    Harness of_edges("linedetect", {{"sigma", "0"},
                                    {"low-threshold", "2"},
                                    {"high-threshold", "5"},
                                    {"min-length", "5"},
                                    {"draw", "false"}});
    fail_unless(of_edges.set_input(caps));
    const BufferRef in(random_frame(info, {}, 7));
    const BufferRef edges = push_and_pull(canny, in.get());
    const LinesSaid smoothed = lines_on(push_and_pull(harness, in.get()).get());
    const LinesSaid sharp = lines_on(push_and_pull(of_edges, in.get()).get());
    fail_unless(smoothed.count > 0 && smoothed.lines != sharp.lines);
    // Each end is at an edge.
    GstVideoFrame frame;
    const GstVideoInfo grey = canny.output_info();
    fail_unless(gst_video_frame_map(&frame, &grey, edges.get(), GST_MAP_READ));
    const auto is_near_edge = [&](float x, float y) {
      for (int v = int(std::lround(y)) - 3; v <= int(std::lround(y)) + 3; v++)
        for (int u = int(std::lround(x)) - 3; u <= int(std::lround(x)) + 3; u++)
          if (v >= 0 && u >= 0 && v < grey.height && u < grey.width &&
              GST_VIDEO_FRAME_COMP_DATA(&frame, 0)[v * grey.stride[0] + u] != 0)
            return true;
      return false;
    };
    for (const LineRecord &line : smoothed.lines)
      fail_unless(is_near_edge(line[0], line[1]) && is_near_edge(line[2], line[3]));
    gst_video_frame_unmap(&frame);
  }
}
GST_END_TEST;

// What the page shows.
GST_START_TEST(sides_of_a_rectangle) {
  const std::string caps = video_caps("NV12", {160, 120});
  Harness harness("linedetect", kNotDrawn);
  fail_unless(harness.set_input(caps));
  const BufferRef in = rectangle(video_info(caps), 30, 20, 120, 90);
  const LinesSaid said = lines_on(push_and_pull(harness, in.get()).get());
  fail_unless_equals_int(said.count, 4);
  fail_unless_equals_int(said.found, 4);
  const float sides[][4] = {{29.5f, 19.5f, 120.5f, 19.5f},
                            {29.5f, 90.5f, 120.5f, 90.5f},
                            {29.5f, 19.5f, 29.5f, 90.5f},
                            {120.5f, 19.5f, 120.5f, 90.5f}};
  // It is exact across, to the pixel on either side of an edge; and its ends are rounded off.
  for (const auto &side : sides) {
    const bool upright = side[0] == side[2];
    const auto is_this = [&side, upright](const LineRecord &line) {
      const bool turned = upright ? line[1] > line[3] : line[0] > line[2];
      for (gsize i = 0; i < 4; i++)
        if (std::abs(line[turned ? (i + 2) % 4 : i] - side[i]) > ((i % 2 == 0) == upright ? 1 : 5))
          return false;
      return line[4] >= 1 && line[4] <= 3 && std::abs(line[5] - 180) < 5;
    };
    fail_unless_equals_int(std::count_if(said.lines.begin(), said.lines.end(), is_this), 1);
  }
  // The longest come first.
  const auto length = [](const LineRecord &l) { return std::hypot(l[2] - l[0], l[3] - l[1]); };
  fail_unless(length(said.lines[1]) > 80 && length(said.lines[2]) < 75);
}
GST_END_TEST;

// ---- the buffer ------------------------------------------------------------------------------

GST_START_TEST(passes_on_the_buffer) {
  const std::string caps = video_caps("NV12", {64, 48});
  const GstVideoInfo info = video_info(caps);
  Harness harness("linedetect", kNotDrawn);
  fail_unless(harness.set_input(caps));
  GstBuffer *in = rectangle(info, 8, 8, 50, 40).release();
  const GstMemory *memory = gst_buffer_peek_memory(in, 0);
  fail_unless_equals_int(harness.push(in), GST_FLOW_OK);
  const BufferRef out = harness.pull();
  fail_unless(out.get() == in, "another buffer");
  fail_unless(gst_buffer_peek_memory(out.get(), 0) == memory);
  fail_unless(lines_on(out.get()).count == 4);
  // Somebody else has it, too: what he has is as it was.
  const BufferRef shared = rectangle(info, 8, 8, 50, 40);
  const BufferRef other = push_and_pull(harness, shared.get());
  fail_unless(other.get() != shared.get() && !has_lines(shared.get()));
  fail_unless(gst_buffer_peek_memory(other.get(), 0) == gst_buffer_peek_memory(shared.get(), 0));
  fail_unless(lines_on(other.get()).count == 4);
}
GST_END_TEST;

// Rows that downstream would not find where they are.
GST_START_TEST(copies_for_downstream_without_metas) {
  const std::string caps = video_caps("I420", {40, 22});
  const GstVideoInfo info = video_info(caps);
  for (const bool reads_metas : {false, true}) {
    Harness harness("linedetect", kNoise + kNotDrawn);
    if (reads_metas)
      gst_harness_add_propose_allocation_meta(harness.get(), GST_VIDEO_META_API_TYPE, nullptr);
    fail_unless(harness.set_input(caps));
    for (const bool odd : {false, true}) {
      const BufferRef in(random_frame(info, {odd ? 7 : 0, odd ? gsize{5} : 0, 0, true}, 1));
      const BufferRef out = push_and_pull(harness, in.get());
      const bool copied =
          gst_buffer_peek_memory(out.get(), 0) != gst_buffer_peek_memory(in.get(), 0);
      fail_unless_equals_int(copied, odd && !reads_metas);
      const std::string difference =
          lines_difference(in.get(), info, out.get(), info, noise_filter(), false);
      fail_unless(difference.empty(), "%s", difference.c_str());
    }
  }
}
GST_END_TEST;

// Those of an element before are replaced.
GST_START_TEST(one_meta) {
  const std::string caps = video_caps("GRAY8", {64, 48});
  for (const char *draw : {"false", "true"}) {
    Harness harness(std::string("linedetect draw=false max-lines=1 ! linedetect draw=") + draw);
    fail_unless(harness.set_input(caps));
    const BufferRef in = rectangle(video_info(caps), 8, 8, 50, 40);
    const BufferRef out = push_and_pull(harness, in.get());
    fail_unless_equals_int(lines_on(out.get()).count, 4);
    gpointer state = nullptr;
    int metas = 0;
    while (const GstMeta *meta = gst_buffer_iterate_meta(out.get(), &state))
      metas += gst_meta_info_is_custom(meta->info);
    fail_unless_equals_int(metas, 1);
  }
}
GST_END_TEST;

// ---- downstream ------------------------------------------------------------------------------

// The meta is about the picture that it is on.
GST_START_TEST(scaled) {
  if (skip_without({"videoscale"})) return;
  const std::string caps = video_caps("GRAY8", {160, 120});
  Harness harness("linedetect draw=false ! videoscale add-borders=false");
  harness.accept(video_caps("GRAY8", {480, 60}));
  fail_unless(harness.set_input(caps));
  const BufferRef in = rectangle(video_info(caps), 30, 20, 120, 90);
  Harness plain("linedetect", kNotDrawn);
  fail_unless(plain.set_input(caps));
  const LinesSaid before = lines_on(push_and_pull(plain, in.get()).get());
  const LinesSaid after = lines_on(push_and_pull(harness, in.get()).get());
  fail_unless(after.count == before.count && after.found == before.found && after.count == 4);
  for (gsize i = 0; i < after.lines.size(); i++) {
    const LineRecord &from = before.lines[i], &to = after.lines[i];
    for (gsize x : {0u, 2u})
      fail_unless(std::abs(to[x] - ((from[x] + .5) * 3 - .5)) < 1e-3);
    for (gsize y : {1u, 3u})
      fail_unless(std::abs(to[y] - ((from[y] + .5) / 2 - .5)) < 1e-3);
    const bool level = std::abs(from[1] - from[3]) < 10;
    fail_unless(std::abs(to[4] - from[4] * (level ? .5 : 3)) < .01, "width %g of %g", to[4],
                from[4]);
    fail_unless(to[5] == from[5]);
  }
}
GST_END_TEST;

// Through all that leaves pictures as they are; and not where nobody says where things have gone.
GST_START_TEST(kept_and_dropped) {
  const struct {
    const char *elements;
    bool kept;
  } cases[] = {
      {"identity", true},          {"canny", true},
      {"median size=3", true},     {"videoconvert ! capsfilter caps=video/x-raw,format=I420", true},
      {"videocrop left=4", false}, {"videoflip video-direction=90r", false},
  };
  const std::string caps = video_caps("GRAY8", {64, 48});
  for (const auto &[elements, kept] : cases) {
    Harness harness(std::string("linedetect draw=false ! ") + elements);
    fail_unless(harness.set_input(caps));
    const BufferRef in = rectangle(video_info(caps), 8, 8, 50, 40);
    const BufferRef out = push_and_pull(harness, in.get());
    fail_unless_equals_int(has_lines(out.get()), kept);
    if (kept) fail_unless_equals_int(lines_on(out.get()).count, 4);
  }
}
GST_END_TEST;

// ---- messages --------------------------------------------------------------------------------

MessageRef next_message(GstBus *bus) {
  return MessageRef(gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT));
}

GST_START_TEST(messages) {
  const std::string caps = video_caps("GRAY8", {64, 48});
  Harness harness("linedetect", kNotDrawn);
  const Owned<GstBus> bus(gst_element_get_bus(harness.element()));
  fail_unless(harness.set_input(caps));
  const BufferRef first = rectangle(video_info(caps), 8, 8, 50, 40);
  push_and_pull(harness, first.get());
  fail_unless(next_message(bus.get()) == nullptr, "a message that nobody wanted");
  set(harness, "post-messages", "true");
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = GST_SECOND, segment.time = 10 * GST_SECOND, segment.base = 100 * GST_SECOND;
  fail_unless(harness.push_event(gst_event_new_segment(&segment)));
  const BufferRef in = rectangle(video_info(caps), 8, 8, 50, 40);
  GST_BUFFER_PTS(in.get()) = 3 * GST_SECOND;
  push_and_pull(harness, in.get());
  const MessageRef message = next_message(bus.get());
  fail_unless(message != nullptr && next_message(bus.get()) == nullptr);
  const GstStructure *structure = gst_message_get_structure(message.get());
  fail_unless(gst_structure_has_name(structure, "linedetect"));
  fail_unless_equals_int(lines_of(structure).count, 4);
  const struct {
    const char *field;
    GstClockTime time;
  } times[] = {{"timestamp", 3 * GST_SECOND},
               {"running-time", 102 * GST_SECOND},
               {"stream-time", 12 * GST_SECOND},
               {"duration", 40 * GST_MSECOND}};
  for (const auto &[field, time] : times) {
    guint64 found = 0;
    fail_unless(gst_structure_get_uint64(structure, field, &found));
    fail_unless_equals_uint64(found, time);
  }
}
GST_END_TEST;

// ---- bad values ------------------------------------------------------------------------------

GST_START_TEST(refused_at_the_start) {
  const struct {
    Properties properties;
    const char *problem;
  } cases[] = {
      {{{"aperture", "4"}}, "aperture=4: it must be 3, 5 or 7"},
      {{{"sigma", "0.05"}}, "sigma=0.05: it must be 0.1 to 100, or 0 for none"},
      {{{"aperture", "6"}, {"sigma", "0.01"}}, "aperture=6: it must be 3, 5 or 7; sigma=0.01: "},
  };
  for (const auto &[properties, problem] : cases) {
    Harness harness("linedetect");
    gst_element_set_state(harness.element(), GST_STATE_READY);
    for (const auto &[name, value] : properties)
      set(harness, name, value);
    fail_unless_equals_int(gst_element_set_state(harness.element(), GST_STATE_PAUSED),
                           GST_STATE_CHANGE_FAILURE);
    harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, {problem});
  }
}
GST_END_TEST;

// Each setting by itself stays as it was, with one warning.
GST_START_TEST(refused_later) {
  const std::string caps = video_caps("RGBA", kSize);
  Harness harness("linedetect", kNoise + kNotDrawn);
  fail_unless(harness.set_input(caps));
  LineFilter filter = noise_filter();
  push_and_check(harness, caps, filter);
  set(harness, "aperture", "6");
  set(harness, "sigma", "0.02");
  set(harness, "high-threshold", "900");  // which is used all the same
  filter.edges.high = 900;
  push_and_check(harness, caps, filter);
  const std::string warning = harness.take_warning();
  fail_unless(contains(warning, "aperture=6") && contains(warning, "sigma=0.02"));
  set(harness, "tolerance", "1");
  filter.lines.tolerance = 1;
  push_and_check(harness, caps, filter);
  fail_unless(harness.take_warning().empty(), "a second warning");
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(just_beyond_the_limits) {
  Harness harness("linedetect", {{"draw", "false"}, {"min-length", "5"}});
  for (const char *name : {"low-threshold", "sigma", "tolerance"})
    set_just_below_0(harness.element(), name);
  const std::string caps = video_caps("GRAY8", kSize);
  fail_unless(harness.set_input(caps));
  LineFilter filter;
  filter.edges.low = 0, filter.lines.tolerance = 0, filter.lines.min_length = 5;
  push_and_check(harness, caps, filter);
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(too_large) {
  for (Size size : {Size{32768, 1}, Size{1, 32768}}) {
    Harness harness("linedetect");
    harness.set_input(video_caps("GRAY8", size));
    harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, {"32768", "32767"});
  }
  Harness harness("linedetect");
  fail_unless(harness.set_input(video_caps("GRAY8", {32767, 1})));
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(controlled) {
  const std::string caps = video_caps("I420", {48, 24});
  Harness harness("linedetect", kNoise + kNotDrawn);
  control(harness.element(), "aperture", {3, 7}, GST_INTERPOLATION_MODE_LINEAR, 4 * GST_SECOND);
  control(harness.element(), "tolerance", {0, 4}, GST_INTERPOLATION_MODE_LINEAR, 4 * GST_SECOND);
  fail_unless(harness.set_input(caps));
  const GstVideoInfo info = video_info(caps);
  for (int seconds = 0; seconds <= 4; seconds++) {
    const BufferRef in(random_frame(info, {}, 1));
    GST_BUFFER_PTS(in.get()) = static_cast<GstClockTime>(seconds) * GST_SECOND;
    const BufferRef out = push_and_pull(harness, in.get());
    LineFilter filter = noise_filter();
    filter.edges.aperture = (3 + seconds) | 1, filter.lines.tolerance = seconds;
    const std::string difference = lines_difference(in.get(), info, out.get(), info, filter, false);
    fail_unless(difference.empty(), "after %d s: %s", seconds, difference.c_str());
  }
  fail_unless(harness.take_warning().empty());
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(warnings_without_effect) {
  const struct {
    Properties properties;
    const char *text;
  } cases[] = {
      {{{"line-color", "0xffff0000"}}, "line-color has no effect without draw=true"},
      {{{"thickness", "5"}}, "thickness has no effect without draw=true"},
      {{{"line-color", "0xffff0000"}, {"thickness", "5"}},
       "line-color and thickness have no effect without draw=true"},
  };
  for (const char *draw : {"false", "true"})
    for (const auto &[properties, text] : cases) {
      Harness harness(std::string("linedetect draw=") + draw, properties);
      fail_unless(harness.set_input(video_caps("GRAY8", kSize)));
      const std::string warning = harness.take_warning();
      fail_unless(draw == std::string("true") ? warning.empty() : warning.starts_with(text), "%s",
                  warning.c_str());
    }
}
GST_END_TEST;

}  // namespace
}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "linedetect", [](Suite *suite) {
    using namespace test;
    TCase *tests = new_case(suite, "linedetect");
    add_sampled_loop_test(tests, every_format, n_formats_of_8_bits());
    tcase_add_test(tests, all_formats_are_known_here);
    tcase_add_test(tests, each_property);
    tcase_add_test(tests, smoothed);
    tcase_add_test(tests, sides_of_a_rectangle);
    tcase_add_test(tests, passes_on_the_buffer);
    tcase_add_test(tests, copies_for_downstream_without_metas);
    tcase_add_test(tests, one_meta);
    tcase_add_test(tests, scaled);
    tcase_add_test(tests, kept_and_dropped);
    tcase_add_test(tests, messages);
    tcase_add_test(tests, refused_at_the_start);
    tcase_add_test(tests, refused_later);
    tcase_add_test(tests, just_beyond_the_limits);
    tcase_add_test(tests, too_large);
    tcase_add_test(tests, controlled);
    tcase_add_test(tests, warnings_without_effect);
  });
}
