// SPDX-License-Identifier: LGPL-2.1-or-later
// The thread pool, what operations refuse, and which paths they choose.
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "core/thread_pool.h"
#include "expect.h"
#include "uyvy2y/uyvy2y.h"
#include "uyvy2y/uyvy2y_access.h"
#include "uyvy2y/uyvy2y_pixel.h"

namespace coalesce {
namespace {

// Every number below count is handed out once; only the last range may be short.
void expect_cover(ThreadPool *pool, int count, int grain) {
  std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count > 0 ? count : 0));
  std::atomic<int> calls{0};
  std::atomic<bool> good{true};
  for_ranges(pool, count, grain, [&](int first, int last) {
    calls.fetch_add(1);
    if (first < 0 || first >= last || last > count) {
      good = false;
      return;
    }
    if (last - first < grain && last != count) good = false;
    for (int i = first; i < last; ++i)
      seen[static_cast<std::size_t>(i)].fetch_add(1, std::memory_order_relaxed);
  });
  bool once = true;
  for (const std::atomic<int> &n : seen)
    once = once && n == 1;
  const int threads = pool != nullptr ? pool->threads() : 1;
  EXPECT(good && once, "count %d, grain %d, %d threads", count, grain, threads);
  EXPECT((calls > 0) == (count > 0), "%d calls for count %d", calls.load(), count);
}

void test_ranges() {
  const int counts[] = {-1, 0, 1, 2, 3, 7, 8, 31, 100, 357, 1080};
  const int grains[] = {-5, 0, 1, 2, 3, 16, 1000, INT_MAX};
  for (int threads = 1; threads <= 8; ++threads) {
    ThreadPool pool(threads);
    EXPECT(pool.threads() == threads, "%d instead of %d", pool.threads(), threads);
    for (int count : counts)
      for (int grain : grains)
        expect_cover(&pool, count, grain);
  }
  for (int count : counts)
    expect_cover(nullptr, count, 1);
}

// The same pool, again and again: a thread that wakes late must not work on a job that is gone.
void test_reuse() {
  ThreadPool pool(4);
  for (int round = 0; round < 3000; ++round) {
    std::atomic<long> sum{0};
    const int count = 1 + round % 37;
    pool.for_ranges(count, 1, [&sum](int first, int last) {
      for (int i = first; i < last; ++i)
        sum.fetch_add(i, std::memory_order_relaxed);
    });
    const long expected = long{count} * (count - 1) / 2;
    if (sum != expected) {
      EXPECT(false, "round %d: %ld instead of %ld", round, sum.load(), expected);
      return;
    }
  }
}

// What the ranges wrote without locks is there when for_ranges returns (ThreadSanitizer judges it).
void test_visibility() {
  ThreadPool pool(3);
  std::vector<int> data(1000);
  for (int round = 1; round <= 200; ++round) {
    pool.for_ranges(1000, 10, [&](int first, int last) {
      for (int i = first; i < last; ++i)
        data[static_cast<std::size_t>(i)] += round;
    });
  }
  bool good = true;
  for (int value : data)
    good = good && value == 200 * 201 / 2;
  EXPECT(good, "an element has another sum");
}

// Several threads really take part: two ranges wait for each other.
void test_parallel() {
  ThreadPool pool(2);
  std::atomic<int> arrived{0};
  pool.for_ranges(2, 1, [&arrived](int, int) {
    arrived.fetch_add(1);
    while (arrived < 2)
      std::this_thread::yield();
  });
  EXPECT(arrived == 2, "%d", arrived.load());
}

void test_default_size() {
  ThreadPool pool;
  EXPECT(pool.threads() >= 1, "%d", pool.threads());
  expect_cover(&pool, 100, 1);
}

struct Planes {
  std::uint8_t memory[64] = {};
  Uyvy2yParams params;
  Plane<const std::uint8_t> packed = {memory, 8, 2, 8};
  LumaImage out = {{memory + 16, 4, 2, 4}, {{memory + 24, 2, 1, 2}, {memory + 32, 2, 1, 2}}};
};

void expect_refused(const char *text, void (*spoil)(Planes &)) {
  for (const Queue &queue : {Queue::cpu(), Queue::cuda(nullptr)}) {
    Planes planes;
    spoil(planes);
    const Status s = uyvy2y(planes.params, planes.packed, planes.out, queue);
    EXPECT(s.code() == StatusCode::invalid_argument, "code %d for \"%s\"",
           static_cast<int>(s.code()), text);
    EXPECT(std::strstr(s.message(), text) != nullptr, "\"%s\" does not say \"%s\"", s.message(),
           text);
  }
}

void test_refusals() {
  Planes planes;
  EXPECT(uyvy2y(planes.params, planes.packed, planes.out, Queue::cpu()).ok(), "the sound one");

  expect_refused("no data", [](Planes &p) { p.packed.data = nullptr; });
  expect_refused("no data", [](Planes &p) { p.out.luma.data = nullptr; });
  expect_refused("empty", [](Planes &p) { p.packed.width = 0; });
  expect_refused("empty", [](Planes &p) { p.out.luma.height = -1; });
  expect_refused("empty", [](Planes &p) { p.out.chroma[1].width = 0; });
  expect_refused("pitch", [](Planes &p) { p.packed.pitch = 7; });
  expect_refused("pitch", [](Planes &p) { p.out.luma.pitch = 3; });
  expect_refused("pitch", [](Planes &p) { p.out.chroma[0].pitch = 1; });
  expect_refused("two bytes for each", [](Planes &p) { p.out.luma.width = 3; });
  expect_refused("two bytes for each", [](Planes &p) { p.packed.width = 7; });
  expect_refused("height", [](Planes &p) { p.packed.height = 1; });
  expect_refused("layout", [](Planes &p) { p.params.layout = static_cast<Packed422>(4); });
}

void test_plane() {
  alignas(4) std::uint8_t memory[64] = {};
  auto *words = reinterpret_cast<std::uint32_t *>(memory);
  EXPECT(check_plane(Plane<std::uint32_t>{words, 4, 2, 16}).ok(), "a sound plane of words");
  const Plane<std::uint32_t> odd_pitch = {words, 4, 2, 18};
  EXPECT(std::strstr(check_plane(odd_pitch).message(), "aligned") != nullptr, "%s",
         check_plane(odd_pitch).message());
  const Plane<std::uint32_t> odd_base = {reinterpret_cast<std::uint32_t *>(memory + 2), 4, 2, 16};
  EXPECT(std::strstr(check_plane(odd_base).message(), "aligned") != nullptr, "%s",
         check_plane(odd_base).message());
  const Plane<const std::uint8_t> view = Plane<std::uint8_t>{memory, 8, 2, 32};
  EXPECT(view.row(1) == memory + 32, "%td", view.row(1) - memory);
  EXPECT(Status().ok() && std::strcmp(Status().message(), "ok") == 0, "a new status is ok");
}

void test_without_gpu() {
  if (cuda_kernels_built()) return;
  Planes planes;
  const Status s = uyvy2y(planes.params, planes.packed, planes.out, Queue::cuda(nullptr));
  EXPECT(s.code() == StatusCode::unsupported, "code %d: %s", static_cast<int>(s.code()),
         s.message());
}

// The fast path is taken exactly where it may be.
void test_access() {
  EXPECT(choose_access(0x1000, 4096, 0x2000, 2048) == LumaAccess::aligned, "a frame of a pool");
  EXPECT(choose_access(0x1010, 3840, 0x2030, 1920) == LumaAccess::aligned, "tight 1080p");
  for (unsigned off = 1; off < 16; ++off) {
    EXPECT(choose_access(0x1000 + off, 4096, 0x2000, 2048) == LumaAccess::shifted, "%u", off);
    EXPECT(choose_access(0x1000, 4096 + off, 0x2000, 2048) == LumaAccess::shifted, "%u", off);
    EXPECT(choose_access(0x1000, 4096, 0x2000 + off, 2048) == LumaAccess::shifted, "%u", off);
    EXPECT(choose_access(0x1000, 4096, 0x2000, 2048 + off) == LumaAccess::shifted, "%u", off);
  }
  for (int width = 1; width < 100; ++width) {
    const int aligned = kLumaChunk * luma_chunks(LumaAccess::aligned, width);
    EXPECT(aligned >= width && aligned < width + kLumaChunk, "width %d", width);
    // The worst head is one pixel.
    const int shifted = 1 + kLumaChunk * (luma_chunks(LumaAccess::shifted, width) - 1);
    EXPECT(shifted >= width, "width %d", width);
  }
  EXPECT(luma_chunks(LumaAccess::shifted, INT_MAX / 2) > 0, "the widest");
}

void test_words() {
  EXPECT(luma_of_words(0x44332211, 0x88776655, 1) == 0x88664422, "the odd bytes");
  EXPECT(luma_of_words(0x44332211, 0x88776655, 0) == 0x77553311, "the even bytes");
  EXPECT(luma_offset(Packed422::uyvy) == 1 && luma_offset(Packed422::vyuy) == 1, "chroma first");
  EXPECT(luma_offset(Packed422::yuy2) == 0 && luma_offset(Packed422::yvyu) == 0, "luma first");
}

}  // namespace
}  // namespace coalesce

int main() {
  using namespace coalesce;
  test_ranges();
  test_reuse();
  test_visibility();
  test_parallel();
  test_default_size();
  test_plane();
  test_refusals();
  test_without_gpu();
  test_access();
  test_words();
  std::printf("%s\n", test::failures == 0 ? "ok" : "FAILED");
  return test::failures == 0 ? 0 : 1;
}
