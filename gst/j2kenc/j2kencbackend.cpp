// SPDX-License-Identifier: LGPL-2.1-or-later
// Where frames are coded: on the GPU, as many at once as its memory has room for, or, where it has
// none for a single one, on the CPU.
#include <algorithm>

#include "j2kencstate.h"
#include "j2kenctexts.h"

#define GST_CAT_DEFAULT gst_j2kenc_debug

namespace coalesce::gst {
namespace {

// What the property leaves to us.
int choose_frames(GstJ2kEnc *self) {
  const J2kCoder &coder = *self->state->coder;
  constexpr std::size_t kUsual = 4;
  std::size_t frame = 0, free = 0, total = 0;
  if (!J2kFlight::frame_memory(coder, &frame).ok() || frame == 0 ||
      cuda_driver()->mem_get_info(&free, &total) != CUDA_SUCCESS)
    return kUsual;
  const auto frames = static_cast<int>(std::clamp<std::size_t>(free / 2 / frame, 1, kUsual));
  GST_DEBUG_OBJECT(self,
                   "frames in flight: %d, of %zu bytes of device memory each (free: %zu bytes)",
                   frames, frame, free);
  return frames;
}

// The first launches load the kernels, which takes milliseconds that the first frame should not
// have to wait for, and device memory that frames may have left nothing of. What is in the scratch
// frame's memory may not fit a rate, or a codestream, and that is no failure.
Status warm_up(GstJ2kEnc *self) {
  J2kState &state = *self->state;
  GpuSession &session = session_of(self);
  if (session.warm) return {};
  const BufferRef scratch = state.upload_pool.acquire();
  Frame frame;
  if (scratch == nullptr || !frame.map(scratch.get(), state.info, Memory::cuda, GST_MAP_WRITE))
    return {};
  std::size_t bytes = 0;
  Status status = state.flight->start(frame, true, *session.stream);
  if (status.code() == StatusCode::unsupported) return status;  // the kernels, by this GPU
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
         ": even one frame requires " + std::to_string(bytes) +
         " bytes of device memory, more than is free";
}

// What is too much for the GPU is the CPU's, but for those who want the GPU or nothing.
bool leave_to_cpu(GstJ2kEnc *self, const std::string &why) {
  Backend &backend = backend_of(self);
  J2kState &state = *self->state;
  const std::string frames = std::string(GST_VIDEO_INFO_NAME(&state.info)) + " frames of " +
                             std::to_string(GST_VIDEO_INFO_WIDTH(&state.info)) + "x" +
                             std::to_string(GST_VIDEO_INFO_HEIGHT(&state.info));
  if (backend.is_cuda_required()) {
    backend.post_gpu_error("backend=cuda cannot encode " + frames + ": " + why +
                           "; backend=auto encodes them on the CPU");
    return false;
  }
  GST_ELEMENT_WARNING(
      self, RESOURCE, NO_SPACE_LEFT, ("%s are encoded on the CPU: %s", frames.c_str(), why.c_str()),
      ("%s; until the caps or settings other than the rate change", backend.gpu_name().c_str()));
  j2k_drop_pools(self);
  gst_coalesce_encoder_set_room(GST_COALESCE_ENCODER(self), 1);
  backend.use_cpu();
  state.left_to_cpu = true;
  return true;
}

bool set_up(GstJ2kEnc *self, int most = kJ2kMostInFlight) {
  J2kState &state = *self->state;
  ContextScope scope(session_of(self).context.get());
  for (;;) {
    const int wish = state.coder->settings().frames_in_flight;
    const Status status = make_flight(self, std::min(most, wish > 0 ? wish : choose_frames(self)));
    if (status.ok()) break;
    if (status.code() == StatusCode::out_of_memory)
      return leave_to_cpu(self, no_memory_text(*state.coder));
    if (status.code() == StatusCode::unsupported) return leave_to_cpu(self, j2k_text(status));
    if (!j2k_is_refusal(self, status)) {
      j2k_post_gpu_status(self, status);
      return false;
    }
    if (!j2k_go_back(self, status)) return false;
  }
  gst_coalesce_encoder_set_room(GST_COALESCE_ENCODER(self),
                                static_cast<guint>(state.flight->room()));
  return true;
}

bool make_upload_pool(GstJ2kEnc *self, GstCaps *caps) {
  j2k_drop_pools(self);
  return backend_of(self).make_pool(&self->state->upload_pool, caps);
}

}  // namespace

bool j2k_choose_backend(GstJ2kEnc *self, GstCaps *in_caps) {
  Backend &backend = backend_of(self);
  self->state->left_to_cpu = false;
  gst_caps_replace(&self->state->in_caps, in_caps);
  if (!backend.select(caps_are_cuda(in_caps), false, true)) return false;
  if (backend.is_on_gpu()) return make_upload_pool(self, in_caps) && j2k_prepare_gpu(self);
  gst_coalesce_encoder_set_room(GST_COALESCE_ENCODER(self), 1);
  return true;
}

bool j2k_try_gpu_again(GstJ2kEnc *self) {
  if (!self->state->left_to_cpu) return true;
  const CapsRef caps(gst_caps_ref(self->state->in_caps));
  return j2k_choose_backend(self, caps.get());
}

bool j2k_move_to_context(GstJ2kEnc *self) {
  J2kState &state = *self->state;
  state.flight.reset();
  return make_upload_pool(self, state.in_caps) && (state.coder == nullptr || j2k_prepare_gpu(self));
}

bool j2k_prepare_gpu(GstJ2kEnc *self) {
  return self->state->flight != nullptr || self->state->left_to_cpu || set_up(self);
}

bool j2k_prepare_fewer(GstJ2kEnc *self) {
  const int room = self->state->flight->room();
  self->state->flight.reset();
  if (room > 1) return set_up(self, room / 2);
  return leave_to_cpu(self, j2k_setting("frames-in-flight", room) +
                                ": there is no device memory for an upload beside the frame");
}

void j2k_drop_pools(GstJ2kEnc *self) {
  J2kState &state = *self->state;
  state.upload_pool.drop();
  state.output_pool.reset();
}

}  // namespace coalesce::gst
