// SPDX-License-Identifier: LGPL-2.1-or-later
// j2kenc on a real GPU over its covering array, and in every profile: the codestreams of its CPU
// back end.
#include <cstdlib>
#include <set>

#include "support/j2k_settings_array.h"

using namespace gpu_test;

namespace {

constexpr int kLarge = 211 * 128;
int only_row = -1;
bool small_only = false;

void encode_row(Cases *cases, int row) {
  const J2kCase c = j2k_settings_array().at(row);
  const bool large = c.coding.width * c.coding.height > kLarge;
  if (large && small_only) return;
  if (!cases->encode(c.coding, c.input, large ? 1 : 2))
    g_print("--row %d: %s\n", row, j2k_settings_array().text(row).c_str());
}

}  // namespace

// Everything meets everything, but for what is refused.
GST_START_TEST(pairs) {
  const J2kSettingsArray &array = j2k_settings_array();
  const auto missing = coalesce::test::missing_pairs(array.factors().values, array.rows());
  std::set<std::string> left_out;
  for (const auto &pair : missing) {
    left_out.insert(array.text(pair));
    fail_if(coalesce::test::may_occur(array.factors(), pair), "%s", array.text(pair).c_str());
  }
  const std::set<std::string> refused = {"size 1x1 with rate bpp"};
  for (const std::string &text : left_out)
    fail_unless(refused.count(text) > 0, "left out: %s", text.c_str());
  fail_unless(j2k_formats().size() >= 40 && left_out == refused);
  g_print("%d rows\n", array.size());
}
GST_END_TEST

GST_START_TEST(rows) {
  Cases cases;
  for (int row = 0; row < j2k_settings_array().size(); row++)
    if (only_row < 0 || row == only_row) encode_row(&cases, row);
}
GST_END_TEST

// Formats that a profile takes, all of them at sizes with and without an even number of rows.
GST_START_TEST(profiles) {
  const std::pair<const char *, std::vector<const char *>> profiles[] = {
      {"cinema-2k", {"GBR_12LE", "Y444_12LE"}},
      {"cinema-4k", {"GBR_12LE", "Y444_12LE"}},
      {"broadcast-single", {"GRAY8", "RGB", "BGRA", "NV12", "UYVY", "v210", "P012_LE", "AYUV"}},
      {"broadcast-multi", {"GRAY8", "RGBx", "ARGB", "I420", "YUY2", "I422_12LE", "P010_10LE"}},
      {"imf-2k", {"GRAY16_LE", "GBR_10LE", "Y42B", "I422_10LE", "Y444_16LE"}},
      {"imf-4k", {"GRAY16_LE", "GBR_12LE", "Y42B", "v210", "Y444_16LE"}}};
  Cases cases;
  for (const auto &[profile, formats] : profiles)
    for (const char *format : formats)
      for (Input input : {Input::cuda, Input::page_locked})
        for (const char *more : {"", "; frame-size=9000", "; num-resolutions=3; comment=take 3"})
          for (int height : {34, 127})
            cases.encode({format, 211, height, std::string("profile=") + profile + more}, input, 2);
}
GST_END_TEST

// gpu-j2k-array [--row N | --small | --pairs]; the last needs no GPU.
int main(int argc, char **argv) {
  const std::string option = argc > 1 ? argv[1] : "";
  if (option == "--row" && argc > 2) only_row = std::atoi(argv[2]);
  small_only = option == "--small";
  argc = 1;  // GStreamer does not know them
  if (option == "--pairs")
    return run_anywhere(&argc, &argv, "gpu_j2k_array",
                        [](TCase *tests) { tcase_add_test(tests, pairs); });
  return run(&argc, &argv, "gpu_j2k_array", [](TCase *tests) {
    tcase_add_test(tests, rows);
    if (only_row < 0) tcase_add_test(tests, profiles);
  });
}
