// SPDX-License-Identifier: LGPL-2.1-or-later
// Properties of multiview: while frames flow, by a control source, and what is refused; the file of
// its cameras.
#include "../../support/temporary_file.h"
#include "../control.h"
#include "view_cases.h"

namespace test {
namespace {

using coalesce::MultiviewMethod;
using coalesce::MultiviewParams;

const std::string kCaps = video_caps("GRAY8", {41, 22});

class Stream {
 public:
  explicit Stream(const std::string &properties = "")
      : views({kCaps, kCaps, kCaps, kCaps}, kSceneProperties + properties) {
    views.start();
  }
  void pass(const MultiviewParams &params, int reference = 0) {
    const auto frames = scene_frames(info_, 4, ++n_);
    views.push_views(frames, n_ - 1);
    expect_bytes(views, Depths(frames, info_, params, reference).depth, n_ - 1);
  }
  // Is the picture of the next frame another one by these than by those?
  bool differ(const MultiviewParams &a, const MultiviewParams &b) const {
    const auto frames = scene_frames(info_, 4, n_ + 1);
    return Depths(frames, info_, a).depth != Depths(frames, info_, b).depth;
  }
  void set(const char *name, const char *value) const {
    gst_util_set_object_arg(G_OBJECT(views.d()), name, value);
  }
  // Empty if there is none; two fail the test.
  std::string warning() {
    const std::vector<std::string> all = views.warnings();
    fail_unless(all.size() < 2);
    return all.empty() ? std::string() : all[0];
  }
  Views views;

 private:
  const GstVideoInfo info_ = video_info(kCaps);
  unsigned n_ = 0;
};

// One at a time, each on top of those before, from the next frame on.
GST_START_TEST(each_property) {
  const struct {
    const char *name, *value;
    void (*apply)(MultiviewParams &p);
  } changes[] = {
      {"num-depths", "32", [](MultiviewParams &p) { p.depths = 32; }},
      {"near", "900", [](MultiviewParams &p) { p.nearest = 900; }},
      {"far", "3000.5", [](MultiviewParams &p) { p.farthest = 3000.5; }},
      {"min-count", "3", [](MultiviewParams &p) { p.min_count = 3; }},
      {"tolerance", "0", [](MultiviewParams &p) { p.tolerance = 0; }},
      {"window-size", "3", [](MultiviewParams &p) { p.window = 3; }},
      {"min-count", "15", [](MultiviewParams &p) { p.tolerance = 0; }},  // all that there are
      {"tolerance", "3", [](MultiviewParams &p) { p.tolerance = 3; }},
      {"method", "ncc", [](MultiviewParams &p) { p.method = MultiviewMethod::ncc; }},
      {"min-count", "1", [](MultiviewParams &p) { p.min_count = 1; }},
      {"depth-scale", "2.5", [](MultiviewParams &p) { p.scale = 2.5; }},
      {"method", "sad", [](MultiviewParams &p) { p.method = MultiviewMethod::sad; }},
  };
  Stream stream;
  MultiviewParams params = scene_params();
  stream.pass(params);
  for (const auto &[name, value, apply] : changes) {
    stream.set(name, value);
    const MultiviewParams before = params;
    apply(params);
    fail_unless(std::string(value) == "15" || stream.differ(before, params),
                "%s=%s changes nothing", name, value);
    stream.pass(params);
    stream.pass(params);
  }
  for (int reference : {1, 3, 0}) {
    stream.set("reference", std::to_string(reference).c_str());
    stream.pass(params, reference);
    stream.pass(params, reference);
  }
  fail_unless(stream.warning().empty() && stream.views.errors().empty());
  stream.set("reference", "7");
  stream.views.push_views(scene_frames(video_info(kCaps), 4), 100);
  fail_unless(contains(stream.views.expect_error(), "reference=7: there is no pad sink_7 among"));
}
GST_END_TEST;

GST_START_TEST(controlled) {
  Stream stream;
  control(stream.views.d(), "window-size", {3, 9}, GST_INTERPOLATION_MODE_LINEAR, 6 * kFrame);
  control(stream.views.d(), "near", {500, 1100}, GST_INTERPOLATION_MODE_LINEAR, 6 * kFrame);
  MultiviewParams params = scene_params();
  for (int n = 0; n <= 6; n++) {
    params.window = (3 + n) | 1;
    params.nearest = 500 + 100 * n;
    stream.pass(params);
  }
  fail_unless(stream.warning().empty() && stream.views.errors().empty());
}
GST_END_TEST;

std::string error_of_start(const std::string &properties, bool unreadable = false) {
  const Owned<GstElement> element(GST_ELEMENT(
      gst_object_ref_sink(gst_parse_launch(("multiview " + properties).c_str(), nullptr))));
  const Message error = start_error(element.get());
  fail_unless(unreadable ? error.is(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ)
                         : error.is(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
  return error.text;
}

GST_START_TEST(refused_at_the_start) {
  const struct {
    std::string properties;
    const char *problem;
    bool unreadable = false;
  } cases[] = {
      {"window-size=4", "window-size=4: a window requires an odd number"},
      {"near=2 far=2", "near=2 is not less than far=2"},
      {"near=3 far=2 window-size=6",
       "window-size=6: a window requires an odd number; near=3 is not less than far=2"},
      {"", "cameras is not set; a file with a matrix"},
      {"cameras=/nowhere", "cameras=\"/nowhere\" cannot be read: No such file or directory; a file",
       true},
      {"cameras=/", "cameras=\"/\" cannot be read: Is a directory", true},
      {"cameras=/dev/zero", "cannot be read: it has more than 1048576 bytes", true},
      {"cameras=/dev/null", "line 1: found the end, expected three rows of four numbers"},
  };
  for (const auto &[properties, problem, unreadable] : cases) {
    const std::string error = error_of_start(properties, unreadable);
    fail_unless(contains(error, problem), "%s", error.c_str());
  }
}
GST_END_TEST;

// The file and the line are named. (What the parser refuses, the kernels' tests have.)
GST_START_TEST(refused_file) {
  TemporaryFile file;
  const std::string texts[][2] = {{"1 0 0 0\n0 1 0 0\n0 0 x 0\n", "line 3: found \"x\""},
                                  {"1 0 0 0\n1 0 0 0\n0 0 1 0\n", "line 1: the matrix is not"}};
  for (const auto &[text, problem] : texts) {
    fail_unless(g_file_set_contents(file.name().c_str(), text.c_str(), -1, nullptr));
    const std::string error = error_of_start("cameras=" + file.name());
    fail_unless(contains(error, "cameras=\"" + file.name() + "\": " + problem), "%s",
                error.c_str());
  }
  // Two cameras in one place.
  const std::string text =
      "1 0 0 0\n0 1 0 0\n0 0 1 0\n1 0 0 -1\n0 1 0 0\n0 0 1 0\n\n"
      "2 0 0 0\n0 2 0 0\n0 0 1 0\n";
  fail_unless(g_file_set_contents(file.name().c_str(), text.c_str(), -1, nullptr));
  Views views({kCaps, kCaps, kCaps}, "cameras=" + file.name());
  views.start();
  for (int i = 0; i < 3; i++)
    views.push_view(i, plain_frame(video_info(kCaps), {}, 1), 0);
  const std::string error = views.expect_error();
  fail_unless(contains(error, "Pads sink_0 and sink_2, by lines 1 and 8 of cameras="), "%s",
              error.c_str());
}
GST_END_TEST;

// It is read at each start.
GST_START_TEST(file_changes) {
  TemporaryFile file;
  const auto frames = scene_frames(video_info(kCaps), 2);
  Views views({kCaps, kCaps}, kSceneProperties + ("cameras=" + file.name()));
  Bytes found[2];
  for (int turn = 0; turn < 2; turn++) {
    const std::string text = "100 0 20 0\n0 100 10 0\n0 0 1 0\n100 0 20 " +
                             std::to_string(turn == 0 ? -6000 : -9000) + "\n0 100 10 0\n0 0 1 0\n";
    fail_unless(g_file_set_contents(file.name().c_str(), text.c_str(), -1, nullptr));
    views.start();
    views.push_views(frames, 0);
    found[turn] = take_bytes(views.pull());
    views.stop();
  }
  fail_unless(!found[0].empty() && found[0] != found[1]);
}
GST_END_TEST;

// A wrong value is one warning, and what it was remains; others are used all the same.
GST_START_TEST(refused_later) {
  Stream stream;
  MultiviewParams params = scene_params();
  stream.set("window-size", "8");  // before the first frame
  stream.pass(params);
  fail_unless(contains(stream.warning(), "window-size=8: a window requires an odd number"));
  stream.set("far", "700");
  stream.set("tolerance", "2");
  params.tolerance = 2;
  stream.pass(params);
  fail_unless(contains(stream.warning(), "near=800 is not less than far=700"));
  stream.set("window-size", "7");
  stream.set("near", "600");
  params.window = 7, params.nearest = 600, params.farthest = 700;
  stream.pass(params);
  fail_unless(stream.warning().empty() && stream.views.errors().empty());
}
GST_END_TEST;

}  // namespace

void add_settings_cases(Suite *suite) {
  TCase *tests = new_case(suite, "settings");
  tcase_add_test(tests, each_property);
  tcase_add_test(tests, controlled);
  tcase_add_test(tests, refused_at_the_start);
  tcase_add_test(tests, refused_file);
  tcase_add_test(tests, file_changes);
  tcase_add_test(tests, refused_later);
}

}  // namespace test
