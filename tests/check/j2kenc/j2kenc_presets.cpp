// SPDX-License-Identifier: LGPL-2.1-or-later
// Settings that are handed on: by presets, and property by property.
#include <algorithm>

#include "j2kenc_cases.h"
#include "j2kenc_codestream.h"

namespace test {
namespace {

const Size kSize{96, 64};

constexpr const char *kName = "check";

Bytes next_frame(Harness &harness) {
  return code_frame(harness, video_caps("RGB", kSize));
}

void start(Harness &harness) {
  fail_unless(harness.set_input(video_caps("RGB", kSize)));
}

void set(Harness &harness, const Properties &properties) {
  for (const auto &[name, value] : properties)
    gst_util_set_object_arg(G_OBJECT(harness.element()), name, value);
}

bool is_lossless(Harness &harness) {
  gboolean value = FALSE;
  g_object_get(harness.element(), "lossless", &value, nullptr);
  return value;
}

const std::vector<Properties> &settings() {
  static const std::vector<Properties> all = {
      {},
      {{"lossless", "true"}},
      {{"lossless", "false"}},
      {{"lossless", "false"}, {"wavelet", "9/7"}},
      {{"bpp", "1.5"}, {"visual-weighting", "true"}},
      {{"bpp", "0.75"}, {"lossless", "false"}, {"wavelet", "5/3"}},
      {{"bitrate", "2000"}, {"num-layers", "3"}, {"layer-rates", "0.5 1"}},
      {{"frame-size", "4000"}, {"progression-order", "rpcl"}, {"guard-bits", "1"}},
      {{"psnr", "33.5"}, {"roi", "10,20,30,40"}},
      {{"quality", "60"}, {"tile-width", "128"}, {"tile-height", "64"}, {"tlm", "true"}},
      {{"profile", "imf-2k"}},
      {{"num-resolutions", "3"},
       {"precincts", "256x256 128x128"},
       {"code-block-width", "32"},
       {"code-block-height", "16"},
       {"code-block-style", "bypass+termall"},
       {"sop", "true"},
       {"eph", "true"},
       {"plt", "true"},
       {"comment", "\"take\" 3;\n\xc3\xa9"}},
  };
  return all;
}

// What an element that has other settings is to forget.
const std::vector<Properties> &settings_before() {
  static const std::vector<Properties> all = {
      {},
      {{"lossless", "true"}},
      {{"lossless", "false"}, {"wavelet", "9/7"}, {"comment", "x"}},
      {{"bpp", "1"}, {"precincts", "128x128"}, {"num-layers", "2"}, {"roi", "1,1,9,9"}},
      {{"profile", "cinema-2k"}, {"frame-size", "50"}},
  };
  return all;
}

// Whether somebody has set `lossless` goes along: what follows makes the same of both.
void expect_alike(Harness &saved, Harness &loaded, std::size_t which) {
  for (const Properties &more : {Properties{},
                                 {{"bpp", "0"},
                                  {"bitrate", "0"},
                                  {"frame-size", "0"},
                                  {"psnr", "0"},
                                  {"quality", "0"},
                                  {"profile", "none"}}}) {
    set(saved, more);
    set(loaded, more);
    fail_unless(is_lossless(saved) == is_lossless(loaded), "settings %zu", which);
    fail_unless(next_frame(saved) == next_frame(loaded), "settings %zu: other bytes", which);
  }
}

// (Under one name: nothing is left of what was saved before.)
GST_START_TEST(saved_and_loaded) {
  fail_unless(g_getenv("XDG_DATA_HOME") != nullptr, "the user's own presets are not for tests");
  for (std::size_t i = 0; i < settings().size(); i++)
    for (const Properties &before : settings_before()) {
      Harness saved("j2kenc", settings()[i]), loaded("j2kenc", before);
      fail_unless(gst_preset_save_preset(GST_PRESET(saved.element()), kName));
      fail_unless(gst_preset_load_preset(GST_PRESET(loaded.element()), kName));
      start(saved);
      start(loaded);
      expect_alike(saved, loaded, i);
      saved.expect_no_error();
      loaded.expect_no_error();
    }
}
GST_END_TEST;

// Frames that come between two properties that a preset sets.
struct Meanwhile {
  Harness &harness;
  const Bytes &wanted;
  int frames = 0;

  static void push(GObject *, GParamSpec *property, gpointer data) {
    auto *self = static_cast<Meanwhile *>(data);
    const std::string name = property->name;
    if (name == "lossless" || name == "active-backend") return;
    fail_unless(next_frame(self->harness) == self->wanted, "%s has come too soon", name.c_str());
    fail_unless_equals_int(profile_in_caps(self->harness), profile_in(self->wanted));
    self->frames++;
  }
};

// As they were before, until all is there; then as they are now, and so the caps.
GST_START_TEST(loaded_while_frames_flow) {
  for (const Properties &before : {Properties{}, Properties{{"profile", "broadcast-single"}}})
    for (const Properties &after : {Properties{{"profile", "imf-2k"}}, Properties{{"bpp", "1"}}}) {
      Harness saved("j2kenc", after), harness("j2kenc", before);
      fail_unless(gst_preset_save_preset(GST_PRESET(saved.element()), kName));
      start(saved);
      start(harness);
      const Bytes wanted = next_frame(harness);
      Meanwhile meanwhile{harness, wanted};
      const gulong id =
          g_signal_connect(harness.element(), "notify", G_CALLBACK(Meanwhile::push), &meanwhile);
      fail_unless(gst_preset_load_preset(GST_PRESET(harness.element()), kName));
      g_signal_handler_disconnect(harness.element(), id);
      fail_unless(meanwhile.frames > 20, "%d frames", meanwhile.frames);
      const Bytes now = next_frame(harness);
      fail_unless(now == next_frame(saved) && now != wanted);
      fail_unless_equals_int(profile_in_caps(harness), profile_in(now));
      harness.expect_no_error();
    }
}
GST_END_TEST;

GST_START_TEST(no_such_preset) {
  Harness harness("j2kenc", {{"lossless", "false"}});
  fail_if(gst_preset_load_preset(GST_PRESET(harness.element()), "none of that name"));
  fail_if(is_lossless(harness));
}
GST_END_TEST;

void copy(Harness &from, Harness &to, const char *name) {
  GValue value = G_VALUE_INIT;
  g_object_get_property(G_OBJECT(from.element()), name, &value);
  g_object_set_property(G_OBJECT(to.element()), name, &value);
  g_value_unset(&value);
}

// All that can be read and written, in any order.
GST_START_TEST(copied_one_by_one) {
  GRand *random = g_rand_new_with_seed(7);
  for (std::size_t i = 0; i < settings().size(); i++)
    for (int trial = 0; trial < 5; trial++) {
      Harness from("j2kenc", settings()[i]);
      Harness to("j2kenc", settings_before()[static_cast<std::size_t>(trial)]);
      gchar **names = gst_preset_get_property_names(GST_PRESET(from.element()));
      for (int left = static_cast<int>(g_strv_length(names)); left > 0; left--) {
        const int at = g_rand_int_range(random, 0, left);
        copy(from, to, names[at]);
        std::swap(names[at], names[left - 1]);
      }
      g_strfreev(names);
      start(from);
      start(to);
      fail_unless(is_lossless(from) == is_lossless(to), "settings %zu", i);
      fail_unless(next_frame(from) == next_frame(to), "settings %zu: other bytes", i);
    }
  g_rand_free(random);
}
GST_END_TEST;

GST_START_TEST(what_presets_have) {
  Harness harness("j2kenc");
  fail_unless(GST_IS_PRESET(harness.element()));
  gchar **names = gst_preset_get_property_names(GST_PRESET(harness.element()));
  for (const char *name :
       {"lossless", "bpp", "progression-order", "code-block-style", "precincts", "sop"})
    fail_unless(g_strv_contains(names, name), "%s is not in presets", name);
  for (const char *name : {"name", "parent", "qos", "stats"})
    fail_if(g_strv_contains(names, name), "%s is in presets", name);
  g_strfreev(names);
}
GST_END_TEST;

}  // namespace

void add_j2kenc_preset_cases(Suite *suite) {
  TCase *presets = new_case(suite, "presets");
  tcase_add_test(presets, what_presets_have);
  tcase_add_test(presets, saved_and_loaded);
  tcase_add_test(presets, loaded_while_frames_flow);
  tcase_add_test(presets, no_such_preset);
  tcase_add_test(presets, copied_one_by_one);
}

}  // namespace test
