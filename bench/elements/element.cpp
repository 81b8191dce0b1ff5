// SPDX-License-Identifier: LGPL-2.1-or-later
// What a frame costs the streaming thread, CUDA memory to CUDA memory: the time of a push into an
// element whose downstream drops the buffer, beside the same push into `identity`. The GPU is idle
// when a batch begins, and a batch is no longer than what an element lets be in flight: so a slow
// kernel does not hold the thread up. Then chains of one to four elements: what each further one
// costs.
//
// The thread stays on one processor for ten batches. Other virtual machines may have the other half
// of its core meanwhile: a loop of additions before and after them, which then takes up to twice
// as long, tells. So there are two medians: of batches on cores that the thread has to itself, and
// of all.
//
// bench-element [--check] [--json FILE]; --check: few and small frames, to see that all of it runs.
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>

#include "bench/support/results.h"
#include "tests/gpu/gpu_support.h"

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

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Keeps this thread, and no other, on one processor after the other.
class OneProcessor {
 public:
  OneProcessor() {
    sched_getaffinity(0, sizeof all_, &all_);
    stay_on(sched_getcpu());
  }
  ~OneProcessor() { sched_setaffinity(0, sizeof all_, &all_); }
  OneProcessor(const OneProcessor &) = delete;
  OneProcessor &operator=(const OneProcessor &) = delete;

  void go_on() {
    int next = at_;
    do
      next = (next + 1) % CPU_SETSIZE;
    while (!CPU_ISSET(next, &all_));
    stay_on(next);
  }
  // Does no one else use the core? (The quickest loop that has been seen tells how long it takes.)
  bool is_ours() const {
    static double quickest = std::numeric_limits<double>::max();
    const double now = additions();
    quickest = std::min(quickest, now);
    return now < 1.2 * quickest;
  }

 private:
  void stay_on(int processor) {
    at_ = processor;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  // Microseconds of what keeps all units of a core busy; the better of two.
  static double additions() {
    double best = std::numeric_limits<double>::max();
    for (int time = 0; time < 2; time++) {
      const auto start = Clock::now();
      unsigned long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
      for (unsigned long i = 0; i < 8000; i++) {
        a += i;
        b ^= a + i;
        c += 3 * i;
        d ^= c;
        e += i ^ 7;
        f += e >> 3;
        asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
      }
      best = std::min(best, microseconds_since(start));
    }
    return best;
  }

  cpu_set_t all_;
  int at_;
};

// Microseconds of a push.
struct Cost {
  double alone, all;
};

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// An element in a harness, and inputs for it.
class Bench {
 public:
  Bench(const std::string &element, const char *in_format, const char *out_format, int width,
        int height) {
    const std::string in = caps_text(in_format, width, height, true);
    const bool identity = element == "identity";
    harness_ =
        harness(element.c_str(), in, identity ? in : caps_text(out_format, width, height, true));
    gst_pad_set_chain_function(harness_->sinkpad, keep_last);
    if (identity)
      owner_ = harness("uyvy2y backend=cuda", in, caps_text("GRAY8", width, height, true));
    pool_ = proposed_pool(owner_ != nullptr ? owner_ : harness_);
    for (auto &buffer : inputs_)
      gst_buffer_pool_acquire_buffer(pool_, &buffer, nullptr);
  }
  ~Bench() {
    gst_harness_teardown(harness_);
    for (auto *buffer : inputs_)
      gst_buffer_unref(buffer);
    if (owner_ != nullptr) gst_harness_teardown(owner_);
    gst_object_unref(pool_);
  }
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  void push(int frames) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(frames); i++)
      gst_pad_push(harness_->srcpad, gst_buffer_ref(inputs_[i % inputs_.size()]));
  }

 private:
  GstHarness *harness_, *owner_ = nullptr;
  GstBufferPool *pool_;
  std::vector<GstBuffer *> inputs_ = std::vector<GstBuffer *>(32);
};

// Medians of the means of batches.
Cost push_batches(Bench &bench, int frames) {
  constexpr int kBatch = 12, kBatchesOfGroup = 10;
  std::vector<double> alone, all;
  OneProcessor processor;
  for (int done = 0; done < frames; done += kBatchesOfGroup * kBatch) {
    const bool ours = processor.is_ours();
    for (int i = 0; i < kBatchesOfGroup; i++) {
      const auto start = Clock::now();
      bench.push(kBatch);
      all.push_back(microseconds_since(start) / kBatch);
      wait_for_gpu();
    }
    if (ours && processor.is_ours())
      alone.insert(alone.end(), all.end() - kBatchesOfGroup, all.end());
    else
      processor.go_on();
  }
  return {median(std::move(alone)), median(std::move(all))};
}

Cost cost(const std::string &element, const char *in_format, const char *out_format, int width,
          int height, int frames) {
  Bench bench(element, in_format, out_format, width, height);
  return push_batches(bench, frames);
}

constexpr const char *kFirst = "uyvy2y backend=cuda",
                     *kFurther = " ! convolve backend=cuda preset=sharpen",
                     *kSeparable = " ! sepconvolve backend=cuda preset=gaussian";

coalesce::test::Row row_of(const std::string &what, const char *in, const char *out, int width,
                           int height) {
  coalesce::test::Row row;
  row.text("operation", what).text("in", in).text("out", out);
  row.number("width", width).number("height", height);
  return row;
}

// One to four elements between a source and a sink in CUDA memory, of one cheap kernel a plane.
void chains(const char *further, int width, int height, int frames,
            coalesce::test::Results *results) {
  std::string chain;
  Cost before = {};
  std::printf("%s, then%s\n", kFirst, further);
  for (int k = 1; k <= 4; k++) {
    chain += k == 1 ? kFirst : further;
    const Cost now = cost(chain, "UYVY", "GRAY8", width, height, frames);
    std::printf("%4dx%-4d  chain of %d: %.2f %.2f", width, height, k, now.alone, now.all);
    if (k > 1)
      std::printf(", the further element %.2f %.2f", now.alone - before.alone,
                  now.all - before.all);
    std::printf("\n");
    results->add(row_of(chain, "UYVY", "GRAY8", width, height)
                     .number("alone_us", now.alone)
                     .number("us", now.all));
    before = now;
  }
}

// Four elements, one frame after the other: microseconds a frame until the GPU is done.
void sustained(int width, int height, coalesce::test::Results *results) {
  constexpr int kFrames = 2000, kRounds = 7;
  const std::string chain = std::string(kFirst) + kFurther + kFurther + kFurther;
  Bench bench(chain, "UYVY", "GRAY8", width, height);
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; round++) {
    const auto start = Clock::now();
    bench.push(kFrames);
    wait_for_gpu();
    rounds.push_back(microseconds_since(start) / kFrames);
  }
  const double us = median(std::move(rounds));
  std::printf("%4dx%-4d  chain of 4, sustained: %.2f\n", width, height, us);
  results->add(row_of(chain, "UYVY", "GRAY8", width, height).number("sustained_us", us));
}

}  // namespace

int main(int argc, char **argv) {
  coalesce::test::Results results("bench-element", &argc, argv);
  gst_init(&argc, &argv);
  const bool check = argc == 2 && std::strcmp(argv[1], "--check") == 0;
  if (argc != (check ? 2 : 1)) {
    std::fprintf(stderr, "bench-element [--check] [--json FILE]\n");
    return 2;
  }
  const int frames = check ? 120 : 10000;
  require_gpu();
  std::printf(
      "microseconds of the streaming thread a frame, from and to CUDA memory, medians: where it "
      "has "
      "the core to itself, and of all\n");
  for (const auto &[width, height] : {std::pair{64, 64}, std::pair{1920, 1080}}) {
    if (check && width > 64) break;
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
    for (const auto &[element, in, out] : rows) {
      const Cost now = cost(element, in, out, width, height, frames);
      std::printf("%4dx%-4d  %-40s  %-4s  %-5s  %.2f %.2f\n", width, height, element, in, out,
                  now.alone, now.all);
      results.add(row_of(element, in, out, width, height)
                      .number("alone_us", now.alone)
                      .number("us", now.all));
    }
    for (const char *further : {kFurther, kSeparable})
      chains(further, width, height, frames, &results);
  }
  if (check) return results.write() ? 0 : 1;
  for (const auto &[width, height] : {std::pair{1920, 1080}, std::pair{3840, 2160}})
    sustained(width, height, &results);
  return results.write() ? 0 : 1;
}
