// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU back ends run vector code: for a row of pixels they need far fewer instructions than any
// loop of single bytes. Instructions are counted, for time depends on what else a machine does.
#include <signal.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "../../support/doctest.h"
#include "../plane_sizes.h"
#include "core/clones.h"
#include "picture/formats.h"
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

// The memory that all pictures share.
template <class Picture>
Picture picture(const char *format, int rows, std::uint8_t *const (&data)[3]) {
  Picture image = {pixel_format(format), kWidth, rows, false, {}};
  const std::vector<PlaneSize> sizes = plane_sizes(image.format, kWidth, rows);
  for (std::size_t p = 0; p < sizes.size(); ++p)
    image.plane[p] = {data[p], sizes[p].row_bytes, sizes[p].height,
                      static_cast<std::size_t>(sizes[p].row_bytes)};
  return image;
}

ConstImage input(const char *format, int rows) {
  return picture<ConstImage>(format, rows, {in, in, in});
}
Image output(const char *format, int rows) {
  return picture<Image>(format, rows, {out[0], out[1], out[2]});
}

void uyvy(int rows) {
  (void)uyvy2y(input("UYVY", rows), output("GRAY8", rows), Queue::cpu());
}

void rgb(const char *from, const char *to, int rows) {
  (void)rgb2yuv({}, input(from, rows), output(to, rows), Queue::cpu());
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
    {"RGB->GRAY8", 13.3, [](int rows) { rgb("RGB", "GRAY8", rows); }},
    {"RGB->Y444", 20, [](int rows) { rgb("RGB", "Y444", rows); }},
    {"RGBA->AYUV", 25, [](int rows) { rgb("RGBA", "AYUV", rows); }},
    {"RGB->NV12", 16.5, [](int rows) { rgb("RGB", "NV12", rows); }},
};

TEST_CASE("instructions") {
#if !defined(__OPTIMIZE__)
  return skip("built without optimisation");
#elif defined(COALESCE_SANITIZED)
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
