// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests in CUDA: whether there is a GPU to run them on.
#pragma once

#include <cuda_runtime.h>

#include <cstdlib>
#include <string>

#include "doctest.h"

namespace coalesce::test {

inline bool gpu_usable() {
  int count = 0;
  const bool usable = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  (void)cudaGetLastError();
  return usable;
}

// Without a GPU the running case is skipped; with COALESCE_REQUIRE_GPU it fails.
inline bool have_gpu() {
  if (gpu_usable()) return true;
  const char *required = std::getenv("COALESCE_REQUIRE_GPU");
  if (required != nullptr && *required != '\0' && std::string(required) != "0")
    FAIL("there is no usable GPU");
  skip("there is no usable GPU");
  return false;
}

}  // namespace coalesce::test
