// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kencgpu.h"

#include <algorithm>

#include "j2kenctexts.h"
#include "object/onexit.h"

#define GST_CAT_DEFAULT gst_j2kenc_debug

namespace coalesce::gst {
namespace {

// There is less room now, or other settings.
constexpr GstFlowReturn kTryAgain = GST_FLOW_CUSTOM_SUCCESS_1;

std::string no_memory_text(const J2kCoder &coder) {
  std::size_t bytes = 0;
  (void)J2kFlight::frame_memory(coder, &bytes);
  return j2k_setting("frames-in-flight", coder.settings().frames_in_flight) +
         ": even one frame requires " + std::to_string(bytes) +
         " bytes of device memory, more than is free";
}

}  // namespace

void j2k_post_status(GstCoalesceEncoder *element, const Status &status) {
  if (status.code() == StatusCode::out_of_memory)
    GST_ELEMENT_ERROR(element, RESOURCE, NO_SPACE_LEFT, ("%s", j2k_text(status).c_str()),
                      (nullptr));
  else
    GST_ELEMENT_ERROR(element, STREAM, ENCODE, ("%s", j2k_text(status).c_str()), (nullptr));
}

GstFlowReturn J2kGpu::fail(const Status &status) {
  if (status.code() == StatusCode::invalid_argument)
    j2k_post_status(element_, status);
  else
    backend_.post_gpu_error(j2k_text(status));
  return GST_FLOW_ERROR;
}

// ---- the GPU, or the CPU ---------------------------------------------------------------------

bool J2kGpu::choose_backend(GstCaps *in_caps) {
  left_to_cpu_ = false;
  flight_.reset();
  in_caps_.reset(gst_caps_ref(in_caps));
  if (!backend_.select(caps_are_cuda(in_caps), false, true)) return false;
  if (backend_.is_on_gpu()) return backend_.make_pool(&upload_pool_, in_caps) && prepare();
  gst_coalesce_encoder_set_room(element_, 1);
  return true;
}

bool J2kGpu::try_again() {
  const CapsRef caps(gst_caps_ref(in_caps_.get()));
  return !left_to_cpu_ || choose_backend(caps.get());
}

bool J2kGpu::move_to_context() {
  flight_.reset();
  return backend_.make_pool(&upload_pool_, in_caps_.get()) &&
         (current_.get() == nullptr || prepare());
}

void J2kGpu::stop() {
  flight_.reset();
  upload_pool_.drop();
  in_caps_.reset();
  left_to_cpu_ = false;
}

// What is too much for the GPU is the CPU's, but for those who want the GPU or nothing.
bool J2kGpu::leave_to_cpu(const std::string &why) {
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

// What the property leaves to us.
int J2kGpu::choose_frames() const {
  constexpr std::size_t kUsual = 4;
  std::size_t frame = 0, free = 0, total = 0;
  if (!J2kFlight::frame_memory(*current_.get(), &frame).ok() || frame == 0 ||
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
// frame's memory may not fit a rate, or a codestream, and that is no failure.
Status J2kGpu::warm_up() {
  if (session().warm) return {};
  const BufferRef scratch = upload_pool_.acquire();
  Frame frame;
  if (scratch == nullptr || !frame.map(scratch.get(), current_.info(), Memory::cuda, GST_MAP_WRITE))
    return {};
  std::size_t bytes = 0;
  Status status = flight_->start(frame, true, *session().stream);
  if (status.code() == StatusCode::unsupported) return status;  // the kernels, by this GPU
  if (status.ok()) status = flight_->wait(&bytes);
  flight_->abandon();
  if (status.code() == StatusCode::device_error || status.code() == StatusCode::out_of_memory)
    return status;
  session().warm = true;
  return {};
}

Status J2kGpu::make_flight(int frames) {
  for (;; frames /= 2) {
    flight_.reset();
    Status status = J2kFlight::make(session().context.get(), current_.get(), frames, &flight_);
    if (status.ok()) status = warm_up();
    if (status.ok()) return {};
    flight_.reset();
    if (status.code() != StatusCode::out_of_memory || frames == 1) return status;
    GST_WARNING_OBJECT(element_, "no device memory for %d frames in flight", frames);
  }
}

// Encoders of the current coder, for as many frames as may be in flight. Settings that the GPU
// refuses are replaced. May end with the CPU.
bool J2kGpu::prepare(int most) {
  ContextScope scope(session().context.get());
  while (!is_prepared()) {
    const int wish = current_.get()->settings().frames_in_flight;
    const Status status = make_flight(std::min(most, wish > 0 ? wish : choose_frames()));
    if (status.ok()) {
      gst_coalesce_encoder_set_room(element_, static_cast<guint>(flight_->room()));
    } else if (current_.is_refusal(status)) {
      if (!current_.go_back(status)) return false;
    } else if (status.code() == StatusCode::out_of_memory) {
      if (!leave_to_cpu(no_memory_text(*current_.get()))) return false;
    } else if (status.code() == StatusCode::unsupported) {
      if (!leave_to_cpu(j2k_text(status))) return false;
    } else {
      fail(status);
      return false;
    }
  }
  return true;
}

// Memory was missing.
GstFlowReturn J2kGpu::prepare_fewer() {
  const GstFlowReturn flow = gst_coalesce_encoder_drain(element_);
  if (flow != GST_FLOW_OK) return flow;
  const int room = flight_->room();
  flight_.reset();
  const bool prepared =
      room > 1 ? prepare(room / 2)
               : leave_to_cpu(j2k_setting("frames-in-flight", room) +
                              ": there is no device memory for an upload beside the frame");
  return prepared ? kTryAgain : GST_FLOW_ERROR;
}

// ---- the streaming thread's part of a frame --------------------------------------------------

GstFlowReturn J2kGpu::start_frame(GstBuffer *in) {
  DeviceFrame frame;
  Job job(backend_);
  const auto rows = current_.get()->fields() > 1 ? Job::Rows::of_both_fields : Job::Rows::of_buffer;
  const GstFlowReturn flow = job.load(in, current_.info(), upload_pool_, &frame, rows);
  if (flow != GST_FLOW_OK) return flow;
  const Status status = flight_->start(frame.frame(), j2k_is_top_first(current_.info(), in),
                                       *backend_.session().stream);
  return status.ok() ? job.end() : fail(status);
}

// Whether settings will do, the first frame that has them tells.
GstFlowReturn J2kGpu::finish_first(GstBuffer *in) {
  ContextScope scope(session().context.get());
  std::size_t bytes = 0;
  const Status status = wait(&bytes);
  if (current_.is_refusal(status)) return current_.go_back(status) ? kTryAgain : GST_FLOW_ERROR;
  GstBuffer *out = nullptr;
  if (status.ok()) current_.note_good();
  const GstFlowReturn flow = status.ok() ? fetch(bytes, &out) : fail(status);
  if (flow == GST_FLOW_OK) return gst_coalesce_encoder_push(element_, in, out);
  flight_->abandon();
  return flow;
}

GstFlowReturn J2kGpu::try_to_encode(GstBuffer *in) {
  if (!is_prepared() && !prepare()) return GST_FLOW_ERROR;
  if (left_to_cpu_) return kLeftToCpu;
  GstFlowReturn flow = gst_coalesce_encoder_wait_for_room(element_);
  if (flow != GST_FLOW_OK) return flow;
  flow = start_frame(in);
  if (flow == kNoMemory) return prepare_fewer();
  if (flow != GST_FLOW_OK) return flow;
  // (Of one frame at a time, the way through another thread would cost 7 %.)
  if (!current_.get()->has_encoded() || flight_->room() == 1) return finish_first(in);
  gst_coalesce_encoder_add(element_, in);
  return GST_FLOW_OK;
}

GstFlowReturn J2kGpu::encode(GstBuffer *in) {
  GstFlowReturn flow;
  do
    flow = try_to_encode(in);
  while (flow == kTryAgain);
  return flow;
}

Status J2kGpu::set_targets(const J2kCoder &other) {
  return flight_ != nullptr ? flight_->set_targets(other) : current_.get()->set_targets(other);
}

// ---- the end of a frame, in either thread ----------------------------------------------------

// Of the oldest frame: *bytes are those of its codestreams and boxes.
Status J2kGpu::wait(std::size_t *bytes) {
  backend_.counters().synchronizations++;
  return flight_->wait(bytes);
}

GstFlowReturn J2kGpu::fetch(std::size_t bytes, GstBuffer **out) {
  Counters &counters = backend_.counters();
  GstMapInfo map;
  BufferRef buffer = gst_coalesce_encoder_map_output(element_, bytes, &map);
  if (buffer == nullptr) return GST_FLOW_ERROR;
  counters.synchronizations++;
  Status status;
  {
    const OnExit unmap([&] { gst_buffer_unmap(buffer.get(), &map); });
    status = flight_->fetch(map.data);
  }
  if (!status.ok()) return fail(status);
  counters.downloads++;
  counters.download_bytes += bytes - flight_->coder()->header_bytes() *
                                         static_cast<std::size_t>(flight_->coder()->fields());
  *out = buffer.release();
  return GST_FLOW_OK;
}

GstFlowReturn J2kGpu::finish(GstBuffer **out) {
  ContextScope scope(session().context.get());
  std::size_t bytes = 0;
  const Status status = wait(&bytes);
  return status.ok() ? fetch(bytes, out) : fail(status);
}

void J2kGpu::discard() {
  if (flight_ != nullptr) flight_->abandon();
}

}  // namespace coalesce::gst
