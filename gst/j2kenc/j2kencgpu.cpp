// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames on the GPU, several at once.
#include "base/gpuinput.h"
#include "j2kencstate.h"

#define GST_CAT_DEFAULT gst_j2kenc_debug

namespace coalesce::gst {
namespace {

GstFlowReturn fail(GstJ2kEnc *self, const Status &status) {
  j2k_post_gpu_status(self, status);
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
    backend_of(self).post_gpu_error("fencing a frame", result);
    return GST_FLOW_ERROR;
  }
  input->retire(std::move(done));
  return GST_FLOW_OK;
}

GstFlowReturn start_frame(GstJ2kEnc *self, GstBuffer *in) {
  GpuSession &session = session_of(self);
  ContextScope scope(session.context.get());
  GpuInput input(backend_of(self), in, self->state->info);
  const GstFlowReturn flow = enqueue(self, in, &input);
  if (flow != GST_FLOW_ERROR) return flow;
  // Some of the work may be in flight; let it end before the memory goes.
  if (backend_of(self).failed()) self->state->flight.reset();
  (void)session.synchronize();
  return flow;
}

// Of the oldest frame, whose size is known.
GstFlowReturn fetch(GstJ2kEnc *self, std::size_t bytes, GstBuffer **out) {
  J2kState &state = *self->state;
  Counters &counters = backend_of(self).counters();
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
  backend_of(self).counters().synchronizations++;
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

void j2k_post_gpu_status(GstJ2kEnc *self, const Status &status) {
  if (status.code() == StatusCode::invalid_argument)
    j2k_post_status(self, status);
  else
    backend_of(self).post_gpu_error(j2k_text(status));
}

GstFlowReturn j2k_run_on_gpu(GstJ2kEnc *self, GstBuffer *in, GstBuffer **out) {
  J2kState &state = *self->state;
  for (;;) {
    bool refused = false;
    if (!j2k_prepare_gpu(self)) return GST_FLOW_ERROR;
    if (state.flight == nullptr) return j2k_run_on_cpu(self, in, out);
    GstFlowReturn flow = start_frame(self, in);
    if (flow == kNoDeviceMemory) {
      if ((flow = j2k_drain(self)) != GST_FLOW_OK) return flow;
      if (!j2k_prepare_fewer(self)) return GST_FLOW_ERROR;
      continue;
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
