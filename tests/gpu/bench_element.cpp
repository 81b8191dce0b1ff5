// SPDX-License-Identifier: LGPL-2.1-or-later
// What a frame costs the streaming thread, CUDA memory to CUDA memory: the time of a push into an
// element whose downstream drops the buffer, beside the same push into `identity`. The GPU is idle
// when a batch begins, and a batch is no longer than what an element lets be in flight: so a slow
// kernel does not hold the thread up. The thread stays on one processor meanwhile. Then chains of
// one to four elements: what each further one costs.
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "gpu_support.h"

using namespace gpu_test;

namespace {

GstBuffer *last;  // that came out

GstFlowReturn keep_last(GstPad *, GstObject *, GstBuffer *buffer) {
  gst_clear_buffer(&last);
  last = buffer;
  return GST_FLOW_OK;
}

void wait_for_gpu() {
  GstMapInfo map;
  if (!gst_buffer_map(last, &map, GST_MAP_READ)) g_error("a frame that came out cannot be mapped");
  gst_buffer_unmap(last, &map);
  gst_clear_buffer(&last);
}

// Keeps this thread, and no other, where it runs.
class OneProcessor {
 public:
  OneProcessor() {
    sched_getaffinity(0, sizeof all_, &all_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { sched_setaffinity(0, sizeof all_, &all_); }
  OneProcessor(const OneProcessor &) = delete;
  OneProcessor &operator=(const OneProcessor &) = delete;

 private:
  cpu_set_t all_;
};

// Microseconds of a push, the mean of each batch.
std::vector<double> push_batches(GstHarness *h, const std::vector<GstBuffer *> &inputs,
                                 int frames) {
  constexpr int kBatch = 12;
  std::vector<double> batches;
  const OneProcessor pinned;
  for (int done = 0; done < frames; done += kBatch) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < kBatch; i++)
      gst_pad_push(h->srcpad, gst_buffer_ref(inputs[i % inputs.size()]));
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - start;
    batches.push_back(spent.count() / kBatch);
    wait_for_gpu();
  }
  return batches;
}

// Median microseconds of a push, in batches, over `frames` frames.
double cost(const std::string &element, const char *in_format, const char *out_format, int width,
            int height, int frames) {
  const std::string in = caps_text(in_format, width, height, true);
  const bool identity = element == "identity";
  GstHarness *h =
      harness(element.c_str(), in, identity ? in : caps_text(out_format, width, height, true));
  gst_pad_set_chain_function(h->sinkpad, keep_last);
  GstHarness *owner =
      identity ? harness("uyvy2y backend=cuda", in, caps_text("GRAY8", width, height, true))
               : nullptr;
  GstBufferPool *pool = proposed_pool(owner ? owner : h);
  std::vector<GstBuffer *> inputs(32);
  for (auto &buffer : inputs)
    gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr);
  std::vector<double> batches = push_batches(h, inputs, frames);
  gst_harness_teardown(h);
  for (auto *buffer : inputs)
    gst_buffer_unref(buffer);
  if (owner) gst_harness_teardown(owner);
  gst_object_unref(pool);
  std::nth_element(batches.begin(), batches.begin() + batches.size() / 2, batches.end());
  return batches[batches.size() / 2];
}

// One to four elements between a source and a sink in CUDA memory, of one cheap kernel a plane.
void chains(int width, int height) {
  std::string chain;
  double before = 0;
  for (int k = 1; k <= 4; k++) {
    chain += k == 1 ? "uyvy2y backend=cuda" : " ! convolve backend=cuda preset=sharpen";
    const double now = cost(chain, "UYVY", "GRAY8", width, height, 10000);
    std::printf("%4dx%-4d  chain of %d: %.2f", width, height, k, now);
    if (k > 1) std::printf(", the further element %.2f", now - before);
    std::printf("\n");
    before = now;
  }
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
                {"sepconvolve backend=cuda preset=gaussian", "GRAY8", "GRAY8"},
                {"sepconvolve backend=cuda preset=gaussian", "NV12", "NV12"}};
    for (const auto &[element, in, out] : rows)
      std::printf("%4dx%-4d  %-40s  %-4s  %-5s  %.2f\n", width, height, element, in, out,
                  cost(element, in, out, width, height, 10000));
    chains(width, height);
  }
  return 0;
}
