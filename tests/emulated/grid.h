// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs a grid on the calling thread: blocks one after the other, each of their threads on a stack
// of its own. A thread runs until it waits for others; then another one goes on, which one depends
// on the seed, as does the order of blocks. What kernels call while they run is in
// include/cuda_runtime.h.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

namespace emulated {

// Of a block. (The CUDA C++ programming guide, technical specifications)
constexpr std::size_t kMaxSharedBytes = (COALESCE_EMULATED >= 900 ? 227 : 64) * 1024;

struct Grid {
  dim3 blocks, threads;
  std::size_t shared_bytes;
  Call call;
  const void *kernel;
  void **arguments;
  bool early = false;  // its threads wait for the grid before it
};

// Memory that nobody may touch: for AddressSanitizer.
void poison(const void *begin, std::size_t bytes);
void unpoison(const void *begin, std::size_t bytes);

// Returns what went wrong, or nothing.
std::string run(const Grid &grid, std::uint64_t seed);

}  // namespace emulated
