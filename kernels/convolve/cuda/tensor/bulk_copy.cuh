// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows and rectangles of a plane to shared memory by the copy engine, which tells a barrier when
// all bytes have come. From compute capability 9.0 on; below, and where nvcc does not know the
// instructions, kernels that use this are empty and not chosen.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "../../../core/plane.h"
#include "instructions.cuh"

#if CUDART_VERSION >= 12000
#include <cuda.h>
#define COALESCE_BULK_COPY_FROM 90  // compute capability, times 10
#else
#define COALESCE_BULK_COPY_FROM 1000000
struct alignas(64) CUtensorMap {};
#endif

namespace coalesce {

// Does the driver know of them?
bool has_plane_maps();

// What the copy engine knows of a plane: elements of 4 or 8 bytes (what a row has more, counts as
// outside) and the rectangles to copy, `columns` bytes (a multiple of 16, at most 256 elements) by
// `rows` (at most 256). False if it cannot have such. Address and pitch are multiples of 16.
bool make_plane_map(const Plane<const std::uint8_t> &plane, int element, int columns, int rows,
                    CUtensorMap *map);

#if !defined(COALESCE_EMULATED)
// A phase is over when one thread has arrived and all bytes that it expects have come.
class BulkBarrier {
 public:
  // Fence it before copies.
  __device__ __forceinline__ void init() {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address()) : "memory");
  }

  // Arrives.
  __device__ __forceinline__ void expect(int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()),
                 "r"(bytes)
                 : "memory");
  }

  // All three are multiples of 16.
  __device__ __forceinline__ void copy(void *to, const void *from, int bytes) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(address())
        : "memory");
  }

  // The rectangle whose corner is element x, which is 16 bytes times something, of row y; zeros for
  // what is outside. to: a multiple of 128. map: a parameter of the kernel.
  __device__ __forceinline__ void copy(void *to, const CUtensorMap &map, int x, int y) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
        "l"(&map), "r"(x), "r"(y), "r"(address())
        : "memory");
  }

  // For the end of the phases of this parity: 0 for the first.
  __device__ __forceinline__ void wait(int parity) {
    std::uint32_t over;
    do {
      asm volatile(
          "{.reg .pred over; mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;"
          "selp.u32 %0, 1, 0, over;}"
          : "=r"(over)
          : "r"(address()), "r"(parity)
          : "memory");
    } while (over == 0);
  }

 private:
  __device__ __forceinline__ std::uint32_t address() const { return shared_address(this); }

  std::uint64_t state_;
};

// What this thread has written to shared memory before, the copy engine finds there.
__device__ __forceinline__ void fence_for_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
#endif

}  // namespace coalesce
