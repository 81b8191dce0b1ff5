// SPDX-License-Identifier: LGPL-2.1-or-later
// soak [FRAMES]: eight pipelines at once in one process, that many frames in all, with seeks and
// new sizes in between. No error, the right bytes after each seek and at the end, and neither the
// host's nor the device's memory grows.
#include <gst/app/app.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <utility>

#include "soak_support.h"

using namespace soak;

namespace {

constexpr int kPipelines = 8, kFramesOfRound = 40;
constexpr std::size_t kTenths = 10;

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

// The most that was in use during a tenth of the run, which sizes and seeks make go up and down.
struct Tenth {
  long frames;
  Memory most;
};

void raise(Memory *most, const Memory &now) {
  most->host = std::max(most->host, now.host);
  most->device = std::max(most->device, now.device);
}

// All pipelines from their making to their end. Memory is looked at while they run.
std::vector<Tenth> run_all(long frames, const Device &device) {
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
  std::vector<Tenth> tenths;
  Memory most;
  while (running > 0) {
    g_usleep(10000);
    raise(&most, memory_in_use(device));
    const long done = frames_done - before;
    if (done < frames * long(tenths.size() + 1) / long(kTenths)) continue;
    tenths.push_back({done, std::exchange(most, {})});
    const Memory &shown = tenths.back().most;
    std::printf("%9ld frames, host %7.1f MiB, device %7.1f MiB\n", done, shown.host, shown.device);
    std::fflush(stdout);
  }
  for (std::thread &thread : threads)
    thread.join();
  return tenths;
}

bool grew(const char *what, double before, double after, double allowed) {
  const bool too_much = after - before > allowed;
  std::printf("%s: %.1f MiB, then %.1f MiB%s\n", what, before, after,
              too_much ? ": it has grown" : "");
  return too_much;
}

// The third to fifth tenth of the run beside the last three.
bool grew_while_running(const std::vector<Tenth> &tenths) {
  if (tenths.size() < kTenths - 1) return false;  // over too soon to be looked at
  Memory early, late;
  for (std::size_t i = 2; i < 5; i++)
    raise(&early, tenths[i].most);
  for (std::size_t i = kTenths - 3; i < tenths.size(); i++)
    raise(&late, tenths[i].most);
  const bool host = grew("host, while running", early.host, late.host, 64);
  return grew("device, while running", early.device, late.device, 64) || host;
}

// With GLib's slice allocator the heap grew by 1.2 KB with every seek, on the CPU back end too;
// with plain malloc() what was in use stayed the same to the kilobyte.
void want_plain_malloc(char **argv) {
  if (g_getenv("G_SLICE") != nullptr) return;
  g_setenv("G_SLICE", "always-malloc", TRUE);
  execv("/proc/self/exe", argv);
}

}  // namespace

int main(int argc, char **argv) {
  want_plain_malloc(argv);
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
    const std::vector<Tenth> tenths = run_all(frames, device);
    const Memory after = memory_in_use(device);
    bad = grew_while_running(tenths);
    bad = grew("host, after the end", before.host, after.host, 32) || bad;
    bad = grew("device, after the end", before.device, after.device, 4) || bad;
  }
  std::printf("%ld frames, %s\n", frames_done.load(), bad ? "FAILED" : "all right");
  return bad ? 1 : 0;
}
