// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the CUDA context of an element comes from, and its session there.
#include <utility>

#include "backend.h"
#include "memory/fencedmemory.h"
#include "object/category.h"

namespace coalesce::gst {
namespace {

// A new reference, or nullptr if there is none. gst_bin_add() hands out contexts and has locked its
// bin, in this thread: such a bin is taken for one that has no parent. (Others lock it for an
// instant only.)
GstObject *parent_of(GstObject *object) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; i++) {
    if (GST_OBJECT_TRYLOCK(object)) {
      GstObject *parent = GST_OBJECT_PARENT(object);
      if (parent != nullptr) gst_object_ref(parent);
      GST_OBJECT_UNLOCK(object);
      return parent;
    }
    g_thread_yield();
  }
  return nullptr;
}

}  // namespace

// Asks neighbours and application for a context, or makes one, if there is none that will do.
bool Backend::ask_for_context() {
  {
    std::lock_guard guard(lock_);
    asked_ = std::exchange(context_, nullptr);
    if (asked_ != nullptr && !device_will_do(asked_)) gst_clear_object(&asked_);
    asking_ = std::this_thread::get_id();
  }
  const bool found = gst_cuda_ensure_element_context(element_, settings().cuda_device_id, &asked_);
  GST_DEBUG_OBJECT(element_, "context of a neighbour, the application or its own: %" GST_PTR_FORMAT,
                   asked_);
  std::lock_guard guard(lock_);
  asking_ = {};
  context_ = std::exchange(asked_, nullptr);
  return found;
}

// A bin on its way up hands the context that it has to all in it, be it one of an earlier run.
bool Backend::is_handed_out() {
  bool starting = false;
  GstObject *bin = parent_of(GST_OBJECT(element_));
  while (bin != nullptr && !starting) {
    starting = GST_STATE(bin) == GST_STATE_NULL && GST_STATE_NEXT(bin) == GST_STATE_READY;
    GstObject *child = std::exchange(bin, parent_of(bin));
    gst_object_unref(child);
  }
  gst_clear_object(&bin);
  return starting;
}

ContextRef Backend::context() {
  std::lock_guard guard(lock_);
  return ContextRef(context_ ? GST_CUDA_CONTEXT(gst_object_ref(GST_OBJECT_CAST(context_)))
                             : nullptr);
}

void Backend::set_context(GstCudaContext *context) {
  std::lock_guard guard(lock_);
  gst_object_replace(reinterpret_cast<GstObject **>(&context_), GST_OBJECT_CAST(context));
}

void Backend::take_context(GstContext *context) {
  GstCudaContext *given = nullptr;
  gst_cuda_handle_set_context(element_, context, settings().cuda_device_id, &given);
  if (given == nullptr) return;  // nothing of CUDA, or of another device
  const bool replaces = !settings_.is_held() && !is_handed_out();
  GST_DEBUG_OBJECT(element_, "is given %" GST_PTR_FORMAT " of %" GST_PTR_FORMAT "%s", given,
                   context, replaces ? ", which replaces any other" : "");
  {
    std::lock_guard guard(lock_);
    const bool answer = asking_ == std::this_thread::get_id();
    GstCudaContext *&slot = answer ? asked_ : context_;
    // While another thread is asking, it has the say.
    if ((answer || asking_ == std::thread::id()) && (slot == nullptr || replaces))
      std::swap(slot, given);
  }
  gst_clear_object(&given);
}

bool Backend::answer_context(GstQuery *query) {
  const ContextRef own = context();
  return own != nullptr && gst_cuda_handle_context_query(element_, query, own.get());
}

bool Backend::device_will_do(GstCudaContext *context) const {
  guint device = 0;
  g_object_get(context, "cuda-device-id", &device, nullptr);
  const int id = settings().cuda_device_id;
  return id < 0 || static_cast<guint>(id) == device;
}

// A property that names a device which is not there is an error before anything runs.
bool Backend::check_device_id() {
  const int id = settings().cuda_device_id;
  const GpuGate gate = gpu_gate();
  if (!gate.usable || id < gate.devices) return true;
  GST_ELEMENT_ERROR(
      element_, RESOURCE, NOT_FOUND,
      ("cuda-device-id=%d does not exist: this machine has %d CUDA device%s; use 0 to "
       "%d, or -1 for any",
       id, gate.devices, gate.devices == 1 ? "" : "s", gate.devices - 1),
      (nullptr));
  return false;
}

bool Backend::open_session(GstCudaContext *context) {
  std::string why;
  gpu_name_ = describe_gpu(context);
  session_ = GpuSession::open(context, counters_, &why);
  if (session_ == nullptr) {
    post_gpu_error(why);
    return false;
  }
  session_->n_threads = settings().n_threads;
  GST_INFO_OBJECT(element_, "uses %s, context %" GST_PTR_FORMAT, gpu_name_.c_str(), context);
  return true;
}

bool Backend::ensure_session() {
  if (session_ != nullptr) return true;
  if (const GpuGate gate = gpu_gate(); !gate.usable) {
    GST_ELEMENT_ERROR(
        element_, RESOURCE, NOT_FOUND,
        ("No NVIDIA GPU can be used: %s. backend=auto or backend=cpu runs on the CPU.",
         gate.why_not.c_str()),
        (nullptr));
    return false;
  }
  if (!check_device_id()) return false;
  if (!ask_for_context()) {
    GST_ELEMENT_ERROR(
        element_, RESOURCE, OPEN_READ_WRITE,
        ("A CUDA context could not be created (cuda-device-id=%d); backend=cpu requires none",
         settings().cuda_device_id),
        (nullptr));
    return false;
  }
  return open_session(context().get());
}

// Buffers may live in another context than the one that was negotiated.
GstCudaContext *Backend::context_to_follow(GstBuffer *buffer) {
  if (failed() || session_ == nullptr || !is_on_gpu()) return nullptr;
  GstMemory *memory = gst_buffer_n_memory(buffer) ? gst_buffer_peek_memory(buffer, 0) : nullptr;
  if (memory == nullptr || !(is_fenced_memory(memory) || gst_is_cuda_memory(memory)))
    return nullptr;
  GstCudaContext *theirs = GST_CUDA_MEMORY_CAST(memory)->context;
  if (theirs == session_->context.get()) return nullptr;
  if (device_will_do(theirs)) return theirs;
  GST_LOG_OBJECT(element_,
                 "%" GST_PTR_FORMAT
                 " is of another device than cuda-device-id=%d; the "
                 "input is copied",
                 theirs, settings().cuda_device_id);
  return nullptr;
}

bool Backend::move_to(GstCudaContext *context) {
  GST_INFO_OBJECT(element_, "follows the input to %s", describe_gpu(context).c_str());
  session_.reset();
  set_context(context);
  return open_session(context);
}

}  // namespace coalesce::gst
