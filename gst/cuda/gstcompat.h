// SPDX-License-Identifier: LGPL-2.1-or-later
// Every difference between the GStreamer versions we run on (1.22 to 1.28) is here.
#pragma once

#ifndef GST_USE_UNSTABLE_API
#define GST_USE_UNSTABLE_API
#endif
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <optional>

namespace coalesce::gst {

inline bool running_on(guint major, guint minor) {
  guint have_major = 0, have_minor = 0, micro = 0, nano = 0;
  gst_version(&have_major, &have_minor, &micro, &nano);
  return have_major > major || (have_major == major && have_minor >= minor);
}

// gst_cuda_allocator_alloc() gained a stream argument in 1.24 while the library kept its soname, so
// the signature follows the library that is loaded, not the headers that were compiled against.
inline GstMemory *cuda_allocator_alloc(GstCudaAllocator *allocator, GstCudaContext *context,
                                       const GstVideoInfo *info) {
  auto *function = reinterpret_cast<void *>(&gst_cuda_allocator_alloc);
  if (running_on(1, 23)) {
    using Alloc =
        GstMemory *(*)(GstCudaAllocator *, GstCudaContext *, void *stream, const GstVideoInfo *);
    return reinterpret_cast<Alloc>(function)(allocator, context, nullptr, info);
  }
  using Alloc = GstMemory *(*)(GstCudaAllocator *, GstCudaContext *, const GstVideoInfo *);
  return reinterpret_cast<Alloc>(function)(allocator, context, info);
}

// Where others may have left writes to their memory in flight: nullptr is the default stream; none
// means that nothing is. From 1.24 on, memory may have a GstCudaStream, and is marked NEED_SYNC
// while something is in flight there.
std::optional<CUstream> cuda_memory_stream(GstMemory *memory);

// Does a map for the CPU fail when the copy to the host has failed? From 1.24 on libgstcuda does
// not look at what the driver says of it.
inline bool cuda_download_is_checked() {
  return !running_on(1, 23);
}

// Does libgstcuda put the third plane of 4:2:0 in the middle of a row, if the height is even? 1.24
// does (1.24.2; not 1.22.0, 1.26.2, 1.28.8), and what it maps for the CPU is then not that plane.
inline bool cuda_misplaces_third_plane() {
  return running_on(1, 23) && !running_on(1, 25);
}

// What caps of a format and a size alone mean. (From 1.26 on gst_video_info_set_format() leaves
// open where chroma is sited; gst_video_info_from_caps() still says it.)
bool plain_video_info(GstVideoInfo *info, GstVideoFormat format, gint width, gint height);

}  // namespace coalesce::gst
