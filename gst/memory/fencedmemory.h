// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA memory that knows when its last write will be done.
//
// Our elements leave their kernels in flight. The memory they write carries an event (the fence).
// Whoever maps it in the ordinary way, for the CPU or for CUDA, waits for the event first; our own
// elements map it with MAP_FENCED, get the pointer at once, and order their stream behind the
// event. The promise travels with the memory, so tee, queue, identity, probes or a replaced
// downstream cannot lose it. To everyone else it is ordinary GstCudaMemory.
#pragma once

#include <atomic>

#include "fence.h"

namespace coalesce::gst {

// Allocates device memory for `info`. libgstcuda lays out the formats it knows; for every other it
// would abort the process, so such a frame is allocated as an RGBA surrogate of the same bytes.
// offsets and strides receive where the planes really are, and the memory says so. nullptr on
// failure.
GstMemory *fenced_memory_alloc(GstCudaContext *context, const GstVideoInfo &info,
                               gsize offsets[GST_VIDEO_MAX_PLANES],
                               gint strides[GST_VIDEO_MAX_PLANES]);

extern std::atomic<GstAllocator *> fenced_allocator;  // once it has been made
inline bool is_fenced_memory(GstMemory *memory) {
  return memory->allocator != nullptr && memory->allocator == fenced_allocator;
}

// What such memory carries.
struct MemoryFence {
  ~MemoryFence();  // waits until the GPU is done with the memory
  Fence fence;
  // Since our last write, someone else has got the device pointer, and may have work in flight.
  std::atomic<bool> seen_by_others{false};

  // `event` has been recorded behind a write, which `stream` was given.
  void written(std::shared_ptr<Event> event, const std::shared_ptr<Stream> &stream);

  // Orders `stream` behind the last write and, before work that overwrites the memory, behind those
  // who read it. Others than us may have left work in flight, on the default stream or one that is
  // ordered with it, as a GstCudaStream is: the second is about them alone.
  CUresult order(const Stream &stream, GstMapFlags access);
  CUresult order_behind_others(const Stream &stream);
};

// That of memory of ours, which it lives as long as.
MemoryFence *memory_fence(GstMemory *memory);

// Of CUDA memory that has been mapped for the CPU: libgstcuda may take a copy to the host that has
// failed for one that has not. (Fenced memory is looked at when it is mapped.)
bool downloaded(GstMemory *memory);

// Orders `stream` behind the last write to CUDA memory that is not ours, and has no fence.
CUresult order_behind_stream_of(GstMemory *memory, const Stream &stream);

}  // namespace coalesce::gst
