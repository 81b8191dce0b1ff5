// SPDX-License-Identifier: LGPL-2.1-or-later
// coalescejpegdec as it ships, on a real GPU: the pictures of the library's decoder on the CPU, of
// good files and broken ones, in CUDA and in system memory.
#include "../check/coalescejpegdec/jpegdec_files.h"
#include "gpu_support.h"

using namespace gpu_test;

namespace {

constexpr const char *kWhole = "image/jpeg, parsed=true, framerate=25/1";

std::string raw(bool cuda, const char *format) {
  return std::string("video/x-raw") + (cuda ? "(memory:CUDAMemory)" : "") + ", format=" + format;
}

void start(Harness &harness, const std::string &in, const std::string &out) {
  share_context(harness.element());
  harness.accept(out);
  fail_unless(harness.set_input(in));
}

// Pictures in flight come out before it.
void settle(Harness &harness) {
  harness.push_event(
      gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("settle")));
}

}  // namespace

GST_START_TEST(same_bytes) {
  for (const bool cuda : {true, false})
    for (const char *coded : {"GRAY8", "I420", "Y42B", "Y444"})
      for (const char *out : {coded, "RGB", "BGRx"})
        for (const Size size : {Size{1, 1}, Size{37, 23}, Size{640, 362}, Size{1921, 1081}}) {
          if (small_run() && size.width > 100) continue;
          Harness harness("coalescejpegdec", {{"backend", "cuda"}});
          start(harness, kWhole, raw(cuda, out));
          std::vector<Bytes> files;
          for (unsigned seed = 0; seed < 5; seed++) {
            files.push_back(jpeg_file(coded, size, seed, seed == 2 ? 4 : 0));
            push_file(harness, files.back());
          }
          settle(harness);
          for (const Bytes &file : files)
            expect_picture(harness, decoded(file, out), out);
          expect_string(active_backend(harness.element()), "cuda");
          fail_unless(harness.warnings().empty());
          harness.expect_no_error();
        }
}
GST_END_TEST

GST_START_TEST(broken_files) {
  const Bytes file = jpeg_file("I420", {320, 200}, 4);
  for (const bool cuda : {true, false}) {
    Harness harness("coalescejpegdec", {{"backend", "cuda"}});
    start(harness, kWhole, raw(cuda, "I420"));
    for (gsize bytes = 30; bytes <= file.size(); bytes += 331) {
      Bytes part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(bytes));
      if (bytes > 1000) part[bytes - 300] ^= 0x10;
      const Bytes expected = decoded(part, "I420");
      push_file(harness, part);
      settle(harness);
      fail_unless_equals_int(harness.waiting(), expected.empty() ? 0 : 1);
      if (!expected.empty()) expect_picture(harness, expected, "broken");
    }
    harness.expect_no_error();
  }
}
GST_END_TEST

// Sizes change, cut anywhere.
GST_START_TEST(changes) {
  for (const bool cuda : {true, false}) {
    Harness harness("coalescejpegdec", {{"backend", "cuda"}});
    start(harness, "image/jpeg", raw(cuda, "NV12"));
    for (unsigned seed = 0; seed < 12; seed++) {
      const Size size{17 + 60 * static_cast<int>(seed % 5), 9 + 40 * static_cast<int>(seed % 3)};
      const Bytes file = jpeg_file("I420", size, seed);
      const auto half = file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2);
      push_file(harness, Bytes(file.begin(), half));
      push_file(harness, Bytes(half, file.end()));
      settle(harness);
      expect_picture(harness, decoded(file, "NV12"), "after a change");
    }
    harness.expect_no_error();
  }
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_coalescejpegdec", [](TCase *tests) {
    tcase_add_test(tests, same_bytes);
    tcase_add_test(tests, broken_files);
    tcase_add_test(tests, changes);
  });
}
