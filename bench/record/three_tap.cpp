// SPDX-License-Identifier: LGPL-2.1-or-later
#include "three_tap.h"

#include <string>

#include "bench/support/frames.h"
#include "tests/support/device.h"

namespace coalesce::test {
namespace {

constexpr FrameSize kSizes[] = {{1024, 1024}, {4096, 4096}};
constexpr int kStreams[] = {1, 2, 4};
const char *const kName = "3-tap filter";

using Samples = std::vector<std::uint32_t>;

Samples noise(std::size_t count, Random &random) {
  Samples samples(count);
  for (std::uint32_t &sample : samples)
    sample = static_cast<std::uint32_t>(random.bits());
  return samples;
}

// Of rows with margins.
std::uint32_t expected(const Samples &in, int width, int x, int y) {
  const std::size_t at = static_cast<std::size_t>(y) * three_tap_pitch(width) + kThreeTapMargin +
                         static_cast<std::size_t>(x);
  return in[at - 1] + in[at] + in[at + 1];
}

std::string trial(const ThreeTapVariant &variant, Random &random) {
  const int width = 16 * random.between(1, 20), height = random.between(1, 50);
  const std::size_t count = three_tap_pitch(width) * static_cast<std::size_t>(height);
  const Samples in = noise(count, random), before = noise(count, random);
  DeviceMemory from(count * sizeof in[0]), to(count * sizeof in[0]);
  from.upload(in.data());
  to.upload(before.data());
  const Status status =
      variant.run(reinterpret_cast<const std::uint32_t *>(from.data()),
                  reinterpret_cast<std::uint32_t *>(to.data()), width, height, device_stream());
  if (!status.ok()) return status.message();
  device_synchronize();
  Samples out(count);
  to.download(out.data());
  const auto pitch = static_cast<int>(three_tap_pitch(width));
  for (int y = 0; y < height; ++y)
    for (int at = 0; at < pitch; ++at) {
      const int x = at - kThreeTapMargin;
      const std::size_t i =
          static_cast<std::size_t>(y) * three_tap_pitch(width) + static_cast<std::size_t>(at);
      const bool inside = x >= 0 && x < width;
      if (out[i] != (inside ? expected(in, width, x, y) : before[i]))
        return std::to_string(width) + "x" + std::to_string(height) + ": column " +
               std::to_string(x) + ", row " + std::to_string(y);
    }
  return "";
}

std::vector<VariantTrial> variant_trials() {
  std::vector<VariantTrial> trials;
  for (const ThreeTapVariant &v : three_tap_variants())
    trials.push_back(
        {v.name, [&v](Random &random, int, const Backend &) { return trial(v, random); }});
  return trials;
}

// From device memory to device memory, beyond the L2 cache.
void time_kernels(Bench &bench, const Backend &backend, FrameSize size) {
  const std::size_t samples = three_tap_pitch(size.width) * static_cast<std::size_t>(size.height);
  const std::size_t useful = static_cast<std::size_t>(size.width) *
                             static_cast<std::size_t>(size.height) * sizeof(std::uint32_t);
  const FrameWork work = {kName, size, 4 * samples, 4 * samples, 2 * useful};
  std::vector<FrameVariant> runs;
  for (const ThreeTapVariant &v : three_tap_variants())
    runs.push_back({v.name, [&v, &backend, size](const std::uint8_t *in, std::uint8_t *out) {
                      return v.run(reinterpret_cast<const std::uint32_t *>(in),
                                   reinterpret_cast<std::uint32_t *>(out), size.width, size.height,
                                   backend.queue().stream());
                    }});
  time_variants(bench, backend, work, runs);
}

// Between host memory and host memory.
class Frames {
 public:
  Frames(Bench &bench, FrameSize size) : bench_(bench), size_(size) {
    Random random(1);
    const std::size_t width = static_cast<std::size_t>(size.width);
    in_ = noise(width * static_cast<std::size_t>(size.height), random);
    for (std::size_t i = 0; i < in_.size(); ++i) {
      const std::uint32_t left = i % width == 0 ? 0 : in_[i - 1];
      const std::uint32_t right = i % width == width - 1 ? 0 : in_[i + 1];
      expected_.push_back(left + in_[i] + right);
    }
  }

  void time(const ThreeTapVariant &variant, Transfers transfers) {
    FrameSteps steps;
    Samples out(in_.size());
    check(time_three_tap(variant, transfers, size_.width, size_.height, in_.data(), out.data(),
                         &steps),
          variant, out);
    Row row = this->row(variant);
    row.text("transfers", transfers == Transfers::synchronous ? "synchronous" : "asynchronous");
    row.number("upload_us", steps.upload.gpu_us).number("upload_cpu_us", steps.upload.cpu_us);
    row.number("process_us", steps.process.gpu_us).number("process_cpu_us", steps.process.cpu_us);
    row.number("readback_us", steps.readback.gpu_us)
        .number("readback_cpu_us", steps.readback.cpu_us);
    bench_.add(row);
  }

  void time_streams(const ThreeTapVariant &variant, int streams) {
    double us = 0;
    Samples out(in_.size());
    check(time_three_tap_streams(variant, streams, size_.width, size_.height, in_.data(),
                                 out.data(), &us),
          variant, out);
    bench_.add(row(variant)
                   .text("transfers", std::to_string(streams) + " streams")
                   .number("streams", streams)
                   .number("frame_us", us));
  }

 private:
  void check(const Status &status, const ThreeTapVariant &variant, const Samples &out) const {
    require(status.ok(), status.message());
    require(out == expected_, std::string(kName) + ", " + variant.name + ": other samples");
  }
  Row row(const ThreeTapVariant &variant) const {
    Row row;
    row.text("operation", std::string(kName) + ", frames").text("variant", variant.name);
    row.number("width", size_.width).number("height", size_.height);
    return row;
  }

  Bench &bench_;
  FrameSize size_;
  Samples in_, expected_;
};

void time_all(Bench &bench, const Backend &backend) {
  if (!backend.cuda) return;
  for (const FrameSize &size : kSizes) {
    time_kernels(bench, backend, size);
    if (bench.once() || !bench.wants(std::string(kName) + ", frames", size.width, size.height))
      continue;
    Frames frames(bench, size);
    for (const ThreeTapVariant &variant : three_tap_variants()) {
      for (const Transfers transfers : {Transfers::synchronous, Transfers::asynchronous})
        frames.time(variant, transfers);
      for (const int streams : kStreams)
        frames.time_streams(variant, streams);
    }
  }
}

}  // namespace

BenchCase three_tap_bench() {
  return {
      .name = "three-tap", .time = time_all, .cuda_variants = variant_trials, .of_library = false};
}

}  // namespace coalesce::test
