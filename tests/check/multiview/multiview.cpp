// SPDX-License-Identifier: LGPL-2.1-or-later
// multiview beside the definition of its numbers: the bytes of every format, and pads: their
// cameras, caps, ends and partners.
#include <algorithm>
#include <cstring>
#include <deque>

#include "../../kernels/multiview/multiview_reference.h"
#include "../../kernels/multiview/multiview_scene.h"
#include "../../support/temporary_file.h"
#include "../images.h"
#include "view_cases.h"

namespace test {
namespace {

using coalesce::MultiviewMethod;
using coalesce::MultiviewParams;

const Size kSize{41, 22};
const std::string kGray = video_caps("GRAY8", kSize);

GstVideoInfo gray() {
  return video_info(kGray);
}

std::vector<std::string> alike(int n, const std::string &caps = kGray) {
  return std::vector<std::string>(static_cast<std::size_t>(n), caps);
}

// Those that the library looks at, or the others.
std::vector<std::string> formats(bool looked_at = true) {
  std::vector<std::string> names;
  for (const coalesce::NamedFormat &each : coalesce::named_formats())
    if (coalesce::multiview_takes(each.format) == looked_at &&
        gst_video_format_from_string(each.name) != GST_VIDEO_FORMAT_UNKNOWN)
      names.emplace_back(each.name);
  return names;
}

int n_formats(bool looked_at = true) {
  return static_cast<int>(formats(looked_at).size());
}

GST_START_TEST(every_format) {
  const std::string format = formats()[static_cast<gsize>(__i__)];
  for (const Size size : {kSize, Size{1, 1}, Size{3, 1}, Size{2, 5}}) {
    const std::string caps = video_caps(format, size);
    const GstVideoInfo info = video_info(caps);
    for (const char *method : {"sad", "ncc"}) {
      MultiviewParams params = scene_params();
      if (*method == 'n') params.method = MultiviewMethod::ncc;
      Views views(alike(3, caps), kSceneProperties + std::string("method=") + method);
      views.start();
      for (unsigned n = 0; n < 2; n++) {
        const auto frames = scene_frames(info, 3, n + 1);
        views.push_views(frames, n);
        expect_bytes(views, Depths(frames, info, params).depth, n);
      }
    }
  }
}
GST_END_TEST;

// Formats of colours have the depths of what the project's converters make of them in front.
GST_START_TEST(every_other_format) {
  const std::string format = formats(false)[static_cast<gsize>(__i__)];
  const coalesce::PixelFormat pixels = coalesce::pixel_format(format);
  const bool rgb = pixels.has(coalesce::Role::r), wide = pixels.component[0].bits > 8;
  const std::string front =
      rgb ? std::string(" ! rgb2yuv ! video/x-raw,format=") + (wide ? "GRAY16_LE" : "GRAY8")
          : " ! yuv2yuv ! video/x-raw,format=Y444_10LE";
  const std::string caps = video_caps(format, kSize);
  const GstVideoInfo info = video_info(caps);
  Views direct(alike(3, caps), kSceneProperties);
  Views converted(alike(3, caps), kSceneProperties, "ANY", front);
  direct.start();
  converted.start();
  for (unsigned n = 0; n < 2; n++) {
    const auto frames = scene_frames(info, 3, n + 1);
    direct.push_views(frames, n);
    converted.push_views(frames, n);
    const Bytes found = take_bytes(direct.pull()), expected = take_bytes(converted.pull());
    fail_unless(!found.empty() && found == expected, "%s", format.c_str());
  }
}
GST_END_TEST;

// A drawn scene, by cameras that are turned: the bytes of the definition, as the file has every
// digit, and most depths are those that were drawn.
GST_START_TEST(drawn_scene) {
  constexpr int kViews = 5, kDepths = 64;
  const coalesce::test::MultiviewScene scene(120, 68, kViews, 2);
  const std::string caps = video_caps("GRAY8", {scene.width, scene.height});
  TemporaryFile file;
  std::string text;
  std::vector<coalesce::MultiviewView> views;
  std::vector<BufferRef> frames;
  for (const auto &of : scene.views) {
    text += camera_text(of.matrix) + "\n";
    frames.emplace_back(gst_buffer_new_memdup(of.picture.data(), of.picture.size()));
    views.push_back({});
    std::copy_n(&of.matrix[0][0], 12, &views.back().matrix[0][0]);
    views.back().picture = {
        coalesce::pixel_format("GRAY8"),
        scene.width,
        scene.height,
        false,
        {{of.picture.data(), scene.width, scene.height, static_cast<gsize>(scene.width)}}};
  }
  fail_unless(g_file_set_contents(file.name().c_str(), text.c_str(), -1, nullptr));
  for (const MultiviewMethod method : {MultiviewMethod::sad, MultiviewMethod::ncc}) {
    MultiviewParams params;
    params.method = method, params.depths = kDepths, params.window = 7;
    params.nearest = scene.kNearest, params.farthest = scene.kFarthest;
    params.output = coalesce::MultiviewDepth::floats;
    std::vector<float> expected(static_cast<gsize>(scene.width * scene.height));
    coalesce::test::multiview_reference(
        params, views.data(), kViews, 0,
        {coalesce::pixel_format("GRAY16_LE"),
         2 * scene.width,
         scene.height,
         false,
         {{reinterpret_cast<guint8 *>(expected.data()), 4 * scene.width, scene.height,
           static_cast<gsize>(4 * scene.width)}}},
        nullptr);
    std::string properties = "near=1500 far=5000 num-depths=64 window-size=7 output=float method=";
    properties += method == MultiviewMethod::sad ? "sad" : "ncc";
    properties += " cameras=" + file.name();
    Views element(alike(kViews, caps), properties);
    element.start();
    element.push_views(frames, 0);
    const Bytes found = take_bytes(element.pull());
    fail_unless(found.size() == 4 * expected.size() &&
                std::memcmp(found.data(), expected.data(), found.size()) == 0);
    const auto errors = coalesce::test::multiview_errors(scene, expected, params);
    fail_unless(errors.known > 0.5 && errors.bad < 0.25, "known %g, bad %g", errors.known,
                errors.bad);
  }
}
GST_END_TEST;

// ---- pads and cameras ------------------------------------------------------------------------

// Each pad has the matrix of its number, in whatever order the pads are made.
GST_START_TEST(numbers) {
  const auto frames = scene_frames(gray(), 9);
  const struct {
    std::vector<int> pads;
    int reference;
  } cases[] = {
      {{0, 1, 2}, 0}, {{0, 1, 2}, 1}, {{5, 1, 8, 6}, 6}, {{8, 4}, 8}, {{3, 2, 1, 0, 7}, 2}};
  for (const auto &c : cases) {
    std::vector<int> sorted = c.pads;
    std::sort(sorted.begin(), sorted.end());
    std::vector<BufferRef> given, in_order;
    for (int pad : c.pads)
      given.emplace_back(gst_buffer_ref(frames[static_cast<std::size_t>(pad)].get()));
    for (int pad : sorted)
      in_order.emplace_back(gst_buffer_ref(frames[static_cast<std::size_t>(pad)].get()));
    const auto reference =
        static_cast<int>(std::find(sorted.begin(), sorted.end(), c.reference) - sorted.begin());
    MultiviewParams params = scene_params();
    params.min_count = std::min(2, static_cast<int>(c.pads.size()) - 1);
    Views views(alike(static_cast<int>(c.pads.size())),
                kSceneProperties + ("reference=" + std::to_string(c.reference)), "ANY", "", c.pads);
    views.start();
    views.push_views(given, 0);
    expect_bytes(views, Depths(in_order, gray(), params, reference, sorted).depth, 0);
  }
}
GST_END_TEST;

GST_START_TEST(most_views) {
  const auto frames = scene_frames(gray(), kCameras);
  Views views(alike(kCameras), kSceneProperties + std::string("min-count=9"));
  MultiviewParams params = scene_params();
  params.min_count = 9;
  views.start();
  views.push_views(frames, 0);
  expect_bytes(views, Depths(frames, gray(), params).depth, 0);
}
GST_END_TEST;

// One error, which names the pad and what it has.
GST_START_TEST(unlike_inputs) {
  const std::string wide = video_caps("GRAY8", {16385, 1});
  const struct {
    std::vector<std::string> caps;
    std::vector<int> numbers;
    const char *properties, *words;
  } cases[] = {
      {{kGray, kGray, video_caps("I420", kSize)},
       {},
       "",
       "Pad sink_2 has I420; GRAY8 is required, as pad sink_0"},
      {{kGray, kGray, video_caps("GRAY8", {42, 22})},
       {},
       "",
       "Pad sink_2 has 42x22; 41x22 is required, as pad sink_0"},
      {{kGray, "video/x-raw, format=GRAY8, width=41, height=22, framerate=30/1", kGray},
       {},
       "",
       "Pad sink_1 has 30/1 frames per second; 25/1 frames per second is required"},
      {{wide, wide}, {}, "", "The inputs have 16385x1; sizes are limited to 16384"},
      {{kGray}, {}, "", "2 inputs are required; there is 1"},
      {{kGray, kGray}, {0, 16}, "", "Pad sink_16 has no camera"},
      {{kGray, kGray},
       {},
       "reference=2",
       "reference=2: there is no pad sink_2 among sink_0, sink_1"},
      {alike(17), {}, "", "There are 17 inputs; at most 16 can be used"},
  };
  for (const auto &c : cases) {
    Views views(c.caps, c.properties, "ANY", "", c.numbers);
    views.start();
    for (int i = 0; i < int(c.caps.size()); i++)
      views.push_view(i, plain_frame(video_info(c.caps[static_cast<std::size_t>(i)]), {}, 1), 0);
    const std::string error = views.expect_error();
    fail_unless(contains(error, c.words), "%s", error.c_str());
  }
}
GST_END_TEST;

// All inputs change; each frame goes with its own caps.
GST_START_TEST(caps_change) {
  const std::string caps[] = {kGray, video_caps("I420", {40, 30})};
  const GstVideoInfo infos[] = {video_info(caps[0]), video_info(caps[1])};
  Views views(alike(3), kSceneProperties);
  views.start();
  for (unsigned n = 0; n < 6; n++) {
    const unsigned turn = n / 2 % 2;
    if (n % 2 == 0) views.set_caps(caps[turn]);
    const auto frames = scene_frames(infos[turn], 3, n + 1);
    views.push_views(frames, n);
    expect_bytes(views, Depths(frames, infos[turn], scene_params()).depth, n);
  }
  views.end_all();
  views.expect_end();
  fail_unless(views.errors().empty());
}
GST_END_TEST;

// Pads come and go while frames flow; without the reference there is an error.
GST_START_TEST(pads_while_playing) {
  const auto frames = scene_frames(gray(), 4);
  Views views(alike(3), kSceneProperties);
  views.start();
  const auto push = [&](const std::vector<int> &pads, unsigned n) {
    for (int i : pads)
      fail_unless_equals_int(
          views.push_view(i, gst_buffer_copy_deep(frames[static_cast<std::size_t>(i)].get()),
                          n * kFrame),
          GST_FLOW_OK);
  };
  const auto of = [&](const std::vector<int> &pads, int min_count) {
    std::vector<BufferRef> some;
    for (int i : pads)
      some.emplace_back(gst_buffer_ref(frames[static_cast<std::size_t>(i)].get()));
    MultiviewParams params = scene_params();
    params.min_count = min_count;
    return Depths(some, gray(), params, 0, pads).depth;
  };
  const auto release = [&](int i) {
    const Owned<GstPad> sink(
        gst_element_get_static_pad(views.d(), ("sink_" + std::to_string(i)).c_str()));
    const Owned<GstPad> source(gst_pad_get_peer(sink.get()));
    gst_pad_unlink(source.get(), sink.get());
    gst_element_release_request_pad(views.d(), sink.get());
  };
  unsigned n = 0;
  for (; n < 2; n++) {
    push({0, 1, 2}, n);
    expect_bytes(views, of({0, 1, 2}, 2), n);
  }
  release(1);
  for (; n < 4; n++) {
    push({0, 2}, n);
    expect_bytes(views, of({0, 2}, 1), n);  // all of one neighbour
  }
  GstElement *source = gst_element_factory_make("appsrc", "s3");
  const CapsRef caps = parse_caps(kGray);
  g_object_set(source, "format", GST_FORMAT_TIME, "caps", caps.get(), nullptr);
  gst_bin_add(GST_BIN(views.get()), source);
  fail_unless(gst_element_link_pads(source, "src", views.d(), "sink_3"));
  gst_element_sync_state_with_parent(source);
  for (; n < 6; n++) {
    push({0, 2, 3}, n);
    expect_bytes(views, of({0, 2, 3}, 2), n);
  }
  release(0);
  push({2, 3}, n);
  const std::string error = views.expect_error();
  fail_unless(contains(error, "reference=0: there is no pad sink_0 among sink_2, sink_3"), "%s",
              error.c_str());
}
GST_END_TEST;

// ---- ends and partners -----------------------------------------------------------------------

// Where one pad ends, so does the output, after the pictures that there are.
GST_START_TEST(end_of_one_pad) {
  const auto frames = scene_frames(gray(), 3);
  for (int ended = 0; ended < 3; ended++) {
    Views views(alike(3), kSceneProperties);
    views.start();
    views.push_views(frames, 0);
    views.end(Views::source(ended).c_str());
    for (unsigned n = 1; n < 4; n++)
      for (int i = 0; i < 3; i++)
        if (i != ended) views.push_view(i, gst_buffer_copy_deep(frames[0].get()), n * kFrame);
    expect_bytes(views, Depths(frames, gray(), scene_params()).depth, 0);
    views.expect_end();
    fail_unless(views.errors().empty());
  }
}
GST_END_TEST;

// Times at which one pad has no frame, or one too early or late, have no output, and are counted.
GST_START_TEST(partners) {
  const struct {
    const char *properties;
    int late;                      // ms, the last pad
    std::vector<unsigned> frames;  // its frame of each output
    guint64 unpaired;
  } cases[] = {
      {"", 0, {0, 1, 3}, 1},
      {"", 10, {0, 1, 1, 3}, 0},  // without a limit the frame before takes the place
      {"max-skew=10", 10, {0, 1, 3}, 1},
      {"max-skew=9", 10, {}, 4},
  };
  for (const auto &c : cases) {
    Views views(alike(3), kSceneProperties + std::string(c.properties));
    views.start();
    std::vector<std::vector<BufferRef>> frames;
    for (unsigned n = 0; n < 4; n++) {
      frames.push_back(scene_frames(gray(), 3, n + 1));
      for (int i = 0; i < 3; i++) {
        if (i == 2 && n == 2) continue;
        views.push_view(i, gst_buffer_copy_deep(frames[n][static_cast<std::size_t>(i)].get()),
                        n * kFrame + static_cast<GstClockTime>(i == 2 ? c.late : 0) * GST_MSECOND);
      }
    }
    views.end_all();
    unsigned n = 0;
    for (unsigned last : c.frames) {
      if (last > n) n = last;
      frames[n][2].reset(gst_buffer_ref(frames[last][2].get()));
      expect_bytes(views, Depths(frames[n], gray(), scene_params()).depth, n);
      n++;
    }
    views.expect_end();
    fail_unless(views.unpaired() == c.unpaired, "%s: %d", c.properties, int(views.unpaired()));
  }
}
GST_END_TEST;

// Live sources: their latency is downstream's, and the element's own is added.
GST_START_TEST(live) {
  Views views(alike(3), kSceneProperties + std::string("latency=20000000"));
  for (int i = 0; i < 3; i++)
    g_object_set(views.element(Views::source(i).c_str()), "is-live", TRUE, "min-latency",
                 gint64((i + 1) * GST_MSECOND), nullptr);
  views.start();
  views.push_views(scene_frames(gray(), 3), 0);
  const BufferRef buffer(views.pull());
  fail_unless(buffer != nullptr);
  GstQuery *query = gst_query_new_latency();
  const Owned<GstPad> source(gst_element_get_static_pad(views.d(), "src"));
  fail_unless(gst_pad_query(source.get(), query));
  gboolean is_live = FALSE;
  GstClockTime least = 0;
  gst_query_parse_latency(query, &is_live, &least, nullptr);
  gst_query_unref(query);
  fail_unless(is_live && least >= 23 * GST_MSECOND, "%d, %d us", is_live,
              static_cast<int>(least / 1000));
}
GST_END_TEST;

}  // namespace

MultiviewParams scene_params() {
  MultiviewParams params;
  params.nearest = kSceneNear, params.farthest = kSceneFar;
  params.depths = 24, params.window = 5;
  return params;
}

Depths::Depths(const std::vector<BufferRef> &frames, const GstVideoInfo &info,
               const MultiviewParams &params, int reference, const std::vector<int> &numbers) {
  std::deque<Mapped> mapped;
  std::vector<coalesce::MultiviewView> views(frames.size());
  for (std::size_t i = 0; i < frames.size(); i++) {
    mapped.emplace_back(frames[i].get(), info, false);
    camera_matrix(numbers.empty() ? static_cast<int>(i) : numbers[i], views[i].matrix);
    views[i].picture = mapped.back().image;
  }
  const auto make = [&](const char *format, int width, Bytes *bytes) {
    coalesce::Image image = {coalesce::pixel_format(format), width, info.height, false, {}};
    const auto row = static_cast<gsize>(coalesce::row_bytes(image.format, 0, width));
    bytes->resize(row * static_cast<gsize>(info.height));
    image.plane[0] = {bytes->data(), static_cast<int>(row), info.height, row};
    return image;
  };
  const int words = params.output == coalesce::MultiviewDepth::floats ? 2 : 1;
  const coalesce::Image to = make("GRAY16_LE", words * info.width, &depth);
  const coalesce::Image beside = make("GRAY8", info.width, &confidence);
  coalesce::test::multiview_reference(params, views.data(), static_cast<int>(views.size()),
                                      reference, to, &beside);
}

void expect_bytes(const Views &views, const Bytes &expected, unsigned n) {
  CapsRef caps;
  const BufferRef buffer(views.pull("sink", &caps));
  fail_unless(buffer != nullptr, "picture %u is missing", n);
  fail_unless_equals_uint64(GST_BUFFER_PTS(buffer.get()), n * kFrame);
  const Bytes found = picture(buffer.get(), video_info(text_of(caps.get())));
  fail_unless_equals_uint64(found.size(), expected.size());
  for (gsize i = 0; i < found.size(); i++)
    fail_unless(found[i] == expected[i], "picture %u of %s: byte %zu is %d, not %d", n,
                text_of(caps.get()).c_str(), i, found[i], expected[i]);
}

}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "multiview", [](Suite *suite) {
    using namespace test;
    TCase *tests = new_case(suite, "multiview");
    tcase_add_loop_test(tests, every_format, 0, n_formats());
    tcase_add_loop_test(tests, every_other_format, 0, n_formats(false));
    tcase_add_test(tests, drawn_scene);
    tcase_add_test(tests, numbers);
    tcase_add_test(tests, most_views);
    tcase_add_test(tests, unlike_inputs);
    tcase_add_test(tests, caps_change);
    tcase_add_test(tests, pads_while_playing);
    tcase_add_test(tests, end_of_one_pad);
    tcase_add_test(tests, partners);
    tcase_add_test(tests, live);
    add_settings_cases(suite);
    add_output_cases(suite);
  });
}
