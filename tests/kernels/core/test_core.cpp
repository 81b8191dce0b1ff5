// SPDX-License-Identifier: LGPL-2.1-or-later
// The thread pool, planes and status.
#include <atomic>
#include <climits>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../../support/doctest.h"
#include "core/plane.h"
#include "core/status.h"
#include "core/thread_pool.h"

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
  CHECK_MESSAGE((good && once), "count ", count, ", grain ", grain, ", ", threads, " threads");
  CHECK_MESSAGE((calls > 0) == (count > 0), calls.load(), " calls for count ", count);
}

TEST_CASE("ranges") {
  const int counts[] = {-1, 0, 1, 2, 3, 7, 8, 31, 100, 357, 1080};
  const int grains[] = {-5, 0, 1, 2, 3, 16, 1000, INT_MAX};
  for (int threads = 1; threads <= 8; ++threads) {
    ThreadPool pool(threads);
    CHECK_MESSAGE(pool.threads() == threads, pool.threads(), " instead of ", threads);
    for (int count : counts)
      for (int grain : grains)
        expect_cover(&pool, count, grain);
  }
  for (int count : counts)
    expect_cover(nullptr, count, 1);
}

// The same pool, again and again: a thread that wakes late must not work on a job that is gone.
TEST_CASE("reuse") {
  ThreadPool pool(4);
  for (int round = 0; round < 3000; ++round) {
    std::atomic<long> sum{0};
    const int count = 1 + round % 37;
    pool.for_ranges(count, 1, [&sum](int first, int last) {
      for (int i = first; i < last; ++i)
        sum.fetch_add(i, std::memory_order_relaxed);
    });
    const long expected = long{count} * (count - 1) / 2;
    REQUIRE_MESSAGE(sum == expected, "round ", round);
  }
}

// What the ranges wrote without locks is there when for_ranges returns (ThreadSanitizer judges it).
TEST_CASE("visibility") {
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
  CHECK_MESSAGE(good, "an element has another sum");
}

// Several threads really take part: two ranges wait for each other.
TEST_CASE("parallel") {
  ThreadPool pool(2);
  std::atomic<int> arrived{0};
  pool.for_ranges(2, 1, [&arrived](int, int) {
    arrived.fetch_add(1);
    while (arrived < 2)
      std::this_thread::yield();
  });
  CHECK(arrived == 2);
}

// From whichever thread, and all the others have left the body by then.
TEST_CASE("exceptions") {
  ThreadPool pool(4);
  for (int round = 0; round < 300; ++round) {
    std::atomic<int> inside{0};
    const auto body = [&](int first, int last) {
      inside.fetch_add(1);
      const bool bad = first <= round % 16 && round % 16 < last;
      if (bad) {
        inside.fetch_sub(1);
        throw std::runtime_error("a range");
      }
      std::this_thread::yield();
      inside.fetch_sub(1);
    };
    bool thrown = false;
    try {
      for_ranges(&pool, 16, 1, body);
    } catch (const std::runtime_error &e) {
      thrown = std::strcmp(e.what(), "a range") == 0;
    }
    REQUIRE_MESSAGE((thrown && inside == 0), "round ", round);
  }
  expect_cover(&pool, 100, 1);
}

TEST_CASE("default size") {
  ThreadPool pool;
  CHECK(usable_cores() >= 1);
  CHECK(pool.threads() == usable_cores());
  expect_cover(&pool, 100, 1);
}

TEST_CASE("plane") {
  alignas(4) std::uint8_t memory[64] = {};
  auto *words = reinterpret_cast<std::uint32_t *>(memory);
  CHECK_MESSAGE(check_plane(Plane<std::uint32_t>{words, 4, 2, 16}).ok(), "a sound plane of words");
  const Plane<std::uint32_t> odd_pitch = {words, 4, 2, 18};
  CHECK_MESSAGE(std::strstr(check_plane(odd_pitch).message(), "aligned") != nullptr,
                check_plane(odd_pitch).message());
  const Plane<std::uint32_t> odd_base = {reinterpret_cast<std::uint32_t *>(memory + 2), 4, 2, 16};
  CHECK_MESSAGE(std::strstr(check_plane(odd_base).message(), "aligned") != nullptr,
                check_plane(odd_base).message());
  const Plane<const std::uint8_t> view = Plane<std::uint8_t>{memory, 8, 2, 32};
  CHECK(view.row(1) - memory == 32);
  CHECK_MESSAGE((Status().ok() && std::strcmp(Status().message(), "ok") == 0),
                "a new status is ok");
}

}  // namespace
}  // namespace coalesce
