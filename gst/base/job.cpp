// SPDX-License-Identifier: LGPL-2.1-or-later
#include "job.h"

#include <algorithm>
#include <new>
#include <utility>

#include "object/category.h"
#include "object/onexit.h"
#include "video/input.h"
#include "video/transfer.h"

namespace coalesce::gst {
namespace {

MemoryFence &fence_of(GstBuffer *buffer) {
  return *memory_fence(gst_buffer_peek_memory(buffer, 0));
}

// Is the buffer CUDA memory of ours, in that context?
bool is_ours(GstBuffer *buffer, GstCudaContext *context) {
  return is_cuda_buffer_of(buffer, context) && is_fenced_memory(gst_buffer_peek_memory(buffer, 0));
}

}  // namespace

void DeviceFrame::reset() {
  frame_.unmap();
  copy_.reset();
  buffer_.reset();
}

void OutputFrame::set_interlaced(bool interlaced) {
  frame_.set_interlaced(interlaced);
  if (own_) own_->be_copy_of(frame_);
}

void OutputFrame::reset() {
  frame_.unmap();
  own_.reset();
  own_buffer_.reset();
}

Job::Job(Backend &backend)
    : backend_(backend),
      on_gpu_(backend.is_on_gpu()),
      scope_(on_gpu_ ? backend.session().context.get() : nullptr) {}

// Memory may go now that is still being read or written.
Job::~Job() {
  if (in_flight_) (void)backend_.session().synchronize();
}

GstFlowReturn Job::ok(const char *doing, CUresult result) {
  if (result == CUDA_SUCCESS) return GST_FLOW_OK;
  backend_.post_gpu_error(doing, result);
  return GST_FLOW_ERROR;
}

GstFlowReturn Job::begin(GstBuffer *newest) {
  if (!on_gpu_) return GST_FLOW_OK;
  if (!scope_.ok()) return ok("making the CUDA context current", CUDA_ERROR_UNKNOWN);
  GpuSession &session = backend_.session();
  std::shared_ptr<Stream> stream;
  newests_fence_ =
      newest != nullptr && is_ours(newest, session.context.get()) ? &fence_of(newest) : nullptr;
  if (newests_fence_ != nullptr) stream = newests_fence_->fence.stream_of_this_thread();
  if (stream != nullptr && stream->context() != session.context.get()) stream.reset();
  newest_ = newest;
  in_newests_stream_ = stream != nullptr;
  GST_LOG_OBJECT(backend_.element(), "works in %s",
                 in_newests_stream_ ? "the stream that wrote the input" : "a stream of its own");
  return ok("making a CUDA stream", session.go_on_in(std::move(stream)));
}

GstFlowReturn Job::load(GstBuffer *buffer, const FrameInfo &info, FramePool &pool,
                        DeviceFrame *frame, Rows rows, const char *pad) {
  const bool in_place = !on_gpu_ || (buffer == newest_ && newests_fence_ != nullptr) ||
                        is_cuda_buffer_of(buffer, backend_.session().context.get());
  const Memory where = !on_gpu_   ? Memory::system
                       : in_place ? Memory::cuda
                                  : transfer_memory(buffer);
  frame->reset();
  if (!frame->frame_.map(buffer, info, where, GST_MAP_READ))
    return post_bad_frame(backend_.element(), "input", frame->frame_, pad);
  frame->buffer_.reset(gst_buffer_ref(buffer));
  const bool lacks_row = on_gpu_ && rows == Rows::of_both_fields && frame->frame_.lacks_spare_row();
  if (!in_place || lacks_row || !frame->frame_.is_aligned())
    if (GstFlowReturn flow = copy(buffer, in_place, pool, rows, frame); flow != GST_FLOW_OK)
      return flow;
  return read(*frame);
}

// The buffer is in other memory, or has no room, or not the right place for a sample.
GstFlowReturn Job::copy(GstBuffer *theirs, bool in_place, FramePool &pool, Rows rows,
                        DeviceFrame *frame) {
  const Frame &original = frame->frame_;
  BufferRef own = pool.acquire();
  Frame &target = frame->copy_.emplace();
  if (own == nullptr || !target.map(own.get(), original.info(),
                                    on_gpu_ ? Memory::cuda : Memory::system, GST_MAP_READWRITE))
    return kNoMemory;
  if (on_gpu_ && rows == Rows::of_both_fields)
    target.set_interlaced(original.interlaced());
  else
    target.be_copy_of(original);
  const BufferRef mapped = std::exchange(frame->buffer_, std::move(own));
  const OnExit unmap([frame] { frame->frame_.unmap(); });
  if (on_gpu_) {
    in_flight_ = true;
    return ok(in_place ? "copying a frame" : "uploading a frame",
              copy_on_gpu(theirs, in_place, rows, frame));
  }
  copy_on_cpu(original, target, backend_.queue().pool());
  return GST_FLOW_OK;
}

CUresult Job::copy_on_gpu(GstBuffer *theirs, bool in_place, Rows rows, DeviceFrame *frame) {
  GpuSession &session = backend_.session();
  const Frame &original = frame->frame_, &target = *frame->copy_;
  const Stream &stream = *session.stream;
  MemoryFence &fence = fence_of(frame->buffer_.get());
  CUresult result = CUDA_SUCCESS;
  std::shared_ptr<Event> done;
  if (in_place) {
    GstMemory *memory = gst_buffer_peek_memory(theirs, 0);
    result = is_fenced_memory(memory) ? memory_fence(memory)->order(stream, GST_MAP_READ)
                                      : order_behind_stream_of(memory, stream);
    gsize bytes = 0;
    if (result == CUDA_SUCCESS) result = copy_frame(original, target, stream, &bytes);
    if (result == CUDA_SUCCESS) done = session.mark(stream, &result);
  } else {
    result = upload_frame(session, theirs, original, target, &done);
  }
  if (result != CUDA_SUCCESS) return result;
  const bool being_read = in_place || original.where() == Memory::page_locked;
  if (being_read && !frame->kept_by_caller_) session.retired->add(theirs, done);
  fence.written(done, nullptr);
  if (rows == Rows::of_buffer) return CUDA_SUCCESS;
  if (result = fence.order(stream, GST_MAP_READ); result != CUDA_SUCCESS) return result;
  result = repeat_last_rows(original, target, stream);
  if (result == CUDA_SUCCESS) done = session.mark(stream, &result);
  if (result == CUDA_SUCCESS) fence.written(std::move(done), nullptr);
  return result;
}

// Is this the stream that the frame was written in, by this thread?
bool Job::is_in_stream_of(DeviceFrame &frame, MemoryFence &fence) const {
  if (frame.buffer() == newest_) return in_newests_stream_;
  return fence.fence.stream_of_this_thread() == backend_.session().stream;
}

GstFlowReturn Job::read(DeviceFrame &frame) {
  frame.next_ = std::exchange(inputs_, &frame);
  frame.writers_fence_ = nullptr;
  if (!on_gpu_) return GST_FLOW_OK;
  in_flight_ = true;
  const Stream &stream = *backend_.session().stream;
  // (No copy has taken its place, as happens to memory that the CPU maps: the GPU's could not have
  // been mapped to be copied, either.)
  MemoryFence *fence = frame.buffer() == newest_ ? newests_fence_ : nullptr;
  GstMemory *memory = gst_buffer_peek_memory(frame.buffer(), 0);
  if (fence == nullptr && is_fenced_memory(memory)) fence = memory_fence(memory);
  CUresult result;
  if (fence == nullptr) {
    result = order_behind_stream_of(memory, stream);
  } else {
    if (is_in_stream_of(frame, *fence)) frame.writers_fence_ = fence;
    result = frame.writers_fence_ != nullptr ? fence->order_behind_others(stream)
                                             : fence->order(stream, GST_MAP_READ);
  }
  return ok("waiting for the input", result);
}

GstFlowReturn Job::write(GstBuffer *buffer, const FrameInfo &info, FramePool &pool,
                         OutputFrame *frame) {
  const bool direct = on_gpu_ && is_ours(buffer, backend_.session().context.get());
  const Memory where = !on_gpu_ ? Memory::system : direct ? Memory::cuda : transfer_memory(buffer);
  frame->buffer_ = buffer;
  if (!frame->frame_.map(buffer, info, where, GST_MAP_WRITE))
    return post_bad_frame(backend_.element(), "output", frame->frame_);
  if (on_gpu_ ? !direct : !frame->frame_.is_aligned()) {
    frame->own_buffer_ = pool.acquire();
    if (frame->own_buffer_ == nullptr ||
        !frame->own_.emplace().map(frame->own_buffer_.get(), info,
                                   on_gpu_ ? Memory::cuda : Memory::system, GST_MAP_READWRITE))
      return kNoMemory;
  }
  frame->next_ = std::exchange(outputs_, frame);
  if (!on_gpu_) return GST_FLOW_OK;
  in_flight_ = true;  // also where there is no input
  frame->fence_ = &fence_of(direct ? buffer : frame->own_buffer_.get());
  return ok("waiting for other readers",
            frame->fence_->order(*backend_.session().stream, GST_MAP_WRITE));
}

GstFlowReturn Job::overwrite(DeviceBytes &bytes, BesideFrames *link) {
  *link = {&bytes, true, std::exchange(beside_, link)};
  in_flight_ = true;
  return ok("waiting for memory beside the frames",
            bytes.fence().order(*backend_.session().stream, GST_MAP_WRITE));
}

void Job::look_at(DeviceBytes &bytes, BesideFrames *link) {
  *link = {&bytes, false, std::exchange(beside_, link)};
}

GstFlowReturn Job::end() {
  if (!on_gpu_) {
    for (OutputFrame *output = outputs_; output != nullptr; output = output->next_)
      if (output->own_) copy_on_cpu(*output->own_, output->frame_, backend_.queue().pool());
    return GST_FLOW_OK;
  }
  GpuSession &session = backend_.session();
  CUresult result = CUDA_SUCCESS;
  const std::shared_ptr<Event> done = session.mark(*session.stream, &result);
  if (done == nullptr) return ok("fencing a frame", result);
  for (DeviceFrame *input = inputs_; input != nullptr; input = input->next_)
    retire(*input, done);
  for (BesideFrames *beside = beside_; beside != nullptr; beside = beside->next)
    if (beside->written)
      beside->bytes->fence().written(done, session.stream);
    else
      beside->bytes->fence().fence.read(done);
  for (OutputFrame *output = outputs_; output != nullptr; output = output->next_)
    if (result = leave(*output, done); result != CUDA_SUCCESS)
      return ok("downloading a frame", result);
  in_flight_ = false;
  return GST_FLOW_OK;
}

// The memory is kept until it has been read.
void Job::retire(DeviceFrame &input, const std::shared_ptr<Event> &done) {
  const bool kept = input.kept_by_caller_ && !input.copy_;
  if (input.writers_fence_ != nullptr)
    input.writers_fence_->fence.read(done);
  else if (!kept)
    backend_.session().retired->add(input.buffer(), done);
}

// The output goes on with its fence, or is copied to where it goes on.
CUresult Job::leave(OutputFrame &output, const std::shared_ptr<Event> &done) {
  GpuSession &session = backend_.session();
  if (output.own_)
    return download_frame(session, output.own_buffer_.get(), *output.own_, done, output.buffer_,
                          output.frame_);
  output.fence_->written(done, session.stream);
  return CUDA_SUCCESS;
}

// ---- Scratch ---------------------------------------------------------------------------------

namespace {

// nullptr if there is no memory.
std::unique_ptr<std::max_align_t[]> host_memory(gsize bytes) {
  const gsize units = (bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t);
  return std::unique_ptr<std::max_align_t[]>(new (std::nothrow) std::max_align_t[units]);
}

}  // namespace

std::string no_memory_beside_frames(const Backend &backend, gsize bytes) {
  const std::string number = std::to_string(bytes);
  return backend.is_on_gpu()
             ? "no device memory for " + number +
                   " bytes beside the frames; smaller pictures require fewer, backend=cpu none"
             : "no memory for " + number +
                   " bytes beside the frames; smaller pictures require fewer";
}

void Scratch::drop() {
  for (auto &piece : pieces_)
    piece.reset();
  one_alone_ = false;
  host_.reset();
  room_ = 0;
  data_ = nullptr;
}

// nullptr if there is no memory.
DeviceBytes *Scratch::next_piece(Backend &backend, gsize bytes) {
  if (bytes > room_) {
    drop();
    room_ = bytes;
  }
  const std::size_t next = (turn_ + 1) % turns_;
  if (pieces_[next] == nullptr && !one_alone_) {
    pieces_[next] = DeviceBytes::create(backend.session().context.get(), room_);
    one_alone_ = pieces_[next] == nullptr;
    if (one_alone_ && pieces_[turn_] != nullptr)
      GST_INFO_OBJECT(backend.element(), "frames wait for each other's %" G_GSIZE_FORMAT " bytes",
                      room_);
  }
  if (pieces_[next] != nullptr) turn_ = next;
  if (pieces_[turn_] == nullptr) drop();
  return pieces_[turn_].get();
}

GstFlowReturn Scratch::prepare(Backend &backend, Job &job, gsize bytes) {
  data_ = nullptr;
  if (bytes == 0) return GST_FLOW_OK;
  if (!backend.is_on_gpu()) {
    if (bytes > room_) {
      drop();
      host_ = host_memory(bytes);
      if (host_ == nullptr) return kNoMemory;
      room_ = bytes;
    }
    data_ = host_.get();
    return GST_FLOW_OK;
  }
  DeviceBytes *piece = next_piece(backend, bytes);
  if (piece == nullptr) return kNoMemory;
  const GstFlowReturn flow = job.overwrite(*piece, &in_job_);
  if (flow == GST_FLOW_OK) data_ = piece->data();
  return flow;
}

bool Scratch::prepare_alone(Backend &backend, gsize bytes) {
  data_ = nullptr;
  if (bytes == 0) return true;
  DeviceBytes *piece = next_piece(backend, bytes);
  if (piece != nullptr) data_ = piece->data();
  return piece != nullptr;
}

// ---- JobTable -----------------------------------------------------------------------------------

void *JobTable::make(gsize bytes) {
  drop();
  host_ = host_memory(bytes);
  if (host_ != nullptr) bytes_ = bytes;
  return host_.get();
}

GstFlowReturn JobTable::prepare(Backend &backend, Job &job) {
  data_ = host_.get();
  if (host_ == nullptr || !backend.is_on_gpu()) return GST_FLOW_OK;
  if (copy_ == nullptr) {
    GpuSession &session = backend.session();
    std::unique_ptr<DeviceBytes> copy = DeviceBytes::create(session.context.get(), bytes_);
    if (copy == nullptr) return kNoMemory;
    session.counters->synchronizations++;
    if (const CUresult result = copy->fill(host_.get(), *session.stream); result != CUDA_SUCCESS) {
      backend.post_gpu_error("uploading a table", result);
      return GST_FLOW_ERROR;
    }
    session.counters->uploads++;
    session.counters->upload_bytes += bytes_;
    copy_ = std::move(copy);
  }
  job.look_at(*copy_, &in_job_);
  data_ = copy_->data();
  return GST_FLOW_OK;
}

void JobTable::leave_gpu() {
  copy_.reset();
}

void JobTable::drop() {
  leave_gpu();
  host_.reset();
  bytes_ = 0;
  data_ = nullptr;
}

// ---- KeptMemory ------------------------------------------------------------------------------

GstFlowReturn KeptMemory::prepare(Backend &backend, Job &job, gsize bytes) {
  is_new_ = std::exchange(bytes_, 0) != bytes;
  const GstFlowReturn flow = memory_.prepare(backend, job, bytes);
  if (flow == GST_FLOW_OK) bytes_ = bytes;
  return flow;
}

bool KeptMemory::prepare_alone(Backend &backend, gsize bytes) {
  forget();
  is_new_ = true;
  return memory_.prepare_alone(backend, bytes);
}

void KeptMemory::drop() {
  forget();
  memory_.drop();
}

}  // namespace coalesce::gst
