// SPDX-License-Identifier: LGPL-2.1-or-later
#include "transformcontext.h"

#include <utility>

#include "transformproperties.h"

#define GST_CAT_DEFAULT gst_coalesce_debug

namespace coalesce::gst {
namespace {

void post_no_gpu(GstCoalesceTransform *self, const std::string &why) {
  GST_ELEMENT_ERROR(
      self, RESOURCE, NOT_FOUND,
      ("No NVIDIA GPU can be used: %s. backend=auto or backend=cpu runs on the CPU.", why.c_str()),
      (nullptr));
}

// Asks neighbours and application for a context, or makes one, if there is none that will do.
bool ask_for_context(GstCoalesceTransform *self) {
  TransformState &state = *self->state;
  {
    std::lock_guard guard(state.lock);
    state.asked = std::exchange(state.context, nullptr);
    if (state.asked != nullptr && !device_will_do(state, state.asked))
      gst_clear_object(&state.asked);
    state.asking = std::this_thread::get_id();
  }
  const bool found = gst_cuda_ensure_element_context(GST_ELEMENT(self),
                                                     state.settings.cuda_device_id, &state.asked);
  std::lock_guard guard(state.lock);
  state.asking = {};
  state.context = std::exchange(state.asked, nullptr);
  return found;
}

// A bin on its way up hands the context that it has to all in it, be it one of an earlier run.
// (Bins are not locked here: gst_bin_add() hands out contexts, too, and has locked its bin.)
bool is_handed_out(GstCoalesceTransform *self) {
  GstObject *parent = gst_object_get_parent(GST_OBJECT(self));
  bool starting = false;
  for (GstObject *bin = parent; bin != nullptr && !starting; bin = GST_OBJECT_PARENT(bin))
    starting = GST_STATE(bin) == GST_STATE_NULL && GST_STATE_NEXT(bin) == GST_STATE_READY;
  gst_clear_object(&parent);
  return starting;
}

bool has_started(GstCoalesceTransform *self) {
  GST_OBJECT_LOCK(self);
  const bool started = self->state->started;
  GST_OBJECT_UNLOCK(self);
  return started;
}

}  // namespace

ContextRef current_context(TransformState &state) {
  std::lock_guard guard(state.lock);
  return ContextRef(state.context ? GST_CUDA_CONTEXT(gst_object_ref(GST_OBJECT_CAST(state.context)))
                                  : nullptr);
}

void set_context_slot(TransformState &state, GstCudaContext *context) {
  std::lock_guard guard(state.lock);
  gst_object_replace(reinterpret_cast<GstObject **>(&state.context), GST_OBJECT_CAST(context));
}

bool device_will_do(const TransformState &state, GstCudaContext *context) {
  guint device = 0;
  g_object_get(context, "cuda-device-id", &device, nullptr);
  return state.settings.cuda_device_id < 0 ||
         static_cast<guint>(state.settings.cuda_device_id) == device;
}

bool check_device_id(GstCoalesceTransform *self) {
  const int id = self->state->settings.cuda_device_id;
  const GpuGate gate = gpu_gate();
  if (!gate.usable || id < gate.devices) return true;
  GST_ELEMENT_ERROR(self, RESOURCE, NOT_FOUND,
                    ("cuda-device-id=%d does not exist: this machine has %d CUDA device%s", id,
                     gate.devices, gate.devices == 1 ? "" : "s"),
                    (nullptr));
  return false;
}

bool open_session(GstCoalesceTransform *self, GstCudaContext *context) {
  std::string why;
  self->state->gpu_name = describe_gpu(context);
  self->state->gpu = GpuSession::open(context, self->state->counters, &why);
  if (self->state->gpu == nullptr) post_gpu_error(self, why);
  return self->state->gpu != nullptr;
}

bool ensure_session(GstCoalesceTransform *self) {
  TransformState &state = *self->state;
  if (state.gpu != nullptr) return true;
  if (const GpuGate gate = gpu_gate(); !gate.usable) {
    post_no_gpu(self, gate.why_not);
    return false;
  }
  if (!check_device_id(self)) return false;
  if (!ask_for_context(self)) {
    GST_ELEMENT_ERROR(
        self, RESOURCE, OPEN_READ_WRITE,
        ("A CUDA context could not be created (cuda-device-id=%d)", state.settings.cuda_device_id),
        (nullptr));
    return false;
  }
  return open_session(self, current_context(state).get());
}

void take_context(GstCoalesceTransform *self, GstContext *context) {
  TransformState &state = *self->state;
  GstCudaContext *given = nullptr;
  gst_cuda_handle_set_context(GST_ELEMENT(self), context, settings_of(self).cuda_device_id, &given);
  if (given == nullptr) return;  // nothing of CUDA, or of another device
  const bool replaces = !has_started(self) && !is_handed_out(self);
  {
    std::lock_guard guard(state.lock);
    const bool answer = state.asking == std::this_thread::get_id();
    GstCudaContext *&slot = answer ? state.asked : state.context;
    // While another thread is asking, it has the say.
    if ((answer || state.asking == std::thread::id()) && (slot == nullptr || replaces))
      std::swap(slot, given);
  }
  gst_clear_object(&given);
}

}  // namespace coalesce::gst
