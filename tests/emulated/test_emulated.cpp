// SPDX-License-Identifier: LGPL-2.1-or-later
// The device itself: what threads do together, and that mistakes of kernels are seen.
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "../support/doctest.h"
#include "convolve/cuda/tensor/bulk_copy.cuh"
#include "core/clones.h"
#include "core/cuda_status.h"
#include "core/grid_order.cuh"
#include "core/load.cuh"
#include "core/ptx.cuh"

namespace coalesce::test {
namespace {

constexpr unsigned kAll = ~0u;
constexpr int kOrders = 8;  // of threads: grids of different sizes have different ones

// In memory of the device.
template <class T>
class Numbers {
 public:
  explicit Numbers(std::vector<T> values) : size_(values.size()) {
    REQUIRE(cudaMalloc(&data_, size_ * sizeof(T)) == cudaSuccess);
    std::memcpy(data_, values.data(), size_ * sizeof(T));
  }
  explicit Numbers(std::size_t size) : Numbers(std::vector<T>(size)) {}
  ~Numbers() { CHECK(cudaFree(data_) == cudaSuccess); }
  Numbers(const Numbers &) = delete;
  Numbers &operator=(const Numbers &) = delete;

  T *data() const { return data_; }
  std::vector<T> values() const { return {data_, data_ + size_}; }

 private:
  T *data_ = nullptr;
  std::size_t size_;
};

template <class... Params, class... Args>
std::string error_of(void (*kernel)(Params...), unsigned blocks, unsigned threads,
                     const Args &...args) {
  const Status s = launch_shared(kernel, dim3(blocks), dim3(threads), 1024, nullptr, args...);
  return s.ok() ? "" : s.message();
}

bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

// Where threads stand, and that blocks do not come in order.
__global__ void count_places(unsigned *seen, unsigned *ticket, unsigned *first_block) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  atomicAdd(seen + block * blockDim.x * blockDim.y * blockDim.z + thread, 1u);
  if (atomicAdd(ticket, 1u) == 0) *first_block = block;
}

TEST_CASE("each thread of each block runs once") {
  const dim3 grid(3, 2, 4), block(5, 7, 2);
  Numbers<unsigned> seen(24 * 70), ticket(1), first(1);
  CHECK(launch(count_places, grid, block, nullptr, seen.data(), ticket.data(), first.data()).ok());
  CHECK((seen.values() == std::vector<unsigned>(24 * 70, 1)));
  unsigned other_first = 0;
  for (unsigned blocks = 2; blocks < 10; ++blocks) {
    Numbers<unsigned> none(1);
    CHECK(
        launch(count_places, dim3(blocks), dim3(1), nullptr, seen.data(), none.data(), first.data())
            .ok());
    other_first += first.values()[0] != 0;
  }
  CHECK(other_first > 0);
}

// A block reverses what it has; without the barrier, some read too early.
template <bool kWaits>
__global__ void reverse(unsigned *numbers) {
  __shared__ unsigned shared[128];
  shared[threadIdx.x] = numbers[blockIdx.x * 128 + threadIdx.x];
  if (kWaits) __syncthreads();
  numbers[blockIdx.x * 128 + threadIdx.x] = shared[127 - threadIdx.x];
}
// The same in a warp.
template <bool kWaits>
__global__ void reverse_in_warp(unsigned *numbers) {
  COALESCE_DYNAMIC_SHARED(4, unsigned, shared);
  shared[threadIdx.x] = numbers[blockIdx.x * 128 + threadIdx.x];
  if (kWaits) __syncwarp();
  numbers[blockIdx.x * 128 + threadIdx.x] = shared[threadIdx.x ^ 31];
}

template <class Kernel>
int wrong_results(Kernel kernel, unsigned mirror) {
  int wrong = 0;
  for (unsigned blocks = 1; blocks <= kOrders; ++blocks) {
    std::vector<unsigned> values(128 * blocks);
    std::iota(values.begin(), values.end(), 1u);
    const Numbers<unsigned> numbers(values);
    CHECK(error_of(kernel, blocks, 128, numbers.data()) == "");
    const std::vector<unsigned> result = numbers.values();
    bool right = true;
    for (unsigned i = 0; i < result.size(); ++i)
      right = right && result[i] == values[i ^ mirror];
    wrong += !right;
  }
  return wrong;
}

TEST_CASE("a missing barrier is seen") {
  CHECK(wrong_results(reverse<true>, 127) == 0);
  CHECK(wrong_results(reverse<false>, 127) == kOrders);
  CHECK(wrong_results(reverse_in_warp<true>, 31) == 0);
  CHECK(wrong_results(reverse_in_warp<false>, 31) == kOrders);
}

// Threads that end early do not hold up the others.
__global__ void last_ones_wait(unsigned *sum, unsigned ending) {
  if (threadIdx.x < ending) return;
  const unsigned lanes = __ballot_sync(kAll, 1);
  __syncthreads();
  if (__syncthreads_and(threadIdx.x >= ending)) atomicAdd(sum, 1u);
  if (!__syncthreads_and(threadIdx.x != ending)) atomicAdd(sum, 1u);
  if (threadIdx.x == blockDim.x - 1) sum[1] = lanes;
}

TEST_CASE("threads that have ended") {
  for (const unsigned ending : {0u, 1u, 40u, 64u, 99u}) {
    Numbers<unsigned> sum(2);
    CHECK(error_of(last_ones_wait, 1, 100, sum.data(), ending) == "");
    CHECK(sum.values()[0] == 2 * (100 - ending));
    CHECK(sum.values()[1] ==
          (0xFu & kAll << (ending > 96 ? ending - 96 : 0)));  // 4 lanes there are
  }
}

// Each half of a warp by itself, in turns of different length.
__global__ void halves(unsigned *result) {
  const unsigned lane = threadIdx.x % 32, half = lane / 16, mask = half == 0 ? 0xFFFF : 0xFFFF0000;
  unsigned value = lane;
  for (unsigned i = 0; i < 1 + 3 * half; ++i)
    value = __shfl_xor_sync(mask, value + 1, 1, 16);
  result[threadIdx.x] = __shfl_sync(kAll, value, 15 - static_cast<int>(lane % 16), 16);
}
__global__ void shuffles(int *result) {
  const int lane = static_cast<int>(threadIdx.x);
  int *mine = result + 8 * lane;
  mine[0] = __shfl_up_sync(kAll, lane, 3, 8);
  mine[1] = __shfl_down_sync(kAll, lane, 3, 8);
  mine[2] = __shfl_sync(kAll, lane, lane + 1, 8);
  mine[3] = static_cast<int>(__shfl_xor_sync(kAll, std::uint64_t{1} << (lane + 16), 5) >> 16);
  mine[4] = static_cast<int>(__ballot_sync(kAll, lane % 3 == 0));
  mine[5] = __any_sync(kAll, lane == 7) + 2 * __any_sync(kAll, lane > 31);
  mine[6] = __all_sync(kAll, lane != 7) + 2 * __all_sync(kAll, lane <= 31);
  if (lane < 8) mine[7] = __shfl_sync(0xFF, lane, 8);  // who is not there
}

TEST_CASE("what lanes do together") {
  Numbers<unsigned> result(128);
  CHECK(error_of(halves, 2, 64, result.data()) == "");
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned from = i % 32 / 16 * 16 + 15 - i % 16;
    CHECK(result.values()[i] == (from < 16 ? (from ^ 1) + 1 : from + 4));
  }
  Numbers<int> shuffled(32 * 8);
  CHECK(error_of(shuffles, 1, 32, shuffled.data()) == "");
  for (int lane = 0; lane < 32; ++lane) {
    const int *mine = shuffled.data() + 8 * lane;
    CHECK(mine[0] == (lane % 8 >= 3 ? lane - 3 : lane));
    CHECK(mine[1] == (lane % 8 < 5 ? lane + 3 : lane));
    CHECK(mine[2] == lane / 8 * 8 + (lane + 1) % 8);
    CHECK(static_cast<unsigned>(mine[3]) == 1u << (lane ^ 5));
    CHECK(static_cast<unsigned>(mine[4]) == 0x49249249);
    CHECK(mine[5] == 1);
    CHECK(mine[6] == 2);
    if (lane < 8) CHECK(static_cast<unsigned>(mine[7]) == 0xD5D5D5D5);
  }
}

// What waits for ever, or is no use of a barrier.
enum class Mistake {
  some_at_barrier,
  some_at_shuffle,
  other_instruction,
  other_count,
  odd_count,
  foreign_mask,
  unaligned,
  memory_stays
};
__global__ void mistaken(Mistake mistake, unsigned *numbers) {
  const unsigned thread = threadIdx.x;
  switch (mistake) {
    case Mistake::some_at_barrier:
      if (thread < 32) emulated::meet_at_barrier(3, 64, false);
      break;
    case Mistake::some_at_shuffle:
      if (thread % 32 < 5)
        __syncwarp();
      else
        __syncthreads();
      break;
    case Mistake::other_instruction:
      if (thread % 32 < 5)
        __syncwarp();
      else
        (void)__any_sync(kAll, 1);
      break;
    case Mistake::other_count:
      emulated::meet_at_barrier(1, thread < 32 ? 64 : 96, false);
      break;
    case Mistake::odd_count:
      emulated::meet_at_barrier(1, 63, false);
      break;
    case Mistake::foreign_mask:
      __syncwarp(1);
      break;
    case Mistake::unaligned:
      (void)__ldg(reinterpret_cast<const uint2 *>(numbers + 1));
      break;
    case Mistake::memory_stays:
      while (*static_cast<volatile unsigned *>(numbers) == 0)
        __nanosleep(10);
      break;
  }
}

TEST_CASE("mistakes are errors") {
  Numbers<unsigned> numbers(8);
  const auto error = [&numbers](Mistake mistake) {
    const std::string text = error_of(mistaken, 3, 64, mistake, numbers.data());
    // The device goes on.
    CHECK(wrong_results(reverse<true>, 127) == 0);
    return text;
  };
  CHECK(contains(error(Mistake::some_at_barrier),
                 "32 of 64 threads of a block wait for ever; 32 at barrier 3, which wants 64"));
  CHECK(contains(error(Mistake::some_at_shuffle),
                 "54 at barrier 0; in warp 0 lanes 0000001f, who want ffffffff"));
  CHECK(contains(error(Mistake::other_instruction), "in warp 1 lanes ffffffe0, who want ffffffff"));
  CHECK(contains(error(Mistake::other_count), "barrier 1 is called for"));
  CHECK(contains(error(Mistake::odd_count), "barrier 1 for 63 threads"));
  CHECK(contains(error(Mistake::foreign_mask), "without the lane itself"));
  CHECK(contains(error(Mistake::unaligned), "8 bytes at an address"));
  CHECK(contains(error(Mistake::memory_stays), "waits for ever"));
}

// One thread sets what the others wait for.
__global__ void wait_for_memory(unsigned *flag, unsigned *sum) {
  if (threadIdx.x == 17) *flag = 1;
  while (*static_cast<volatile unsigned *>(flag) == 0)
    __nanosleep(10);
  atomicAdd(sum, 1u);
}

// Copies that are waited for or not: what comes is not there before.
template <bool kWaits>
__global__ void copy_through_shared(const uint4 *from, uint4 *to) {
  COALESCE_DYNAMIC_SHARED(16, uint4, shared);
  shared[threadIdx.x] = make_uint4(7, 7, 7, 7);
  ptx::cp_async(emulated::shared_address(shared + threadIdx.x), from + threadIdx.x);
  if (kWaits) ptx::cp_async_wait_all();
  to[threadIdx.x] = shared[threadIdx.x];
}
template <bool kWaits>
__global__ void copy_in_bulk(const uint4 *from, uint4 *to) {
  __shared__ BulkBarrier arrived;
  COALESCE_DYNAMIC_SHARED(16, uint4, shared);
  if (threadIdx.x == 0) {
    arrived.init();
    arrived.expect(32 * 16);
    arrived.copy(shared, from, 32 * 16);
  }
  __syncthreads();
  if (kWaits) arrived.wait(0);
  to[threadIdx.x] = shared[threadIdx.x];
}

TEST_CASE("what comes later") {
  Numbers<unsigned> flag(1), sum(1);
  CHECK(error_of(wait_for_memory, 1, 96, flag.data(), sum.data()) == "");
  CHECK(sum.values()[0] == 96);

  std::vector<unsigned> values(128);
  std::iota(values.begin(), values.end(), 100u);
  const Numbers<unsigned> in(values), out(128);
  const auto *from = reinterpret_cast<const uint4 *>(in.data());
  auto *to = reinterpret_cast<uint4 *>(out.data());
  CHECK(error_of(copy_through_shared<true>, 1, 32, from, to) == "");
  CHECK((out.values() == values));
  CHECK(error_of(copy_through_shared<false>, 1, 32, from, to) == "");
  CHECK((out.values() == std::vector<unsigned>(128, 7)));
  CHECK(error_of(copy_in_bulk<true>, 1, 32, from, to) == "");
  CHECK((out.values() == values));
  CHECK(contains(error_of(copy_in_bulk<false>, 1, 32, from, to), "not waited for"));
  CHECK((out.values() == std::vector<unsigned>(128, 0xD5D5D5D5)));
}

// A thread of a grid that starts early ends, or meets others, before it has waited.
template <int kWaits>
__global__ void begin_early(unsigned *number) {
  if (kWaits == 1 || (kWaits == 2 && threadIdx.x != 77)) wait_for_grid_before();
  if (kWaits != 3) __syncthreads();
  *number = 1;
}

TEST_CASE("a grid that starts early waits for the one before") {
  const Numbers<unsigned> number(1);
  const auto early = [&](void (*kernel)(unsigned *)) {
    const Status s = launch_early(kernel, dim3(2), dim3(96), 0, nullptr, number.data());
    return s.ok() ? std::string() : std::string(s.message());
  };
  CHECK(early(begin_early<1>) == "");
  for (const auto kernel : {begin_early<0>, begin_early<2>, begin_early<3>}) {
    CHECK(contains(early(kernel), "launched early"));
    CHECK(error_of(kernel, 2, 96, number.data()) == "");
  }
}

__global__ void load_word(const unsigned char *from, unsigned *to) {
  *to = load_global(reinterpret_cast<const unsigned *>(from));
}

TEST_CASE("an unaligned load") {
  const Numbers<unsigned char> bytes(16);
  const Numbers<unsigned> word(1);
  CHECK(error_of(load_word, 1, 1, static_cast<const unsigned char *>(bytes.data() + 4),
                 word.data()) == "");
  CHECK(contains(
      error_of(load_word, 1, 1, static_cast<const unsigned char *>(bytes.data() + 2), word.data()),
      "no multiple"));
}

// PTX ISA, prmt: the upper bit of a selector's nibble repeats a sign.
TEST_CASE("bytes by prmt") {
  CHECK(ptx::prmt(0x03020100, 0x87060584, 0x7410) == 0x87840100);
  CHECK(ptx::prmt(0x03020100, 0x87060584, 0xFC85) == 0xFFFF0005);
}

TEST_CASE("limits of a launch") {
  Numbers<unsigned> numbers(128);
  CHECK(contains(error_of(reverse<true>, 1, 1025, numbers.data()), "configuration"));
  CHECK(!launch(reverse<true>, dim3(1, 65536), dim3(128), nullptr, numbers.data()).ok());
  CHECK(
      !launch_shared(reverse<true>, dim3(1), dim3(128), 228 * 1024, nullptr, numbers.data()).ok());
}

TEST_CASE("threads of the host") {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&wrong] { wrong += wrong_results(reverse<true>, 127); });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
}

__global__ void write_at(unsigned char *bytes, int size) {
  bytes[size] = 1;
}
[[maybe_unused]] __global__ void read_at(unsigned char *bytes, int size) {
  bytes[0] = bytes[size];
}

// Does the program end? By AddressSanitizer, or when what was written is found.
template <class Kernel>
bool faults(Kernel kernel, int at) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(0);
    unsigned char *bytes = nullptr;
    (void)cudaMalloc(&bytes, 101);
    (void)launch(kernel, dim3(1), dim3(1), nullptr, bytes, at);
    (void)cudaFree(bytes);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

TEST_CASE("bytes beside an allocation") {
  for (const int at : {-200, -1, 0, 100, 101, 200}) {
    const bool outside = at < 0 || at > 100;
    CHECK(faults(write_at, at) == outside);
#if defined(COALESCE_SANITIZED)
    CHECK(faults(read_at, at) == outside);
#endif
  }
}

}  // namespace
}  // namespace coalesce::test
