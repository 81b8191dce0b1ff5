// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-inspect-1.0 shows the plugin and each element: exit status 0, and not one warning.
#include <cstdio>

#include "../support/elements/elements.h"

namespace test {
namespace {

struct Output {
  std::string out, err;
  int status = -1;
};

Output inspect(const std::string &what) {
  const gchar *argv[] = {g_getenv("COALESCE_TEST_INSPECT"), what.c_str(), nullptr};
  gchar **env = g_get_environ();
  env = g_environ_setenv(env, "G_DEBUG", "fatal-warnings", TRUE);
  env = g_environ_setenv(env, "GST_DEBUG", "2", TRUE);
  env = g_environ_setenv(env, "GST_DEBUG_NO_COLOR", "1", TRUE);
  env = g_environ_unsetenv(env, "GST_TRACERS");
  gchar *out = nullptr, *err = nullptr;
  Output result;
  GError *error = nullptr;
  fail_unless(g_spawn_sync(nullptr, const_cast<gchar **>(argv), env, G_SPAWN_DEFAULT, nullptr,
                           nullptr, &out, &err, &result.status, &error),
              "%s", error ? error->message : "");
  g_strfreev(env);
  result.out = Owned<char>(out).get();
  result.err = Owned<char>(err).get();
  return result;
}

void expect_page(const std::string &what, const std::vector<std::string> &words) {
  const Output page = inspect(what);
  fail_unless(page.status == 0, "%s: status %d, %s", what.c_str(), page.status, page.err.c_str());
  fail_unless(page.err.empty(), "%s: %s", what.c_str(), page.err.c_str());
  for (const std::string &word : words)
    fail_unless(contains(page.out, word), "%s: no \"%s\" in %s", what.c_str(), word.c_str(),
                page.out.c_str());
}

GST_START_TEST(plugin_page) {
  std::vector<std::string> words = {
      "coalesce", "LGPL", "gst-coalesce",
      std::to_string(n_elements() + int(decoders().size() + aggregators().size())) + " features"};
  for (int i = 0; i < n_elements(); i++)
    words.push_back(element_name(i) + ": ");
  for (const auto *others : {&decoders(), &aggregators()})
    for (const std::string &element : *others)
      words.push_back(element + ": ");
  expect_page("coalesce", words);
}
GST_END_TEST;

GST_START_TEST(element_page) {
  expect_page(element_name(__i__),
              {"Factory Details", "Pad Templates", "GstCoalesceTransform", "backend", "auto",
               "cuda", "cpu", "cuda-device-id", "n-threads", "active-backend", "stats"});
}
GST_END_TEST;

GST_START_TEST(decoder_page) {
  for (const std::string &decoder : decoders())
    expect_page(decoder,
                {"Factory Details", "Pad Templates", "GstCoalesceDecoder", "Rank", "none (0)",
                 "backend", "cuda-device-id", "n-threads", "active-backend", "stats"});
}
GST_END_TEST;

GST_START_TEST(aggregator_page) {
  for (const std::string &aggregator : aggregators())
    expect_page(aggregator,
                {"Factory Details", "Pad Templates", "GstCoalesceAggregator", "Rank", "none (0)",
                 "backend", "cuda-device-id", "n-threads", "active-backend", "stats", "unpaired"});
}
GST_END_TEST;

// What values mean that do not say it themselves: rules, limits, and what is not set.
GST_START_TEST(meanings_of_values) {
  for (int i = 0; i < n_elements(); i++)
    expect_page(
        element_name(i),
        {"GPU in coders of JPEG and JPEG 2000, and in convolve, sepconvolve, median, bilateral, "
         "cartoon, linedetect, oilpaint, stereodisparity and multiview if pixels x work for each "
         ">= 2^28. Otherwise CPU"});
  for (const char *element : {"convolve", "sepconvolve"})
    expect_page(element, {"(-1e18 = not set: by normalize)"});
  expect_page("j2kenc",
              {"Broadcast, one tile: 8 to 12 bits, up to 520 million samples and 800 Mbit",
               "Broadcast, 2x2 tiles by default: 8 to 12 bits, up to 520 million samples"});
}
GST_END_TEST;

}  // namespace
}  // namespace test

int main(int argc, char **argv) {
  if (*g_getenv("COALESCE_TEST_INSPECT") == '\0') {
    std::puts("SKIP: gst-inspect-1.0 is not installed");
    return 77;
  }
  return test::run(&argc, &argv, "inspect", [](Suite *suite) {
    TCase *pages = test::new_case(suite, "pages");
    tcase_add_test(pages, test::plugin_page);
    tcase_add_loop_test(pages, test::element_page, 0, test::n_elements());
    tcase_add_test(pages, test::decoder_page);
    tcase_add_test(pages, test::aggregator_page);
    tcase_add_test(pages, test::meanings_of_values);
  });
}
