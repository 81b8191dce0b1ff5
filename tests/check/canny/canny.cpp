// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges and overlays of canny in every format, its properties while frames flow, and what is
// refused.
#include "../control.h"
#include "../neighbourhood.h"
#include "../out_of_range.h"
#include "canny_reference.h"

namespace test {
namespace {

const Size kSize{41, 22};

// Of random bytes these leave some edges that are strong, and some that hang on them.
const Properties kThresholds = {{"low-threshold", "400"}, {"high-threshold", "800"}};

CannyFilter filter_of(double low, double high, int aperture = 3, bool l2 = false) {
  CannyFilter filter;
  filter.params = {low, high, aperture, l2};
  return filter;
}

CannyFilter overlay_of(const CannyFilter &edges, guint edge_color = 0xff00ff00) {
  CannyFilter filter = edges;
  filter.overlay = true;
  filter.edge_color = edge_color;
  return filter;
}

GST_START_TEST(every_format) {
  const std::string format = formats_of_8_bits()[static_cast<gsize>(__i__)];
  for (Size size : {Size{1, 1}, Size{3, 1}, Size{2, 5}, Size{33, 18}, Size{131, 35}}) {
    if (small_run() && size.width != 33) continue;
    for (const char *mode : {"progressive", "interleaved"}) {
      const std::string caps = video_caps(format, size, std::string("interlace-mode=") + mode);
      Harness edges("canny", kThresholds);
      fail_unless(edges.set_input(caps));
      push_and_check(edges, caps, filter_of(400, 800));
      Harness overlay("canny", {{"output", "overlay"},
                                {"edge-color", "0xb0ff8020"},
                                {"aperture", "5"},
                                {"l2-gradient", "true"},
                                {"low-threshold", "4000"},
                                {"high-threshold", "8000"}});
      fail_unless(overlay.set_input(caps));
      push_and_check(overlay, caps, overlay_of(filter_of(4000, 8000, 5, true), 0xb0ff8020));
      edges.expect_no_error();
      overlay.expect_no_error();
    }
  }
}
GST_END_TEST;

GST_START_TEST(all_formats_are_known_here) {
  fail_unless_equals_int(n_sink_formats("canny"), n_formats_of_8_bits());
}
GST_END_TEST;

// The output may change at any time.
GST_START_TEST(each_property) {
  const std::vector<Change<CannyFilter>> changes = {
      {"high-threshold", "900", [](CannyFilter &f) { f.params.high = 900; }},
      {"low-threshold", "350.5", [](CannyFilter &f) { f.params.low = 350.5; }},
      {"l2-gradient", "true", [](CannyFilter &f) { f.params.l2 = true; }},
      {"output", "overlay", [](CannyFilter &f) { f.overlay = true; }},
      {"edge-color", "0xffff0000", [](CannyFilter &f) { f.edge_color = 0xffff0000; }},
      {"edge-color", "0x40123456", [](CannyFilter &f) { f.edge_color = 0x40123456; }},
      {"aperture", "7", [](CannyFilter &f) { f.params.aperture = 7; }},
      {"high-threshold", "60000", [](CannyFilter &f) { f.params.high = 60000; }},
      {"output", "edges", [](CannyFilter &f) { f.overlay = false; }},
      {"low-threshold", "80000", [](CannyFilter &f) { f.params.low = 80000; }},
      {"l2-gradient", "false", [](CannyFilter &f) { f.params.l2 = false; }},
      {"output", "overlay", [](CannyFilter &f) { f.overlay = true; }},
      {"aperture", "5", [](CannyFilter &f) { f.params.aperture = 5; }},
      {"low-threshold", "0", [](CannyFilter &f) { f.params.low = 0; }},
      {"high-threshold", "0", [](CannyFilter &f) { f.params.high = 0; }},
  };
  for (const char *format : {"NV12", "GRAY8", "RGB"}) {
    Harness harness("canny");
    const std::string warning =
        check_changes(harness, video_caps(format, kSize), filter_of(50, 150), changes);
    fail_unless(warning.empty(), "%s", warning.c_str());
  }
}
GST_END_TEST;

// ---- sigma -----------------------------------------------------------------------------------

// What leaves a line of elements with a frame of these caps.
Bytes result_of(const std::string &launch, const std::string &caps) {
  Harness harness(launch);
  fail_unless(harness.set_input(caps), "%s: %s", launch.c_str(), caps.c_str());
  fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 7)), GST_FLOW_OK);
  const BufferRef out = harness.pull();
  fail_unless(out != nullptr, "%s: %s", launch.c_str(), caps.c_str());
  harness.expect_no_error();
  return picture(out.get(), harness.output_info());
}

// The same as behind sepconvolve.
GST_START_TEST(smoothed) {
  for (const std::string &format : formats_of_8_bits()) {
    const std::string caps = video_caps(format, {67, 40});
    for (const char *sigma : {"0.8", "2.5", "8", "33"}) {
      if (small_run() && std::string(sigma) != "2.5") continue;
      const Bytes apart = result_of("sepconvolve preset=blur sigma=" + std::string(sigma) +
                                        " ! canny low-threshold=5 high-threshold=20",
                                    caps);
      const Bytes together =
          result_of("canny low-threshold=5 high-threshold=20 sigma=" + std::string(sigma), caps);
      fail_unless(together == apart, "%s, sigma %s", format.c_str(), sigma);
    }
  }
}
GST_END_TEST;

// The overlay is the picture as it was. While playing, sigma comes and goes.
GST_START_TEST(sigma_while_playing) {
  const std::string caps = video_caps("I420", kSize);
  const GstVideoInfo info = video_info(caps);
  Harness harness("canny", {{"output", "overlay"}, {"edge-color", "0"}});
  fail_unless(harness.set_input(caps));
  for (const char *sigma : {"0", "1.5", "20", "0.1", "0"}) {
    set(harness, "sigma", sigma);
    const BufferRef in(random_frame(info, {}, 3));
    fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
    fail_unless(picture(harness.pull().get(), info) == picture(in.get(), info), "sigma %s", sigma);
  }
  set(harness, "output", "edges");
  push_and_check(harness, caps, filter_of(50, 150));
  fail_unless(harness.take_warning().empty());
  harness.expect_no_error();
}
GST_END_TEST;

// ---- colours ---------------------------------------------------------------------------------

GST_START_TEST(colours) {
  const struct {
    const char *format, *colorimetry;
    guint color;
    int samples[3];  // as the standards' tables have them
  } cases[] = {
      {"Y444", "bt601", 0xffff0000, {81, 90, 240}},
      {"Y444", "bt601", 0xff00ff00, {145, 54, 34}},
      {"Y444", "bt709", 0xffff0000, {63, 102, 240}},
      {"Y444", "bt709", 0xff00ff00, {173, 42, 26}},
      {"Y444", "1:4:0:0", 0xffff0000, {76, 85, 255}},
      {"Y444", "bt601", 0xffffffff, {235, 128, 128}},
      {"RGB", "sRGB", 0xff204060, {0x20, 0x40, 0x60}},
      {"GRAY8", "1:4:0:0", 0xffffffff, {255}},
      {"GRAY8", "1:4:0:0", 0xff00ff00, {150}},
  };
  for (const auto &[format, colorimetry, color, samples] : cases) {
    const std::string caps = video_caps(format, {8, 8}, std::string("colorimetry=") + colorimetry);
    const GstVideoInfo info = video_info(caps);
    const coalesce::EdgeColour colour = colour_of(info, color);
    for (int c = 0; c < (info.finfo->n_components == 1 ? 1 : 3); c++)
      fail_unless_equals_int(colour.sample[c], samples[c]);
    Harness harness("canny", {{"output", "overlay"}, {"low-threshold", "0"}});
    g_object_set(harness.element(), "edge-color", color, "high-threshold", 0., nullptr);
    fail_unless(harness.set_input(caps));
    push_and_check(harness, caps, overlay_of(filter_of(0, 0), color));
  }
}
GST_END_TEST;

// ---- caps ------------------------------------------------------------------------------------

GST_START_TEST(caps_of_edges) {
  const struct {
    const char *more, *kept;
  } cases[] = {
      {"colorimetry=bt709, chroma-site=mpeg2", ""},
      {"interlace-mode=interleaved, pixel-aspect-ratio=16/11",
       "interlace-mode=interleaved, pixel-aspect-ratio=16/11"},
  };
  for (const auto &[more, kept] : cases) {
    Harness harness("canny");
    fail_unless(harness.set_input(video_caps("I420", {16, 8}, more)));
    const CapsRef caps = harness.output_caps();
    const CapsRef expected = parse_caps(video_caps("GRAY8", {16, 8}, kept));
    fail_unless(gst_caps_is_subset(caps.get(), expected.get()), "%s", text_of(caps.get()).c_str());
    const GstStructure *structure = gst_caps_get_structure(caps.get(), 0);
    for (const char *field : {"colorimetry", "chroma-site"})
      fail_unless(!gst_structure_has_field(structure, field), "%s", text_of(caps.get()).c_str());
  }
}
GST_END_TEST;

GST_START_TEST(caps_of_overlays_are_kept) {
  check_caps_are_kept("canny", {{"output", "overlay"}});
}
GST_END_TEST;

// What upstream is asked for: any format for edges, that of downstream for overlays.
GST_START_TEST(upstream_is_asked) {
  for (const bool overlay : {false, true}) {
    Harness harness("canny", {{"output", overlay ? "overlay" : "edges"}});
    harness.accept("video/x-raw, format=GRAY8");
    const CapsRef possible(gst_pad_peer_query_caps(harness.to_element(), nullptr));
    for (const char *format : {"GRAY8", "NV12", "BGRA"}) {
      const CapsRef caps = parse_caps(video_caps(format, kSize));
      fail_unless_equals_int(gst_caps_can_intersect(possible.get(), caps.get()),
                             !overlay || std::string(format) == "GRAY8");
    }
    const CapsRef deep = parse_caps(video_caps("GRAY16_LE", kSize));
    fail_unless(!gst_caps_can_intersect(possible.get(), deep.get()));
  }
}
GST_END_TEST;

// Downstream that accepts no grey is an error, where edges are grey.
GST_START_TEST(downstream_without_grey) {
  Harness harness("canny", {{"output", "overlay"}});
  harness.accept("video/x-raw, format=NV12");
  const std::string caps = video_caps("NV12", kSize);
  fail_unless(harness.set_input(caps));
  push_and_check(harness, caps, overlay_of(filter_of(50, 150)));
  set(harness, "output", "edges");
  fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)),
                         GST_FLOW_NOT_NEGOTIATED);
  harness.expect_error(GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
                       {"format=GRAY8, but downstream accepts format=NV12", "output=overlay"});
  set(harness, "output", "overlay");
  push_and_check(harness, caps, overlay_of(filter_of(50, 150)));
}
GST_END_TEST;

// Nor can overlays be grey, where the picture is not.
GST_START_TEST(downstream_that_is_grey) {
  Harness harness("canny", {{"output", "overlay"}});
  harness.accept("video/x-raw, format=GRAY8");
  (void)harness.set_input(video_caps("NV12", kSize));
  harness.expect_error(GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
                       {"format=NV12, but downstream accepts format=GRAY8", "output=edges makes"});
}
GST_END_TEST;

// ---- bad values ------------------------------------------------------------------------------

GST_START_TEST(refused_at_the_start) {
  check_no_start("canny", {{"aperture", "4"}}, "aperture=4: it must be 3, 5 or 7");
  check_no_start("canny", {{"sigma", "0.05"}}, "sigma=0.05: it must be 0.1 to 100, or 0 for none");
  check_no_start("canny", {{"aperture", "6"}, {"sigma", "0.01"}},
                 "aperture=6: it must be 3, 5 or 7; sigma=0.01: ");
}
GST_END_TEST;

// Each setting by itself stays as it was, with one warning.
GST_START_TEST(refused_later) {
  const std::string caps = video_caps("RGBA", kSize);
  Harness harness("canny", {{"aperture", "5"}});
  fail_unless(harness.set_input(caps));
  push_and_check(harness, caps, filter_of(50, 150, 5));
  set(harness, "aperture", "6");
  set(harness, "high-threshold", "5000");  // which is used all the same
  push_and_check(harness, caps, filter_of(50, 5000, 5));
  fail_unless(contains(harness.take_warning(), "aperture=6"));
  set(harness, "low-threshold", "3000");
  push_and_check(harness, caps, filter_of(3000, 5000, 5));
  fail_unless(harness.take_warning().empty(), "a second warning");
  set(harness, "aperture", "7");
  set(harness, "sigma", "0.02");
  push_and_check(harness, caps, filter_of(3000, 5000, 7));
  fail_unless(contains(harness.take_warning(), "sigma=0.02"));
  set(harness, "sigma", "0");
  push_and_check(harness, caps, filter_of(3000, 5000, 7));
  fail_unless(harness.take_warning().empty());
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(just_beyond_the_limits) {
  Harness harness("canny");
  for (const char *name : {"low-threshold", "sigma"})
    set_just_below_0(harness.element(), name);
  const std::string caps = video_caps("GRAY8", kSize);
  fail_unless(harness.set_input(caps));
  push_and_check(harness, caps, filter_of(0, 150));
  harness.expect_no_error();
}
GST_END_TEST;

// Through apertures 3, 5 and 7, and from edges to overlays.
GST_START_TEST(controlled) {
  const std::string caps = video_caps("I420", {24, 8});
  Harness harness("canny");
  control(harness.element(), "aperture", {3, 7}, GST_INTERPOLATION_MODE_LINEAR, 4 * GST_SECOND);
  control(harness.element(), "low-threshold", {0, 4000}, GST_INTERPOLATION_MODE_LINEAR,
          4 * GST_SECOND);
  fail_unless(harness.set_input(caps));
  for (int seconds = 0; seconds <= 4; seconds++) {
    push_and_check(harness, caps, filter_of(1000. * seconds, 150, (3 + seconds) | 1), 1,
                   static_cast<GstClockTime>(seconds) * GST_SECOND);
    int aperture = 0;
    g_object_get(harness.element(), "aperture", &aperture, nullptr);
    fail_unless_equals_int(aperture, (3 + seconds) | 1);
  }
  fail_unless(harness.take_warning().empty());
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(warnings_without_effect) {
  Harness edges("canny", {{"edge-color", "0xffff0000"}});
  fail_unless(edges.set_input(video_caps("GRAY8", kSize)));
  fail_unless(contains(edges.take_warning(), "it requires output=overlay"));
  Harness overlay("canny", {{"edge-color", "0xffff0000"}, {"output", "overlay"}});
  fail_unless(overlay.set_input(video_caps("GRAY8", kSize)));
  fail_unless(overlay.take_warning().empty());
}
GST_END_TEST;

// What is behind the samples of a row is no memory of someone before.
GST_START_TEST(clear_padding) {
  const std::string caps = video_caps("I420", {211, 133});
  Harness harness("canny sigma=1.4");
  fail_unless(harness.set_input(caps));
  for (guint n = 0; n < 3; n++)
    fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, n)), GST_FLOW_OK);
  const int stride = harness.output_info().stride[0];
  fail_unless(stride > 211);
  while (const BufferRef out = harness.pull()) {
    GstMapInfo map;
    fail_unless(gst_buffer_map(out.get(), &map, GST_MAP_READ));
    for (gsize i = 0; i < map.size; i++)
      fail_unless(static_cast<int>(i) % stride < 211 || map.data[i] == 0, "byte %zu", i);
    gst_buffer_unmap(out.get(), &map);
  }
  harness.expect_no_error();
}
GST_END_TEST;

}  // namespace
}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "canny", [](Suite *suite) {
    using namespace test;
    TCase *tests = new_case(suite, "canny");
    tcase_add_loop_test(tests, every_format, 0, n_formats_of_8_bits());
    tcase_add_test(tests, all_formats_are_known_here);
    tcase_add_test(tests, each_property);
    tcase_add_test(tests, smoothed);
    tcase_add_test(tests, sigma_while_playing);
    tcase_add_test(tests, colours);
    tcase_add_test(tests, caps_of_edges);
    tcase_add_test(tests, caps_of_overlays_are_kept);
    tcase_add_test(tests, upstream_is_asked);
    tcase_add_test(tests, downstream_without_grey);
    tcase_add_test(tests, downstream_that_is_grey);
    tcase_add_test(tests, refused_at_the_start);
    tcase_add_test(tests, refused_later);
    tcase_add_test(tests, just_beyond_the_limits);
    tcase_add_test(tests, controlled);
    tcase_add_test(tests, clear_padding);
    tcase_add_test(tests, warnings_without_effect);
  });
}
