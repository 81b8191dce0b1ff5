// SPDX-License-Identifier: LGPL-2.1-or-later
// Settings that are refused: what is said, and how often.
#include <sys/mman.h>

#include "../control.h"
#include "convolve_cases.h"
#include "convolve_reference.h"

namespace test {
namespace {

const Size kSize{16, 9};

// Some frames, and the one warning that they bring: with these words, or none.
void expect_warning(Harness &harness, const std::string &caps,
                    const std::vector<const char *> &words) {
  for (int n = 0; n < 3; n++) {
    fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)), GST_FLOW_OK);
    fail_unless(harness.pull() != nullptr);
  }
  const std::string warning = harness.take_warning();
  fail_unless(warning.empty() == words.empty(), "\"%s\"", warning.c_str());
  for (const char *word : words)
    fail_unless(contains(warning, word), "\"%s\" in \"%s\"", word, warning.c_str());
  fail_unless(harness.take_warning().empty(), "a second warning");
}

// Each setting that is refused, and no other, is told, be it the same as before.
GST_START_TEST(each_is_told) {
  const std::string caps = video_caps("GRAY8", kSize);
  Harness harness("convolve", {{"mask", "1 2 3"}});
  fail_unless(harness.set_input(caps));
  expect_warning(harness, caps, {});
  const struct {
    const char *name, *value;
    std::vector<const char *> words;
  } steps[] = {
      {"anchor-x", "5", {"anchor-x=5", "0 to 2"}},
      {"mask", "3 2 1", {"anchor-x=5", "0 to 2"}},
      {"mask", "3 2 1", {"anchor-x=5", "0 to 2"}},
      {"border", "wrap", {}},
      {"bias", "3", {"anchor-x=5"}},
      {"mask", "1,,1", {"mask=\"1,,1\""}},
      {"mask", "1,,1", {"mask=\"1,,1\""}},
      {"size", "7", {}},
      {"anchor-x", "0", {}},
      {"border", "constant", {}},
      {"border-value", "256", {"border-value=256"}},
      {"mask", "1 1", {}},
      {"border-value", "255", {}},
      {"preset", "sobel-x", {}},
      {"size", "31", {"preset=sobel-x size=31: beyond the fixed-point range"}},
      {"preset", "sobel-y", {"preset=sobel-y size=31: beyond the fixed-point range"}},
      {"divisor", "1e15", {}},
      {"size", "4", {"preset=sobel-y: size=4"}},
      {"size", "3", {}},
      {"size", "4", {"preset=sobel-y: size=4"}},
  };
  for (const auto &[name, value, words] : steps) {
    set(harness, name, value);
    expect_warning(harness, caps, words);
  }
  harness.expect_no_error();
}
GST_END_TEST;

// What has been set and does nothing is a warning at the start, which says what would make it
// count.
GST_START_TEST(ignored_settings) {
  const struct {
    const char *element;
    Properties properties;
    std::vector<const char *> words;  // none: no warning
  } cases[] = {
      {"convolve",
       {{"sigma", "2"}},
       {"sigma=2 has no effect without a preset",
        "preset=gaussian, unsharp or laplacian-of-gaussian"}},
      {"convolve",
       {{"mask", "1 2 1"}, {"size", "5"}},
       {"size=5 has no effect without a preset", "preset=box, gaussian, binomial, ",
        " or sobel-y"}},
      {"convolve",
       {{"preset", "gaussian"}, {"sigma", "0.5"}, {"mask", "1"}},
       {"sigma=0.5 has no effect without a preset"}},
      {"convolve", {{"preset", "box"}, {"sigma", "2"}}, {"sigma=2 has no effect with preset=box"}},
      {"convolve",
       {{"preset", "sharpen"}, {"size", "3"}},
       {"size=3 has no effect with preset=sharpen"}},
      {"sepconvolve",
       {{"sigma", "3"}},
       {"sigma=3 has no effect without a preset",
        "preset=gaussian, gaussian-x, gaussian-y or blur"}},
      {"sepconvolve",
       {{"preset", "derivative-x"}, {"size", "5"}},
       {"size=5 has no effect with preset=derivative-x"}},
      {"convolve",
       {{"border-value", "128"}},
       {"border-value=128 has no effect; it requires border=constant"}},
      {"sepconvolve",
       {{"border", "wrap"}, {"border-value", "1"}},
       {"border-value=1 has no effect; it requires border=constant"}},
      {"convolve", {{"border", "constant"}, {"border-value", "128"}}, {}},
      {"convolve", {{"preset", "box"}, {"size", "3"}}, {}},
      {"convolve", {{"preset", "unsharp"}, {"size", "7"}, {"sigma", "1"}}, {}},
      {"convolve", {{"size", "3"}, {"preset", "sobel-x"}}, {}},
      {"sepconvolve", {{"sigma", "3"}, {"preset", "gaussian-x"}}, {}},
  };
  for (const auto &[element, properties, words] : cases) {
    Harness harness(element, properties);
    const std::string warning = harness.take_warning();
    fail_unless(warning.empty() == words.empty(), "\"%s\"", warning.c_str());
    for (const char *word : words)
      fail_unless(contains(warning, word), "\"%s\" in \"%s\"", word, warning.c_str());
    fail_unless(harness.take_warning().empty(), "a second warning");
    const std::string caps = video_caps("GRAY8", kSize);
    fail_unless(harness.set_input(caps));
    expect_warning(harness, caps, {});
    harness.expect_no_error();
  }
}
GST_END_TEST;

// A Gaussian that is cut, at the start and each time that it is set.
GST_START_TEST(cut_gaussians) {
  const std::string caps = video_caps("GRAY8", kSize);
  Harness harness("sepconvolve", {{"preset", "gaussian"}, {"sigma", "100"}});
  fail_unless(harness.set_input(caps));
  expect_warning(
      harness, caps,
      {"preset=gaussian sigma=100 requires 601 coefficients a row", "63", "preset=blur"});
  const struct {
    const char *name, *value;
    std::vector<const char *> words;
  } steps[] = {
      {"bias", "3", {}},
      {"sigma", "20", {"sigma=20 requires 121"}},
      {"border", "wrap", {}},
      {"sigma", "10.3", {}},
      {"sigma", "10.4", {"sigma=10.4 requires 65"}},
      {"preset", "gaussian-x", {"preset=gaussian-x sigma=10.4 requires 65"}},
      {"preset", "box", {}},
      {"preset", "blur", {}},
      {"preset", "gaussian", {"sigma=10.4 requires 65"}},
      {"size", "63", {}},
      {"sigma", "100", {}},
  };
  for (const auto &[name, value, words] : steps) {
    set(harness, name, value);
    expect_warning(harness, caps, words);
  }
  Harness mask("convolve", {{"preset", "gaussian"}, {"sigma", "5.1"}});
  fail_unless(mask.set_input(caps));
  expect_warning(mask, caps, {"sigma=5.1 requires 33", "31", "sepconvolve preset=blur"});
  Harness fits("convolve", {{"preset", "gaussian"}, {"sigma", "5"}});
  fail_unless(fits.set_input(caps));
  expect_warning(fits, caps, {});
}
GST_END_TEST;

// A controlled sigma goes there and back.
GST_START_TEST(cut_while_controlled) {
  const std::string caps = video_caps("GRAY8", kSize);
  Harness harness("sepconvolve", {{"preset", "gaussian"}});
  control(harness.element(), "sigma", {2, 11, 2, 13, 2, 15, 2, 17, 2, 19},
          GST_INTERPOLATION_MODE_NONE);
  fail_unless(harness.set_input(caps));
  for (guint n = 0; n < 10; n++) {
    BufferRef frame(random_frame(video_info(caps), {}, 1));
    GST_BUFFER_PTS(frame.get()) = n * GST_SECOND;
    fail_unless_equals_int(harness.push(frame.release()), GST_FLOW_OK);
    const std::string warning = harness.take_warning();
    fail_unless(contains(warning, "sigma=11 requires") == (n == 1), "frame %u: \"%s\"", n,
                warning.c_str());
    fail_unless(warning.empty() == (n != 1), "frame %u: \"%s\"", n, warning.c_str());
  }
}
GST_END_TEST;

// One warning for each format, and none where there is alpha.
GST_START_TEST(alpha_that_is_not_there) {
  Harness harness("convolve", {{"filter-alpha", "true"}});
  std::string last;
  const std::string none = "no alpha channel", two_bits = "alpha of two bits, which is copied";
  const struct {
    const char *format;
    std::string problem;
  } formats[] = {{"RGB", none}, {"RGBA", ""},       {"NV12", none}, {"NV12", none},
                 {"AYUV", ""},  {"Y410", two_bits}, {"RGBx", none}};
  for (const auto &[format, problem] : formats) {
    fail_unless(harness.set_input(video_caps(format, kSize)));
    const std::string warning = harness.take_warning();
    if (!problem.empty() && last != format)
      fail_unless(
          warning == "filter-alpha=true has no effect: " + std::string(format) + " has " + problem,
          "\"%s\"", warning.c_str());
    else
      fail_unless(warning.empty(), "\"%s\"", warning.c_str());
    last = format;
    for (int i = 0; i < 3; i++)
      expect_warning(harness, video_caps(format, kSize), {});
  }
  g_object_set(harness.element(), "filter-alpha", FALSE, nullptr);
  expect_warning(harness, video_caps("RGBx", kSize), {});
  g_object_set(harness.element(), "filter-alpha", TRUE, nullptr);
  expect_warning(harness, video_caps("RGBx", kSize),
                 {"filter-alpha=true has no effect: RGBx has no alpha channel"});
}
GST_END_TEST;

// What was refused, with one error however often it comes, is accepted after a change of settings.
GST_START_TEST(refused_until_set_otherwise) {
  const std::string rgb = video_caps("RGB", kSize);
  Harness harness("convolve", {{"planes", "luma"}});
  for (int times = 0; times < 3; times++) {
    harness.set_input(rgb);
    fail_unless(harness.push(random_frame(video_info(rgb), {}, 1)) != GST_FLOW_OK);
  }
  harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                       {"planes=luma", "RGB", "planes=all"});
  harness.expect_no_error();
  set(harness, "planes", "all");
  fail_unless(harness.set_input(rgb));
  fail_unless_equals_int(harness.push(random_frame(video_info(rgb), {}, 1)), GST_FLOW_OK);
  fail_unless(harness.pull() != nullptr);
  harness.expect_no_error();
}
GST_END_TEST;

// What a control binding sets for each frame is no reason to repeat a warning.
GST_START_TEST(not_for_every_frame) {
  const std::string caps = video_caps("GRAY8", kSize);
  Harness harness("convolve", {{"mask", "1 1"}});
  GstElement *element = harness.element();
  control(element, "bias", {0, 100});
  fail_unless(harness.set_input(caps));
  const BufferRef in(random_frame(video_info(caps), {}, 1));
  for (int n = 0; n < 10; n++) {
    if (n == 2) set(harness, "anchor-x", "5");
    const BufferRef frame(gst_buffer_copy(in.get()));
    GST_BUFFER_PTS(frame.get()) = static_cast<GstClockTime>(n) * GST_SECOND / 10;
    fail_unless_equals_int(harness.push(gst_buffer_ref(frame.get())), GST_FLOW_OK);
    const std::string warning = harness.take_warning();
    fail_unless(contains(warning, "anchor-x=5") == (n == 2), "frame %d: \"%s\"", n,
                warning.c_str());
  }
}
GST_END_TEST;

// What new caps make wrong is an error, and only that: nothing that was used before can be kept.
GST_START_TEST(new_caps) {
  const struct {
    Properties properties;
    const char *before, *after;
    std::vector<const char *> words;
  } cases[] = {
      {{{"planes", "luma"}}, "I420", "RGB", {"planes=luma", "RGB"}},
      {{{"border", "constant"}, {"border-value", "1000"}},
       "I420_10LE",
       "GRAY8",
       {"border-value=1000", "255"}},
      {{{"preset", "sobel-x"}, {"size", "27"}},
       "GRAY8",
       "GRAY16_LE",
       {"preset=sobel-x size=27", "16-bit", "divisor"}},
  };
  for (const auto &[properties, before, after, words] : cases) {
    Harness harness("convolve", properties);
    fail_unless(harness.set_input(video_caps(before, kSize)));
    expect_warning(harness, video_caps(before, kSize), {});
    const std::string caps = video_caps(after, kSize);
    harness.set_input(caps);
    fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)),
                           GST_FLOW_NOT_NEGOTIATED);
    fail_unless(harness.take_warning().empty(), "%s", after);
    harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, words);
  }
}
GST_END_TEST;

// Rows are named by their preset, too.
GST_START_TEST(presets_of_rows) {
  const std::string caps = video_caps("GRAY8", kSize);
  Harness harness("sepconvolve", {{"preset", "sobel-x"}, {"size", "63"}});
  harness.set_input(caps);
  fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)),
                         GST_FLOW_NOT_NEGOTIATED);
  harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                       {"preset=sobel-x size=63: beyond", "divisor"});
  Harness divided("sepconvolve", {{"preset", "sobel-x"}, {"size", "63"}, {"divisor", "1e36"}});
  fail_unless(divided.set_input(caps));
  expect_warning(divided, caps, {});
  divided.expect_no_error();
}
GST_END_TEST;

// What only the operation refuses is said of a frame with its format and size.
GST_START_TEST(too_wide) {
  constexpr int kWidth = (1 << 28) + 1;
  const std::string caps = video_caps("GRAY8", {kWidth, 1});
  const gsize size = video_info(caps).size;
  void *zeros = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  fail_unless(zeros != MAP_FAILED);
  Harness harness("convolve", {{"preset", "box"}});
  fail_unless(harness.set_input(caps));
  fail_unless_equals_int(harness.push(gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, zeros,
                                                                  size, 0, size, nullptr, nullptr)),
                         GST_FLOW_ERROR);
  harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
                       {"GRAY8 frame of 268435457x1", "too wide"});
  munmap(zeros, size);
}
GST_END_TEST;

}  // namespace

void add_convolve_refusal_cases(Suite *suite) {
  TCase *refusals = new_case(suite, "refusals");
  tcase_add_test(refusals, each_is_told);
  tcase_add_test(refusals, ignored_settings);
  tcase_add_test(refusals, cut_gaussians);
  tcase_add_test(refusals, cut_while_controlled);
  tcase_add_test(refusals, alpha_that_is_not_there);
  tcase_add_test(refusals, refused_until_set_otherwise);
  tcase_add_test(refusals, not_for_every_frame);
  tcase_add_test(refusals, new_caps);
  tcase_add_test(refusals, presets_of_rows);
  if (!small_run()) tcase_add_test(refusals, too_wide);
}

}  // namespace test
