// SPDX-License-Identifier: LGPL-2.1-or-later
// The time of a peer's work, a host thread for each stream.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <exception>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bench/jpeg/jpeg_peers.h"
#include "bench/support/results.h"
#include "bench/support/rounds.h"

namespace coalesce::test {

inline void must(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// Milliseconds of one of `count` pieces of work, a thread for each worker: work(worker, number).
// Of each round.
template <class Worker, class Work>
std::vector<double> time_threads(int count, const std::vector<std::unique_ptr<Worker>> &workers,
                                 Work work) {
  constexpr int kRounds = 4;
  std::atomic<int> next{0};
  std::vector<std::exception_ptr> failures(workers.size());
  Rounds rounds(count / kRounds);
  std::vector<std::thread> threads;
  for (std::size_t w = 0; w < workers.size(); ++w)
    threads.emplace_back([&, w] {
      try {
        must(cudaSetDevice(0));  // peers call the driver, for which a new thread has no context
        for (int i; (i = next++) < count;) {
          work(*workers[w], i);
          rounds.done();
        }
      } catch (...) {
        failures[w] = std::current_exception();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::exception_ptr &failure : failures)
    if (failure != nullptr) std::rethrow_exception(failure);
  return rounds.ms();
}

// The first worker alone, then 2, 4 and 8 of them. work(worker, number) gives the bytes of a file.
template <class Make, class Work>
PeerTimes time_streams(Make make, Work work) {
  constexpr int kFiles = 96;
  PeerTimes times;
  std::vector<decltype(make())> workers;
  for (const int streams : {1, 2, 4, 8}) {
    while (static_cast<int>(workers.size()) < streams)
      workers.push_back(make());
    std::atomic<std::size_t> sum{0};
    const auto counted = [&](auto &worker, int i) { sum += work(worker, i); };
    time_threads(kFiles, workers, counted);
    sum = 0;
    const std::vector<double> ms = time_threads(kFiles, workers, counted);
    if (streams == 1) times = {ms, ms, 1, static_cast<double>(sum) / kFiles};
    if (median(ms) < median(times.ms)) times.ms = ms, times.streams = streams;
  }
  return times;
}

}  // namespace coalesce::test
