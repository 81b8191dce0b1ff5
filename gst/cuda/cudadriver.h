// SPDX-License-Identifier: LGPL-2.1-or-later
// The driver's functions that libgstcuda does not offer (events, stream order, page-locked memory;
// its CuMemAlloc() takes 32 bits), looked up once in libcuda.so.1, and small owners for what they
// make.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "gstcompat.h"

namespace coalesce::gst {

// Each with its field in the table and its arguments.
#define COALESCE_CUDA_FUNCTIONS(F)                                               \
  F(stream_create, "cuStreamCreate", (CUstream *, unsigned flags))               \
  F(stream_destroy, "cuStreamDestroy_v2", (CUstream))                            \
  F(stream_synchronize, "cuStreamSynchronize", (CUstream))                       \
  F(stream_wait_event, "cuStreamWaitEvent", (CUstream, CUevent, unsigned flags)) \
  F(event_create, "cuEventCreate", (CUevent *, unsigned flags))                  \
  F(event_destroy, "cuEventDestroy_v2", (CUevent))                               \
  F(event_record, "cuEventRecord", (CUevent, CUstream))                          \
  F(event_query, "cuEventQuery", (CUevent))                                      \
  F(event_synchronize, "cuEventSynchronize", (CUevent))                          \
  F(memcpy_2d_async, "cuMemcpy2DAsync_v2", (const CUDA_MEMCPY2D *, CUstream))    \
  F(memcpy_htod_async, "cuMemcpyHtoDAsync_v2",                                   \
    (CUdeviceptr to, const void *from, size_t bytes, CUstream))                  \
  F(memcpy_dtod_async, "cuMemcpyDtoDAsync_v2",                                   \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream))                  \
  F(mem_alloc, "cuMemAlloc_v2", (CUdeviceptr *, size_t bytes))                   \
  F(mem_free, "cuMemFree_v2", (CUdeviceptr))                                     \
  F(mem_host_alloc, "cuMemHostAlloc", (void **, size_t bytes, unsigned flags))   \
  F(mem_free_host, "cuMemFreeHost", (void *))                                    \
  F(mem_get_info, "cuMemGetInfo_v2", (size_t * free, size_t * total))            \
  F(init, "cuInit", (unsigned flags))                                            \
  F(driver_get_version, "cuDriverGetVersion", (int *))                           \
  F(device_get_count, "cuDeviceGetCount", (int *))                               \
  F(device_get, "cuDeviceGet", (CUdevice *, int ordinal))                        \
  F(device_get_name, "cuDeviceGetName", (char *, int size, CUdevice))            \
  F(get_error_name, "cuGetErrorName", (CUresult, const char **))                 \
  F(get_error_string, "cuGetErrorString", (CUresult, const char **))

struct CudaDriver {
#define COALESCE_DECLARE(field, name, arguments) CUresult(*field) arguments;
  COALESCE_CUDA_FUNCTIONS(COALESCE_DECLARE)
#undef COALESCE_DECLARE
};

// The table, or nullptr if the library or one of the functions is missing; the reason is then in
// cuda_driver_missing(). Only the gate (gpu.h) calls this before a GPU is known to be usable.
const CudaDriver *cuda_driver();
const std::string &cuda_driver_missing();

// "CUDA_ERROR_NAME (what it means)".
std::string cuda_error_text(CUresult result);

// Makes a context current for a scope, or none for nullptr. Nothing of CUDA is called outside one.
class ContextScope {
 public:
  explicit ContextScope(GstCudaContext *context)
      : pushed_(context != nullptr && gst_cuda_context_push(context)) {}
  ~ContextScope() {
    if (pushed_) gst_cuda_context_pop(nullptr);
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;
  bool ok() const { return pushed_; }

 private:
  bool pushed_;
};

// Drops the reference of a GObject.
struct Unref {
  void operator()(gpointer object) const { gst_object_unref(object); }
};
using ContextRef = std::unique_ptr<GstCudaContext, Unref>;

// What the `stats` property shows. Shared between an element and the memory it wrote, because a
// wait that someone downstream causes is counted where the write was made.
struct Counters {
  std::atomic<std::uint64_t> frames{0};
  std::atomic<std::uint64_t> uploads{0};
  std::atomic<std::uint64_t> downloads{0};
  std::atomic<std::uint64_t> upload_bytes{0};
  std::atomic<std::uint64_t> download_bytes{0};
  std::atomic<std::uint64_t> synchronizations{0};  // times a CPU thread waited for the GPU
};

class Event;

// A stream that does not wait for the legacy default stream. Destroying it lets its work finish.
class Stream {
 public:
  static std::unique_ptr<Stream> create(GstCudaContext *context, CUresult *error);
  ~Stream();

  CUstream handle() const { return handle_; }
  GstCudaContext *context() const { return context_.get(); }
  CUresult synchronize() { return cuda_driver()->stream_synchronize(handle_); }
  // Orders what comes behind all that a stream of someone else's has been given. nullptr is the
  // default stream, and with it every stream that is ordered with that one.
  CUresult follow(CUstream other) const;

 private:
  Stream(GstCudaContext *context, std::shared_ptr<Event> others_work);
  ContextRef context_;
  CUstream handle_ = nullptr;
  std::shared_ptr<Event> others_work_;
};

// A point in a stream. It keeps its context alive.
class Event {
 public:
  // Waits for it are counted in `counters`, if there are any.
  static std::shared_ptr<Event> create(GstCudaContext *context, CUresult *error,
                                       std::shared_ptr<Counters> counters = nullptr);
  ~Event();

  CUresult record(const Stream &stream) {
    stream_ = stream.handle();
    return cuda_driver()->event_record(handle_, stream_);
  }
  // An event in error counts as passed.
  bool has_passed() const { return query() != CUDA_ERROR_NOT_READY; }
  // Makes this thread wait, if it must.
  CUresult wait() const;
  // Makes what the stream is given next wait, if it must.
  CUresult hold_back(const Stream &stream) const;

  CUevent handle() const { return handle_; }
  CUstream stream() const { return stream_; }  // that it was recorded on last
  GstCudaContext *context() const { return context_.get(); }

 private:
  Event(GstCudaContext *context, std::shared_ptr<Counters> counters);
  CUresult query() const { return cuda_driver()->event_query(handle_); }

  ContextRef context_;
  CUevent handle_ = nullptr;
  CUstream stream_ = nullptr;
  std::shared_ptr<Counters> counters_;
};

// Host memory that the GPU fetches and fills by itself, at the speed of the bus. It belongs to the
// context, which it keeps alive, and is page-locked for every other context too. The GPU must be
// done with it when it goes.
class PageLockedBlock {
 public:
  static std::unique_ptr<PageLockedBlock> create(GstCudaContext *context, gsize bytes,
                                                 CUresult *error);
  ~PageLockedBlock();

  guint8 *data() const { return static_cast<guint8 *>(data_); }

 private:
  explicit PageLockedBlock(GstCudaContext *context);
  ContextRef context_;
  void *data_ = nullptr;
};

}  // namespace coalesce::gst
