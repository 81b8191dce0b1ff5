// SPDX-License-Identifier: LGPL-2.1-or-later
// Device memory that is no frame, of as many bytes as the device has. (A frame it could not be:
// GStreamer makes no picture of 4 GiB.)
#pragma once

#include <memory>

#include "fencedmemory.h"

namespace coalesce::gst {

class DeviceBytes {
 public:
  // Aligned to 256 bytes. nullptr if there is no memory.
  static std::unique_ptr<DeviceBytes> create(GstCudaContext *context, gsize bytes);
  ~DeviceBytes();  // waits until the GPU is done with them

  void *data() const { return reinterpret_cast<void *>(data_); }
  MemoryFence &fence() { return fence_; }

  // From memory of the host, all of them, and waits for it.
  CUresult fill(const void *from, Stream &stream);

 private:
  DeviceBytes(GstCudaContext *context, gsize bytes);

  ContextRef context_;
  const gsize bytes_;
  CUdeviceptr data_ = 0;
  MemoryFence fence_;
};

}  // namespace coalesce::gst
