// SPDX-License-Identifier: LGPL-2.1-or-later
// Samples out of every kind of container; the component transforms, and their inverse as decoders
// have it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "../../../support/doctest.h"
#include "../../../support/fenced.h"
#include "../../../support/random.h"
#include "../../guarded_plane.h"
#include "j2k/transform/colour.h"

namespace coalesce::test {
namespace {

using namespace j2k;

// Where a container begins in its row: v210 leaves out two bits of 32.
std::size_t first_bit(Container c, int number) {
  const auto n = static_cast<std::size_t>(number);
  return c == Container::v210 ? n / 3 * 32 + n % 3 * 10
                              : n * static_cast<std::size_t>(container_bits(c));
}

// Bits of a container of a row, one at a time: the lowest bit of the first byte is the row's first
// bit, of be10 the highest.
void set_bits(std::uint8_t *row, Container container, int number, int shift, int count, int value) {
  for (int i = 0; i < count; ++i) {
    const bool reversed = container == Container::be10;
    const std::size_t bit = first_bit(container, number) +
                            static_cast<std::size_t>(reversed ? 9 - shift - i : shift + i);
    const auto mask = static_cast<std::uint8_t>(1 << (reversed ? 7 - bit % 8 : bit % 8));
    row[bit / 8] =
        static_cast<std::uint8_t>((row[bit / 8] & ~mask) | ((value >> i & 1) != 0 ? mask : 0));
  }
}

// Samples in memory that ends where they end, with noise between them.
struct Picture {
  Samples samples;
  std::vector<int> value;
  std::unique_ptr<FencedMemory> memory;

  Picture(Random &random, int width, int height, int bits) {
    samples.bits = static_cast<std::uint8_t>(bits);
    do {
      samples.container = static_cast<Container>(random.below(5));
    } while (container_bits(samples.container) < bits);
    samples.shift =
        static_cast<std::uint8_t>(random.below(container_bits(samples.container) - bits + 1));
    samples.first = random.below(5);
    samples.step = random.between(1, random.below(2) ? 4 : 9);
    samples.x0 = random.below(4);
    samples.y0 = random.below(4);
    const int last = samples.first + (samples.x0 + width - 1) * samples.step;
    const std::size_t bits_of_row =
        samples.container == Container::v210   ? static_cast<std::size_t>(last / 3 + 1) * 32
        : samples.container == Container::be10 ? static_cast<std::size_t>(last / 4 + 1) * 40
                                               : first_bit(samples.container, last + 1);
    samples.pitch = bits_of_row / 8 + static_cast<std::size_t>(random.below(2) * random.below(40));
    const std::size_t rows = static_cast<std::size_t>(samples.y0 + height - 1);
    memory = std::make_unique<FencedMemory>(
        rows * samples.pitch + bits_of_row / 8,
        random.below(2) ? FencedMemory::Against::low : FencedMemory::Against::high);
    samples.data = memory->data();
    for (std::size_t i = 0; i < memory->size(); ++i)
      memory->data()[i] = static_cast<std::uint8_t>(random.bits());
    const int kind = random.below(3);  // noise; smallest and largest; grey
    for (int i = 0; i < width * height; ++i) {
      value.push_back(kind == 0   ? random.below(1 << bits)
                      : kind == 1 ? random.below(2) * ((1 << bits) - 1)
                                  : 1 << (bits - 1));
      const int container = samples.first + (samples.x0 + i % width) * samples.step;
      set_bits(memory->data() + static_cast<std::size_t>(samples.y0 + i / width) * samples.pitch,
               samples.container, container, samples.shift, bits, value.back());
    }
  }
};

struct Trial {
  int width, height, bits;
  ThreadPool *pool;

  std::size_t index(int x, int y) const { return static_cast<std::size_t>(y * width + x); }
  int middle() const { return 1 << (bits - 1); }
};

void test_level_shift(const Trial &t, Random &random) {
  const Picture in(random, t.width, t.height, t.bits);
  const GuardedPlane<std::int32_t> integers(t.width, t.height, random);
  const GuardedPlane<float> floats(t.width, t.height, random);
  const Status s = level_shift(in.samples, integers.plane(), t.pool);
  const Status f = level_shift(in.samples, floats.plane(), t.pool);
  CHECK_MESSAGE((s.ok() && f.ok()), s.message(), ", ", f.message());
  for (int y = 0; y < t.height; ++y)
    for (int x = 0; x < t.width; ++x) {
      const int expected = in.value[t.index(x, y)] - t.middle();
      if (integers.at(x, y) != expected || floats.at(x, y) != static_cast<float>(expected))
        FAIL(integers.at(x, y), ", ", static_cast<double>(floats.at(x, y)), " instead of ",
             expected, " at ", x, ", ", y);
    }
  CHECK_MESSAGE((integers.guards_hold() && floats.guards_hold()), "written outside of a plane");
}

// G.2.2.
void test_reversible(const Trial &t, Random &random, const Picture (&in)[3]) {
  const GuardedPlane<std::int32_t> y0(t.width, t.height, random), y1(t.width, t.height, random),
      y2(t.width, t.height, random);
  const Status s = reversible_transform({in[0].samples, in[1].samples, in[2].samples},
                                        {y0.plane(), y1.plane(), y2.plane()}, t.pool);
  CHECK_MESSAGE(s.ok(), s.message());
  for (int y = 0; y < t.height; ++y)
    for (int x = 0; x < t.width; ++x) {
      const int a = y0.at(x, y), b = y1.at(x, y), c = y2.at(x, y);
      const int green = a - static_cast<int>(std::floor((b + c) / 4.0));
      const std::size_t i = t.index(x, y);
      if (c + green + t.middle() != in[0].value[i] || green + t.middle() != in[1].value[i] ||
          b + green + t.middle() != in[2].value[i])
        FAIL("not what went in, at ", x, ", ", y);
      if (a < -t.middle() || a >= t.middle() || std::abs(b) >= 2 * t.middle() ||
          std::abs(c) >= 2 * t.middle())
        FAIL("out of range, at ", x, ", ", y, ": ", a, ", ", b, ", ", c);
    }
  CHECK_MESSAGE((y0.guards_hold() && y1.guards_hold() && y2.guards_hold()),
                "written outside of a plane");
}

// Against the formula in doubles, the one of docs/numerics.md and the rounded one of G.3.1; and
// back by G.3.2. The largest errors, in units of the largest sample.
struct IctErrors {
  double exact = 0, standard = 0, inverse = 0;
} ict_errors;

void test_irreversible(const Trial &t, Random &random, const Picture (&in)[3]) {
  const GuardedPlane<float> y0(t.width, t.height, random), y1(t.width, t.height, random),
      y2(t.width, t.height, random);
  const Status s = irreversible_transform({in[0].samples, in[1].samples, in[2].samples},
                                          {y0.plane(), y1.plane(), y2.plane()}, t.pool);
  CHECK_MESSAGE(s.ok(), s.message());
  const auto keep = [&](double &largest, double error) {
    largest = std::max(largest, std::abs(error) / (2 * t.middle()));
  };
  for (int y = 0; y < t.height; ++y)
    for (int x = 0; x < t.width; ++x) {
      const std::size_t i = t.index(x, y);
      const double r = in[0].value[i] - t.middle(), g = in[1].value[i] - t.middle(),
                   b = in[2].value[i] - t.middle();
      const double l = static_cast<double>(y0.at(x, y)), u = static_cast<double>(y1.at(x, y)),
                   v = static_cast<double>(y2.at(x, y));
      const double luma = 0.299 * r + 0.587 * g + 0.114 * b;
      keep(ict_errors.exact, l - luma);
      keep(ict_errors.exact, u - (b - luma) / 1.772);
      keep(ict_errors.exact, v - (r - luma) / 1.402);
      keep(ict_errors.standard, u - (-0.16875 * r - 0.33126 * g + 0.5 * b));
      keep(ict_errors.standard, v - (0.5 * r - 0.41869 * g - 0.08131 * b));
      keep(ict_errors.inverse, l + 1.402 * v - r);
      keep(ict_errors.inverse, l - 0.34413 * u - 0.71414 * v - g);
      keep(ict_errors.inverse, l + 1.772 * u - b);
    }
  CHECK_MESSAGE((y0.guards_hold() && y1.guards_hold() && y2.guards_hold()),
                "written outside of a plane");
}

TEST_CASE("trials") {
  Random random = random_of_run(8);
  ThreadPool two(2), four(4);
  ThreadPool *const pools[] = {nullptr, &two, &four};
  for (int i = 0; i < 600; ++i) {
    const bool large = i % 20 == 0;
    const Trial t = {random.between(1, large ? 2500 : 70), random.between(1, large ? 40 : 9),
                     random.between(1, 16), random.pick(pools)};
    INFO("trial ", i, ": ", t.width, " x ", t.height, ", ", t.bits, " bits");
    test_level_shift(t, random);
    const Picture in[3] = {{random, t.width, t.height, t.bits},
                           {random, t.width, t.height, t.bits},
                           {random, t.width, t.height, t.bits}};
    test_reversible(t, random, in);
    test_irreversible(t, random, in);
  }
  std::printf(
      "irreversible transform, largest errors: %.1e of the formula, %.1e of the standard's"
      " rounded one, %.1e after the standard's inverse\n",
      ict_errors.exact, ict_errors.standard, ict_errors.inverse);
  CHECK(ict_errors.exact < 2e-7);
  CHECK(ict_errors.standard < 2e-5);
  CHECK(ict_errors.inverse < 2e-5);
}

// Formats as their bytes stand in memory.
TEST_CASE("formats") {
  const std::uint8_t uyvy[] = {10, 1, 30, 2, 11, 3, 31, 4};
  const std::uint8_t p010[] = {0x40, 0x00, 0xC0, 0xFF};  // 1, 1023
  const std::uint8_t nv12[] = {5, 6, 7, 8};
  // Six pixels: Cb Y Cr, Y Cb Y, Cr Y Cb, Y Cr Y; fields 0 to 11 have the values 100 to 111.
  std::uint8_t v210[16] = {};
  for (int i = 0; i < 12; ++i)
    set_bits(v210, Container::v210, i, 0, 10, 100 + i);
  // 1, 2, 3, 1023
  const std::uint8_t uyvp[] = {0x00, 0x40, 0x20, 0x0F, 0xFF};
  const struct {
    const char *name;
    Samples samples;
    std::vector<int> values;
  } formats[] = {
      {"Y of UYVY", {uyvy, 8, Container::u8, 0, 8, 1, 2, 0, 0}, {1, 2, 3, 4}},
      {"U of UYVY", {uyvy, 8, Container::u8, 0, 8, 0, 4, 0, 0}, {10, 11}},
      {"V of UYVY", {uyvy, 8, Container::u8, 0, 8, 2, 4, 0, 0}, {30, 31}},
      {"luma of P010", {p010, 4, Container::u16, 6, 10, 0, 1, 0, 0}, {1, 1023}},
      {"V of NV12", {nv12, 4, Container::u8, 0, 8, 1, 2, 0, 0}, {6, 8}},
      {"Y of v210", {v210, 16, Container::v210, 0, 10, 1, 2, 0, 0}, {101, 103, 105, 107, 109, 111}},
      {"Cb of v210", {v210, 16, Container::v210, 0, 10, 0, 4, 0, 0}, {100, 104, 108}},
      {"Cr of v210", {v210, 16, Container::v210, 0, 10, 2, 4, 0, 0}, {102, 106, 110}},
      {"Y of UYVP", {uyvp, 5, Container::be10, 0, 10, 1, 2, 0, 0}, {2, 1023}},
      {"Cb of UYVP", {uyvp, 5, Container::be10, 0, 10, 0, 4, 0, 0}, {1}},
      {"Cr of UYVP", {uyvp, 5, Container::be10, 0, 10, 2, 4, 0, 0}, {3}},
  };
  for (const auto &format : formats) {
    std::int32_t out[8] = {};
    const int width = static_cast<int>(format.values.size());
    const Status s = level_shift(format.samples, {out, width, 1, sizeof out}, nullptr);
    CHECK_MESSAGE(s.ok(), format.name, ": ", s.message());
    for (int x = 0; x < width; ++x)
      CHECK_MESSAGE(
          out[x] + (1 << (format.samples.bits - 1)) == format.values[static_cast<std::size_t>(x)],
          format.name, ": ", out[x]);
  }
}

void expect_refused(const char *what, void (*spoil)(Samples (&)[3], Plane<std::int32_t> (&)[3])) {
  const std::uint8_t bytes[64] = {};
  std::int32_t results[3][16];
  Samples in[3];
  Plane<std::int32_t> out[3];
  for (int c = 0; c < 3; ++c) {
    in[c] = {bytes, 16, Container::u8, 0, 8, c, 4, 0, 0};
    out[c] = {results[c], 4, 4, 16};
  }
  CHECK_MESSAGE(reversible_transform(in, out, nullptr).ok(), what);
  spoil(in, out);
  const Status s = reversible_transform(in, out, nullptr);
  CHECK_MESSAGE(
      (s.code() == StatusCode::invalid_argument && std::strstr(s.message(), what) != nullptr), "\"",
      s.message(), "\" does not say \"", what, "\"");
}

TEST_CASE("refused") {
  using In = Samples(&)[3];
  using Out = Plane<std::int32_t>(&)[3];
  expect_refused("no data", [](In in, Out) { in[1].data = nullptr; });
  expect_refused("no data", [](In, Out out) { out[2].data = nullptr; });
  expect_refused("container", [](In in, Out) { in[0].container = static_cast<Container>(5); });
  expect_refused("1 to 16 bits", [](In in, Out) { in[0].bits = 0; });
  expect_refused("1 to 16 bits", [](In in, Out) {
    in[0].container = Container::u32;
    in[0].bits = 17;
  });
  expect_refused("its container has not", [](In in, Out) { in[0].shift = 1; });
  expect_refused("its container has not", [](In in, Out) {
    in[0].container = Container::v210;
    in[0].bits = 11;
  });
  expect_refused("before the first", [](In in, Out) { in[0].step = 0; });
  expect_refused("before the first", [](In in, Out) { in[0].x0 = -1; });
  expect_refused("end of a row", [](In in, Out) { in[0].x0 = 1; });
  expect_refused("end of a row", [](In in, Out) { in[0].pitch = 12; });
  expect_refused("end of a row", [](In in, Out) { in[0].step = INT32_MAX; });
  expect_refused("differ in bits", [](In in, Out) { in[2].bits = 7; });
  expect_refused("differ in size", [](In, Out out) { out[1].width = 3; });
  expect_refused("differ in size", [](In, Out out) { out[1].height = 3; });
}

}  // namespace
}  // namespace coalesce::test
