// SPDX-License-Identifier: LGPL-2.1-or-later
// soak [FRAMES]: eight pipelines at once in one process, that many frames in all, with seeks and
// new sizes in between. No error, the right bytes after each seek and at the end, and neither the
// host's nor the device's memory grows.
#include <gst/app/app.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>

#include "soak_support.h"

using namespace soak;

namespace {

constexpr int kPipelines = 8, kFramesOfRound = 40, kSamples = 10;

std::atomic<long> frames_done{0};

// One pipeline's share of the frames: rounds of a seek, often a new size, and some frames.
void run_share(const Line &line, long frames, unsigned seed) {
  std::mt19937 random(seed);
  while (frames > 0) {
    const Place place{random() % kSizes.size(), random() % kPositions.size()};
    line.go_to(place);
    for (int i = 0; i < kFramesOfRound; i++) {
      Sample sample = line.pull();
      if (i == 0) line.check(sample.get(), place);
      frames_done++;
    }
    frames -= kFramesOfRound;
  }
  line.go_to({0, 1});
  line.check(line.pull().get(), {0, 1});
}

// What a tenth of the run has come to.
struct Point {
  long frames;
  Memory memory;
};

// All pipelines from their making to their end. The points are taken while they run.
std::vector<Point> run_all(long frames, const Device &device) {
  const long before = frames_done;
  std::vector<std::thread> threads;
  std::atomic<int> running{kPipelines};
  for (int i = 0; i < kPipelines; i++)
    threads.emplace_back([&, i] {
      // Half of them share a context, the others make their own.
      const Line line(i % kKinds, "cuda", i % 2 ? device.context() : nullptr);
      run_share(line, frames / kPipelines, unsigned(i));
      running--;
    });
  std::vector<Point> points;
  while (running > 0) {
    g_usleep(1000);
    const long done = frames_done - before;
    if (done < frames * long(points.size() + 1) / kSamples) continue;
    points.push_back({done, memory_in_use(device)});
    std::printf("%9ld frames, host %7.1f MiB, device %7.1f MiB\n", done, points.back().memory.host,
                points.back().memory.device);
    std::fflush(stdout);
  }
  for (std::thread &thread : threads)
    thread.join();
  return points;
}

bool grew(const char *what, double before, double after, double allowed) {
  const bool too_much = after - before > allowed;
  std::printf("%s: %.1f MiB, then %.1f MiB%s\n", what, before, after,
              too_much ? ": it has grown" : "");
  return too_much;
}

// The most in the third to fifth tenth of the run beside the most in the last three.
bool grew_while_running(const std::vector<Point> &points) {
  if (points.size() < kSamples - 1) return false;  // over too soon to be looked at
  Memory early{}, late{};
  for (std::size_t i = 2; i < points.size(); i++) {
    Memory &most = i < 5 ? early : late;
    if (i >= 5 && i < 7) continue;
    most.host = std::max(most.host, points[i].memory.host);
    most.device = std::max(most.device, points[i].memory.device);
  }
  const bool host = grew("host, while running", early.host, late.host, 32);
  return grew("device, while running", early.device, late.device, 32) || host;
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  gpu_test::require_gpu();
  const long frames = argc > 1 ? std::atol(argv[1]) : 4000;
  if (frames < kPipelines * kFramesOfRound) {
    std::fprintf(stderr, "at least %d frames\n", kPipelines * kFramesOfRound);
    return 2;
  }
  bool bad = false;
  {
    const Device device;
    // What libraries and driver take once is taken here.
    run_all(std::max(frames / 20, 960L), device);
    const Memory before = memory_in_use(device);
    const std::vector<Point> points = run_all(frames, device);
    const Memory after = memory_in_use(device);
    bad = grew_while_running(points);
    bad = grew("host, after the end", before.host, after.host, 32) || bad;
    bad = grew("device, after the end", before.device, after.device, 4) || bad;
  }
  std::printf("%ld frames, %s\n", frames_done.load(), bad ? "FAILED" : "all right");
  return bad ? 1 : 0;
}
