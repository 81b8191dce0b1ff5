// SPDX-License-Identifier: LGPL-2.1-or-later
// The gate: is there a GPU to use, how many, and the words for an error message.
#pragma once

#include <string>

#include "cudadriver.h"

namespace coalesce::gst {

// Asked on first use, never while a plugin is being scanned: libgstcuda 1.22 aborts if a context is
// wanted before the driver is loaded, and hangs at its second try after a cuInit() of its own
// failed.
struct GpuGate {
  bool usable = false;
  int devices = 0;
  std::string why_not;  // a sentence part, empty if usable
};
GpuGate gpu_gate();

// A closed gate is tried anew when next asked: the driver may have become ready. For starts that
// insist on a GPU, as it may take long.
void retry_gpu_gate();

// "NVIDIA H200 (cuda-device-id 0, CUDA driver 13.0)".
std::string describe_gpu(GstCudaContext *context);

}  // namespace coalesce::gst
