// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gpuinput.h"

#include "transfer.h"
#include "video/framecopy.h"
#include "video/input.h"

namespace coalesce::gst {

GstFlowReturn GpuInput::ok(const char *doing, CUresult result) {
  if (result == CUDA_SUCCESS) return GST_FLOW_OK;
  backend_.post_gpu_error(doing, result);
  return GST_FLOW_ERROR;
}

GpuInput::GpuInput(Backend &backend, GstBuffer *buffer, const GstVideoInfo &info)
    : backend_(backend), session_(backend.session()), buffer_(buffer), info_(info) {
  if (!is_cuda_buffer_of(buffer, session_.context.get())) return;
  memory_ = gst_buffer_peek_memory(buffer, 0);
  if (is_fenced_memory(memory_)) fence_ = memory_fence(memory_);
}

CUresult GpuInput::choose_stream() {
  std::shared_ptr<Stream> stream;
  if (fence_ != nullptr) stream = fence_->fence.stream_of_this_thread();
  if (stream != nullptr && stream->context() != session_.context.get()) stream.reset();
  in_writers_stream_ = stream != nullptr;
  return session_.go_on_in(std::move(stream));
}

GstFlowReturn GpuInput::take(GstBufferPool *pool, bool both_fields) {
  if (memory_ == nullptr) return upload(pool, both_fields);
  const GstFlowReturn flow = take_in_place();
  if (flow != GST_FLOW_OK) return flow;
  const bool lacks_row = both_fields && frame_.lacks_spare_row();
  return lacks_row || !frame_.is_aligned() ? copy(pool, both_fields) : flow;
}

GstFlowReturn GpuInput::take_in_place() {
  if (!frame_.map(buffer_, info_, Memory::cuda, GST_MAP_READ))
    return post_bad_frame(backend_.element(), "input", frame_);
  // (No copy has taken its place, as happens to memory that the CPU maps: the GPU's could not have
  // been mapped to be copied, either.)
  const Stream &stream = *session_.stream;
  return ok("waiting for the input", fence_ == nullptr    ? order_behind_stream_of(memory_, stream)
                                     : in_writers_stream_ ? fence_->order_behind_others(stream)
                                                          : fence_->order(stream, GST_MAP_READ));
}

GstFlowReturn GpuInput::acquire(GstBufferPool *pool) {
  own_.reset(pool_acquire(pool));
  if (own_ == nullptr || !frame_.map(own_.get(), info_, Memory::cuda, GST_MAP_WRITE))
    return kNoDeviceMemory;
  return GST_FLOW_OK;
}

GstFlowReturn GpuInput::upload(GstBufferPool *pool, bool both_fields) {
  Frame host;
  if (!host.map(buffer_, info_, transfer_memory(buffer_), GST_MAP_READ))
    return post_bad_frame(backend_.element(), "input", host);
  if (GstFlowReturn flow = acquire(pool); flow != GST_FLOW_OK) return flow;
  if (both_fields)
    frame_.set_interlaced(host.interlaced());
  else
    frame_.be_copy_of(host);
  CUresult result = upload_frame(session_, buffer_, host, frame_);
  if (result == CUDA_SUCCESS && both_fields)
    result = repeat_last_rows(host, frame_, *session_.stream);
  return ok("uploading a frame", result);
}

// The buffer is someone else's, and has no room, or not the right place for a sample.
GstFlowReturn GpuInput::copy(GstBufferPool *pool, bool both_fields) {
  Frame theirs;
  frame_.unmap();
  if (!theirs.map(buffer_, info_, Memory::cuda, GST_MAP_READ))
    return post_bad_frame(backend_.element(), "input", theirs);
  if (GstFlowReturn flow = acquire(pool); flow != GST_FLOW_OK) return flow;
  if (both_fields)
    frame_.set_interlaced(theirs.interlaced());
  else
    frame_.be_copy_of(theirs);
  gsize bytes = 0;
  CUresult result = copy_frame(theirs, frame_, *session_.stream, &bytes);
  if (result == CUDA_SUCCESS && both_fields)
    result = repeat_last_rows(theirs, frame_, *session_.stream);
  auto copied = result == CUDA_SUCCESS ? session_.mark(*session_.stream, &result) : nullptr;
  theirs.unmap();
  if (copied != nullptr) session_.retired->add(buffer_, std::move(copied));
  return ok("copying a frame", result);
}

void GpuInput::retire(std::shared_ptr<Event> done) {
  frame_.unmap();
  if (own_ == nullptr && in_writers_stream_)
    fence_->fence.read(std::move(done));
  else
    session_.retired->add(own_ ? own_.get() : buffer_, std::move(done));
}

}  // namespace coalesce::gst
