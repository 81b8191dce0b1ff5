// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU back ends were really vectorised: on rows that stay in the nearest caches they beat loops
// of single bytes by far more than any noise. (On the GPU, --bench shows the same.)
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "rgb2yuv/rgb2yuv.h"
#include "uyvy2y/uyvy2y.h"

namespace {

using namespace coalesce;

constexpr int kWidth = 1920;
constexpr int kRuns = 20;

std::uint8_t in[2 * 4 * kWidth];  // up to two rows
std::uint8_t out[3][4 * kWidth];

// `volatile` keeps the compiler to one byte at a time.
using In = const volatile std::uint8_t;
using Out = volatile std::uint8_t;

void uyvy_by_bytes() {
  In *from = in;
  Out *to = out[0];
  for (int x = 0; x < kWidth; ++x)
    to[x] = from[2 * x + 1];
}

void uyvy() {
  (void)uyvy2y_cpu({}, {in, 2 * kWidth, 1, 2 * kWidth}, {{out[0], kWidth, 1, kWidth}, {}}, nullptr);
}

struct Pixel {
  int r, g, b;
  explicit Pixel(In *from) : r(from[0]), g(from[1]), b(from[2]) {}
};

std::uint8_t byte(int sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> 15, 0, 255));
}

// Not what the library computes to the bit, but as much of it.
std::uint8_t y_of(const Pixel &p) {
  return byte(8414 * p.r + 16520 * p.g + 3208 * p.b + (16 << 15));
}
std::uint8_t u_of(const Pixel &p) {
  return byte(-4857 * p.r - 9535 * p.g + 14392 * p.b + (128 << 15));
}
std::uint8_t v_of(const Pixel &p) {
  return byte(14392 * p.r - 12051 * p.g - 2341 * p.b + (128 << 15));
}

void gray_by_bytes() {
  Out *y = out[0];
  for (int x = 0; x < kWidth; ++x)
    y[x] = y_of(Pixel(in + 3 * x));
}

void y444_by_bytes() {
  Out *y = out[0], *u = out[1], *v = out[2];
  for (int x = 0; x < kWidth; ++x) {
    const Pixel pixel(in + 3 * x);
    y[x] = y_of(pixel);
    u[x] = u_of(pixel);
    v[x] = v_of(pixel);
  }
}

void ayuv_by_bytes() {
  In *from = in;
  Out *to = out[0];
  for (int x = 0; x < kWidth; ++x) {
    const Pixel pixel(from + 4 * x);
    to[4 * x] = from[4 * x + 3];
    to[4 * x + 1] = y_of(pixel);
    to[4 * x + 2] = u_of(pixel);
    to[4 * x + 3] = v_of(pixel);
  }
}

void nv12_by_bytes() {
  Out *y = out[0], *uv = out[1];
  for (int x = 0; x < kWidth; x += 2) {
    Pixel mean(in + 3 * x);
    y[x] = y_of(mean);
    for (int i : {1, kWidth, kWidth + 1}) {
      const Pixel pixel(in + 3 * (x + i));
      y[x + i] = y_of(pixel);
      mean.r += pixel.r;
      mean.g += pixel.g;
      mean.b += pixel.b;
    }
    mean.r /= 4;
    mean.g /= 4;
    mean.b /= 4;
    uv[x] = u_of(mean);
    uv[x + 1] = v_of(mean);
  }
}

// A picture of `height` rows of `step` bytes a pixel; the planes of `to` need no more room than
// out.
void rgb(RgbLayout from, int step, YuvLayout to, int luma_step, int height) {
  Rgb2yuvParams params;
  params.in = from;
  params.alpha = step == 4;
  params.out = to;
  const int row = luma_step * kWidth;
  YuvImage image;
  for (int i = 0; i < 3; ++i)
    image.plane[i] = {out[i], row, height, static_cast<std::size_t>(row)};
  if (to == YuvLayout::nv12) image.plane[1].height = height / 2;
  const auto pitch = static_cast<std::size_t>(step) * kWidth;
  (void)rgb2yuv_cpu(params, {{{in, step * kWidth, height, pitch}}}, image, nullptr);
}

struct Kind {
  const char *name;
  double factor;  // at least; with vectors of 16 bytes a third more was measured
  void (*by_bytes)();
  void (*ours)();
};

const Kind kKinds[] = {
    {"UYVY->GRAY8", 2, uyvy_by_bytes, uyvy},
    {"RGB->GRAY8", 1.3, gray_by_bytes, [] { rgb(RgbLayout::rgb, 3, YuvLayout::gray, 1, 1); }},
    {"RGB->Y444", 1.8, y444_by_bytes, [] { rgb(RgbLayout::rgb, 3, YuvLayout::planar444, 1, 1); }},
    {"RGBA->AYUV", 1.7, ayuv_by_bytes, [] { rgb(RgbLayout::rgbx, 4, YuvLayout::ayuv, 4, 1); }},
    {"RGB->NV12", 1.3, nv12_by_bytes, [] { rgb(RgbLayout::rgb, 3, YuvLayout::nv12, 1, 2); }},
};

double seconds(void (*work)()) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kRuns; ++i)
    work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

bool is_fast(const Kind &kind) {
  double slow = 1e9;
  double fast = 1e9;
  for (int i = 0; i < 300; ++i) {
    slow = std::min(slow, seconds(kind.by_bytes));
    fast = std::min(fast, seconds(kind.ours));
  }
  std::printf("%-12s %5.0f ns by bytes, %5.0f ns by the library, %.1f times as fast\n", kind.name,
              slow / kRuns * 1e9, fast / kRuns * 1e9, slow / fast);
  return slow >= kind.factor * fast;
}

}  // namespace

int main() {
  bool all = true;
  for (const Kind &kind : kKinds)
    all = is_fast(kind) && all;
#if defined(__OPTIMIZE__)
  return all ? 0 : 1;
#else
  std::printf("SKIP: built without optimisation\n");
  return 77;
#endif
}
