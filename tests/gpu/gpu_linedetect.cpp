// SPDX-License-Identifier: LGPL-2.1-or-later
// linedetect on a real GPU: lines and pictures of its CPU back end, which tests/check has judged.
#include "gpu_support.h"

using namespace gpu_test;

namespace {

const char *const kFormats[] = {"GRAY8", "NV12", "AYUV", "RGB", "RGBP", "UYVY"};
// Frames are noise, with many edges, among which are many short lines; or with few that are smooth.
const char *const kSettings[] = {
    "draw=false sigma=0 low-threshold=300 high-threshold=700 min-length=5",
    "draw=true sigma=0 low-threshold=0 high-threshold=0 min-length=8 tolerance=1.5 max-lines=40",
    "draw=true sigma=1.4 low-threshold=20 high-threshold=60 min-length=6 thickness=3",
    "draw=false sigma=12 low-threshold=1 high-threshold=2 min-length=10 max-lines=16384",
};
constexpr int kNSettings = 4;

Bytes lines_of(GstBuffer *buffer) {
  GstCustomMeta *meta = gst_buffer_get_custom_meta(buffer, "GstCoalesceLinesMeta");
  fail_unless(meta != nullptr, "no lines");
  GBytes *lines = nullptr;
  guint found = 0;
  fail_unless(gst_structure_get(gst_custom_meta_get_structure(meta), "lines", G_TYPE_BYTES, &lines,
                                "found", G_TYPE_UINT, &found, nullptr));
  gsize size = 0;
  const auto *data = static_cast<const guint8 *>(g_bytes_get_data(lines, &size));
  Bytes bytes(data, data + size);
  g_bytes_unref(lines);
  for (guint i = 0; i < sizeof found; i++)
    bytes.push_back(static_cast<guint8>(found >> 8 * i));
  return bytes;
}

std::size_t compare(const std::string &settings, const char *format, Size size, bool in_cuda,
                    bool out_cuda, int frames) {
  const auto caps = [&](bool in, bool out) {
    return CapsPair{caps_text(format, size.width, size.height, in),
                    caps_text(format, size.width, size.height, out)};
  };
  const Twins twins("linedetect " + settings, caps(in_cuda, out_cuda), caps(false, false));
  for (int i = 0; i < frames; i++)
    for (const Side *side : {&twins.gpu, &twins.cpu})
      side->push(side->frame(static_cast<unsigned>(i)));
  std::size_t lines = 0;
  for (int i = 0; i < frames; i++) {
    const std::string what =
        settings + ", frame " + std::to_string(i) + ", " + caps(in_cuda, out_cuda).in;
    const BufferRef got(gst_harness_pull(twins.gpu.get()));
    const BufferRef expected(gst_harness_pull(twins.cpu.get()));
    fail_unless(got != nullptr && expected != nullptr, "%s: no frame", what.c_str());
    fail_unless(lines_of(got.get()) == lines_of(expected.get()), "%s: other lines", what.c_str());
    const auto picture_of = [](const BufferRef &buffer, const Side &side) {
      return picture(buffer.get(), video_info(text_of(current_caps(side.get()->sinkpad).get())));
    };
    fail_unless(picture_of(got, twins.gpu) == picture_of(expected, twins.cpu), "%s", what.c_str());
    lines += lines_of(got.get()).size() / 24;
  }
  return lines;
}

}  // namespace

GST_START_TEST(formats_and_settings) {
  for (int i = first_sample(kNSettings); i < kNSettings; i += sample_step())
    for (const char *format : kFormats) {
      std::size_t lines = 0;
      for (Size size : {Size{2, 3}, Size{67, 35}, Size{259, 130}})
        lines += compare(kSettings[i], format, size, true, true, 2);
      fail_unless(lines > 2, "%s, %s: %zu lines", kSettings[i], format, lines);
    }
}
GST_END_TEST

// Several frames in flight, each with its own lines.
GST_START_TEST(memory_combinations) {
  for (bool in_cuda : {false, true})
    for (bool out_cuda : {false, true})
      for (const char *settings : {kSettings[0], kSettings[2]})
        compare(settings, "NV12", {322, 58}, in_cuda, out_cuda, 8);
}
GST_END_TEST

GST_START_TEST(large_frames) {
  if (small_run()) return;
  for (const char *format : {"GRAY8", "NV12", "RGBA"})
    for (const char *settings : kSettings)
      compare(settings, format, {1921, 1079}, true, true, 2);
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_linedetect", [](TCase *tests) {
    tcase_add_test(tests, formats_and_settings);
    tcase_add_test(tests, memory_combinations);
    tcase_add_test(tests, large_frames);
  });
}
