// SPDX-License-Identifier: LGPL-2.1-or-later
// The wavelet transforms against Annex F, byte for byte; back again; floats against doubles.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

#include "../../../support/doctest.h"
#include "../../../support/random.h"
#include "../../../support/small_run.h"
#include "../../guarded_plane.h"
#include "j2k/transform/wavelet.h"
#include "j2k_wavelet_reference.h"

namespace coalesce::test {
namespace {

using namespace j2k;

template <class T>
constexpr bool kFloat = std::is_same_v<T, float>;

Status transform(const Rect &rect, int levels, const Plane<std::int32_t> &in,
                 const Plane<std::int32_t> &out, WaveletMemory<std::int32_t> *memory,
                 ThreadPool *pool) {
  return wavelet_53(rect, levels, in, out, memory, pool);
}
Status transform(const Rect &rect, int levels, const Plane<float> &in, const Plane<float> &out,
                 WaveletMemory<float> *memory, ThreadPool *pool) {
  return wavelet_97(rect, levels, in, out, memory, pool);
}

// Noise; smallest and largest; an edge; a ramp. Within 17 bits, as after the reversible transform.
int content(int kind, int x, int y, Random &random) {
  switch (kind) {
    case 0:
      return random.between(-(1 << 16), (1 << 16) - 1);
    case 1:
      return random.below(2) ? -(1 << 16) : (1 << 16) - 1;
    case 2:
      return x + y > 11 ? 255 : -255;
    default:
      return 3 * x - 5 * y;
  }
}

template <class T>
ReferencePicture<T> picture(const Rect &rect, int kind, Random &random) {
  ReferencePicture<T> p = {rect, {}};
  for (int y = 0; y < rect.height(); ++y)
    for (int x = 0; x < rect.width(); ++x)
      p.at.push_back(static_cast<T>(content(kind, x, y, random)));
  return p;
}

template <class T>
bool differs(ReferencePicture<T> &p, const GuardedPlane<T> &plane, int *at_x, int *at_y) {
  for (*at_y = 0; *at_y < p.rect.height(); ++*at_y)
    for (*at_x = 0; *at_x < p.rect.width(); ++*at_x)
      if (std::memcmp(&p(*at_x, *at_y), &plane.at(*at_x, *at_y), sizeof(T)) != 0) return true;
  return false;
}

// One transform of random content on each of the pools.
template <class T>
void check(const Rect &rect, int levels, Random &random, WaveletMemory<T> *memory,
           const std::vector<ThreadPool *> &pools) {
  ReferencePicture<T> expected = picture<T>(rect, random.below(4), random);
  const std::vector<T> original = expected.at;
  const int w = rect.width(), h = rect.height();
  const GuardedPlane<T> in(w, h, random);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      in.at(x, y) = expected(x, y);
  expected.forward(levels);
  for (ThreadPool *pool : pools) {
    const GuardedPlane<T> out(w, h, random);
    const Status s = transform(rect, levels, in.plane(), out.plane(), memory, pool);
    int x = 0, y = 0;
    CHECK_MESSAGE(
        (s.ok() && out.guards_hold() && in.guards_hold() && !differs(expected, out, &x, &y)),
        (kFloat<T> ? "9/7" : "5/3"), " ", w, " x ", h, " from ", rect.x0, ", ", rect.y0, ", ",
        levels, " levels, ", pool != nullptr ? pool->threads() : 0, " threads: ", s.message(),
        ", differs at ", x, ", ", y);
  }
  expected.inverse(levels);
  double error = 0;
  for (std::size_t i = 0; i < original.size(); ++i)
    error = std::max(
        error, std::abs(static_cast<double>(expected.at[i]) - static_cast<double>(original[i])));
  CHECK_MESSAGE(error <= (kFloat<T> ? 0.5 : 0), w, " x ", h, ", ", levels, " levels: ", error,
                " after the inverse");
}

TEST_CASE("sizes") {
  Random random = random_of_run(53);
  WaveletMemory<std::int32_t> integers;
  WaveletMemory<float> floats;
  for (int h = 1; h <= 40; ++h)
    for (int w = 1; w <= 40; ++w)
      for (int parity = 0; parity < 4; ++parity) {
        const int x = 2 * random.below(50) + parity % 2, y = 2 * random.below(50) + parity / 2;
        const Rect rect = {x, y, x + w, y + h};
        const int levels = random.below(8) == 0 ? 10 : random.below(7);
        check(rect, levels, random, &integers, {nullptr});
        check(rect, levels, random, &floats, {nullptr});
      }
}

TEST_CASE("threads") {
  Random random = random_of_run(54);
  WaveletMemory<std::int32_t> integers;
  WaveletMemory<float> floats;
  ThreadPool one(1), two(2), three(3), four(4);
  const std::vector<ThreadPool *> pools = {nullptr, &one, &two, &three, &four};
  for (int i = 0; i < 12; ++i) {
    const int x = random.below(9), y = random.below(9);
    const Rect rect = {x, y, x + random.between(1, i < 3 ? 3 : 90),
                       y + random.between(64, i < 6 ? 200 : 900)};
    check(rect, random.between(1, 6), random, &integers, pools);
    check(rect, random.between(1, 6), random, &floats, pools);
  }
}

// The same numbers in doubles. Errors in units of 1 of a 16-bit sample, which is 2^-16 of the
// range.
TEST_CASE("accuracy") {
  Random random = random_of_run(55);
  WaveletMemory<float> memory;
  double worst = 0, squares = 0, count = 0;
  for (int i = 0; i < few_of(40); ++i) {
    const Rect rect = {i % 2, i / 2 % 2, i % 2 + random.between(50, 200), i / 2 % 2 + 100};
    ReferencePicture<double> exact = picture<double>(rect, i % 2, random);
    const GuardedPlane<float> in(rect.width(), rect.height(), random);
    const GuardedPlane<float> out(rect.width(), rect.height(), random);
    for (int y = 0; y < rect.height(); ++y)
      for (int x = 0; x < rect.width(); ++x) {
        exact(x, y) = std::floor(exact(x, y) / 2);  // 16 bits
        in.at(x, y) = static_cast<float>(exact(x, y));
      }
    exact.forward(6);
    const Status s = wavelet_97(rect, 6, in.plane(), out.plane(), &memory, nullptr);
    CHECK_MESSAGE(s.ok(), s.message());
    for (int y = 0; y < rect.height(); ++y)
      for (int x = 0; x < rect.width(); ++x) {
        const double error = std::abs(static_cast<double>(out.at(x, y)) - exact(x, y));
        worst = std::max(worst, error);
        squares += error * error;
        count += 1;
      }
  }
  std::printf("9/7 in floats against doubles, 16 bits, 6 levels: off by at most %.4f, rms %.5f\n",
              worst, std::sqrt(squares / count));
  CHECK(worst < 1.0 / 8);
}

// A flat area is flat in LL and nothing elsewhere; alternating samples have the gain 2 in HL.
template <class T>
void test_gains(double tolerance) {
  Random random(1);
  WaveletMemory<T> memory;
  const Rect rect = {0, 0, 64, 48};
  const GuardedPlane<T> in(64, 48, random), out(64, 48, random);
  for (const bool alternating : {false, true}) {
    for (int y = 0; y < 48; ++y)
      for (int x = 0; x < 64; ++x)
        in.at(x, y) = static_cast<T>(alternating && x % 2 != 0 ? -100 : 100);
    const Status s =
        transform(rect, alternating ? 1 : 3, in.plane(), out.plane(), &memory, nullptr);
    CHECK_MESSAGE(s.ok(), s.message());
    for (int y = 0; y < 48; ++y)
      for (int x = 0; x < 64; ++x) {
        const double expected =
            alternating ? (x >= 32 && y < 24 ? -200 : 0) : (x < 8 && y < 6 ? 100 : 0);
        CHECK_MESSAGE(std::abs(static_cast<double>(out.at(x, y)) - expected) <= tolerance,
                      static_cast<double>(out.at(x, y)), " instead of ", expected, " at ", x, ", ",
                      y);
      }
  }
}

TEST_CASE("refused") {
  std::int32_t samples[2][16] = {};
  WaveletMemory<std::int32_t> memory;
  const auto expect_refused = [&](const char *what, int levels, const Plane<std::int32_t> &in,
                                  const Plane<std::int32_t> &out) {
    const Status s = wavelet_53({3, 3, 7, 7}, levels, in, out, &memory, nullptr);
    CHECK_MESSAGE(
        (s.code() == StatusCode::invalid_argument && std::strstr(s.message(), what) != nullptr),
        "\"", s.message(), "\" does not say \"", what, "\"");
  };
  const Plane<std::int32_t> in = {samples[0], 4, 4, 16}, out = {samples[1], 4, 4, 16};
  CHECK_MESSAGE(wavelet_53({3, 3, 7, 7}, 2, in, out, &memory, nullptr).ok(), "sound");
  expect_refused("resolutions", 11, in, out);
  expect_refused("resolutions", -1, in, out);
  expect_refused("no data", 2, {nullptr, 4, 4, 16}, out);
  expect_refused("pitch", 2, in, {samples[1], 4, 4, 12});
  expect_refused("size of its tile-component", 2, {samples[0], 3, 4, 16}, out);
  expect_refused("size of its tile-component", 2, in, {samples[1], 4, 3, 16});
}

TEST_CASE("gains of 5/3") {
  test_gains<std::int32_t>(0);
}

TEST_CASE("gains of 9/7") {
  test_gains<float>(1e-3);
}

}  // namespace
}  // namespace coalesce::test
