// SPDX-License-Identifier: LGPL-2.1-or-later
#include "thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace coalesce {

int usable_cores() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

namespace {

// One call of for_ranges: whoever works on it takes the next range until none is left, or until one
// has thrown.
struct Job {
  RangeBody body;
  int count;
  int step;
  std::atomic<int> next{0};  // index of the next range
  std::atomic_flag has_thrown = ATOMIC_FLAG_INIT;
  std::exception_ptr exception{};  // the first

  void work() noexcept {
    const int ranges = (count - 1) / step + 1;
    try {
      for (int i; (i = next.fetch_add(1, std::memory_order_relaxed)) < ranges;) {
        const int first = i * step;
        body(first, step < count - first ? first + step : count);
      }
    } catch (...) {
      if (!has_thrown.test_and_set()) exception = std::current_exception();
      next.store(ranges, std::memory_order_relaxed);
    }
  }
};

}  // namespace

// A sleeping thread that wakes too late finds the job gone and sleeps on: the caller never waits
// for a thread that has not begun.
struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable done;
  Job *job = nullptr;
  int vacancies = 0;  // how many more threads may join the job
  int working = 0;    // how many have joined and not finished
  bool stop = false;
  std::vector<std::thread> workers;

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [this] { return stop || vacancies > 0; });
      if (stop) return;
      --vacancies;
      ++working;
      Job *mine = job;
      lock.unlock();
      mine->work();
      lock.lock();
      if (--working == 0) done.notify_one();
    }
  }
};

ThreadPool::ThreadPool(int threads) : state_(new State) {
  if (threads <= 0) threads = usable_cores();
  state_->workers.reserve(static_cast<std::size_t>(threads - 1));
  for (int i = 1; i < threads; ++i) {
    try {
      state_->workers.emplace_back([state = state_.get()] { state->run(); });
    } catch (const std::exception &) {
      break;  // no more threads, or no memory for one: fewer do the same work
    }
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
  for (std::thread &worker : state_->workers)
    worker.join();
}

int ThreadPool::threads() const {
  return static_cast<int>(state_->workers.size()) + 1;
}

void ThreadPool::for_ranges(int count, int grain, RangeBody body) {
  if (count <= 0) return;
  // Four ranges a thread even out cores that are busy elsewhere.
  const std::int64_t shares = std::int64_t{4} * threads();
  const int step = std::max({1, grain, static_cast<int>((count + shares - 1) / shares)});
  const int helpers = std::min(threads() - 1, (count - 1) / step);
  if (helpers == 0) return body(0, count);

  Job job{body, count, step};
  {
    std::lock_guard lock(state_->mutex);
    state_->job = &job;
    state_->vacancies = helpers;
  }
  for (int i = 0; i < helpers; ++i)
    state_->wake.notify_one();
  job.work();
  std::unique_lock lock(state_->mutex);
  state_->vacancies = 0;
  state_->done.wait(lock, [this] { return state_->working == 0; });
  if (job.exception != nullptr) std::rethrow_exception(job.exception);
}

void for_ranges(ThreadPool *pool, int count, int grain, RangeBody body) {
  if (pool != nullptr) {
    pool->for_ranges(count, grain, body);
  } else if (count > 0) {
    body(0, count);
  }
}

}  // namespace coalesce
