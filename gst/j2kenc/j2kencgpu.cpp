// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames on the GPU: several at once, out of the device memory that there is.
#include <algorithm>

#include "base/gpuinput.h"
#include "j2kencstate.h"
#include "j2kenctexts.h"

#define GST_CAT_DEFAULT gst_j2kenc_debug

namespace coalesce::gst {
namespace {

GpuSession &session_of(GstJ2kEnc *self) {
  return *GST_COALESCE_TRANSFORM(self)->state->gpu;
}

// What the property leaves to us.
int choose_frames(const J2kCoder &coder) {
  constexpr std::size_t kUsual = 4;
  std::size_t frame = 0, free = 0, total = 0;
  if (!J2kFlight::frame_memory(coder, &frame).ok() || frame == 0 ||
      cuda_driver()->mem_get_info(&free, &total) != CUDA_SUCCESS)
    return kUsual;
  return static_cast<int>(std::clamp<std::size_t>(free / 2 / frame, 1, kUsual));
}

// The first launches load the kernels, which takes milliseconds that the first frame should not
// have to wait for, and device memory that frames may have left nothing of. What is in the scratch
// frame's memory may not fit a rate, and that is no failure.
Status warm_up(GstJ2kEnc *self) {
  J2kState &state = *self->state;
  GpuSession &session = session_of(self);
  if (session.warm) return {};
  const BufferRef scratch(pool_acquire(state.upload_pool.get()));
  Frame frame;
  if (scratch == nullptr || !frame.map(scratch.get(), state.info, Memory::cuda, GST_MAP_WRITE))
    return {};
  std::size_t bytes = 0;
  Status status = state.flight->start(frame, true, *session.stream, nullptr);
  if (status.ok()) status = state.flight->wait(&bytes);
  state.flight->abandon();
  if (status.code() == StatusCode::device_error || status.code() == StatusCode::out_of_memory)
    return status;
  session.warm = true;
  return {};
}

Status make_flight(GstJ2kEnc *self, int frames) {
  J2kState &state = *self->state;
  for (;; frames /= 2) {
    Status status =
        J2kFlight::make(session_of(self).context.get(), *state.coder, frames, &state.flight);
    if (status.ok()) status = warm_up(self);
    if (status.ok()) return {};
    state.flight.reset();
    if (status.code() != StatusCode::out_of_memory || frames == 1) return status;
    GST_WARNING_OBJECT(self, "no device memory for %d frames in flight", frames);
  }
}

std::string no_memory_text(const J2kCoder &coder) {
  std::size_t bytes = 0;
  (void)J2kFlight::frame_memory(coder, &bytes);
  return j2k_setting("frames-in-flight", coder.settings().frames_in_flight) +
         ": even one frame needs " + std::to_string(bytes) +
         " bytes of device memory, and there are not so many";
}

void post(GstJ2kEnc *self, const Status &status) {
  if (status.code() == StatusCode::invalid_argument)
    j2k_post_status(self, status);
  else
    post_gpu_error(GST_COALESCE_TRANSFORM(self), j2k_text(status));
}

bool set_up(GstJ2kEnc *self, int most = kJ2kMostInFlight) {
  J2kState &state = *self->state;
  ContextScope scope(session_of(self).context.get());
  for (;;) {
    const int wish = state.coder->settings().frames_in_flight;
    const Status status =
        make_flight(self, std::min(most, wish > 0 ? wish : choose_frames(*state.coder)));
    if (status.ok()) break;
    if (status.code() == StatusCode::out_of_memory) {
      post_gpu_error(GST_COALESCE_TRANSFORM(self), no_memory_text(*state.coder));
      return false;
    }
    if (!j2k_is_refusal(self, status)) {
      post(self, status);
      return false;
    }
    if (!j2k_go_back(self, status)) return false;
  }
  j2k_set_held(self, static_cast<guint>(state.flight->room() - 1));
  return true;
}

// Nothing is under way.
bool go_on_with_fewer(GstJ2kEnc *self) {
  const int room = self->state->flight->room();
  self->state->flight.reset();
  if (room > 1) return set_up(self, room / 2);
  post_gpu_error(GST_COALESCE_TRANSFORM(self),
                 "no device memory for an upload, " + j2k_setting("frames-in-flight", room));
  return false;
}

GstFlowReturn fail(GstJ2kEnc *self, const Status &status) {
  post(self, status);
  self->state->flight.reset();
  return GST_FLOW_ERROR;
}

GstFlowReturn enqueue(GstJ2kEnc *self, GstBuffer *in, GpuInput *input) {
  J2kState &state = *self->state;
  GpuSession &session = session_of(self);
  const GstFlowReturn flow = input->take(state.upload_pool.get(), state.coder->fields() > 1);
  if (flow != GST_FLOW_OK) return flow;
  const Status status = state.flight->start(input->frame(), j2k_is_top_first(state.info, in),
                                            *session.stream, j2k_about(self, in));
  if (!status.ok()) return fail(self, status);
  CUresult result = CUDA_SUCCESS;
  auto done = session.mark(*session.stream, &result);
  if (done == nullptr) {
    post_gpu_error(GST_COALESCE_TRANSFORM(self), "fencing a frame", result);
    return GST_FLOW_ERROR;
  }
  input->retire(std::move(done));
  return GST_FLOW_OK;
}

GstFlowReturn start_frame(GstJ2kEnc *self, GstBuffer *in) {
  GpuSession &session = session_of(self);
  ContextScope scope(session.context.get());
  GpuInput input(GST_COALESCE_TRANSFORM(self), in, self->state->info);
  const GstFlowReturn flow = enqueue(self, in, &input);
  if (flow != GST_FLOW_ERROR) return flow;
  // Some of the work may be in flight; let it end before the memory goes.
  if (GST_COALESCE_TRANSFORM(self)->state->failed) self->state->flight.reset();
  (void)session.synchronize();
  return flow;
}

// Of the oldest frame, whose size is known.
GstFlowReturn fetch(GstJ2kEnc *self, std::size_t bytes, GstBuffer **out) {
  J2kState &state = *self->state;
  Counters &counters = *GST_COALESCE_TRANSFORM(self)->state->counters;
  GstMapInfo map;
  BufferRef buffer = j2k_map_output(self, bytes, &map);
  if (buffer == nullptr) {
    state.flight.reset();
    return GST_FLOW_ERROR;
  }
  counters.synchronizations++;
  const Status status = state.flight->fetch(map.data);
  gst_buffer_unmap(buffer.get(), &map);
  if (!status.ok()) return fail(self, status);
  counters.downloads++;
  counters.download_bytes +=
      bytes - state.coder->header_bytes() * static_cast<std::size_t>(state.coder->fields());
  *out = j2k_finished(self, std::move(buffer), state.flight->finish());
  return GST_FLOW_OK;
}

// Of the oldest frame. *refused: its settings were, and there are others now.
GstFlowReturn finish_frame(GstJ2kEnc *self, GstBuffer **out, bool *refused) {
  J2kState &state = *self->state;
  ContextScope scope(session_of(self).context.get());
  std::size_t bytes = 0;
  GST_COALESCE_TRANSFORM(self)->state->counters->synchronizations++;
  const Status status = state.flight->wait(&bytes);
  if (j2k_is_refusal(self, status)) {
    *refused = j2k_go_back(self, status);
    return GST_FLOW_ERROR;
  }
  if (!status.ok()) return fail(self, status);
  j2k_note_good(self);
  return fetch(self, bytes, out);
}

}  // namespace

void j2k_set_held(GstJ2kEnc *self, guint frames) {
  if (self->state->held.exchange(frames) != frames)
    gst_element_post_message(GST_ELEMENT(self), gst_message_new_latency(GST_OBJECT(self)));
}

bool j2k_prepare_gpu(GstJ2kEnc *self) {
  return self->state->flight != nullptr || set_up(self);
}

bool j2k_make_upload_pool(GstJ2kEnc *self, GstCaps *caps) {
  J2kState &state = *self->state;
  j2k_drop_pools(self);
  gst_caps_replace(&state.in_caps, caps);
  state.upload_pool = active_cuda_pool_new(session_of(self).context.get(), caps);
  if (state.upload_pool == nullptr)
    post_gpu_error(GST_COALESCE_TRANSFORM(self), "no device memory for the frames");
  return state.upload_pool != nullptr;
}

void j2k_drop_pools(GstJ2kEnc *self) {
  J2kState &state = *self->state;
  if (state.upload_pool) gst_buffer_pool_set_active(state.upload_pool.get(), FALSE);
  state.upload_pool.reset();
  state.output_pool.reset();
}

GstFlowReturn j2k_run_on_gpu(GstJ2kEnc *self, GstBuffer *in, GstBuffer **out) {
  J2kState &state = *self->state;
  for (;;) {
    bool refused = false;
    if (!j2k_prepare_gpu(self)) return GST_FLOW_ERROR;
    GstFlowReturn flow = start_frame(self, in);
    while (flow == kNoDeviceMemory) {
      if ((flow = j2k_drain(self)) != GST_FLOW_OK) return flow;
      if (!go_on_with_fewer(self)) return GST_FLOW_ERROR;
      flow = start_frame(self, in);
    }
    if (flow != GST_FLOW_OK) return flow;
    // Whether settings will do, the first frame that has them tells.
    if (state.coder->has_encoded() && !state.flight->full()) return GST_FLOW_OK;
    flow = finish_frame(self, out, &refused);
    if (!refused) return flow;
  }
}

GstFlowReturn j2k_drain(GstJ2kEnc *self) {
  J2kState &state = *self->state;
  GstFlowReturn flow = GST_FLOW_OK;
  while (flow == GST_FLOW_OK && state.flight != nullptr && state.flight->size() > 0) {
    GstBuffer *out = nullptr;
    bool refused = false;
    flow = finish_frame(self, &out, &refused);
    if (flow == GST_FLOW_OK) flow = gst_pad_push(GST_BASE_TRANSFORM_SRC_PAD(self), out);
  }
  if (flow == GST_FLOW_OK) return flow;
  j2k_discard(self);
  state.drained = flow;
  return flow;
}

void j2k_discard(GstJ2kEnc *self) {
  J2kState &state = *self->state;
  state.drained = GST_FLOW_OK;
  state.after_skipped = false;
  if (state.flight == nullptr || state.flight->size() == 0) return;
  ContextScope scope(session_of(self).context.get());
  state.flight->abandon();
}

}  // namespace coalesce::gst
