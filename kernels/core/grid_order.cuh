// SPDX-License-Identifier: LGPL-2.1-or-later
// For kernels that are launched early (cuda_status.h): programmatic dependent launches, of compute
// capability 9.0 on. (CUDA C++ Programming Guide)
#pragma once

namespace coalesce {

// Until the grid before has ended and what it wrote is there. First of all, in every thread: who
// comes behind this grid relies on its having waited. (That the grid behind is told to start before
// this one ends was tried, and took longer: docs/lab/elements.md.)
__device__ __forceinline__ void wait_for_grid_before() {
#if defined(COALESCE_EMULATED)
  emulated::wait_for_grid_before();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace coalesce
