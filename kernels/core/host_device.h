// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

// Marks arithmetic that the CPU back end and the CUDA kernels share.
#if defined(__CUDACC__)
#define COALESCE_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define COALESCE_HOST_DEVICE inline
#endif
