// SPDX-License-Identifier: LGPL-2.1-or-later
#include "transfer.h"

#include <algorithm>

#include "object/category.h"

namespace coalesce::gst {

namespace {

CUresult ensure(std::unique_ptr<Stream> *stream, GpuSession &session) {
  CUresult result = CUDA_SUCCESS;
  if (*stream != nullptr) return result;
  *stream = Stream::create(session.context.get(), &result);
  GST_DEBUG_OBJECT(session.context.get(), "a stream for %s",
                   stream == &session.uploads ? "uploads" : "downloads");
  return result;
}

CUresult wait_for(GpuSession &session, Stream &stream) {
  session.counters->synchronizations++;
  return stream.synchronize();
}

// Enqueues the copy of a frame that stays as it is until the GPU has been there.
CUresult enqueue_upload(GpuSession &session, const Frame &from, const Frame &to,
                        std::shared_ptr<Event> *done) {
  gsize bytes = 0;
  CUresult result = copy_frame(from, to, *session.uploads, &bytes);
  if (result != CUDA_SUCCESS) return result;
  *done = session.mark(*session.uploads, &result);
  if (*done == nullptr) return result;
  session.counters->uploads++;
  session.counters->upload_bytes += bytes;
  return CUDA_SUCCESS;
}

CUresult upload_page_locked(GpuSession &session, Fence &fence, const Frame &from, const Frame &to,
                            std::shared_ptr<Event> *done) {
  CUresult result = fence.order(*session.uploads, GST_MAP_READ);
  if (result == CUDA_SUCCESS) result = enqueue_upload(session, from, to, done);
  if (result == CUDA_SUCCESS) fence.read(*done);
  return result;
}

// One core copies at a tenth to a third of the speed of the bus, this many about as fast.
ThreadPool &stagers(GpuSession &session) {
  constexpr int kMost = 8;
  if (session.stagers == nullptr) {
    const int limit = session.n_threads > 0 ? session.n_threads : usable_cores();
    session.stagers = std::make_unique<ThreadPool>(std::min(limit, kMost));
    GST_DEBUG_OBJECT(session.context.get(), "threads that fill staging buffers: %d",
                     session.stagers->threads());
  }
  return *session.stagers;
}

CUresult upload_staged(GpuSession &session, GstBuffer *slot, const Frame &from, const Frame &to,
                       std::shared_ptr<Event> *done) {
  Fence &fence = *page_locked_fence(slot);
  if (CUresult result = fence.wait(GST_MAP_WRITE); result != CUDA_SUCCESS) return result;
  Frame staged;
  if (!staged.map(slot, from.info(), Memory::page_locked, GST_MAP_WRITE)) return CUDA_ERROR_UNKNOWN;
  staged.be_copy_of(from);
  copy_on_cpu(from, staged, &stagers(session));
  return upload_page_locked(session, fence, staged, to, done);
}

}  // namespace

Memory transfer_memory(GstBuffer *buffer) {
  return page_locked_fence(buffer) != nullptr ? Memory::page_locked : Memory::system;
}

CUresult upload_frame(GpuSession &session, GstBuffer *buffer, const Frame &from, const Frame &to,
                      std::shared_ptr<Event> *done) {
  CUresult result = ensure(&session.uploads, session);
  if (result != CUDA_SUCCESS) return result;
  if (from.where() == Memory::page_locked) {
    GST_LOG_OBJECT(session.context.get(), "uploads from page-locked memory");
    return upload_page_locked(session, *page_locked_fence(buffer), from, to, done);
  }
  if (GstBuffer *slot = session.staging->next(GST_VIDEO_INFO_SIZE(&from.info()))) {
    GST_LOG_OBJECT(session.context.get(), "uploads through page-locked memory");
    return upload_staged(session, slot, from, to, done);
  }
  GST_LOG_OBJECT(session.context.get(), "uploads from ordinary memory, and waits");
  // Also after a failure: the mapping ends, and the copy may have begun.
  result = enqueue_upload(session, from, to, done);
  const CUresult waited = wait_for(session, *session.uploads);
  return result == CUDA_SUCCESS ? waited : result;
}

CUresult download_frame(GpuSession &session, GstBuffer *from_buffer, const Frame &from,
                        std::shared_ptr<Event> ready, GstBuffer *to_buffer, const Frame &to) {
  CUresult result = ensure(&session.downloads, session);
  if (result != CUDA_SUCCESS) return result;
  Stream &stream = *session.downloads;
  Fence *fence = to.where() == Memory::page_locked ? page_locked_fence(to_buffer) : nullptr;
  GST_LOG_OBJECT(session.context.get(), "downloads into %s",
                 fence != nullptr ? "page-locked memory" : "ordinary memory, and waits");
  result = ready->hold_back(stream);
  if (result == CUDA_SUCCESS && fence != nullptr) result = fence->order(stream, GST_MAP_WRITE);
  gsize bytes = 0;
  if (result == CUDA_SUCCESS) result = copy_frame(from, to, stream, &bytes);
  if (result != CUDA_SUCCESS) return result;
  if (fence != nullptr) {
    auto done = session.mark(stream, &result);
    if (done == nullptr) return result;
    fence->written(done);
    session.retired->add(from_buffer, std::move(done));
  } else {
    result = wait_for(session, stream);
    if (result != CUDA_SUCCESS) return result;
  }
  session.counters->downloads++;
  session.counters->download_bytes += bytes;
  return CUDA_SUCCESS;
}

}  // namespace coalesce::gst
