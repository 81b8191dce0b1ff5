// SPDX-License-Identifier: LGPL-2.1-or-later
// A frame's way to the kernels.
#pragma once

#include "backend.h"
#include "memory/fencedmemory.h"
#include "video/frame.h"

namespace coalesce::gst {

// There is no device memory for an upload. Nothing has been posted, and it can be tried again.
constexpr GstFlowReturn kNoDeviceMemory = GST_FLOW_CUSTOM_ERROR;

// For one call of take(), in which the context of the element's session is current.
class GpuInput {
 public:
  GpuInput(Backend &backend, GstBuffer *buffer, const GstVideoInfo &info);

  // If this thread has written the input, in a stream of the session's context, the kernels go to
  // that stream; else to one of the session's own. So elements in a row need not be ordered, and
  // give frames back at once. (Between threads they would keep the frames of one from overlapping
  // those of the other.) Call it before take(), or not at all.
  CUresult choose_stream();

  // Device memory of the session's context is read where it is, unless samples are not aligned to
  // their size; everything else is copied to a buffer of `pool`. both_fields: chroma rows that one
  // field of an interlaced picture lacks are copies of the last. Posts an error for whatever goes
  // wrong, but for kNoDeviceMemory. After a failure work may be in flight.
  GstFlowReturn take(GstBufferPool *pool, bool both_fields = false);

  // In device memory. Readers are enqueued on the session's stream.
  const Frame &frame() const { return frame_; }

  // `done` has been recorded there behind the last reader: the memory is kept until then.
  void retire(std::shared_ptr<Event> done);

 private:
  GstFlowReturn take_in_place();
  GstFlowReturn acquire(GstBufferPool *pool);
  GstFlowReturn upload(GstBufferPool *pool, bool both_fields);
  GstFlowReturn copy(GstBufferPool *pool, bool both_fields);
  GstFlowReturn ok(const char *doing, CUresult result);

  Backend &backend_;
  GpuSession &session_;
  GstBuffer *buffer_;
  const GstVideoInfo &info_;
  GstMemory *memory_ = nullptr;   // that of the buffer, if the GPU can read it where it is
  MemoryFence *fence_ = nullptr;  // of memory of ours
  bool in_writers_stream_ = false;
  BufferRef own_;  // what was uploaded, or copied
  Frame frame_;
};

}  // namespace coalesce::gst
