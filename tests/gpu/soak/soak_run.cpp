// SPDX-License-Identifier: LGPL-2.1-or-later
#include "soak_run.h"

#include <gst/cuda/gstcudautils.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "../../support/random.h"

namespace soak {

void give_up(const std::string &what) {
  std::printf("FAILED: %s\n", what.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}

Device::Device() : context_(gst_cuda_context_new(0)) {
  if (context_ == nullptr) give_up("no CUDA context");
}

Device::~Device() {
  gst_object_unref(context_);
}

double Device::mib_in_use() const {
  const gpu_test::DeviceMemory memory = gpu_test::device_memory(context_);
  if (memory.total == 0) give_up("the driver does not tell how much memory is free");
  return double(memory.total - memory.free) / (1024.0 * 1024.0);
}

namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr std::size_t kTenths = 10;

struct Memory {
  double host = 0, device = 0;  // MiB
};

// Of the host, what this process has resident after giving back what malloc holds.
Memory memory_in_use(const Device &device) {
  malloc_trim(0);
  long pages = 0, resident = 0;
  FILE *file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) give_up("statm");
  std::fclose(file);
  return {double(resident) * double(sysconf(_SC_PAGESIZE)) / kMiB, device.mib_in_use()};
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
std::vector<Tenth> run_all(const Soak &soak, long frames, const Device &device) {
  Progress progress(soak.pipelines, frames);
  std::vector<std::thread> threads;
  std::atomic<int> running{soak.pipelines};
  for (int i = 0; i < soak.pipelines; i++)
    threads.emplace_back([&, i] {
      soak.share(i, device, &progress);
      running--;
    });
  std::vector<Tenth> tenths;
  Memory most;
  while (running > 0) {
    g_usleep(10000);
    raise(&most, memory_in_use(device));
    const long done = progress.frames();
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
bool grew_while_running(const std::vector<Tenth> &tenths, double device_may_grow) {
  if (tenths.size() < kTenths - 1) return false;  // over too soon to be looked at
  Memory early, late;
  for (std::size_t i = 2; i < 5; i++)
    raise(&early, tenths[i].most);
  for (std::size_t i = kTenths - 3; i < tenths.size(); i++)
    raise(&late, tenths[i].most);
  const bool host = grew("host, while running", early.host, late.host, 64);
  return grew("device, while running", early.device, late.device, device_may_grow) || host;
}

// With GLib's slice allocator the heap grew by 1.2 KB with every seek, on the CPU back end too;
// with plain malloc() what was in use stayed the same to the kilobyte.
void want_plain_malloc(char **argv) {
  if (g_getenv("G_SLICE") != nullptr) return;
  g_setenv("G_SLICE", "always-malloc", TRUE);
  execv("/proc/self/exe", argv);
}

}  // namespace

int run(int argc, char **argv, const Soak &soak) {
  want_plain_malloc(argv);
  gst_init(&argc, &argv);
  gpu_test::require_gpu();
  std::printf("COALESCE_TEST_SEED=%s\n", std::to_string(coalesce::test::run_seed()).c_str());
  const long frames = argc > 1 ? std::atol(argv[1]) : soak.usually;
  if (frames < soak.least) {
    std::fprintf(stderr, "at least %ld frames\n", soak.least);
    return 2;
  }
  bool bad = false;
  {
    const Device device;
    soak.first();
    run_all(soak, std::max(frames / 20, soak.least), device);
    const Memory before = memory_in_use(device);
    const std::vector<Tenth> tenths = run_all(soak, frames, device);
    const Memory after = memory_in_use(device);
    bad = grew_while_running(tenths, soak.device_may_grow);
    bad = grew("host, after the end", before.host, after.host, 32) || bad;
    bad = grew("device, after the end", before.device, after.device, 4) || bad;
  }
  std::printf("%ld frames, %s\n", frames, bad ? "FAILED" : "all right");
  return bad ? 1 : 0;
}

}  // namespace soak
