// SPDX-License-Identifier: LGPL-2.1-or-later
// Grids that start early see what those before them wrote; and they do start early, for otherwise
// the wait could be missing, and nobody would know. Needs a GPU.
#include <cstddef>
#include <cstdint>

#include "../../support/doctest.h"
#include "../../support/gpu.h"
#include "core/cuda_status.h"
#include "core/grid_order.cuh"

namespace coalesce::test {
namespace {

void must(const Status &s, const char *what) {
  REQUIRE_MESSAGE(s.ok(), what, ": ", s.message());
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

struct Device {
  cudaStream_t stream = nullptr, other = nullptr;
  cudaEvent_t event = nullptr;
  int *memory = nullptr;                        // what is written, and what is copied of it
  std::uint8_t *from = nullptr, *to = nullptr;  // kMuch bytes each
  int major = 0;

  Device();
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
};
constexpr std::size_t kMuch = 256 << 20;

Device::Device() {
  int device = 0;
  must(cuda_checked(cudaGetDevice(&device)), "find the device");
  must(cuda_checked(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)),
       "ask the device");
  must(cuda_checked(cudaMalloc(&memory, 2 * sizeof(int))), "allocate");
  must(cuda_checked(cudaMalloc(&from, kMuch)), "allocate");
  must(cuda_checked(cudaMalloc(&to, kMuch)), "allocate");
  for (cudaStream_t *each : {&stream, &other})
    must(cuda_checked(cudaStreamCreateWithFlags(each, cudaStreamNonBlocking)), "make a stream");
  must(cuda_checked(cudaEventCreateWithFlags(&event, cudaEventDisableTiming)), "make an event");
}

Device::~Device() {
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
  cudaStreamDestroy(other);
  cudaFree(memory);
  cudaFree(from);
  cudaFree(to);
}

using Copy = void (*)(const int *, int *);

void nothing_early(const Device &d, int grids) {
  for (int i = 0; i < grids; ++i)
    must(launch_early(do_nothing, dim3(1), dim3(1), 0, d.stream, 0), "launch");
}

// The int that is read early where `from` points to.
int read_early(const Device &d, Copy how, const int *from) {
  must(launch_early(how, dim3(1), dim3(1), 0, d.stream, from, d.memory + 1), "launch a reader");
  int value = -1;
  must(cuda_checked(
           cudaMemcpyAsync(&value, d.memory + 1, sizeof value, cudaMemcpyDeviceToHost, d.stream)),
       "copy");
  must(cuda_checked(cudaStreamSynchronize(d.stream)), "wait");
  return value;
}

void clear(const Device &d) {
  must(cuda_checked(cudaMemset(d.memory, 0, 2 * sizeof(int))), "clear");
  must(cuda_checked(cudaMemset(d.from, 1, kMuch)), "fill");
  must(cuda_checked(cudaMemset(d.to, 0, kMuch)), "clear");
  must(cuda_checked(cudaDeviceSynchronize()), "wait");
}

// What a reader sees of the 1 that another grid writes late. between: grids that write nothing.
int behind_grid(const Device &d, Copy how, int between) {
  clear(d);
  must(launch_early(write_late, dim3(1), dim3(1), 0, d.stream, d.memory, 1), "launch a writer");
  nothing_early(d, between);
  return read_early(d, how, d.memory);
}

// That one is in another stream.
int behind_event(const Device &d, Copy how, int between) {
  clear(d);
  must(launch_early(write_late, dim3(1), dim3(1), 0, d.other, d.memory, 1), "launch a writer");
  must(cuda_checked(cudaEventRecord(d.event, d.other)), "record an event");
  nothing_early(d, 1);
  must(cuda_checked(cudaStreamWaitEvent(d.stream, d.event, 0)), "wait for an event");
  nothing_early(d, between);
  return read_early(d, how, d.memory);
}

// What is written is a large copy, to whose end it comes last.
int behind_copy(const Device &d, Copy how, int between) {
  clear(d);
  must(cuda_checked(cudaMemcpyAsync(d.to, d.from, kMuch, cudaMemcpyDeviceToDevice, d.stream)),
       "copy");
  nothing_early(d, between);
  return read_early(d, how, reinterpret_cast<const int *>(d.to + kMuch) - 1) & 1;
}

TEST_CASE("grid order") {
  if (!have_gpu()) return;
  const Device d;
  const struct {
    const char *what;
    int (*seen)(const Device &, Copy, int);
  } ways[] = {{"a grid", behind_grid}, {"an event", behind_event}, {"a copy", behind_copy}};
  // A kernel that is loaded first waits for all that is under way.
  for (const Copy how : {copy, copy_at_once})
    (void)behind_grid(d, how, 1);
  for (const auto &way : ways)
    for (int between = 0; between < 4; ++between)
      CHECK_MESSAGE(way.seen(d, copy, between) == 1, "what ", way.what, " wrote is not seen, with ",
                    between, " grids between");
  const bool early = behind_grid(d, copy_at_once, 0) == 0;
  CHECK_MESSAGE(early == (d.major >= 9), "grids start early: ", early,
                ", on a device of compute capability ", d.major, ".x");
}

}  // namespace
}  // namespace coalesce::test
