// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames that are too much for the GPU: j2kenc codes them on the CPU, and says why; or, where the
// GPU was asked for by name, it is an error.
#include "j2k.h"

using namespace simulated;

namespace {

// The smallest blocks with the most room for their bytes: more than 4 GiB in a packet.
constexpr J2kCase kLarge = {"GRAY16_LE",
                            3500,
                            3500,
                            "",
                            "num-resolutions=1 guard-bits=7 code-block-width=4 code-block-height=4 "
                            "code-block-style=reset",
                            "image/x-jpc"};
// A frame in flight takes more memory than the picture, though that has rows of 4096 bytes.
constexpr J2kCase kWide = {"RGB", 1000, 16, "", "bpp=4", "image/x-jpc"};
constexpr std::size_t kPlenty = std::size_t{1} << 30;

// Mid-grey, which is nothing to code, with some dots.
GstBuffer *dotted(GstBuffer *buffer, unsigned seed) {
  const GstVideoInfo info = video_info(in_caps(kLarge, kSystem));
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &info, buffer, GST_MAP_WRITE));
  for (int y = 0; y < kLarge.height; y++) {
    auto *row =
        reinterpret_cast<guint16 *>(static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                                    y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0));
    std::fill_n(row, kLarge.width, guint16{0x8000});
    if (y % 50 == 7) row[static_cast<unsigned>(y) * seed % 3500] = static_cast<guint16>(y * 17);
  }
  gst_video_frame_unmap(&frame);
  if (is_cuda(buffer)) to_device(buffer);
  return buffer;
}

// As if a kernel had written it: what the CPU has of it is of no worth.
GstBuffer *left_on_device(GstBuffer *buffer) {
  GstMapInfo map;
  fail_unless(
      gst_buffer_map(buffer, &map, static_cast<GstMapFlags>(GST_MAP_READWRITE | GST_MAP_CUDA)));
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

void expect_warning(Bench &bench, const char *first, const char *second) {
  const std::vector<std::string> warnings = bench.warnings();
  fail_unless_equals_int(warnings.size(), 1);
  for (const char *text : {first, second})
    fail_unless(warnings[0].find(text) != std::string::npos, "%s", warnings[0].c_str());
  fail_unless(bench.errors().empty());
}

void expect_on(J2kBench &bench, const char *backend, guint64 frames_held) {
  expect_string(active_backend(bench.element()), backend);
  fail_unless_equals_uint64(bench.latency(), frames_held * GST_SECOND / 25);
}

// So much memory that there is none for a frame in flight, but for pictures.
void leave_memory_for_pictures() {
  fakecuda_set_device_memory(counts().bytes_live + 2 * 16 * 4096);
}

}  // namespace

// What their tables cannot count is known before a frame comes. The next caps go to the GPU again.
GST_START_TEST(too_large_for_tables) {
  const GstVideoInfo info = video_info(in_caps(kLarge, kSystem));
  const Bytes expected = on_cpu(kLarge, dotted(system_buffer(info, 1), 3));
  for (const char *memory : {kSystem, kCuda}) {
    J2kBench bench(kLarge, memory, 4);
    expect_warning(bench, "GRAY16_LE frames of 3500x3500 are encoded on the CPU", "4 GiB");
    expect_on(bench, "cpu", 0);
    fail_unless_equals_int(bench.push(dotted(bench.buffer(1), 3)), GST_FLOW_OK);
    fail_unless(take_bytes(bench.pull()) == expected);
    gst_util_set_object_arg(G_OBJECT(bench.element()), "code-block-style", "0");
    gst_util_set_object_arg(G_OBJECT(bench.element()), "num-resolutions", "2");
    bench.change(kGrey);
    expect_on(bench, "cuda", 3);
    bench.push_pictures(1, 5);
    bench.end();
    const J2kCase small = {"GRAY8",
                           kGrey.width,
                           kGrey.height,
                           "",
                           "num-resolutions=2 guard-bits=7 code-block-width=4 code-block-height=4",
                           "image/x-jpc"};
    bench.expect_pictures(small, 1, 5);
    fail_unless(bench.errors().empty() && bench.warnings().empty());
  }
}
GST_END_TEST

GST_START_TEST(too_large_and_asked_for) {
  Bench bench((std::string("j2kenc backend=cuda ") + kLarge.properties).c_str());
  gst_harness_set_sink_caps_str(bench.harness(), kLarge.media);
  gst_harness_set_src_caps_str(bench.harness(), in_caps(kLarge, kSystem).c_str());
  const std::vector<std::string> errors = bench.errors();
  fail_unless_equals_int(errors.size(), 1);
  for (const char *text : {"backend=cuda cannot encode GRAY16_LE frames of 3500x3500: ", "4 GiB",
                           "precincts", "backend=auto encodes them on the CPU"})
    fail_unless(errors[0].find(text) != std::string::npos, "%s", errors[0].c_str());
  fail_unless(bench.warnings().empty());
}
GST_END_TEST

// Which the scratch frame finds out, before the first one comes.
GST_START_TEST(kernels_for_other_gpus) {
  constexpr int kNoBinaryForGpu = 209;
  for (const char *memory : {kSystem, kCuda}) {
    fakecuda_fail_how(FAKECUDA_LAUNCH, 1, kNoBinaryForGpu, FAKECUDA_ALWAYS);
    J2kBench bench(kGrey, memory, 3);
    expect_warning(bench, "GRAY8 frames of 40x24 are encoded on the CPU", "not built for this GPU");
    expect_on(bench, "cpu", 0);
    fakecuda_reset_faults();
    bench.push_pictures(1, 3);
    bench.expect_pictures(kGrey, 1, 3);
    bench.change(kWide);
    expect_on(bench, "cuda", 2);
  }
  fakecuda_fail_how(FAKECUDA_LAUNCH, 1, kNoBinaryForGpu, FAKECUDA_ALWAYS);
  Bench bench("j2kenc backend=cuda");
  bench.negotiate(in_caps(kGrey, kSystem), kGrey.media);
  fakecuda_reset_faults();
  const std::vector<std::string> errors = bench.errors();
  fail_unless_equals_int(errors.size(), 1);
  fail_unless(errors[0].find("not built for this GPU") != std::string::npos, "%s",
              errors[0].c_str());
}
GST_END_TEST

// Settings that make the encoder anew let the GPU try again; a rate does not.
GST_START_TEST(no_memory_for_a_frame) {
  const J2kCase other = {"RGB", 1000, 16, "", "bpp=3", "image/x-jpc"};
  const J2kCase causal = {"RGB", 1000, 16, "", "bpp=3 code-block-style=causal", "image/x-jpc"};
  for (const char *memory : {kSystem, kCuda}) {
    leave_memory_for_pictures();
    J2kBench bench(kWide, memory, 3);
    expect_warning(bench, "RGB frames of 1000x16 are encoded on the CPU",
                   "frames-in-flight=3: even one frame requires ");
    expect_on(bench, "cpu", 0);
    for (unsigned seed = 1; seed <= 3; seed++) {
      GstBuffer *in = bench.buffer(seed);
      fail_unless_equals_int(bench.push(memory == kCuda ? left_on_device(in) : in), GST_FLOW_OK);
    }
    bench.expect_pictures(kWide, 1, 3);
    const guint64 downloads = memory == kCuda ? 3 : 0;
    fail_unless_equals_uint64(stat(bench.element(), "downloads"), downloads);
    fail_unless_equals_uint64(stat(bench.element(), "synchronizations"), downloads);
    fail_unless_equals_uint64(stat(bench.element(), "download-bytes"), downloads * 1000 * 16 * 3);
    fakecuda_set_device_memory(kPlenty);
    g_object_set(bench.element(), "bpp", 3.0, nullptr);
    bench.push_pictures(4, 5);
    bench.expect_pictures(other, 4, 5);
    expect_on(bench, "cpu", 0);
    gst_util_set_object_arg(G_OBJECT(bench.element()), "code-block-style", "causal");
    bench.push_pictures(6, 10);
    expect_on(bench, "cuda", 2);
    bench.end();
    bench.expect_pictures(causal, 6, 10);
    fail_unless(bench.errors().empty() && bench.warnings().empty());
  }
}
GST_END_TEST

// While frames are in flight: they come out first.
GST_START_TEST(no_memory_for_other_settings) {
  const J2kCase causal = {"RGB", 1000, 16, "", "bpp=4 code-block-style=causal", "image/x-jpc"};
  for (const char *memory : {kSystem, kCuda}) {
    J2kBench bench(kWide, memory, 3);
    bench.push_pictures(1, 5);
    expect_on(bench, "cuda", 2);
    bench.expect_pictures(kWide, 1, 3);
    fakecuda_fail_how(FAKECUDA_ALLOC, 1, CUDA_ERROR_OUT_OF_MEMORY, FAKECUDA_ALWAYS);
    gst_util_set_object_arg(G_OBJECT(bench.element()), "code-block-style", "causal");
    bench.push_pictures(6, 7);
    fakecuda_reset_faults();
    expect_warning(bench, "RGB frames of 1000x16 are encoded on the CPU",
                   "even one frame requires ");
    expect_on(bench, "cpu", 0);
    bench.expect_pictures(kWide, 4, 5);
    bench.expect_pictures(causal, 6, 7);
  }
}
GST_END_TEST

// A picture in CUDA memory that does not come to the CPU is an error, and no wrong codestream.
GST_START_TEST(the_way_to_the_cpu_fails) {
  leave_memory_for_pictures();
  J2kBench bench(kWide, kCuda, 1);
  expect_on(bench, "cpu", 0);
  bench.push_pictures(1, 1);
  GstBuffer *in = left_on_device(bench.buffer(2));
  fakecuda_fail_how(FAKECUDA_COPY, 1, 719, FAKECUDA_ALWAYS);  // GStreamer tries twice
  fail_unless_equals_int(bench.push(in), GST_FLOW_ERROR);
  fakecuda_reset_faults();
  fail_unless_equals_int(bench.errors().size(), 1);
  bench.expect_pictures(kWide, 1, 1);
  fail_unless_equals_int(bench.received(), 0);
}
GST_END_TEST

static Suite *encoder_limits_suite() {
  return j2k_suite("encoder_limits", [](TCase *tests) {
    tcase_add_test(tests, too_large_for_tables);
    tcase_add_test(tests, too_large_and_asked_for);
    tcase_add_test(tests, kernels_for_other_gpus);
    tcase_add_test(tests, no_memory_for_a_frame);
    tcase_add_test(tests, no_memory_for_other_settings);
    tcase_add_test(tests, the_way_to_the_cpu_fails);
  });
}
SIMULATED_MAIN(encoder_limits)
