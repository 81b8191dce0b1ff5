// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gpu.h"

#include <mutex>
#include <optional>

#include "core/queue.h"
#include "object/category.h"

namespace coalesce::gst {
namespace {

std::mutex gate_lock;
std::optional<GpuGate> known_gate;

GpuGate closed(std::string why) {
  return {false, 0, std::move(why)};
}

GpuGate open_gate() {
  if (!cuda_kernels_built())
    return closed(
        "this build has no CUDA kernels (it was built without nvcc, or with -Dcuda=disabled)");
  const CudaDriver *driver = cuda_driver();
  if (driver == nullptr) return closed(cuda_driver_missing());
  // The order matters: libgstcuda's own table first, then cuInit, and only if both went well may
  // anyone make a context.
  if (!gst_cuda_load_library()) return closed("GStreamer could not load the CUDA driver library");
  if (CUresult result = driver->init(0); result != CUDA_SUCCESS)
    return closed("the CUDA driver could not be initialised: " + cuda_error_text(result));
  int devices = 0;
  if (CUresult result = driver->device_get_count(&devices); result != CUDA_SUCCESS)
    return closed("the CUDA driver could not count its devices: " + cuda_error_text(result));
  if (devices == 0) return closed("the CUDA driver found no device");
  gst_cuda_memory_init_once();
  return {true, devices, {}};
}

}  // namespace

GpuGate gpu_gate() {
  std::lock_guard guard(gate_lock);
  if (!known_gate) {
    known_gate = open_gate();
    if (known_gate->usable)
      GST_INFO("usable CUDA devices: %d", known_gate->devices);
    else
      GST_INFO("no GPU can be used: %s", known_gate->why_not.c_str());
  }
  return *known_gate;
}

void retry_gpu_gate() {
  std::lock_guard guard(gate_lock);
  if (known_gate && !known_gate->usable) known_gate.reset();
}

std::string describe_gpu(GstCudaContext *context) {
  const CudaDriver *driver = cuda_driver();
  guint id = 0;
  g_object_get(context, "cuda-device-id", &id, nullptr);
  char name[128] = "unknown GPU";
  CUdevice device = 0;
  if (driver->device_get(&device, static_cast<int>(id)) == CUDA_SUCCESS)
    driver->device_get_name(name, sizeof name, device);
  int version = 0;
  driver->driver_get_version(&version);
  return std::string(name) + " (cuda-device-id " + std::to_string(id) + ", CUDA driver " +
         std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10) + ")";
}

}  // namespace coalesce::gst
