// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the work of an element is done, and what it says when the GPU will not do it.
#include <utility>

#include "transform.h"
#include "transformcontext.h"
#include "transformproperties.h"

#define GST_CAT_DEFAULT gst_coalesce_debug

namespace coalesce::gst {
namespace {

GstCaps *caps_of(GstPad *pad, GstCaps *being_set) {
  return being_set != nullptr ? gst_caps_ref(being_set) : gst_pad_get_current_caps(pad);
}

}  // namespace

bool names_cuda(GstCapsFeatures *features) {
  return !gst_caps_features_is_any(features) &&
         gst_caps_features_contains(features, GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY);
}

bool caps_are_cuda(GstCaps *caps) {
  return names_cuda(gst_caps_get_features(caps, 0));
}

bool may_use_gpu(GstCoalesceTransform *self) {
  return settings_of(self).backend != BackendChoice::cpu && gpu_gate().usable;
}

bool select_backend(GstCoalesceTransform *self, bool in_cuda, bool out_cuda, bool worth_the_trip) {
  TransformState &state = *self->state;
  const bool gpu = in_cuda || out_cuda || state.settings.backend == BackendChoice::cuda ||
                   (worth_the_trip && may_use_gpu(self));
  if (gpu && !ensure_session(self)) return false;
  if (gpu)
    set_active(self, ActiveBackend::cuda);
  else
    use_cpu(self);
  return true;
}

void use_cpu(GstCoalesceTransform *self) {
  TransformState &state = *self->state;
  if (state.threads == nullptr)
    state.threads = std::make_unique<ThreadPool>(state.settings.n_threads);
  set_active(self, ActiveBackend::cpu);
}

Queue transform_queue(GstCoalesceTransform *self) {
  TransformState &state = *self->state;
  return state.active == ActiveBackend::cuda ? Queue::cuda(state.gpu->stream->handle())
                                             : Queue::cpu(state.threads.get());
}

void post_gpu_error(GstCoalesceTransform *self, const std::string &what) {
  if (std::exchange(self->state->failed, true)) return;
  GstCaps *in = caps_of(GST_BASE_TRANSFORM_SINK_PAD(self), self->state->new_in_caps);
  GstCaps *out = caps_of(GST_BASE_TRANSFORM_SRC_PAD(self), self->state->new_out_caps);
  GST_ELEMENT_ERROR(self, RESOURCE, FAILED, ("%s: %s", self->state->gpu_name.c_str(), what.c_str()),
                    ("input %" GST_PTR_FORMAT ", output %" GST_PTR_FORMAT, in, out));
  gst_clear_caps(&in);
  gst_clear_caps(&out);
}

void post_gpu_error(GstCoalesceTransform *self, const char *doing, CUresult result) {
  post_gpu_error(self, std::string(doing) + " failed: " + cuda_error_text(result));
}

}  // namespace coalesce::gst
