// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gpu_support.h"

#include <cstdlib>
#include <cstring>
#include <random>

#define GST_USE_UNSTABLE_API
#include <gst/cuda/cuda-gst.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudautils.h>

namespace gpu_test {

void require_gpu() {
  int devices = 0;
  if (gst_cuda_load_library() && CuInit(0) == CUDA_SUCCESS &&
      CuDeviceGetCount(&devices) == CUDA_SUCCESS && devices > 0)
    return;
  const char *required = std::getenv("COALESCE_REQUIRE_GPU");
  const bool must = required != nullptr && std::strcmp(required, "1") == 0;
  g_print("%s: no CUDA device can be used on this machine\n", must ? "FAILED" : "SKIP");
  std::exit(must ? 1 : kSkip);
}

std::string caps_text(const char *format, int width, int height, bool cuda) {
  return std::string(cuda ? "video/x-raw(memory:CUDAMemory)" : "video/x-raw") +
         ",format=" + format + ",width=" + std::to_string(width) +
         ",height=" + std::to_string(height) + ",framerate=30/1";
}

GstHarness *harness(const char *launch_line, const std::string &in_caps,
                    const std::string &out_caps, Context context) {
  GstElement *bin = gst_parse_bin_from_description(launch_line, TRUE, nullptr);
  if (context == Context::shared) {
    static GstContext *shared = gst_context_new_cuda_context(gst_cuda_context_new(0));
    gst_element_set_context(bin, shared);
  }
  GstHarness *h = gst_harness_new_with_element(bin, "sink", "src");
  gst_object_unref(bin);
  gst_harness_set_sink_caps_str(h, out_caps.c_str());
  gst_harness_set_src_caps_str(h, in_caps.c_str());
  return h;
}

GstBufferPool *proposed_pool(GstHarness *h) {
  GstCaps *caps = gst_pad_get_current_caps(h->srcpad);
  GstQuery *query = gst_query_new_allocation(caps, TRUE);
  gst_caps_unref(caps);
  GstBufferPool *pool = nullptr;
  if (gst_pad_peer_query(h->srcpad, query) && gst_query_get_n_allocation_pools(query) > 0)
    gst_query_parse_nth_allocation_pool(query, 0, &pool, nullptr, nullptr, nullptr);
  gst_query_unref(query);
  if (pool != nullptr) gst_buffer_pool_set_active(pool, TRUE);
  return pool;
}

namespace {

// Calls use(data, stride, rows) on a plane mapped for the CPU.
template <class Use>
void with_plane(GstBuffer *buffer, GstCaps *caps, guint plane, GstMapFlags flags, Use use) {
  GstVideoInfo info;
  GstVideoFrame frame;
  if (!gst_video_info_from_caps(&info, caps) || !gst_video_frame_map(&frame, &info, buffer, flags))
    g_error("a frame of %" GST_PTR_FORMAT " could not be mapped", caps);
  const gint rows = GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(info.finfo, plane, info.height);
  use(static_cast<std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane)),
      GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane), rows);
  gst_video_frame_unmap(&frame);
}

}  // namespace

void write_plane(GstBuffer *buffer, GstCaps *caps, guint plane,
                 const std::vector<std::uint8_t> &bytes, std::size_t row) {
  with_plane(buffer, caps, plane, GST_MAP_WRITE, [&](std::uint8_t *data, int stride, int rows) {
    for (int y = 0; y < rows; y++)
      std::memcpy(data + std::size_t(y) * stride, bytes.data() + y * row, row);
  });
}

std::vector<std::uint8_t> read_plane(GstBuffer *buffer, GstCaps *caps, guint plane,
                                     std::size_t row) {
  std::vector<std::uint8_t> bytes;
  with_plane(buffer, caps, plane, GST_MAP_READ, [&](std::uint8_t *data, int stride, int rows) {
    bytes.resize(row * rows);
    for (int y = 0; y < rows; y++)
      std::memcpy(bytes.data() + y * row, data + std::size_t(y) * stride, row);
  });
  return bytes;
}

std::vector<std::uint8_t> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<std::uint8_t> bytes(count);
  for (auto &byte : bytes)
    byte = static_cast<std::uint8_t>(generator());
  return bytes;
}

}  // namespace gpu_test
