// SPDX-License-Identifier: LGPL-2.1-or-later
// Presets as they read back, and what is said about bad values.
#include <cmath>

#include "convolve_cases.h"
#include "convolve_reference.h"

namespace test {
namespace {

const Size kSize{16, 9};

GST_START_TEST(presets_fill_the_mask) {
  const struct {
    const char *preset, *size, *mask;
  } presets[] = {{"identity", "5", "1"},
                 {"box", "0", "1 1 1; 1 1 1; 1 1 1"},
                 {"box", "2", "1 1; 1 1"},
                 {"binomial", "0", "1 2 1; 2 4 2; 1 2 1"},
                 {"gaussian", "1", "1"},
                 {"sharpen", "0", "0 -1 0; -1 5 -1; 0 -1 0"},
                 {"unsharp", "1", "1"},
                 {"laplacian", "0", "0 1 0; 1 -4 1; 0 1 0"},
                 {"sobel-x", "0", "1 0 -1; 2 0 -2; 1 0 -1"},
                 {"sobel-y", "3", "1 2 1; 0 0 0; -1 -2 -1"},
                 {"prewitt-x", "0", "1 0 -1; 1 0 -1; 1 0 -1"},
                 {"prewitt-y", "0", "1 1 1; 0 0 0; -1 -1 -1"},
                 {"scharr-x", "0", "3 0 -3; 10 0 -10; 3 0 -3"},
                 {"scharr-y", "0", "3 10 3; 0 0 0; -3 -10 -3"},
                 {"emboss", "0", "2 1 0; 1 1 -1; 0 -1 -2"}};
  for (const auto &[preset, size, mask] : presets) {
    Harness harness("convolve", {{"preset", preset}, {"size", size}});
    expect_text(harness.element(), "mask", mask);
    expect_nick(harness.element(), "preset", preset);
    // What is read back is the same filter.
    const std::string caps = video_caps("RGBA", kSize);
    Harness same("convolve", {{"mask", mask}});
    fail_unless(harness.set_input(caps) && same.set_input(caps));
    const BufferRef in(random_frame(video_info(caps), {}, 1));
    harness.push(gst_buffer_ref(in.get()));
    same.push(gst_buffer_ref(in.get()));
    const BufferRef a = harness.pull(), b = same.pull();
    GstMapInfo map;
    fail_unless(gst_buffer_map(a.get(), &map, GST_MAP_READ));
    fail_unless(gst_buffer_memcmp(b.get(), 0, map.data, map.size) == 0, "%s", preset);
    gst_buffer_unmap(a.get(), &map);
  }
}
GST_END_TEST;

GST_START_TEST(rows_of_presets) {
  const struct {
    const char *preset, *size, *horizontal, *vertical;
  } presets[] = {{"identity", "0", "1", "1"},
                 {"box", "4", "1 1 1 1", "1 1 1 1"},
                 {"binomial", "0", "1 2 1", "1 2 1"},
                 {"derivative-x", "0", "1 0 -1", "1"},
                 {"derivative-y", "0", "1", "1 0 -1"},
                 {"sobel-x", "0", "1 0 -1", "1 2 1"},
                 {"sobel-y", "5", "1 4 6 4 1", "1 2 0 -2 -1"}};
  for (const auto &[preset, size, horizontal, vertical] : presets) {
    Harness harness("sepconvolve", {{"preset", preset}, {"size", size}});
    expect_text(harness.element(), "horizontal", horizontal);
    expect_text(harness.element(), "vertical", vertical);
  }
  // Chosen from sigma: 2 * ceil(3 * 2) + 1 numbers, neighbours of the middle one e^(-1/8) of it.
  Harness harness("sepconvolve", {{"preset", "gaussian"}, {"sigma", "2"}});
  gchar **numbers = g_strsplit(get_text(harness.element(), "horizontal").c_str(), " ", -1);
  fail_unless_equals_int(g_strv_length(numbers), 13);
  const double ratio = g_ascii_strtod(numbers[7], nullptr) / g_ascii_strtod(numbers[6], nullptr);
  fail_unless(std::abs(ratio - std::exp(-0.125)) < 1e-12, "%f", ratio);
  g_strfreev(numbers);
}
GST_END_TEST;

// Mask, size and sigma with the preset, in each order.
GST_START_TEST(preset_and_mask) {
  Harness harness("convolve");
  GstElement *element = harness.element();
  int masks = 0;
  const auto count = +[](GObject *, GParamSpec *, gpointer n) { ++*static_cast<int *>(n); };
  g_signal_connect(element, "notify::mask", G_CALLBACK(count), &masks);
  expect_text(element, "mask", "1");
  set(harness, "size", "2");
  fail_unless_equals_int(masks, 0);
  set(harness, "preset", "box");
  expect_text(element, "mask", "1 1; 1 1");
  set(harness, "size", "1");
  expect_text(element, "mask", "1");
  fail_unless_equals_int(masks, 2);
  set(harness, "mask", "  1,2 ;3 4");
  expect_text(element, "mask", "  1,2 ;3 4");
  expect_nick(element, "preset", "none");
  set(harness, "size", "5");
  expect_text(element, "mask", "  1,2 ;3 4");
  set(harness, "preset", "laplacian");
  set(harness, "preset", "none");
  expect_text(element, "mask", "0 1 0; 1 -4 1; 0 1 0");
}
GST_END_TEST;

// The first sample of a grey frame after the Laplacian: nothing but the bias.
int laplacian_of_grey(Harness &harness) {
  GstBuffer *in = gst_buffer_new_and_alloc(16);
  gst_buffer_memset(in, 0, 77, 16);
  harness.push(in);
  guint8 sample = 0;
  gst_buffer_extract(harness.pull().get(), 0, &sample, 1);
  return sample;
}

// The default of bias is a number that can be written, and means normalize again.
GST_START_TEST(bias_by_normalize) {
  Harness harness("convolve", {{"preset", "laplacian"}});
  fail_unless(harness.set_input(video_caps("GRAY8", {4, 4})));
  fail_unless_equals_int(laplacian_of_grey(harness), 128);
  set(harness, "bias", "100");
  fail_unless_equals_int(laplacian_of_grey(harness), 100);
  set(harness, "bias", "-1e18");
  fail_unless_equals_int(laplacian_of_grey(harness), 128);
  set(harness, "normalize", "false");
  fail_unless_equals_int(laplacian_of_grey(harness), 0);
}
GST_END_TEST;

struct Bad {
  const char *element;
  Properties properties;
  std::vector<const char *> words;
  const char *format = "GRAY8";
};

std::vector<Bad> bad_values() {
  static const std::string wide = [] {
    std::string row = "1";
    for (int i = 1; i < 64; i++)
      row += " 1";
    return row;
  }();
  static const std::string high = [] {
    std::string column = "1";
    for (int i = 1; i < 32; i++)
      column += ";1";
    return column;
  }();
  return {
      {"convolve", {{"mask", ""}}, {"mask=\"\"", "row 1, column 1", "the end", "use mask=\"1\""}},
      {"convolve", {{"mask", "1 2; 3 x"}}, {"mask=\"1 2; 3 x\"", "row 2, column 2", "\"x\""}},
      {"convolve", {{"mask", "1,,2"}}, {"mask=\"1,,2\"", "row 1, column 2"}},
      {"convolve", {{"mask", "1;;2"}}, {"mask=\"1;;2\"", "row 2, column 1"}},
      {"convolve", {{"mask", "1 2; 3"}}, {"mask=\"1 2; 3\"", "row 2 has 1 number", "row 1 has 2"}},
      {"convolve", {{"mask", "nan"}}, {"mask=\"nan\"", "row 1, column 1", "finite"}},
      {"convolve", {{"mask", "1 -inf"}}, {"mask=\"1 -inf\"", "row 1, column 2", "finite"}},
      {"convolve", {{"mask", "1e999"}}, {"mask=\"1e999\"", "row 1, column 1", "range"}},
      {"convolve", {{"mask", wide.c_str()}}, {"mask=\"1 1", "column 32", "31"}},
      {"convolve", {{"mask", high.c_str()}}, {"mask=\"1;1", "row 32", "31"}},
      {"convolve",
       {{"mask", "1e10 1"}, {"normalize", "false"}},
       {"mask=\"1e10 1\"", "fixed-point range"}},
      {"convolve",
       {{"mask", "1 1"}, {"divisor", "1e-12"}},
       {"divisor beyond the fixed-point range", "use a larger divisor"}},
      {"convolve", {{"divisor", "-1"}, {"absolute", "true"}}, {"divisor", "absolute"}},
      {"convolve",
       {{"mask", "0.1 0.2 0.7"}, {"bias", "1e18"}},
       {"bias=1e+18", "fixed-point", "-255 to 255"}},
      {"convolve", {{"mask", "1 1"}, {"anchor-x", "2"}}, {"anchor-x", "2", "0 to 1"}},
      {"convolve", {{"mask", "1 1"}, {"anchor-y", "1"}}, {"anchor-y", "1", "0 to 0"}},
      {"convolve", {{"preset", "sobel-x"}, {"size", "4"}}, {"preset=sobel-x", "size=4"}},
      {"convolve", {{"preset", "gaussian"}, {"sigma", "0.01"}}, {"preset=gaussian", "sigma=0.01"}},
      {"convolve",
       {{"border", "constant"}, {"border-value", "256"}},
       {"border-value=256", "255", "GRAY8"}},
      {"convolve",
       {{"border", "constant"}, {"border-value", "1024"}},
       {"border-value=1024", "1023", "P010_10LE"},
       "P010_10LE"},
      {"sepconvolve", {{"horizontal", ""}}, {"horizontal=\"\"", "the end", "horizontal=\"1\""}},
      {"sepconvolve",
       {{"horizontal", "!"}},
       {"horizontal=\"!\"", "a shell removes the quotes", "use horizontal=\"1\""}},
      {"sepconvolve",
       {{"vertical", "!"}},
       {"vertical=\"!\"", "a shell removes the quotes", "use vertical='\"\"'"}},
      {"sepconvolve", {{"horizontal", "1;1"}}, {"horizontal=\"1;1\"", "row 2", "one row"}},
      {"sepconvolve", {{"vertical", "1 y"}}, {"vertical=\"1 y\"", "column 2", "\"y\""}},
      {"sepconvolve", {{"vertical", wide.c_str()}}, {"vertical=\"1 1", "column 64", "63"}},
      {"sepconvolve", {{"vertical", "1 1"}, {"anchor-y", "2"}}, {"anchor-y", "2", "0 to 1"}},
      {"sepconvolve", {{"preset", "gaussian-x"}, {"size", "4"}}, {"preset=gaussian-x", "size=4"}},
  };
}

// Does not get as far as a frame, and says why, once.
void expect_bad_start(Harness &harness, const Bad &bad) {
  gst_element_set_state(harness.element(), GST_STATE_READY);
  for (const auto &[name, value] : bad.properties)
    set(harness, name, value);
  if (gst_element_set_state(harness.element(), GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE) {
    const std::string caps = video_caps(bad.format, kSize);
    harness.set_input(caps);
    fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)),
                           GST_FLOW_NOT_NEGOTIATED);
  }
  harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, bad.words);
}

GST_START_TEST(bad_before_the_start) {
  const Bad bad = bad_values()[static_cast<gsize>(__i__)];
  Harness harness(bad.element);
  expect_bad_start(harness, bad);
  fail_unless(harness.take_warning().empty());
}
GST_END_TEST;

// While frames flow: a warning, once, and what was used before is kept. A start is a new beginning.
GST_START_TEST(bad_while_playing) {
  const Bad bad = bad_values()[static_cast<gsize>(__i__)];
  const std::string caps = video_caps(bad.format, kSize);
  const Convolution kept{1, 2, {1, 3}, 4};
  const bool plain = g_str_equal(bad.element, "convolve");
  Harness harness(bad.element, plain ? Properties{{"mask", "1; 3"}}
                                     : Properties{{"horizontal", "1"}, {"vertical", "1 3"}});
  fail_unless(harness.set_input(caps));
  push_and_check(harness, caps, kept);
  fail_unless(harness.take_warning().empty());
  for (const auto &[name, value] : bad.properties)
    set(harness, name, value);
  if (const auto &[name, value] = bad.properties[0]; G_IS_PARAM_SPEC_STRING(
          g_object_class_find_property(G_OBJECT_GET_CLASS(harness.element()), name)))
    expect_text(harness.element(), name, value);
  const BufferRef in(random_frame(video_info(caps), {}, 2));
  for (int n = 0; n < 2; n++) {
    fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
    fail_unless(harness.pull() != nullptr);
  }
  const std::string warning = harness.take_warning();
  for (const char *word : bad.words)
    fail_unless(contains(warning, word), "the warning should say \"%s\": \"%s\"", word,
                warning.c_str());
  fail_unless(harness.take_warning().empty(), "a second warning");
  harness.expect_no_error();

  expect_bad_start(harness, bad);
}
GST_END_TEST;

// After the start and before any caps it is as while playing.
GST_START_TEST(bad_before_the_first_frame) {
  const Bad bad = bad_values()[static_cast<gsize>(__i__)];
  const std::string caps = video_caps(bad.format, kSize);
  Harness harness(bad.element);
  for (const auto &[name, value] : bad.properties)
    set(harness, name, value);
  fail_unless(harness.set_input(caps));
  fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)), GST_FLOW_OK);
  const std::string warning = harness.take_warning();
  for (const char *word : bad.words)
    fail_unless(contains(warning, word), "the warning should say \"%s\": \"%s\"", word,
                warning.c_str());
  harness.expect_no_error();
}
GST_END_TEST;

// The last good mask, to the sample; what else is set at the same time holds.
GST_START_TEST(last_good_mask) {
  const std::string caps = video_caps("NV12", kSize);
  Harness harness("convolve", {{"mask", "1 2 4"}});
  fail_unless(harness.set_input(caps));
  set(harness, "mask", "1 2;");
  set(harness, "border", "wrap");
  Convolution c{3, 1, {1, 2, 4}, 7};
  c.border = "wrap";
  push_and_check(harness, caps, c);
  fail_unless(contains(harness.take_warning(), "mask=\"1 2;\""));
  // New caps are no reason to stop.
  const std::string deep = video_caps("Y444_16LE", kSize);
  fail_unless(harness.set_input(deep));
  push_and_check(harness, deep, c);
  Convolution halves{2, 1, {1, 1}, 2};
  halves.border = "wrap";
  set(harness, "mask", "1 1");
  push_and_check(harness, deep, halves);
  set(harness, "mask", "1 2;");
  push_and_check(harness, deep, halves);
  fail_unless(contains(harness.take_warning(), "mask=\"1 2;\""), "it is a new mistake");
  harness.expect_no_error();
}
GST_END_TEST;

// Quotations that are long or no text.
GST_START_TEST(odd_texts) {
  for (const std::string &mask :
       {std::string(100000, '1'), std::string("\xff\xfe\x01"), std::string("1 \xc3")}) {
    Harness harness("convolve");
    gst_element_set_state(harness.element(), GST_STATE_READY);
    g_object_set(harness.element(), "mask", mask.c_str(), nullptr);
    fail_unless_equals_int(gst_element_set_state(harness.element(), GST_STATE_PAUSED),
                           GST_STATE_CHANGE_FAILURE);
    harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, {"mask=\""});
  }
  Harness harness("convolve");
  gst_element_set_state(harness.element(), GST_STATE_READY);
  g_object_set(harness.element(), "mask", nullptr, nullptr);
  fail_unless_equals_int(gst_element_set_state(harness.element(), GST_STATE_PAUSED),
                         GST_STATE_CHANGE_FAILURE);
  harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, {"mask=\"\""});
}
GST_END_TEST;

// A text that is wrong in any format does not even start.
GST_START_TEST(no_start) {
  Owned<GstElement> element(gst_element_factory_make("convolve", nullptr));
  gst_object_ref_sink(element.get());
  g_object_set(element.get(), "mask", "x", nullptr);
  fail_unless_equals_int(gst_element_set_state(element.get(), GST_STATE_PAUSED),
                         GST_STATE_CHANGE_FAILURE);
  g_object_set(element.get(), "mask", "1 1", nullptr);
  fail_unless_equals_int(gst_element_set_state(element.get(), GST_STATE_PAUSED),
                         GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state(element.get(), GST_STATE_NULL);
}
GST_END_TEST;

GST_START_TEST(algorithm) {
  const struct {
    const char *element;
    Properties properties;
    const char *algorithm;
  } cases[] = {{"convolve", {}, "copy"},
               {"convolve", {{"preset", "laplacian"}}, "direct"},
               {"convolve", {{"preset", "gaussian"}, {"size", "31"}}, "separable"},
               {"sepconvolve", {{"preset", "gaussian"}, {"size", "63"}}, "separable"}};
  const std::string caps = video_caps("GRAY8", {64, 64});
  for (const auto &[element, properties, algorithm] : cases) {
    Harness harness(element, properties);
    expect_nick(harness.element(), "algorithm", "none");
    fail_unless(harness.set_input(caps));
    fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)), GST_FLOW_OK);
    expect_nick(harness.element(), "algorithm", algorithm);
    gst_element_set_state(harness.element(), GST_STATE_READY);
    expect_nick(harness.element(), "algorithm", "none");
    const GParamSpec *pspec =
        g_object_class_find_property(G_OBJECT_GET_CLASS(harness.element()), "algorithm");
    fail_if(pspec->flags & G_PARAM_WRITABLE);
  }
}
GST_END_TEST;

}  // namespace

void add_convolve_property_cases(Suite *suite) {
  TCase *properties = new_case(suite, "properties");
  tcase_add_test(properties, presets_fill_the_mask);
  tcase_add_test(properties, rows_of_presets);
  tcase_add_test(properties, preset_and_mask);
  tcase_add_test(properties, bias_by_normalize);
  const int bad = static_cast<int>(bad_values().size());
  tcase_add_loop_test(properties, bad_before_the_start, 0, bad);
  tcase_add_loop_test(properties, bad_before_the_first_frame, 0, bad);
  tcase_add_loop_test(properties, bad_while_playing, 0, bad);
  tcase_add_test(properties, last_good_mask);
  tcase_add_test(properties, odd_texts);
  tcase_add_test(properties, no_start);
  tcase_add_test(properties, algorithm);
}

}  // namespace test
