// SPDX-License-Identifier: LGPL-2.1-or-later
// nvJPEG for the benchmarks: its handle, and the time of work on several threads.
#pragma once

#include <cuda_runtime.h>
#include <nvjpeg.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace coalesce::test {

inline void must(nvjpegStatus_t status) {
  if (status != NVJPEG_STATUS_SUCCESS)
    throw std::runtime_error("nvJPEG: status " + std::to_string(status));
}
inline void must(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

struct NvjpegLibrary {
  nvjpegHandle_t handle = nullptr;
  explicit NvjpegLibrary(nvjpegBackend_t backend = NVJPEG_BACKEND_DEFAULT) {
    must(nvjpegCreateEx(backend, nullptr, nullptr, NVJPEG_FLAGS_DEFAULT, &handle));
  }
  ~NvjpegLibrary() { nvjpegDestroy(handle); }
  NvjpegLibrary(const NvjpegLibrary &) = delete;
  NvjpegLibrary &operator=(const NvjpegLibrary &) = delete;
};

// Milliseconds of one of `count` pieces of work, a thread for each worker: work(worker, number).
template <class Worker, class Work>
double time_threads(int count, const std::vector<std::unique_ptr<Worker>> &workers, Work work) {
  std::atomic<int> next{0};
  std::vector<std::exception_ptr> failures(workers.size());
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (std::size_t w = 0; w < workers.size(); ++w)
    threads.emplace_back([&, w] {
      try {
        must(cudaSetDevice(0));  // nvJPEG calls the driver, for which a new thread has no context
        for (int i; (i = next++) < count;)
          work(*workers[w], i);
      } catch (...) {
        failures[w] = std::current_exception();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::exception_ptr &failure : failures)
    if (failure != nullptr) std::rethrow_exception(failure);
  const std::chrono::duration<double, std::milli> all = std::chrono::steady_clock::now() - start;
  return all.count() / count;
}

}  // namespace coalesce::test
