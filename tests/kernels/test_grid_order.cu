// SPDX-License-Identifier: LGPL-2.1-or-later
// Grids that start early see what those before them wrote; and they do start early, for otherwise
// the wait could be missing, and nobody would know. Needs a GPU.
#include <cstdio>
#include <cstdlib>

#include "core/cuda_status.h"
#include "core/grid_order.cuh"

namespace coalesce {
namespace {

constexpr int kSkipped = 77;

void must(const Status &s, const char *what) {
  if (s.ok()) return;
  std::printf("FAIL %s: %s\n", what, s.message());
  std::exit(1);
}

// Lets the next grid start first.
__global__ void write_late(int *to, int value) {
  wait_for_grid_before();
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
  for (int i = 0; i < 1000; ++i)
    __nanosleep(1000);
  *to = value;
}

__global__ void do_nothing(int) {
  wait_for_grid_before();
}

__global__ void copy(const int *from, int *to) {
  wait_for_grid_before();
  *to = *static_cast<const volatile int *>(from);
}

__global__ void copy_at_once(const int *from, int *to) {
  *to = *static_cast<const volatile int *>(from);
}

// What is copied of 1, written late over 0. between: grids that write nothing.
int copied(void (*how)(const int *, int *), int between, int *memory, cudaStream_t stream) {
  must(cuda_checked(cudaMemsetAsync(memory, 0, 2 * sizeof(int), stream)), "clear");
  must(cuda_checked(cudaStreamSynchronize(stream)), "wait");
  must(launch_early(write_late, dim3(1), dim3(1), 0, stream, memory, 1), "launch a writer");
  for (int i = 0; i < between; ++i)
    must(launch_early(do_nothing, dim3(1), dim3(1), 0, stream, 0), "launch");
  const int *from = memory;
  must(launch_early(how, dim3(1), dim3(1), 0, stream, from, memory + 1), "launch a reader");
  int value = -1;
  must(cuda_checked(
           cudaMemcpyAsync(&value, memory + 1, sizeof value, cudaMemcpyDeviceToHost, stream)),
       "copy");
  must(cuda_checked(cudaStreamSynchronize(stream)), "wait");
  return value;
}

int test() {
  int *memory = nullptr, device = 0, major = 0, failures = 0;
  cudaStream_t stream = nullptr;
  must(cuda_checked(cudaGetDevice(&device)), "find the device");
  must(cuda_checked(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)),
       "ask the device");
  must(cuda_checked(cudaMalloc(&memory, 2 * sizeof(int))), "allocate");
  must(cuda_checked(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)), "make a stream");
  // A kernel that is loaded first waits for all that is under way.
  for (const auto how : {copy, copy_at_once})
    (void)copied(how, 1, memory, stream);
  for (int between = 0; between < 4; ++between)
    if (copied(copy, between, memory, stream) != 1) {
      std::printf("FAIL what was written is not seen, %d grids later\n", between + 1);
      ++failures;
    }
  const bool early = copied(copy_at_once, 0, memory, stream) == 0;
  std::printf("grids start early: %s\n", early ? "yes" : "no");
  if (early != (major >= 9)) {
    std::printf("FAIL on a device of compute capability %d.x\n", major);
    ++failures;
  }
  must(cuda_checked(cudaStreamDestroy(stream)), "drop the stream");
  must(cuda_checked(cudaFree(memory)), "free");
  return failures;
}

}  // namespace
}  // namespace coalesce

int main() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    std::printf("no device\n");
    return std::getenv("COALESCE_REQUIRE_GPU") != nullptr ? 1 : coalesce::kSkipped;
  }
  const int failures = coalesce::test();
  std::printf("%s\n", failures == 0 ? "ok" : "FAILED");
  return failures == 0 ? 0 : 1;
}
