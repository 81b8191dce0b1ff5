// SPDX-License-Identifier: LGPL-2.1-or-later
// What a frame costs the streaming thread, CUDA memory to CUDA memory: the time of a push into an
// element whose downstream drops the buffer, beside the same push into `identity`.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "gpu_support.h"

using namespace gpu_test;

namespace {

GstFlowReturn drop(GstPad *, GstObject *, GstBuffer *buffer) {
  gst_buffer_unref(buffer);
  return GST_FLOW_OK;
}

// Median microseconds of a push, in batches, over `frames` frames.
double cost(const char *element, const char *in_format, const char *out_format, int width,
            int height, int frames) {
  const std::string in = caps_text(in_format, width, height, true);
  const bool identity = g_str_equal(element, "identity");
  GstHarness *h = harness(element, in, identity ? in : caps_text(out_format, width, height, true));
  gst_pad_set_chain_function(h->sinkpad, drop);
  GstHarness *owner =
      identity ? harness("uyvy2y backend=cuda", in, caps_text("GRAY8", width, height, true))
               : nullptr;
  GstBufferPool *pool = proposed_pool(owner ? owner : h);
  constexpr int kInputs = 32, kBatch = 100;
  std::vector<GstBuffer *> inputs(kInputs);
  for (auto &buffer : inputs)
    gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr);
  std::vector<double> batches;
  for (int done = 0; done < frames; done += kBatch) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kBatch; i++)
      gst_pad_push(h->srcpad, gst_buffer_ref(inputs[i % kInputs]));
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - start;
    batches.push_back(spent.count() / kBatch);
  }
  gst_harness_teardown(h);
  for (auto *buffer : inputs)
    gst_buffer_unref(buffer);
  if (owner) gst_harness_teardown(owner);
  gst_object_unref(pool);
  std::nth_element(batches.begin(), batches.begin() + batches.size() / 2, batches.end());
  return batches[batches.size() / 2];
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  require_gpu();
  std::printf("microseconds of the streaming thread a frame, from and to CUDA memory, median\n");
  for (const auto &[width, height] : {std::pair{64, 64}, std::pair{1920, 1080}}) {
    const struct {
      const char *element, *in, *out;
    } rows[] = {{"identity", "UYVY", ""},
                {"uyvy2y backend=cuda", "UYVY", "GRAY8"},
                {"uyvy2y backend=cuda", "UYVY", "NV12"},
                {"rgb2yuv backend=cuda", "RGB", "NV12"},
                {"rgb2yuv backend=cuda", "BGRx", "I420"},
                {"convolve backend=cuda preset=sharpen", "NV12", "NV12"},
                {"sepconvolve backend=cuda preset=gaussian", "NV12", "NV12"}};
    for (const auto &[element, in, out] : rows)
      std::printf("%4dx%-4d  %-40s  %-4s  %-5s  %.2f\n", width, height, element, in, out,
                  cost(element, in, out, width, height, 20000));
  }
  return 0;
}
