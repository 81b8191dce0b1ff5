// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "bench/support/bench.h"
#include "bench/support/profile.h"
#include "tests/kernels/j2k/encoder/j2k_plain_picture.h"
#include "tests/support/device.h"

namespace coalesce::test {
namespace {

constexpr int kRepeats = 15;      // of each, operation and copy by turns
constexpr int kRunsOfGraph = 32;  // at least
// Of slow operations less, so that a whole benchmark takes no minutes.
constexpr double kGraphMs = 30;
constexpr int kSlowRepeats = 5;
constexpr std::size_t kLeastRepeats = 3;  // on the CPU
// Before large pictures the GPU rests: those after the hungriest kernels found its clock lowered.
constexpr std::size_t kLargeBytes = std::size_t{1} << 28;
constexpr std::chrono::milliseconds kRest{1000};

struct Times {
  std::vector<double> us, copy_us, copy_kernel_us;  // of each repeat
};

// So many runs, over all buffers.
std::function<void()> turns(const Timing &t, const std::function<void(int)> &one, int runs) {
  return [&t, &one, runs] {
    for (int i = 0; i < runs; ++i)
      one(i % t.buffers);
  };
}

Times time_cuda(const Timing &t) {
  if (t.bytes >= kLargeBytes) std::this_thread::sleep_for(kRest);
  DeviceGraph single(turns(t, t.run, 1), t.captured);
  single.milliseconds();
  const double single_ms = single.milliseconds();
  const int copies = std::max(kRunsOfGraph, t.buffers);
  const int runs = static_cast<int>(
      std::clamp(kGraphMs / std::max(single_ms, 1e-3), 1.0, static_cast<double>(copies)));
  DeviceGraph operation(turns(t, t.run, runs), t.captured);
  DeviceGraph copy(turns(t, t.copy, copies));
  std::unique_ptr<DeviceGraph> copy_by_kernel;
  if (t.copy_by_kernel)
    copy_by_kernel = std::make_unique<DeviceGraph>(turns(t, t.copy_by_kernel, copies));
  operation.milliseconds();
  copy.milliseconds();
  if (copy_by_kernel) copy_by_kernel->milliseconds();
  Times times;
  const int repeats = single_ms < kGraphMs ? kRepeats : kSlowRepeats;
  for (int i = 0; i < repeats; ++i) {
    times.us.push_back(1e3 * operation.milliseconds() / runs);
    times.copy_us.push_back(1e3 * copy.milliseconds() / copies);
    if (copy_by_kernel)
      times.copy_kernel_us.push_back(1e3 * copy_by_kernel->milliseconds() / copies);
  }
  return times;
}

double microseconds(const std::function<void(int)> &one, int i) {
  const auto begin = std::chrono::steady_clock::now();
  one(i);
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}

Times time_cpu(const Timing &t, double most_us) {
  Times times;
  double spent = 0;
  for (int i = 0; i < (1 + kRepeats) * t.buffers; ++i) {
    if (spent > most_us && times.us.size() >= kLeastRepeats) break;
    const double a = microseconds(t.run, i % t.buffers);
    const double b = microseconds(t.copy, i % t.buffers);
    spent += a + b;
    if (i < t.buffers && spent < most_us / 4) continue;  // the first touch of each
    times.us.push_back(a);
    times.copy_us.push_back(b);
  }
  return times;
}

}  // namespace

bool Bench::wants(const std::string &operation, int width, int height) const {
  const std::string size = std::to_string(width) + "x" + std::to_string(height);
  const auto &names = options_.operations, &sizes = options_.sizes;
  return (names.empty() || std::any_of(names.begin(), names.end(),
                                       [&operation](const std::string &name) {
                                         return name.starts_with('=')
                                                    ? operation == name.substr(1)
                                                    : operation.find(name) != std::string::npos;
                                       })) &&
         (sizes.empty() || std::find(sizes.begin(), sizes.end(), size) != sizes.end());
}

bool Bench::wants_variant(const std::string &name) const {
  const auto &names = options_.variant_names;
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

void Bench::time(const Backend &backend, const Timing &t) {
  Row row;
  row.text("backend", backend.name).text("operation", t.operation).text("variant", t.variant);
  row.number("width", t.width).number("height", t.height);
  row.number("bytes", static_cast<double>(t.bytes));
  if (options_.once) {
    require(backend.cuda, "--once is for the back end cuda");
    device_profile([&t] { t.run(0); });
    std::printf("%s, %s, %dx%d: once\n", t.operation.c_str(), t.variant.c_str(), t.width, t.height);
    results_->add(row);
    return;
  }
  const Times times = backend.cuda ? time_cuda(t) : time_cpu(t, 1e6 * options_.cpu_seconds);
  const double us = median(times.us), copy_us = median(times.copy_us);
  const double copy_kernel_us = median(times.copy_kernel_us);
  if (!titled_)
    std::printf("%-6s %-30s %-34s %11s %10s %10s %10s %6s %8s\n", "", "operation", "variant",
                "size", "us", "copy us", "by kernel", "ratio", "GB/s");
  titled_ = true;
  std::printf("%-6s %-30s %-34s %5dx%-5d %10.2f %10.2f %10.2f %6.2f %8.0f\n", backend.name,
              t.operation.c_str(), t.variant.c_str(), t.width, t.height, us, copy_us,
              copy_kernel_us, copy_us / us, static_cast<double>(t.bytes) / us / 1e3);
  row.samples("us", times.us).samples("copy_us", times.copy_us);
  row.samples("copy_kernel_us", times.copy_kernel_us);
  results_->add(row);
}

void Bench::add(const Row &row) {
  std::printf("%s\n", row.json().c_str());
  results_->add(row);
}

std::vector<std::uint8_t> Bench::picture(int width, int height) const {
  require(options_.picture != nullptr, "JPEG 2000 of photographs requires --picture FILE.ppm");
  const PlainPicture from = read_pnm(options_.picture);
  require(from.components == 3, std::string(options_.picture) + " is no PPM of 8 bits");
  const auto mirrored = [](int i, int size) {
    const int at = i % (2 * size);
    return at < size ? at : 2 * size - 1 - at;
  };
  std::vector<std::uint8_t> samples;
  samples.reserve(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        samples.push_back(from.samples[static_cast<std::size_t>(
            (c * from.height + mirrored(y, from.height)) * from.width + mirrored(x, from.width))]);
  return samples;
}

}  // namespace coalesce::test
