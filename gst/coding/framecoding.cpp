// SPDX-License-Identifier: LGPL-2.1-or-later
#include "framecoding.h"

#include <algorithm>
#include <cstring>

#include "cuda/cudadriver.h"
#include "object/category.h"
#include "object/onexit.h"
#include "video/input.h"

namespace coalesce::gst {
namespace {

// The frame is the CPU's, with a warning that says why.
constexpr GstFlowReturn kLeftToCpu = GST_FLOW_CUSTOM_SUCCESS;
// There is less room now, or other settings.
constexpr GstFlowReturn kTryAgain = GST_FLOW_CUSTOM_SUCCESS_1;

// libgstcuda brings CUDA memory over the bus when it is mapped, and waits for that.
bool is_on_gpu_only(GstBuffer *buffer) {
  GstMemory *memory = gst_buffer_n_memory(buffer) > 0 ? gst_buffer_peek_memory(buffer, 0) : nullptr;
  return memory != nullptr && gst_is_cuda_memory(memory) &&
         GST_MEMORY_FLAG_IS_SET(memory, GST_CUDA_MEMORY_TRANSFER_NEED_DOWNLOAD);
}

void count_download(Counters &counters, gsize bytes) {
  counters.downloads++;
  counters.download_bytes += bytes;
  counters.synchronizations++;
}

std::string in_flight(int frames) {
  return "frames-in-flight=" + std::to_string(frames);
}

}  // namespace

// The element error for a frame that was not encoded.
void FrameCoding::post(const Status &status, const std::string &text) {
  if (status.code() == StatusCode::out_of_memory)
    GST_ELEMENT_ERROR(element_, RESOURCE, NO_SPACE_LEFT, ("%s", text.c_str()), (nullptr));
  else
    GST_ELEMENT_ERROR(element_, STREAM, ENCODE, ("%s", text.c_str()), (nullptr));
}

GstFlowReturn FrameCoding::fail(const Status &status, const std::string &text) {
  if (status.code() == StatusCode::invalid_argument)
    post(status, text);
  else
    backend_.post_gpu_error(text);
  return GST_FLOW_ERROR;
}

// ---- the GPU, or the CPU ---------------------------------------------------------------------

bool FrameCoding::choose_backend(GstCaps *in_caps) {
  left_to_cpu_ = false;
  flight_.reset();
  in_caps_.reset(gst_caps_ref(in_caps));
  if (!backend_.select(caps_are_cuda(in_caps), false, true)) return false;
  if (backend_.is_on_gpu()) return backend_.make_pool(&upload_pool_, in_caps) && prepare();
  gst_coalesce_encoder_set_room(element_, 1);
  return true;
}

bool FrameCoding::try_again() {
  const CapsRef caps(gst_caps_ref(in_caps_.get()));
  return !left_to_cpu_ || choose_backend(caps.get());
}

bool FrameCoding::move_to_context() {
  flight_.reset();
  return backend_.make_pool(&upload_pool_, in_caps_.get()) &&
         (current_.coder() == nullptr || prepare());
}

void FrameCoding::stop() {
  flight_.reset();
  upload_pool_.drop();
  in_caps_.reset();
  left_to_cpu_ = false;
  bytes_ = {};
}

// What is too much for the GPU is the CPU's, but for those who want the GPU or nothing.
bool FrameCoding::leave_to_cpu(const std::string &why) {
  const GstVideoInfo &info = current_.info();
  const std::string frames = std::string(GST_VIDEO_INFO_NAME(&info)) + " frames of " +
                             std::to_string(GST_VIDEO_INFO_WIDTH(&info)) + "x" +
                             std::to_string(GST_VIDEO_INFO_HEIGHT(&info));
  if (backend_.is_cuda_required()) {
    backend_.post_gpu_error("backend=cuda cannot encode " + frames + ": " + why +
                            "; backend=auto encodes them on the CPU");
    return false;
  }
  GST_ELEMENT_WARNING(
      element_, RESOURCE, NO_SPACE_LEFT,
      ("%s are encoded on the CPU: %s", frames.c_str(), why.c_str()),
      ("%s; until the caps or settings other than the rate change", backend_.gpu_name().c_str()));
  upload_pool_.drop();
  gst_coalesce_encoder_set_room(element_, 1);
  backend_.use_cpu();
  left_to_cpu_ = true;
  return true;
}

// ---- room for frames -------------------------------------------------------------------------

std::string FrameCoding::no_memory_text() const {
  std::size_t bytes = 0;
  (void)current_.frame_memory(&bytes);
  return in_flight(current_.frames_in_flight()) + ": even one frame requires " +
         std::to_string(bytes) + " bytes of device memory, more than is free";
}

// What the property leaves to us.
int FrameCoding::choose_frames() const {
  constexpr std::size_t kUsual = 4;
  std::size_t frame = 0, free = 0, total = 0;
  if (!current_.frame_memory(&frame).ok() || frame == 0 ||
      cuda_driver()->mem_get_info(&free, &total) != CUDA_SUCCESS)
    return kUsual;
  const auto frames = static_cast<int>(std::clamp<std::size_t>(free / 2 / frame, 1, kUsual));
  GST_DEBUG_OBJECT(element_,
                   "frames in flight: %d, of %zu bytes of device memory each (free: %zu bytes)",
                   frames, frame, free);
  return frames;
}

// The first launches load the kernels, which takes milliseconds that the first frame should not
// have to wait for, and device memory that frames may have left nothing of. What is in the scratch
// frame's memory may not fit a rate, or a coded frame, and that is no failure.
Status FrameCoding::warm_up() {
  if (session().warm) return {};
  const BufferRef scratch = upload_pool_.acquire();
  Frame frame;
  if (scratch == nullptr || !frame.map(scratch.get(), current_.info(), Memory::cuda, GST_MAP_WRITE))
    return {};
  std::size_t bytes = 0;
  Status status = flight_->start(frame, scratch.get(), *session().stream);
  if (status.code() == StatusCode::unsupported) return status;  // the kernels, by this GPU
  if (status.ok()) status = flight_->wait(&bytes);
  flight_->abandon();
  if (status.code() == StatusCode::device_error || status.code() == StatusCode::out_of_memory)
    return status;
  session().warm = true;
  return {};
}

Status FrameCoding::make_flight(int frames) {
  for (;; frames /= 2) {
    flight_.reset();
    Status status = current_.make_flight(session().context.get(), frames, &flight_);
    if (status.ok()) status = warm_up();
    if (status.ok()) return {};
    flight_.reset();
    if (status.code() != StatusCode::out_of_memory || frames == 1) return status;
    GST_WARNING_OBJECT(element_, "no device memory for %d frames in flight", frames);
  }
}

// Encoders of the current coder, for as many frames as may be in flight. Settings that the GPU
// refuses are replaced. May end with the CPU.
bool FrameCoding::prepare(int most) {
  ContextScope scope(session().context.get());
  while (!is_prepared()) {
    const int wish = current_.frames_in_flight();
    const Status status = make_flight(std::min(most, wish > 0 ? wish : choose_frames()));
    if (status.ok()) {
      gst_coalesce_encoder_set_room(element_, static_cast<guint>(flight_->room()));
    } else if (current_.is_refusal(status)) {
      if (!current_.go_back(status)) return false;
    } else if (status.code() == StatusCode::out_of_memory) {
      if (!leave_to_cpu(no_memory_text())) return false;
    } else if (status.code() == StatusCode::unsupported) {
      if (!leave_to_cpu(current_.text(status))) return false;
    } else {
      fail(status, current_.text(status));
      return false;
    }
  }
  return true;
}

// Memory was missing.
GstFlowReturn FrameCoding::prepare_fewer() {
  const GstFlowReturn flow = gst_coalesce_encoder_drain(element_);
  if (flow != GST_FLOW_OK) return flow;
  const int room = flight_->room();
  flight_.reset();
  const bool prepared = room > 1 ? prepare(room / 2)
                                 : leave_to_cpu(in_flight(room) +
                                                ": there is no device memory for an "
                                                "upload beside the frame");
  return prepared ? kTryAgain : GST_FLOW_ERROR;
}

// ---- the streaming thread's part of a frame --------------------------------------------------

GstFlowReturn FrameCoding::encode_on_cpu(GstBuffer *in) {
  const bool downloads = is_on_gpu_only(in);
  Frame frame;
  if (!frame.map(in, current_.info(), Memory::system, GST_MAP_READ))
    return post_bad_frame(GST_ELEMENT(element_), "input", frame);
  if (downloads) count_download(backend_.counters(), GST_VIDEO_INFO_SIZE(&current_.info()));
  ThreadPool *pool = backend_.queue().pool();
  Status status;
  do {
    bytes_.clear();
    status = current_.encode(frame, in, pool, &bytes_);
  } while (current_.is_refusal(status) && current_.go_back(status));
  if (current_.coder() == nullptr) return GST_FLOW_ERROR;
  if (!status.ok()) {
    post(status, current_.text(status));
    return GST_FLOW_ERROR;
  }
  current_.note_good();
  frame.unmap();
  GstMapInfo map;
  BufferRef out = gst_coalesce_encoder_map_output(element_, bytes_.size(), &map);
  if (out == nullptr) return GST_FLOW_ERROR;
  std::memcpy(map.data, bytes_.data(), bytes_.size());
  gst_buffer_unmap(out.get(), &map);
  return gst_coalesce_encoder_push(element_, in, out.release());
}

GstFlowReturn FrameCoding::start_frame(GstBuffer *in) {
  DeviceFrame frame;
  Job job(backend_);
  const GstFlowReturn flow = job.load(in, current_.info(), upload_pool_, &frame, current_.rows());
  if (flow != GST_FLOW_OK) return flow;
  const Status status = flight_->start(frame.frame(), in, *backend_.session().stream);
  return status.ok() ? job.end() : fail(status, current_.text(status));
}

// Whether settings will do, the first frame that has them tells.
GstFlowReturn FrameCoding::finish_first(GstBuffer *in) {
  ContextScope scope(session().context.get());
  std::size_t bytes = 0;
  const Status status = wait(&bytes);
  if (current_.is_refusal(status)) return current_.go_back(status) ? kTryAgain : GST_FLOW_ERROR;
  GstBuffer *out = nullptr;
  if (status.ok()) current_.note_good();
  const GstFlowReturn flow = status.ok() ? fetch(bytes, &out) : fail(status, flight_->text(status));
  if (flow == GST_FLOW_OK) return gst_coalesce_encoder_push(element_, in, out);
  flight_->abandon();
  return flow;
}

GstFlowReturn FrameCoding::try_to_encode(GstBuffer *in) {
  if (!is_prepared() && !prepare()) return GST_FLOW_ERROR;
  if (left_to_cpu_) return kLeftToCpu;
  GstFlowReturn flow = gst_coalesce_encoder_wait_for_room(element_);
  if (flow != GST_FLOW_OK) return flow;
  flow = start_frame(in);
  if (flow == kNoMemory) return prepare_fewer();
  if (flow != GST_FLOW_OK) return flow;
  // (Of one frame at a time, the way through another thread would cost 7 %.)
  if (!current_.has_encoded() || flight_->room() == 1) return finish_first(in);
  gst_coalesce_encoder_add(element_, in);
  return GST_FLOW_OK;
}

GstFlowReturn FrameCoding::encode_on_gpu(GstBuffer *in) {
  GstFlowReturn flow;
  do
    flow = try_to_encode(in);
  while (flow == kTryAgain);
  return flow;
}

GstFlowReturn FrameCoding::encode(GstBuffer *in) {
  const GstFlowReturn flow = backend_.is_on_gpu() ? encode_on_gpu(in) : kLeftToCpu;
  return flow == kLeftToCpu ? encode_on_cpu(in) : flow;
}

// ---- the end of a frame, in either thread ----------------------------------------------------

// Of the oldest frame.
Status FrameCoding::wait(std::size_t *bytes) {
  backend_.counters().synchronizations++;
  return flight_->wait(bytes);
}

GstFlowReturn FrameCoding::fetch(std::size_t bytes, GstBuffer **out) {
  Counters &counters = backend_.counters();
  GstMapInfo map;
  BufferRef buffer = gst_coalesce_encoder_map_output(element_, bytes, &map);
  if (buffer == nullptr) return GST_FLOW_ERROR;
  counters.synchronizations++;
  Status status;
  std::size_t downloaded = 0;
  {
    const OnExit unmap([&] { gst_buffer_unmap(buffer.get(), &map); });
    status = flight_->fetch(map.data, &downloaded);
  }
  if (!status.ok()) return fail(status, flight_->text(status));
  counters.downloads++;
  counters.download_bytes += downloaded;
  *out = buffer.release();
  return GST_FLOW_OK;
}

GstFlowReturn FrameCoding::finish(GstBuffer **out) {
  ContextScope scope(session().context.get());
  std::size_t bytes = 0;
  const Status status = wait(&bytes);
  return status.ok() ? fetch(bytes, out) : fail(status, flight_->text(status));
}

void FrameCoding::discard() {
  if (flight_ != nullptr) flight_->abandon();
}

}  // namespace coalesce::gst
