// SPDX-License-Identifier: LGPL-2.1-or-later
// nvJPEG for the benchmarks: its handle.
#pragma once

#include <nvjpeg.h>

#include <stdexcept>
#include <string>

#include "bench/peers/threads.h"

namespace coalesce::test {

inline void must(nvjpegStatus_t status) {
  if (status != NVJPEG_STATUS_SUCCESS)
    throw std::runtime_error("nvJPEG: status " + std::to_string(status));
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

}  // namespace coalesce::test
