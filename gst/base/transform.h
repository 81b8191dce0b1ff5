// SPDX-License-Identifier: LGPL-2.1-or-later
// The base class of every element: back end, CUDA context and stream, properties, and the order of
// events around frames in flight. It knows nothing of what comes out; see filter.h for video to
// video.
#pragma once

#include <gst/base/gstbasetransform.h>

#include <mutex>
#include <string>
#include <thread>

#include "core/queue.h"
#include "core/thread_pool.h"
#include "cuda/gpu.h"
#include "gpusession.h"
#include "memory/bufferpool.h"
#include "memory/pagelocked.h"

GST_DEBUG_CATEGORY_EXTERN(gst_coalesce_debug);

namespace coalesce::gst {

enum class BackendChoice { automatic, cuda, cpu };
enum class ActiveBackend { none, cpu, cuda };

// What the properties say.
struct Settings {
  BackendChoice backend = BackendChoice::automatic;
  int cuda_device_id = -1;
  int n_threads = 0;
};

struct TransformState {
  // `wanted` follows the properties; `settings` is what holds, and follows it only while stopped:
  // caps and context were negotiated for it.
  Settings wanted;
  Settings settings;
  bool started = false;

  // Guards the context: the application, a neighbour's query and the streaming thread all come
  // here. Never held while asking anyone else. A thread that asks for a context gets it in a slot
  // of its own, which set_context(), re-entered in that thread, fills.
  std::mutex lock;
  GstCudaContext *context = nullptr;
  GstCudaContext *asked = nullptr;
  std::thread::id asking;

  // The streaming thread's own.
  std::unique_ptr<GpuSession> gpu;
  std::string gpu_name;  // and driver, for error messages: a lost device cannot be asked any more
  std::unique_ptr<ThreadPool> threads;
  // The GPU has failed and the element error has been posted: nothing more is taken, and no second
  // error posted, until the next start.
  bool failed = false;
  // While caps are being set, which the pads do not have yet: for error messages. Not references.
  GstCaps *new_in_caps = nullptr;
  GstCaps *new_out_caps = nullptr;

  std::atomic<ActiveBackend> active{ActiveBackend::none};
  std::shared_ptr<Counters> counters = std::make_shared<Counters>();
};

}  // namespace coalesce::gst

struct GstCoalesceTransform {
  GstBaseTransform parent;
  coalesce::gst::TransformState *state;
};

struct GstCoalesceTransformClass {
  GstBaseTransformClass parent_class;

  // For elements that hold frames in flight; the default holds none. drain pushes them downstream
  // and is called before EOS, CAPS, SEGMENT, GAP, TAG and custom serialized events, so that none of
  // these overtakes a frame. discard drops them, on a flush and on stop.
  GstFlowReturn (*drain)(GstCoalesceTransform *self);
  void (*discard)(GstCoalesceTransform *self);
  // Frames that may be held back at most, for the LATENCY query.
  guint (*max_frames_in_flight)(GstCoalesceTransform *self);
  // The CUDA context was replaced by the one incoming buffers live in: make pools and module state
  // anew. FALSE stops the stream (the implementation has posted an error).
  gboolean (*context_changed)(GstCoalesceTransform *self);
};

GType gst_coalesce_transform_get_type();
#define GST_TYPE_COALESCE_TRANSFORM (gst_coalesce_transform_get_type())
#define GST_COALESCE_TRANSFORM(object) (reinterpret_cast<GstCoalesceTransform *>(object))
#define GST_COALESCE_TRANSFORM_CLASS(klass) (reinterpret_cast<GstCoalesceTransformClass *>(klass))
#define GST_COALESCE_TRANSFORM_GET_CLASS(object) \
  (G_TYPE_INSTANCE_GET_CLASS((object), GST_TYPE_COALESCE_TRANSFORM, GstCoalesceTransformClass))

namespace coalesce::gst {

// Do features, or the features of the first structure, name CUDA memory? (ANY does not.)
bool names_cuda(GstCapsFeatures *features);
bool caps_are_cuda(GstCaps *caps);

// May CUDA memory be offered on the pads?
bool may_use_gpu(GstCoalesceTransform *self);

// Chooses the back end for a stream and makes it ready. worth_the_trip: is the operation heavy
// enough that system memory should go to the GPU and back? Posts an element error and returns false
// if the GPU is needed and cannot be had.
bool select_backend(GstCoalesceTransform *self, bool in_cuda, bool out_cuda, bool worth_the_trip);

// The CPU, until the next choice: a GPU that was chosen will not do.
void use_cpu(GstCoalesceTransform *self);

// The queue of the chosen back end.
Queue transform_queue(GstCoalesceTransform *self);

// Posts GST_ELEMENT_ERROR (RESOURCE, FAILED) with the GPU's name, the driver's version and the caps
// in the text, once until the next start, and marks the state as failed.
void post_gpu_error(GstCoalesceTransform *self, const std::string &what);
void post_gpu_error(GstCoalesceTransform *self, const char *doing, CUresult result);

}  // namespace coalesce::gst
