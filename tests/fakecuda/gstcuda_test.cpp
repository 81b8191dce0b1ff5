// SPDX-License-Identifier: LGPL-2.1-or-later
// Drives the real libgstcuda on the simulated driver, which it finds by LD_LIBRARY_PATH.

#define GST_USE_UNSTABLE_API
#include <dlfcn.h>
#include <gst/cuda/cuda-gst.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <string>
#include <vector>

#include "../support/doctest.h"
#include "fakecuda.h"

namespace {

constexpr guint8 poison = 0xCD;

template <class Function>
Function *look_up(const char *name) {
  void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void *symbol = library != nullptr ? dlsym(library, name) : nullptr;
  if (symbol == nullptr) g_error("%s is not there: this is not the simulated driver", name);
  return reinterpret_cast<Function *>(symbol);
}

FakecudaCounts counts() {
  FakecudaCounts c;
  look_up<decltype(fakecuda_snapshot)>("fakecuda_snapshot")(&c);
  return c;
}

GstBufferPool *new_pool(GstCudaContext *context, const char *format, GstVideoInfo *info) {
  std::string text = std::string("video/x-raw(memory:CUDAMemory),format=") + format +
                     ",width=322,height=34,framerate=25/1";
  GstCaps *caps = gst_caps_from_string(text.c_str());
  CHECK(gst_video_info_from_caps(info, caps));
  GstBufferPool *pool = gst_cuda_buffer_pool_new(context);
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, static_cast<guint>(info->size), 0, 0);
  CHECK(gst_buffer_pool_set_config(pool, config));
  CHECK(gst_buffer_pool_set_active(pool, TRUE));
  gst_caps_unref(caps);
  return pool;
}

GstBuffer *acquire(GstBufferPool *pool) {
  GstBuffer *buffer = nullptr;
  CHECK(gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr) == GST_FLOW_OK);
  return buffer;
}

gsize row_bytes(const GstVideoFrame &frame, guint plane) {
  gint components[GST_VIDEO_MAX_COMPONENTS];
  gst_video_format_info_component(frame.info.finfo, plane, components);
  return static_cast<gsize>(GST_VIDEO_FRAME_COMP_WIDTH(&frame, components[0])) *
         static_cast<gsize>(GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, components[0]));
}

gsize rows(const GstVideoFrame &frame, guint plane) {
  gint components[GST_VIDEO_MAX_COMPONENTS];
  gst_video_format_info_component(frame.info.finfo, plane, components);
  return static_cast<gsize>(GST_VIDEO_FRAME_COMP_HEIGHT(&frame, components[0]));
}

// UYVY has two bytes to a pixel, which its components do not tell.
gsize width_in_bytes(const GstVideoFrame &frame, guint plane) {
  if (GST_VIDEO_FRAME_FORMAT(&frame) == GST_VIDEO_FORMAT_UYVY)
    return 2 * static_cast<gsize>(GST_VIDEO_FRAME_WIDTH(&frame));
  return row_bytes(frame, plane);
}

guint8 pattern(guint plane, gsize x, gsize y) {
  return static_cast<guint8>(1 + plane * 50 + x * 3 + y * 7);
}

// Copies the pattern to every plane of a device buffer on a stream, and does not wait.
void write_on_device(GstBuffer *buffer, const GstVideoInfo *info, guint8 *staging,
                     CUstream stream) {
  GstVideoFrame frame;
  CHECK(gst_video_frame_map(
      &frame, info, buffer,
      static_cast<GstMapFlags>(static_cast<int>(GST_MAP_WRITE) | static_cast<int>(GST_MAP_CUDA))));
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&frame); ++plane) {
    gsize width = width_in_bytes(frame, plane), height = rows(frame, plane);
    CHECK(static_cast<gsize>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane)) >= width + 512);
    for (gsize y = 0; y < height; ++y)
      for (gsize x = 0; x < width; ++x)
        staging[y * width + x] = pattern(plane, x, y);
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = staging;
    copy.srcPitch = width;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = reinterpret_cast<CUdeviceptr>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane));
    copy.dstPitch = static_cast<gsize>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane));
    copy.WidthInBytes = width;
    copy.Height = height;
    CHECK(CuMemcpy2DAsync(&copy, stream) == CUDA_SUCCESS);
    staging += width * height;
  }
  gst_video_frame_unmap(&frame);
}

// How many bytes of the picture, seen from the CPU, are the pattern, and how many are poison.
struct Seen {
  gsize all, pattern, poison;
};

Seen read_on_cpu(GstBuffer *buffer, const GstVideoInfo *info) {
  Seen seen{};
  GstVideoFrame frame;
  CHECK(gst_video_frame_map(&frame, info, buffer, GST_MAP_READ));
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&frame); ++plane)
    for (gsize y = 0; y < rows(frame, plane); ++y) {
      auto *row = static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane)) +
                  y * static_cast<gsize>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane));
      for (gsize x = 0; x < width_in_bytes(frame, plane); ++x) {
        ++seen.all;
        seen.pattern += row[x] == pattern(plane, x, y);
        seen.poison += row[x] == poison;
      }
    }
  gst_video_frame_unmap(&frame);
  return seen;
}

void write_on_cpu(GstBuffer *buffer, const GstVideoInfo *info) {
  GstVideoFrame frame;
  CHECK(gst_video_frame_map(&frame, info, buffer, GST_MAP_WRITE));
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&frame); ++plane)
    for (gsize y = 0; y < rows(frame, plane); ++y)
      for (gsize x = 0; x < width_in_bytes(frame, plane); ++x)
        static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(
            &frame,
            plane))[y * static_cast<gsize>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane)) + x] =
            pattern(plane, x, y);
  gst_video_frame_unmap(&frame);
}

void exercise(GstCudaContext *context, const char *format) {
  INFO(format);
  GstVideoInfo info;
  GstBufferPool *pool = new_pool(context, format, &info);
  CHECK(gst_cuda_context_push(context));
  CUstream stream = nullptr;
  CHECK(CuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  void *staging = nullptr;
  CHECK(CuMemAllocHost(&staging, static_cast<unsigned>(info.size)) == CUDA_SUCCESS);

  // The second buffer is looked at without waiting: nothing has arrived.
  GstBuffer *waited = acquire(pool), *hasty = acquire(pool);
  write_on_device(waited, &info, static_cast<guint8 *>(staging), stream);
  CHECK(CuStreamSynchronize(stream) == CUDA_SUCCESS);
  Seen seen = read_on_cpu(waited, &info);
  CHECK(seen.pattern == seen.all);
  write_on_device(hasty, &info, static_cast<guint8 *>(staging), stream);
  seen = read_on_cpu(hasty, &info);
  CHECK(seen.poison == seen.all);
  CHECK(CuStreamSynchronize(stream) == CUDA_SUCCESS);

  // From the CPU to the device, to another buffer there, and back.
  GstBuffer *written = acquire(pool);
  write_on_cpu(written, &info);
  GstMapInfo map;
  CHECK(gst_buffer_map(
      written, &map,
      static_cast<GstMapFlags>(static_cast<int>(GST_MAP_READ) | static_cast<int>(GST_MAP_CUDA))));
  gst_buffer_unmap(written, &map);
  GstBuffer *copy = gst_buffer_copy_deep(written);
  REQUIRE(copy != nullptr);
  CHECK(gst_is_cuda_memory(gst_buffer_peek_memory(copy, 0)));
  seen = read_on_cpu(copy, &info);
  CHECK(seen.pattern == seen.all);

  // The pool takes buffers back and gives them out again: their size is as it should be.
  guint64 allocations = counts().allocations;
  gst_buffer_unref(written);
  written = acquire(pool);
  CHECK(counts().allocations == allocations);

  look_up<decltype(fakecuda_fail)>("fakecuda_fail")(FAKECUDA_ALLOC_PITCH, 1,
                                                    CUDA_ERROR_OUT_OF_MEMORY);
  GstBuffer *none = nullptr;
  CHECK(gst_buffer_pool_acquire_buffer(pool, &none, nullptr) != GST_FLOW_OK);

  for (GstBuffer *buffer : {waited, hasty, written, copy})
    gst_buffer_unref(buffer);
  CHECK(CuMemFreeHost(staging) == CUDA_SUCCESS);
  CHECK(CuStreamDestroy(stream) == CUDA_SUCCESS);
  CHECK(gst_cuda_context_pop(nullptr));
  CHECK(gst_buffer_pool_set_active(pool, FALSE));
  gst_object_unref(pool);
}

// In an environment of which cuInit() fails.
TEST_CASE("init fails" * doctest::skip()) {
  gst_init(nullptr, nullptr);
  CHECK(gst_cuda_load_library());
  CHECK(CuInit(0) == 999);
  CHECK(gst_cuda_context_new(0) == nullptr);
}

TEST_CASE("everything") {
  gst_init(nullptr, nullptr);
  CHECK(gst_cuda_load_library());
  gst_cuda_memory_init_once();
  GstCudaContext *first = gst_cuda_context_new(0), *second = gst_cuda_context_new(1);
  REQUIRE(first != nullptr);
  REQUIRE(second != nullptr);
  CHECK(gst_cuda_context_new(2) == nullptr);
  CHECK(gst_cuda_context_can_access_peer(first, second));
  CHECK(gst_cuda_context_can_access_peer(second, first));
  CHECK(gst_cuda_context_get_texture_alignment(first) == 512);
  CHECK(counts().contexts_live == 2);

  for (GstCudaContext *context : {first, second})
    for (const char *format : {"NV12", "UYVY", "RGBA", "I420", "P010_10LE"})
      exercise(context, format);

  gst_object_unref(second);
  gst_object_unref(first);
  FakecudaCounts c = counts();
  CHECK(c.contexts == 2);
  CHECK(c.copies_htod > 0);
  CHECK(c.copies_dtoh > 0);
  CHECK(c.copies_dtod > 0);
  CHECK(c.contexts_live + c.allocations_live + c.host_allocations_live + c.streams_live == 0);
  CHECK(c.leaked_allocations + c.leaked_host_allocations + c.leaked_streams == 0);
  CHECK(c.pushes == c.pops);
  CHECK(c.pending == 0);
  CHECK(c.bad_accesses == 0);
  CHECK(c.bad_calls == 0);
  CHECK(c.guard_violations == 0);
  CHECK(c.use_after_free == 0);
  CHECK(c.padding_writes == 0);
}

}  // namespace
