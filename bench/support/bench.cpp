// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "../support/device.h"
#include "check.h"

namespace coalesce::test {
namespace {

constexpr int kRepeats = 15;      // of each, operation and copy by turns
constexpr int kRunsOfGraph = 32;  // at least
// Of slow operations less, so that a whole benchmark takes no minutes.
constexpr double kGraphMs = 30;
constexpr int kSlowRepeats = 5;
constexpr double kCpuUs = 1.5e6;
// Before large pictures the GPU rests: those behind the hungriest kernels found its clock lowered.
constexpr std::size_t kLargeBytes = std::size_t{1} << 28;
constexpr std::chrono::milliseconds kRest{1000};

double median(std::vector<double> &values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Pair {
  double us;
  double copy_us;
};

// So many runs, over all buffers.
std::function<void()> turns(const Timing &t, const std::function<void(int)> &one, int runs) {
  return [&t, &one, runs] {
    for (int i = 0; i < runs; ++i)
      one(i % t.buffers);
  };
}

Pair time_cuda(const Timing &t) {
  if (t.bytes >= kLargeBytes) std::this_thread::sleep_for(kRest);
  DeviceGraph single(turns(t, t.run, 1));
  single.milliseconds();
  const double single_ms = single.milliseconds();
  const int copies = std::max(kRunsOfGraph, t.buffers);
  const int runs = static_cast<int>(
      std::clamp(kGraphMs / std::max(single_ms, 1e-3), 1.0, static_cast<double>(copies)));
  DeviceGraph operation(turns(t, t.run, runs));
  DeviceGraph copy(turns(t, t.copy, copies));
  operation.milliseconds();
  copy.milliseconds();
  std::vector<double> us, copy_us;
  const int repeats = single_ms < kGraphMs ? kRepeats : kSlowRepeats;
  for (int i = 0; i < repeats; ++i) {
    us.push_back(1e3 * operation.milliseconds() / runs);
    copy_us.push_back(1e3 * copy.milliseconds() / copies);
  }
  return {median(us), median(copy_us)};
}

double microseconds(const std::function<void(int)> &one, int i) {
  const auto begin = std::chrono::steady_clock::now();
  one(i);
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}

Pair time_cpu(const Timing &t) {
  std::vector<double> us, copy_us;
  double spent = 0;
  for (int i = 0; i < (1 + kRepeats) * t.buffers; ++i) {
    if (spent > kCpuUs && us.size() >= kSlowRepeats) break;
    const double a = microseconds(t.run, i % t.buffers);
    const double b = microseconds(t.copy, i % t.buffers);
    spent += a + b;
    if (i < t.buffers && spent < kCpuUs / 4) continue;  // the first touch of each
    us.push_back(a);
    copy_us.push_back(b);
  }
  return {median(us), median(copy_us)};
}

}  // namespace

bool Bench::wants(const std::string &operation, int width, int height) const {
  const std::string size = std::to_string(width) + "x" + std::to_string(height);
  return (operation + " " + size).find(only_) != std::string::npos;
}

void Bench::time(const Backend &backend, const Timing &t) {
  const Pair pair = backend.cuda ? time_cuda(t) : time_cpu(t);
  if (results_.empty())
    std::printf("%-6s %-30s %-34s %11s %10s %10s %6s %8s\n", "", "operation", "variant", "size",
                "us", "copy us", "ratio", "GB/s");
  std::printf("%-6s %-30s %-34s %5dx%-5d %10.2f %10.2f %6.2f %8.0f\n", backend.name,
              t.operation.c_str(), t.variant.c_str(), t.width, t.height, pair.us, pair.copy_us,
              pair.copy_us / pair.us, static_cast<double>(t.bytes) / pair.us / 1e3);
  results_.push_back(
      {backend.name, t.operation, t.variant, t.width, t.height, pair.us, pair.copy_us});
}

bool Bench::write_json(const char *path, const std::string &machine) const {
  std::FILE *file = std::fopen(path, "w");
  if (file == nullptr) return false;
  // No text of ours has a character that JSON would want escaped.
  std::fprintf(file, "{\"device\": \"%s\", \"results\": [", machine.c_str());
  const char *separator = "\n";
  for (const Result &r : results_) {
    std::fprintf(
        file,
        "%s{\"backend\": \"%s\", \"operation\": \"%s\", \"variant\": \"%s\", \"width\": %d, "
        "\"height\": %d, \"us\": %.3f, \"copy_us\": %.3f, \"ratio\": %.4f}",
        separator, r.backend.c_str(), r.operation.c_str(), r.variant.c_str(), r.width, r.height,
        r.us, r.copy_us, r.copy_us / r.us);
    separator = ",\n";
  }
  std::fprintf(file, "\n]}\n");
  return std::fclose(file) == 0;
}

void require(bool good, const std::string &what) {
  if (!good) throw std::runtime_error(what);
}

}  // namespace coalesce::test
