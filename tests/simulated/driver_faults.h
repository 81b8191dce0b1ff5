// SPDX-License-Identifier: LGPL-2.1-or-later
// The calls of the driver that fail in turn, and how.
#pragma once

#include <cuda.h>

#include "fakecuda.h"

namespace simulated {

constexpr int kLaunchFailure = 719;

constexpr struct {
  FakecudaFunction function;
  const char *name;
  int code;
} kDriverFaults[] = {
    {FAKECUDA_CTX_CREATE, "ctx_create", CUDA_ERROR_OUT_OF_MEMORY},
    {FAKECUDA_ALLOC_PITCH, "alloc_pitch", CUDA_ERROR_OUT_OF_MEMORY},
    {FAKECUDA_ALLOC_HOST, "alloc_host", CUDA_ERROR_OUT_OF_MEMORY},
    {FAKECUDA_COPY, "copy", kLaunchFailure},
    {FAKECUDA_LAUNCH, "launch", kLaunchFailure},
    {FAKECUDA_STREAM_CREATE, "stream_create", CUDA_ERROR_OUT_OF_MEMORY},
    {FAKECUDA_STREAM_WAIT, "stream_wait", kLaunchFailure},
    {FAKECUDA_EVENT_CREATE, "event_create", CUDA_ERROR_OUT_OF_MEMORY},
    {FAKECUDA_EVENT_RECORD, "event_record", kLaunchFailure},
    {FAKECUDA_SYNCHRONIZE, "synchronize", kLaunchFailure},
    {FAKECUDA_EXECUTE, "execute", kLaunchFailure},
};

}  // namespace simulated
