// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames on the GPU, several at once.
#include "base/job.h"
#include "j2kencstate.h"

#define GST_CAT_DEFAULT gst_j2kenc_debug

namespace coalesce::gst {
namespace {

GstFlowReturn fail(GstJ2kEnc *self, const Status &status) {
  j2k_post_gpu_status(self, status);
  return GST_FLOW_ERROR;
}

GstFlowReturn start_frame(GstJ2kEnc *self, GstBuffer *in) {
  J2kState &state = *self->state;
  Backend &backend = backend_of(self);
  DeviceFrame frame;
  Job job(backend);
  const auto rows = state.coder->fields() > 1 ? Job::Rows::of_both_fields : Job::Rows::of_buffer;
  const GstFlowReturn flow = job.load(in, state.info, state.upload_pool, &frame, rows);
  if (flow != GST_FLOW_OK) return flow;
  const Status status = state.flight->start(frame.frame(), j2k_is_top_first(state.info, in),
                                            *backend.session().stream);
  return status.ok() ? job.end() : fail(self, status);
}

// Of the oldest frame, whose size is known.
GstFlowReturn fetch(GstJ2kEnc *self, std::size_t bytes, GstBuffer **out) {
  J2kState &state = *self->state;
  Counters &counters = backend_of(self).counters();
  GstMapInfo map;
  BufferRef buffer = j2k_map_output(self, bytes, &map);
  if (buffer == nullptr) return GST_FLOW_ERROR;
  counters.synchronizations++;
  const Status status = state.flight->fetch(map.data);
  gst_buffer_unmap(buffer.get(), &map);
  if (!status.ok()) return fail(self, status);
  counters.downloads++;
  counters.download_bytes +=
      bytes - state.coder->header_bytes() * static_cast<std::size_t>(state.coder->fields());
  *out = buffer.release();
  return GST_FLOW_OK;
}

// Of the oldest frame: *bytes are those of its codestreams and boxes.
Status wait_for_frame(GstJ2kEnc *self, std::size_t *bytes) {
  backend_of(self).counters().synchronizations++;
  return self->state->flight->wait(bytes);
}

// Whether settings will do, the first frame that has them tells. *refused: they will not, and there
// are others now.
GstFlowReturn finish_here(GstJ2kEnc *self, GstBuffer *in, bool *refused) {
  ContextScope scope(session_of(self).context.get());
  std::size_t bytes = 0;
  const Status status = wait_for_frame(self, &bytes);
  if (j2k_is_refusal(self, status)) {
    *refused = j2k_go_back(self, status);
    return GST_FLOW_ERROR;
  }
  GstBuffer *out = nullptr;
  if (status.ok()) j2k_note_good(self);
  const GstFlowReturn flow = status.ok() ? fetch(self, bytes, &out) : fail(self, status);
  if (flow == GST_FLOW_OK) return gst_coalesce_encoder_push(GST_COALESCE_ENCODER(self), in, out);
  self->state->flight->abandon();
  return flow;
}

}  // namespace

void j2k_post_gpu_status(GstJ2kEnc *self, const Status &status) {
  if (status.code() == StatusCode::invalid_argument)
    j2k_post_status(self, status);
  else
    backend_of(self).post_gpu_error(j2k_text(status));
}

GstFlowReturn j2k_run_on_gpu(GstJ2kEnc *self, GstBuffer *in) {
  J2kState &state = *self->state;
  auto *encoder = GST_COALESCE_ENCODER(self);
  for (;;) {
    bool refused = false;
    if (!j2k_prepare_gpu(self)) return GST_FLOW_ERROR;
    if (state.flight == nullptr) return j2k_run_on_cpu(self, in);
    GstFlowReturn flow = gst_coalesce_encoder_wait_for_room(encoder);
    if (flow != GST_FLOW_OK) return flow;
    flow = start_frame(self, in);
    if (flow == kNoMemory) {
      if ((flow = j2k_drain(self)) != GST_FLOW_OK) return flow;
      if (!j2k_prepare_fewer(self)) return GST_FLOW_ERROR;
      continue;
    }
    if (flow != GST_FLOW_OK) return flow;
    // (Of one frame at a time, the way through another thread would cost 7 %.)
    if (state.coder->has_encoded() && state.flight->room() > 1) {
      gst_coalesce_encoder_add(encoder, in);
      return GST_FLOW_OK;
    }
    flow = finish_here(self, in, &refused);
    if (!refused) return flow;
  }
}

GstFlowReturn j2k_finish(GstJ2kEnc *self, GstBuffer **out) {
  ContextScope scope(session_of(self).context.get());
  std::size_t bytes = 0;
  const Status status = wait_for_frame(self, &bytes);
  return status.ok() ? fetch(self, bytes, out) : fail(self, status);
}

void j2k_discard(GstJ2kEnc *self) {
  J2kState &state = *self->state;
  if (state.flight == nullptr) return;
  ContextScope scope(session_of(self).context.get());
  state.flight->abandon();
}

}  // namespace coalesce::gst
