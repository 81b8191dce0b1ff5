// SPDX-License-Identifier: LGPL-2.1-or-later
// Properties of stereodisparity: while frames flow, by a control source, and what is refused.
#include "../control.h"
#include "stereo_cases.h"

namespace test {
namespace {

using coalesce::StereoMethod;
using coalesce::StereoParams;

const std::string kCaps = video_caps("GRAY8", {90, 24});

class Stream {
 public:
  explicit Stream(const std::string &properties = "") : pair(kCaps, kCaps, properties) {
    pair.start();
  }
  void pass(const StereoParams &params) {
    const StereoFrames frames(info_, ++n_, true);
    pair.push_frames(frames, n_ - 1);
    expect_disparities(pair, frames, info_, params, n_ - 1);
  }
  // Is the picture of the next frame another one by these than by those?
  bool differ(const StereoParams &a, const StereoParams &b) const {
    const StereoFrames frames(info_, n_ + 1, true);
    return disparities(frames, info_, a) != disparities(frames, info_, b);
  }
  void set(const char *name, const char *value) const {
    gst_util_set_object_arg(G_OBJECT(pair.d()), name, value);
  }
  // Empty if there is none; two fail the test.
  std::string warning() {
    const std::vector<std::string> all = pair.warnings();
    fail_unless(all.size() < 2);
    return all.empty() ? std::string() : all[0];
  }
  StereoPair pair;

 private:
  const GstVideoInfo info_ = video_info(kCaps);
  unsigned n_ = 0;
};

// One at a time, each on top of those before, from the next frame on.
GST_START_TEST(each_property) {
  const struct {
    const char *name, *value;
    void (*apply)(StereoParams &p);
  } changes[] = {
      {"num-disparities", "32", [](StereoParams &p) { p.disparities = 32; }},
      {"min-disparity", "3", [](StereoParams &p) { p.min_disparity = 3; }},
      {"paths", "4", [](StereoParams &p) { p.paths = 4; }},
      {"p1", "4", [](StereoParams &p) { p.p1 = 4; }},
      {"p2", "60", [](StereoParams &p) { p.p2 = 60; }},
      {"adaptive-p2", "false", [](StereoParams &p) { p.adaptive = false; }},
      {"subpixel", "false", [](StereoParams &p) { p.subpixel = false; }},
      {"median", "0", [](StereoParams &p) { p.median = 0; }},
      {"uniqueness", "40", [](StereoParams &p) { p.uniqueness = 40; }},
      {"uniqueness", "0", [](StereoParams &p) { p.uniqueness = 0; }},
      {"left-right-check", "-1", [](StereoParams &p) { p.left_right = -1; }},
      {"speckle-range", "0", [](StereoParams &p) { p.speckle_range = 0; }},
      {"speckle-size", "4", [](StereoParams &p) { p.speckle_size = 4; }},
      {"speckle-size", "0", [](StereoParams &p) { p.speckle_size = 0; }},
      {"method", "sad", [](StereoParams &p) { p.method = StereoMethod::sad; }},
      {"window-size", "3", [](StereoParams &p) { p.window = 3; }},
      {"method", "ncc", [](StereoParams &p) { p.method = StereoMethod::ncc; }},
      {"median", "5", [](StereoParams &p) { p.median = 5; }},
      {"method", "census", [](StereoParams &p) { p.method = StereoMethod::census; }},
      {"num-disparities", "256", [](StereoParams &p) { p.disparities = 256; }},
      {"method", "sgm", [](StereoParams &p) { p.method = StereoMethod::sgm; }},
  };
  Stream stream;
  StereoParams params;
  stream.pass(params);
  for (const auto &[name, value, apply] : changes) {
    stream.set(name, value);
    const StereoParams before = params;
    apply(params);
    fail_unless(stream.differ(before, params), "%s=%s changes nothing", name, value);
    stream.pass(params);
    stream.pass(params);
  }
  fail_unless(stream.warning().empty() && stream.pair.errors().empty());
}
GST_END_TEST;

// Of a window the next odd number, of candidates the next multiple of 16.
GST_START_TEST(controlled) {
  Stream stream("method=sad num-disparities=16");
  control(stream.pair.d(), "window-size", {3, 9}, GST_INTERPOLATION_MODE_LINEAR, 6 * kFrame);
  control(stream.pair.d(), "num-disparities", {16, 76}, GST_INTERPOLATION_MODE_LINEAR, 6 * kFrame);
  StereoParams params;
  params.method = StereoMethod::sad;
  for (int n = 0; n <= 6; n++) {
    params.window = (3 + n) | 1;
    params.disparities = (16 + 10 * n + 15) / 16 * 16;
    stream.pass(params);
  }
  fail_unless(stream.warning().empty() && stream.pair.errors().empty());
}
GST_END_TEST;

GST_START_TEST(refused_at_the_start) {
  const struct {
    const char *properties, *problem;
  } cases[] = {
      {"window-size=4", "window-size=4: a window requires an odd number"},
      {"method=sad window-size=20", "window-size=20: a window requires an odd number"},
      {"num-disparities=24", "num-disparities=24: a multiple of 16 is required"},
      {"p1=20 p2=10", "p1=20 is more than p2=10"},
      {"p1=20 p2=10 window-size=6",
       "window-size=6: a window requires an odd number; p1=20 is more than p2=10"},
  };
  for (const auto &[properties, problem] : cases) {
    const Owned<GstElement> element(GST_ELEMENT(gst_object_ref_sink(
        gst_parse_launch((std::string("stereodisparity ") + properties).c_str(), nullptr))));
    const Message error = start_error(element.get());
    fail_unless(error.is(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
    fail_unless(contains(error.text, problem), "%s", error.text.c_str());
  }
}
GST_END_TEST;

// A wrong value is one warning, and what it was remains; others are used all the same.
GST_START_TEST(refused_later) {
  Stream stream("method=sad num-disparities=32");
  StereoParams params;
  params.method = StereoMethod::sad, params.disparities = 32;
  stream.set("window-size", "8");  // before the first frame
  stream.pass(params);
  fail_unless(contains(stream.warning(), "window-size=8: a window requires an odd number"));
  stream.set("min-disparity", "2");
  params.min_disparity = 2;
  stream.pass(params);
  fail_unless(stream.warning().empty(), "a second warning");
  stream.set("window-size", "5");
  stream.set("num-disparities", "40");
  params.window = 5;
  stream.pass(params);
  fail_unless(contains(stream.warning(), "num-disparities=40: a multiple of 16 is required"));
  stream.set("num-disparities", "48");
  stream.set("p1", "50");
  stream.set("p2", "40");
  stream.set("method", "sgm");
  params.disparities = 48;
  params.method = StereoMethod::sgm;
  stream.pass(params);
  fail_unless(contains(stream.warning(), "p1=50 is more than p2=40"));
  stream.set("p2", "90");
  params.p1 = 50, params.p2 = 90;
  stream.pass(params);
  fail_unless(stream.warning().empty() && stream.pair.errors().empty());
}
GST_END_TEST;

GST_START_TEST(warnings_without_effect) {
  const struct {
    const char *properties;
    std::vector<std::string> texts;
  } cases[] = {
      {"", {}},
      {"window-size=5", {"window-size has no effect; it requires method=sad, ncc or census"}},
      {"method=ncc window-size=5", {}},
      {"method=sad paths=4 p1=5 p2=50 adaptive-p2=false",
       {"paths has no effect; it requires method=sgm", "p1 has no effect; it requires method=sgm",
        "p2 has no effect; it requires method=sgm",
        "adaptive-p2 has no effect; it requires method=sgm"}},
      {"paths=4 p1=5 p2=50 adaptive-p2=false", {}},
      {"speckle-size=0 speckle-range=1",
       {"speckle-range has no effect; it requires speckle-size above 0"}},
  };
  for (const auto &[properties, texts] : cases) {
    Stream stream(properties);
    fail_unless(stream.pair.warnings() == texts, "%s", properties);
  }
}
GST_END_TEST;

// As the generic tests want it of elements with one input.
GST_START_TEST(properties_are_described) {
  const Owned<GstElement> element(
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("stereodisparity", nullptr))));
  guint n = 0, own = 0;
  GParamSpec **all = g_object_class_list_properties(G_OBJECT_GET_CLASS(element.get()), &n);
  for (guint i = 0; i < n; i++) {
    GParamSpec *p = all[i];
    if (p->owner_type != G_OBJECT_TYPE(element.get())) continue;
    own++;
    fail_if(g_str_equal(g_param_spec_get_nick(p), p->name), "%s: the nick says nothing", p->name);
    fail_if(g_str_equal(g_param_spec_get_blurb(p), g_param_spec_get_nick(p)), "%s", p->name);
    const bool read_at_the_start = g_str_equal(p->name, "rectify");
    fail_unless(
        (p->flags & GST_PARAM_MUTABLE_PLAYING) != 0 && (p->flags & GST_PARAM_CONTROLLABLE) != 0
            ? !read_at_the_start
            : read_at_the_start && (p->flags & GST_PARAM_MUTABLE_READY) != 0,
        "%s", p->name);
    GValue value = G_VALUE_INIT;
    g_value_init(&value, p->value_type);
    g_object_get_property(G_OBJECT(element.get()), p->name, &value);
    fail_unless(g_param_value_defaults(p, &value), "%s is not what its default says", p->name);
    g_value_unset(&value);
    std::vector<gint> values;
    if (G_IS_PARAM_SPEC_DOUBLE(p) || read_at_the_start) continue;
    if (G_IS_PARAM_SPEC_INT(p))
      values = {G_PARAM_SPEC_INT(p)->minimum, G_PARAM_SPEC_INT(p)->maximum};
    else if (G_IS_PARAM_SPEC_BOOLEAN(p))
      values = {TRUE, FALSE};
    else
      for (guint v = 0; v < G_PARAM_SPEC_ENUM(p)->enum_class->n_values; v++)
        values.push_back(G_PARAM_SPEC_ENUM(p)->enum_class->values[v].value);
    for (gint expected : values) {
      gint now = 77;
      g_object_set(element.get(), p->name, expected, nullptr);
      g_object_get(element.get(), p->name, &now, nullptr);
      fail_unless(now == expected, "%s: %d became %d", p->name, expected, now);
    }
  }
  g_free(all);
  fail_unless_equals_int(own, 19);
}
GST_END_TEST;

}  // namespace

void add_settings_cases(Suite *suite) {
  TCase *tests = new_case(suite, "settings");
  tcase_add_test(tests, each_property);
  tcase_add_test(tests, controlled);
  tcase_add_test(tests, refused_at_the_start);
  tcase_add_test(tests, refused_later);
  tcase_add_test(tests, warnings_without_effect);
  tcase_add_test(tests, properties_are_described);
}

}  // namespace test
