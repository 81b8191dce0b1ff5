// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

// Marks arithmetic that the CPU back end and the CUDA kernels share; and what is too long to stand
// wherever it is called.
#if defined(__CUDACC__)
#define COALESCE_HOST_DEVICE __host__ __device__ __forceinline__
#define COALESCE_HOST_DEVICE_CALL __host__ __device__ inline
#else
#define COALESCE_HOST_DEVICE inline
#define COALESCE_HOST_DEVICE_CALL inline
#endif
