// SPDX-License-Identifier: LGPL-2.1-or-later
// bench-machine: how fast the machine copies. Within the GPU's memory, over the bus, and within the
// host's memory. A copy within a memory reads and writes each byte; its rate counts both.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#include "bench/support/results.h"
#include "core/thread_pool.h"
#include "tests/support/device.h"

namespace coalesce::test {
namespace {

constexpr std::size_t kBytes = std::size_t{256} << 20;
constexpr int kRounds = 5;

using Clock = std::chrono::steady_clock;

// copy() moves kBytes and is done when it returns.
void time(const char *what, int sides, const std::function<void()> &copy, Results *results) {
  std::vector<double> rates;
  copy();
  for (int i = 0; i < kRounds; ++i) {
    const auto start = Clock::now();
    copy();
    const std::chrono::duration<double> spent = Clock::now() - start;
    rates.push_back(1e-9 * sides * static_cast<double>(kBytes) / spent.count());
  }
  std::printf("%-30s %8.1f GB/s\n", what, median(rates));
  results->add(Row().text("operation", what).samples("gb_per_s", rates));
}

void time_gpu(Results *results) {
  DeviceMemory a(kBytes), b(kBytes);
  a.fill_random(1);
  time(
      "GPU memory", 2,
      [&] {
        device_copy_async(b.data(), a.data(), kBytes);
        device_synchronize();
      },
      results);
  const std::shared_ptr<std::uint8_t> locked = page_locked(kBytes);
  std::vector<std::uint8_t> pageable(kBytes, 1);
  time(
      "to the GPU, page-locked", 1, [&] { a.upload(locked.get()); }, results);
  time(
      "from the GPU, page-locked", 1, [&] { a.download(locked.get()); }, results);
  time(
      "to the GPU, pageable", 1, [&] { a.upload(pageable.data()); }, results);
  time(
      "from the GPU, pageable", 1, [&] { a.download(pageable.data()); }, results);
}

void time_host(Results *results) {
  std::vector<std::uint8_t> a(kBytes, 1), b(kBytes, 2);
  ThreadPool pool;
  constexpr int kPieces = 256;
  const auto copy = [&](ThreadPool *threads) {
    for_ranges(threads, kPieces, 1, [&](int first, int last) {
      const std::size_t piece = kBytes / kPieces;
      std::memcpy(b.data() + static_cast<std::size_t>(first) * piece,
                  a.data() + static_cast<std::size_t>(first) * piece,
                  static_cast<std::size_t>(last - first) * piece);
    });
  };
  time(
      "host memory, one thread", 2, [&] { copy(nullptr); }, results);
  time(
      "host memory, all threads", 2, [&] { copy(&pool); }, results);
}

}  // namespace
}  // namespace coalesce::test

int main(int argc, char **argv) {
  using namespace coalesce::test;
  Results results("bench-machine", &argc, argv);
  if (argc != 1) {
    std::fprintf(stderr, "usage: bench-machine [--json FILE]\n");
    return 2;
  }
  try {
    results.set_machine(device_text());
    if (device_usable()) time_gpu(&results);
    time_host(&results);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "bench-machine: %s\n", error.what());
    return 1;
  }
  return results.write() ? 0 : 1;
}
