// SPDX-License-Identifier: LGPL-2.1-or-later
// The test plugin links the files in twins/ in place of the CUDA kernels: every <op>_cuda() runs
// its CPU back end in the simulated driver's streams and memory, as late as a kernel may run.
#include "twin.h"

#include <dlfcn.h>

#include "fakecuda.h"

namespace coalesce {

namespace twin {

namespace {

struct Driver {
  void *handle = nullptr;
  decltype(&fakecuda_launch) launch = nullptr;
  decltype(&fakecuda_check_access) check_access = nullptr;
};

// Only a driver that someone else has loaded counts, as for real kernels.
const Driver *driver() {
  static const Driver loaded = [] {
    Driver d;
    d.handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (d.handle == nullptr) return d;
    d.launch = reinterpret_cast<decltype(d.launch)>(dlsym(d.handle, "fakecuda_launch"));
    d.check_access =
        reinterpret_cast<decltype(d.check_access)>(dlsym(d.handle, "fakecuda_check_access"));
    return d;
  }();
  return loaded.launch != nullptr && loaded.check_access != nullptr ? &loaded : nullptr;
}

Status launch_failed() {
  return {StatusCode::device_error, "the kernel could not be launched"};
}

}  // namespace

void *driver_function(const char *name) {
  const Driver *d = driver();
  return d != nullptr ? dlsym(d->handle, name) : nullptr;
}

Status no_driver() {
  return {StatusCode::unsupported, "the simulated CUDA driver is not loaded"};
}

Status check_access(std::initializer_list<Bytes> planes) {
  const Driver *d = driver();
  if (d == nullptr) return no_driver();
  for (const Bytes &plane : planes) {
    if (plane.data == nullptr) continue;
    constexpr int illegal_address = 700;
    int error = d->check_access(plane.data, plane.row_bytes, plane.rows, plane.pitch);
    if (error == illegal_address)
      return {StatusCode::device_error, "an illegal memory access was encountered"};
    if (error != 0) return launch_failed();
  }
  return {};
}

Status enqueue(void *stream, void (*fn)(void *), void *arg, void (*free_arg)(void *)) {
  const Driver *d = driver();
  if (d == nullptr) {
    free_arg(arg);
    return no_driver();
  }
  constexpr int out_of_memory = 2, no_kernel_image = 209;
  const int error = d->launch(static_cast<CUstream_st *>(stream), fn, arg, free_arg);
  if (error == out_of_memory) return {StatusCode::out_of_memory, "out of memory"};
  if (error == no_kernel_image)
    return {
        StatusCode::unsupported,
        "the CUDA kernels were not built for this GPU; -Dcuda-archs=portable builds them for all"};
  return error != 0 ? launch_failed() : Status();
}

}  // namespace twin

}  // namespace coalesce
