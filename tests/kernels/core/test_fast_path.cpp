// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU back ends run vector code: for a row of pixels they need far fewer instructions than any
// loop of single bytes. Instructions are counted, for time depends on what else a machine does.
#include <signal.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "../../support/doctest.h"
#include "rgb2yuv/rgb2yuv.h"
#include "uyvy2y/uyvy2y.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 256, kMostRows = 4;

std::uint8_t in[kMostRows * 4 * kWidth];
std::uint8_t out[3][kMostRows * 4 * kWidth];

volatile long traps = 0;

#if defined(__x86_64__)
void count_trap(int, siginfo_t *, void *context) {
  traps = traps + 1;
  // A `rep stosb`, of memset(), is done here, as one instruction: it would trap for every byte.
  greg_t *r = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  if (std::memcmp(reinterpret_cast<const void *>(r[REG_RIP]), "\xF3\xAA", 2) != 0) return;
  std::fill_n(reinterpret_cast<char *>(r[REG_RDI]), r[REG_RCX], static_cast<char>(r[REG_RAX]));
  r[REG_RDI] += r[REG_RCX];
  r[REG_RCX] = 0;
  r[REG_RIP] += 2;
}
#endif

// With the trap flag, every instruction raises SIGTRAP when it is done. (What lies below the stack
// pointer belongs to the compiler.)
template <class Work>
long instructions(Work work) {
  traps = 0;
#if defined(__x86_64__)
  struct sigaction action = {}, before = {};
  action.sa_sigaction = count_trap;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, &before);
  asm volatile("sub $128, %%rsp; pushfq; orq $0x100, (%%rsp); popfq; add $128, %%rsp"
               :
               :
               : "memory", "cc");
  work();
  asm volatile("sub $128, %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; add $128, %%rsp"
               :
               :
               : "memory", "cc");
  sigaction(SIGTRAP, &before, nullptr);
#else
  work();
#endif
  return traps;
}

void uyvy(int rows) {
  (void)uyvy2y_cpu({}, {in, 2 * kWidth, rows, 2 * kWidth}, {{out[0], kWidth, rows, kWidth}, {}},
                   nullptr);
}

// `step` bytes a pixel; the planes of `to` need no more room than out.
void rgb(RgbLayout from, int step, YuvLayout to, int luma_step, int rows) {
  Rgb2yuvParams params;
  params.in = from;
  params.alpha = step == 4;
  params.out = to;
  const int row = luma_step * kWidth;
  YuvImage image;
  for (int i = 0; i < 3; ++i)
    image.plane[i] = {out[i], row, rows, static_cast<std::size_t>(row)};
  if (to == YuvLayout::nv12) image.plane[1].height = rows / 2;
  const auto pitch = static_cast<std::size_t>(step) * kWidth;
  (void)rgb2yuv_cpu(params, {{{in, step * kWidth, rows, pitch}}}, image, nullptr);
}

struct Kind {
  const char *name;
  // Instructions a pixel: more than GCC 12 to 14 and clang 14 make of vectors
  // (0.5, 12.6, 14.9, 21.6 and 14.9 at the most), fewer than loops of single bytes have (5, 14, 28,
  // 30 and 18).
  double most;
  void (*work)(int rows);
};

const Kind kKinds[] = {
    {"UYVY->GRAY8", 2.5, uyvy},
    {"RGB->GRAY8", 13.3, [](int rows) { rgb(RgbLayout::rgb, 3, YuvLayout::gray, 1, rows); }},
    {"RGB->Y444", 20, [](int rows) { rgb(RgbLayout::rgb, 3, YuvLayout::planar444, 1, rows); }},
    {"RGBA->AYUV", 25, [](int rows) { rgb(RgbLayout::rgbx, 4, YuvLayout::ayuv, 4, rows); }},
    {"RGB->NV12", 16.5, [](int rows) { rgb(RgbLayout::rgb, 3, YuvLayout::nv12, 1, rows); }},
};

TEST_CASE("instructions") {
#if !defined(__OPTIMIZE__)
  return skip("built without optimisation");
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return skip("a sanitizer adds instructions");
#endif
  volatile int steps = 0;
  const auto loop = [&steps] {
    for (int i = 0; i < 100; ++i)
      steps = steps + 1;
  };
  if (instructions(loop) < 100) return skip("instructions cannot be counted here");
#if defined(__x86_64__)
  // (Of vectors of 16 bytes GCC 13 makes as many instructions as of single bytes.)
  if (!__builtin_cpu_supports("avx2")) return skip("the processor has no AVX2");
#endif
  for (const Kind &kind : kKinds) {
    kind.work(kMostRows);  // what is looked up at the first call
    const long less = instructions([&] { kind.work(kMostRows - 2); });
    const long more = instructions([&] { kind.work(kMostRows); });
    const double each = static_cast<double>(more - less) / (2 * kWidth);
    std::printf("%s: %.2f instructions a pixel\n", kind.name, each);
    CHECK_MESSAGE(each > 0, kind.name);
    CHECK_MESSAGE(each <= kind.most, kind.name);
  }
}

}  // namespace
}  // namespace coalesce::test
