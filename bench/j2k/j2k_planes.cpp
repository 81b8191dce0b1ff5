// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the stages of JPEG 2000 that work on whole planes: for a picture of 3840 x 2160 of three
// components of 8 bits, the least of several runs, in ms. Run by hand: bench-j2k-planes [THREADS]
// [--json FILE]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bench/support/results.h"
#include "j2k/transform/colour.h"
#include "j2k/transform/quantiser.h"
#include "j2k/transform/wavelet.h"
#include "tests/support/random.h"

namespace coalesce::test {
namespace {

using namespace j2k;

constexpr int kWidth = 3840, kHeight = 2160, kLevels = 5;
constexpr std::size_t kSamples = std::size_t{kWidth} * kHeight;

template <class Body>
void time(Results *results, const std::string &what, Body body) {
  double best = 1e9;
  for (int i = 0; i < 9; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const Status s = body();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (!s.ok()) {
      std::printf("%s: %s\n", what.c_str(), s.message());
      std::exit(1);
    }
    best = std::min(best, took.count());
  }
  std::printf("%-50s %8.2f ms\n", what.c_str(), best);
  results->add(Row().text("operation", what).number("ms", best));
}

template <class T>
Plane<T> plane(std::vector<T> &storage) {
  storage.resize(kSamples);
  return {storage.data(), kWidth, kHeight, kWidth * sizeof(T)};
}

void run(ThreadPool *pool, Results *results) {
  std::vector<std::uint8_t> packed(4 * kSamples);
  Random random(1);
  for (std::uint8_t &b : packed)
    b = static_cast<std::uint8_t>(random.bits());
  std::vector<std::int32_t> integers[4];
  std::vector<float> floats[4];
  const Plane<std::int32_t> i0 = plane(integers[0]), i1 = plane(integers[1]),
                            i2 = plane(integers[2]), i3 = plane(integers[3]);
  const Plane<float> f0 = plane(floats[0]), f1 = plane(floats[1]), f2 = plane(floats[2]),
                     f3 = plane(floats[3]);
  const auto component = [&](int c, int step) {
    return Samples{
        packed.data(), static_cast<std::size_t>(kWidth * step), Container::u8, 0, 8, c, step, 0, 0};
  };
  time(results, "a plane of int32 copied", [&] {
    std::memcpy(i3.data, i0.data, kSamples * 4);
    return Status();
  });
  time(results, "planar 8 bits: level shift, 1 component",
       [&] { return level_shift(component(0, 1), i0, pool); });
  for (int step : {1, 3, 4}) {
    const Samples in[3] = {component(0, step), component(step > 1, step),
                           component(step > 1 ? 2 : 0, step)};
    const std::string at = ", 3 components, step " + std::to_string(step);
    time(results, "reversible transform" + at, [&] {
      return reversible_transform(in, {i0, i1, i2}, pool);
    });
    time(results, "irreversible transform" + at, [&] {
      return irreversible_transform(in, {f0, f1, f2}, pool);
    });
  }
  const Samples v210 = {packed.data(), kWidth * 4, Container::v210, 0, 10, 1, 2, 0, 0};
  time(results, "v210: level shift of luma", [&] { return level_shift(v210, i3, pool); });
  WaveletMemory<std::int32_t> integer_memory;
  WaveletMemory<float> float_memory;
  const Rect rect = {0, 0, kWidth, kHeight};
  for (int levels : {1, kLevels}) {
    const std::string of = ", 1 component, levels: " + std::to_string(levels);
    time(results, "5/3" + of,
         [&] { return wavelet_53(rect, levels, i0, i3, &integer_memory, pool); });
    time(results, "9/7" + of,
         [&] { return wavelet_97(rect, levels, f0, f3, &float_memory, pool); });
  }
  const BandQuantiser quantiser = {0, 0, 12, 0.25f, {}};
  time(results, "quantiser, 1 component", [&] { return quantise(quantiser, f3, i3, pool); });
}

}  // namespace
}  // namespace coalesce::test

int main(int argc, char **argv) {
  coalesce::test::Results results("bench-j2k-planes", &argc, argv);
  coalesce::ThreadPool pool(argc > 1 ? std::atoi(argv[1]) : 1);
  std::printf("3840 x 2160, %d threads\n", pool.threads());
  coalesce::test::run(&pool, &results);
  return results.write() ? 0 : 1;
}
