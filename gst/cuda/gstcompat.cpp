// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstcompat.h"

#include <dlfcn.h>

namespace coalesce::gst {
namespace {

// Of 1.24, looked up because we may have been compiled against less.
constexpr auto kNeedSync = GST_MEMORY_FLAG_LAST << 2;
using GetStream = void *(*)(GstCudaMemory *);
using GetHandle = CUstream (*)(void *stream);

template <class Function>
Function look_up(const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

std::optional<CUstream> cuda_memory_stream(GstMemory *memory) {
  static const auto get_stream = look_up<GetStream>("gst_cuda_memory_get_stream");
  static const auto get_handle = look_up<GetHandle>("gst_cuda_stream_get_handle");
  void *stream = get_stream && get_handle ? get_stream(GST_CUDA_MEMORY_CAST(memory)) : nullptr;
  if (stream == nullptr) return nullptr;
  if (!GST_MEMORY_FLAG_IS_SET(memory, kNeedSync)) return {};
  return get_handle(stream);
}

bool plain_video_info(GstVideoInfo *info, GstVideoFormat format, gint width, gint height) {
  GstCaps *caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING,
                                      gst_video_format_to_string(format), "width", G_TYPE_INT,
                                      width, "height", G_TYPE_INT, height, nullptr);
  const bool known = gst_video_info_from_caps(info, caps);
  gst_caps_unref(caps);
  return known;
}

}  // namespace coalesce::gst
