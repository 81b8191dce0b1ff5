// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstcompat.h"

#include <dlfcn.h>

namespace coalesce::gst {

void cuda_memory_sync(GstMemory *memory) {
  using Sync = void (*)(GstCudaMemory *);
  static const auto sync = reinterpret_cast<Sync>(dlsym(RTLD_DEFAULT, "gst_cuda_memory_sync"));
  if (sync != nullptr) sync(GST_CUDA_MEMORY_CAST(memory));
}

}  // namespace coalesce::gst
