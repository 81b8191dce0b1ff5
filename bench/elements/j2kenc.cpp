// SPDX-License-Identifier: LGPL-2.1-or-later
// bench-j2kenc PICTURE.ppm [WIDTH HEIGHT] [--json FILE]: what a frame takes that comes to j2kenc in
// CUDA memory and leaves it as a codestream that is dropped, for several numbers of frames in
// flight. The frames are those of bench-j2k-cuda, which times the same without GStreamer.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "bench/support/photograph.h"
#include "bench/support/results.h"
#include "tests/gpu/gpu_support.h"

using namespace gpu_test;

namespace {

constexpr int kFrames = 24, kRounds = 6;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

// By the task of the source pad.
struct Received {
  std::atomic<guint64> frames{0}, bytes{0};
} received;

GstFlowReturn drop(GstPad *, GstObject *, GstBuffer *buffer) {
  received.frames++;
  received.bytes += gst_buffer_get_size(buffer);
  gst_buffer_unref(buffer);
  return GST_FLOW_OK;
}

double median(std::vector<double> list) {
  const auto middle = list.begin() + std::ptrdiff_t(list.size() / 2);
  std::nth_element(list.begin(), middle, list.end());
  return *middle;
}

// j2kenc between a source of CUDA memory and a sink that drops.
class Bench {
 public:
  Bench(const std::string &settings, int width, int height)
      : caps_(caps_text("RGBP", width, height, true)),
        width_(std::size_t(width)),
        height_(std::size_t(height)),
        harness_(harness(("j2kenc backend=cuda " + settings).c_str(), caps_, "image/x-jpc",
                         Context::shared)),
        pool_(proposed_pool(harness_)) {}
  ~Bench() {
    for (GstBuffer *frame : frames_)
      gst_buffer_unref(frame);
    drop_pool(pool_);
    gst_harness_teardown(harness_);
  }
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  void add_frame(const std::vector<std::uint8_t> &planes) {
    GstBuffer *frame = nullptr;
    if (gst_buffer_pool_acquire_buffer(pool_, &frame, nullptr) != GST_FLOW_OK) g_error("no buffer");
    frames_.push_back(frame);
    GstCaps *caps = gst_caps_from_string(caps_.c_str());
    const std::size_t plane = width_ * height_;
    for (std::size_t p = 0; p < 3; p++)
      write_plane(frames_.back(), caps, guint(p),
                  {planes.begin() + std::ptrdiff_t(p * plane),
                   planes.begin() + std::ptrdiff_t((p + 1) * plane)},
                  width_);
    gst_caps_unref(caps);
  }

  // The first frame's codestream, which is taken off.
  std::vector<std::uint8_t> first() {
    push(0);
    GstBuffer *buffer = gst_harness_pull(harness_);
    std::vector<std::uint8_t> bytes(gst_buffer_get_size(buffer));
    gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
    gst_buffer_unref(buffer);
    return bytes;
  }

  // All frames several times: milliseconds a frame; of a push, the median; and of one frame alone,
  // from its push to its codestream.
  struct Times {
    double frame, push, alone;
  };
  Times run() {
    gst_pad_set_chain_function(harness_->sinkpad, drop);
    for (std::size_t i = 0; i < frames_.size(); i++)
      push(i);
    drain();
    received.frames = received.bytes = 0;
    std::vector<double> pushes;
    const auto start = Clock::now();
    for (std::size_t i = 0; i < kRounds * frames_.size(); i++) {
      const auto before = Clock::now();
      push(i);
      pushes.push_back(Milliseconds(Clock::now() - before).count());
    }
    drain();
    const double all = Milliseconds(Clock::now() - start).count();
    const double frame = all / double(received.frames);
    std::vector<double> alone;
    for (std::size_t i = 0; i < frames_.size(); i++) {
      const guint64 so_far = received.frames;
      const auto before = Clock::now();
      push(i);
      while (received.frames == so_far && Clock::now() - before < std::chrono::seconds(1))
        g_thread_yield();
      alone.push_back(Milliseconds(Clock::now() - before).count());
    }
    return {frame, median(pushes), median(alone)};
  }

 private:
  void push(std::size_t i) {
    GstBuffer *frame = gst_buffer_ref(frames_[i % frames_.size()]);
    if (gst_harness_push(harness_, frame) != GST_FLOW_OK) g_error("a frame was refused");
  }
  // Whatever is in flight comes out before it.
  void drain() { gst_harness_push_event(harness_, gst_event_new_gap(0, GST_SECOND)); }

  std::string caps_;
  std::size_t width_, height_;
  GstHarness *harness_;
  GstBufferPool *pool_;
  std::vector<GstBuffer *> frames_;
};

std::vector<std::uint8_t> on_cpu(const std::string &settings, int width, int height,
                                 const std::vector<std::uint8_t> &planes) {
  GstHarness *h = harness(("j2kenc backend=cpu " + settings).c_str(),
                          caps_text("RGBP", width, height, false), "image/x-jpc");
  gst_harness_push(h, gst_buffer_new_memdup(planes.data(), planes.size()));
  GstBuffer *buffer = gst_harness_pull(h);
  std::vector<std::uint8_t> bytes(gst_buffer_get_size(buffer));
  gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
  gst_buffer_unref(buffer);
  gst_harness_teardown(h);
  return bytes;
}

void table(const std::string &settings, int width, int height,
           const std::vector<std::vector<std::uint8_t>> &frames, coalesce::test::Results *results) {
  const std::vector<std::uint8_t> expected = on_cpu(settings, width, height, frames[0]);
  for (int flight : {1, 2, 4, 8}) {
    Bench bench(settings + " frames-in-flight=" + std::to_string(flight), width, height);
    for (const auto &frame : frames)
      bench.add_frame(frame);
    if (bench.first() != expected) g_error("the codestream is not the CPU's");
    const Bench::Times times = bench.run();
    std::printf(
        "%-12s %2d in flight  %8.3f ms a frame  %7.1f frames/s  %8.3f ms a push  %8.3f ms alone  "
        "%9.0f bytes\n",
        settings.empty() ? "lossless" : settings.c_str(), flight, times.frame, 1000 / times.frame,
        times.push, times.alone, double(received.bytes) / double(received.frames));
    std::fflush(stdout);
    coalesce::test::Row row;
    row.text("operation", settings.empty() ? "lossless" : settings);
    row.number("width", width).number("height", height).number("in_flight", flight);
    row.number("ms", times.frame).number("push_ms", times.push).number("alone_ms", times.alone);
    row.number("bytes", double(received.bytes) / double(received.frames));
    results->add(row);
  }
}

}  // namespace

int main(int argc, char **argv) {
  coalesce::test::Results results("bench-j2kenc", &argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "bench-j2kenc PICTURE.ppm [WIDTH HEIGHT] [--json FILE]\n");
    return 2;
  }
  gst_init(&argc, &argv);
  require_gpu();
  const int width = argc > 3 ? std::atoi(argv[2]) : 3840;
  const int height = argc > 3 ? std::atoi(argv[3]) : 2160;
  try {
    const coalesce::test::Photograph photograph(argv[1]);
    std::vector<std::vector<std::uint8_t>> frames;
    for (int i = 0; i < kFrames; i++)
      frames.push_back(photograph.frame(i, kFrames, width, height));
    std::printf("RGBP, %dx%d, %d different frames\n", width, height, kFrames);
    for (const char *settings : {"", "bpp=2"})
      table(settings, width, height, frames, &results);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "bench-j2kenc: %s\n", error.what());
    return 1;
  }
  return results.write() ? 0 : 1;
}
