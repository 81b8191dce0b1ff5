// SPDX-License-Identifier: LGPL-2.1-or-later
#include "transform.h"

#include <utility>

#define GST_CAT_DEFAULT gst_coalesce_debug

using namespace coalesce;
using namespace coalesce::gst;

enum {
  PROP_0,
  PROP_BACKEND,
  PROP_CUDA_DEVICE_ID,
  PROP_N_THREADS,
  PROP_ACTIVE_BACKEND,
  PROP_STATS,
};

static GParamSpec *active_backend_pspec;

static GType gst_coalesce_backend_get_type() {
  static const GEnumValue values[] = {
      {int(BackendChoice::automatic), "Where the buffers are: CUDA memory goes to the GPU", "auto"},
      {int(BackendChoice::cuda), "The GPU; an error if there is none to use", "cuda"},
      {int(BackendChoice::cpu), "The CPU; CUDA memory is not offered", "cpu"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstCoalesceBackend", values);
  return type;
}

static GType gst_coalesce_active_backend_get_type() {
  static const GEnumValue values[] = {{int(ActiveBackend::none), "Not negotiated", "none"},
                                      {int(ActiveBackend::cpu), "The CPU", "cpu"},
                                      {int(ActiveBackend::cuda), "The GPU", "cuda"},
                                      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstCoalesceActiveBackend", values);
  return type;
}

G_DEFINE_ABSTRACT_TYPE(GstCoalesceTransform, gst_coalesce_transform, GST_TYPE_BASE_TRANSFORM)
#define parent_class gst_coalesce_transform_parent_class

namespace {

TransformState &state_of(gpointer object) {
  return *GST_COALESCE_TRANSFORM(object)->state;
}

// For threads that may come while the element is stopped and the application sets properties.
Settings settings_of(GstCoalesceTransform *self) {
  GST_OBJECT_LOCK(self);
  const Settings settings = self->state->settings;
  GST_OBJECT_UNLOCK(self);
  return settings;
}

void set_active(GstCoalesceTransform *self, ActiveBackend active) {
  if (self->state->active.exchange(active) != active)
    g_object_notify_by_pspec(G_OBJECT(self), active_backend_pspec);
}

ContextRef current_context(TransformState &state) {
  std::lock_guard guard(state.lock);
  return ContextRef(state.context ? GST_CUDA_CONTEXT(gst_object_ref(GST_OBJECT_CAST(state.context)))
                                  : nullptr);
}

void set_context_slot(TransformState &state, GstCudaContext *context) {
  std::lock_guard guard(state.lock);
  gst_object_replace(reinterpret_cast<GstObject **>(&state.context), GST_OBJECT_CAST(context));
}

void post_no_gpu(GstCoalesceTransform *self, const std::string &why) {
  GST_ELEMENT_ERROR(
      self, RESOURCE, NOT_FOUND,
      ("No NVIDIA GPU can be used: %s. backend=auto or backend=cpu runs on the CPU.", why.c_str()),
      (nullptr));
}

// Is a context on the device that cuda-device-id names, if it names one?
bool device_will_do(const TransformState &state, GstCudaContext *context) {
  guint device = 0;
  g_object_get(context, "cuda-device-id", &device, nullptr);
  return state.settings.cuda_device_id < 0 ||
         static_cast<guint>(state.settings.cuda_device_id) == device;
}

// A property that names a device which is not there is an error before anything runs.
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

const char *no_cuda(GstCoalesceTransform *self) {
  return GST_COALESCE_TRANSFORM_GET_CLASS(self)->no_cuda;
}

bool ensure_session(GstCoalesceTransform *self) {
  TransformState &state = *self->state;
  if (state.gpu != nullptr) return true;
  if (no_cuda(self) != nullptr) {
    post_no_gpu(self, no_cuda(self));
    return false;
  }
  if (const GpuGate gate = gpu_gate(); !gate.usable) {
    post_no_gpu(self, gate.why_not);
    return false;
  }
  if (!check_device_id(self)) return false;
  if (!ask_for_context(self)) {
    GST_ELEMENT_ERROR(self, RESOURCE, OPEN_READ_WRITE,
                      ("A CUDA context could not be made on the device (cuda-device-id=%d)",
                       state.settings.cuda_device_id),
                      (nullptr));
    return false;
  }
  return open_session(self, current_context(state).get());
}

void discard_frames(GstCoalesceTransform *self) {
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  if (klass->discard) klass->discard(self);
}

void set_started(GstCoalesceTransform *self, bool started) {
  GST_OBJECT_LOCK(self);
  self->state->started = started;
  self->state->settings = self->state->wanted;
  GST_OBJECT_UNLOCK(self);
}

bool start_backend(GstCoalesceTransform *self) {
  switch (self->state->settings.backend) {
    case BackendChoice::cpu:
      return true;
    case BackendChoice::cuda:
      return ensure_session(self);
    case BackendChoice::automatic:
      break;
  }
  // A machine without a GPU cannot honour an id, and auto means that it need not.
  return self->state->settings.cuda_device_id < 0 || no_cuda(self) != nullptr ||
         check_device_id(self);
}

gboolean start(GstBaseTransform *trans) {
  auto *self = GST_COALESCE_TRANSFORM(trans);
  self->state->failed = false;
  set_started(self, true);
  if (self->state->settings.backend != BackendChoice::cpu) retry_gpu_gate();
  if (start_backend(self)) return TRUE;
  set_context_slot(*self->state, nullptr);
  set_started(self, false);
  return FALSE;
}

gboolean stop(GstBaseTransform *trans) {
  auto *self = GST_COALESCE_TRANSFORM(trans);
  discard_frames(self);
  self->state->gpu.reset();
  self->state->threads.reset();
  set_context_slot(*self->state, nullptr);
  set_active(self, ActiveBackend::none);
  set_started(self, false);
  return TRUE;
}

void set_context(GstElement *element, GstContext *context) {
  TransformState &state = state_of(element);
  const int device = settings_of(GST_COALESCE_TRANSFORM(element)).cuda_device_id;
  {
    std::lock_guard guard(state.lock);
    const bool answer = state.asking == std::this_thread::get_id();
    // While another thread is asking, it has the say.
    if (answer || state.asking == std::thread::id())
      gst_cuda_handle_set_context(element, context, device, answer ? &state.asked : &state.context);
  }
  GST_ELEMENT_CLASS(parent_class)->set_context(element, context);
}

// Latency grows by the frames that may be held back.
gboolean answer_latency(GstCoalesceTransform *self, GstQuery *query) {
  auto *trans = GST_BASE_TRANSFORM(self);
  if (!gst_pad_peer_query(GST_BASE_TRANSFORM_SINK_PAD(trans), query)) return FALSE;
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  const guint frames = klass->max_frames_in_flight ? klass->max_frames_in_flight(self) : 0;
  GstCaps *caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(trans));
  GstVideoInfo info;
  if (frames > 0 && caps && gst_video_info_from_caps(&info, caps) &&
      GST_VIDEO_INFO_FPS_N(&info) > 0) {
    const GstClockTime held = gst_util_uint64_scale(
        frames * GST_SECOND, GST_VIDEO_INFO_FPS_D(&info), GST_VIDEO_INFO_FPS_N(&info));
    gboolean live;
    GstClockTime least, most;
    gst_query_parse_latency(query, &live, &least, &most);
    gst_query_set_latency(query, live, least + held,
                          GST_CLOCK_TIME_IS_VALID(most) ? most + held : most);
  }
  gst_clear_caps(&caps);
  return TRUE;
}

gboolean query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
  switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_CONTEXT:
      if (ContextRef context = current_context(state_of(trans));
          context && gst_cuda_handle_context_query(GST_ELEMENT(trans), query, context.get()))
        return TRUE;
      break;
    case GST_QUERY_LATENCY:
      if (direction == GST_PAD_SRC) return answer_latency(GST_COALESCE_TRANSFORM(trans), query);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS(parent_class)->query(trans, direction, query);
}

// GstBaseTransform would let these overtake frames that an element still holds.
bool must_not_overtake(GstEvent *event) {
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_STREAM_START:
    case GST_EVENT_EOS:
    case GST_EVENT_CAPS:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_GAP:
    case GST_EVENT_TAG:
    case GST_EVENT_TOC:
    case GST_EVENT_CUSTOM_DOWNSTREAM:
      return true;
    default:
      return false;
  }
}

// Work may fail after its frame has gone on. The next frame tells, and after the last this does.
void finish_frames(GstCoalesceTransform *self) {
  TransformState &state = *self->state;
  if (state.failed || state.gpu == nullptr) return;
  if (CUresult result = state.gpu->synchronize(); result != CUDA_SUCCESS)
    post_gpu_error(self, "the work on the last frames", result);
}

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  auto *self = GST_COALESCE_TRANSFORM(trans);
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  if (klass->drain && must_not_overtake(event)) {
    const GstFlowReturn flow = klass->drain(self);
    if (flow != GST_FLOW_OK)
      GST_DEBUG_OBJECT(self, "draining before %s: %s", GST_EVENT_TYPE_NAME(event),
                       gst_flow_get_name(flow));
  }
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS) finish_frames(self);
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) discard_frames(self);
  return GST_BASE_TRANSFORM_CLASS(parent_class)->sink_event(trans, event);
}

// Buffers may live in another context than the one that was negotiated. Where their device will do,
// follow them; else they are copied (see filterframe.cpp).
void before_transform(GstBaseTransform *trans, GstBuffer *buffer) {
  auto *self = GST_COALESCE_TRANSFORM(trans);
  TransformState &state = *self->state;
  if (state.failed || state.gpu == nullptr || state.active != ActiveBackend::cuda ||
      gst_base_transform_is_passthrough(trans))
    return;
  GstMemory *memory = gst_buffer_n_memory(buffer) ? gst_buffer_peek_memory(buffer, 0) : nullptr;
  if (memory == nullptr || !gst_is_cuda_memory(memory)) return;
  GstCudaContext *theirs = GST_CUDA_MEMORY_CAST(memory)->context;
  if (theirs == state.gpu->context.get()) return;
  if (!device_will_do(state, theirs)) return;

  GST_INFO_OBJECT(self, "following the input to %s", describe_gpu(theirs).c_str());
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  if (klass->drain) klass->drain(self);
  state.gpu.reset();
  set_context_slot(state, theirs);
  if (!open_session(self, theirs) || (klass->context_changed && !klass->context_changed(self))) {
    state.gpu.reset();
  }
}

// System memory to be filled by upstream: page-locked if it is going to be uploaded. The allocator
// is offered, too, for those who make their own pool.
PoolRef propose_system_pool(TransformState &state, GstQuery *query, GstCaps *caps, guint size) {
  AllocatorRef allocator;
  ContextRef context = current_context(state);
  if (context != nullptr && state.active == ActiveBackend::cuda) {
    allocator = page_locked_allocator_new(context.get());
    gst_query_add_allocation_param(query, allocator.get(), nullptr);
  }
  return system_pool_new(allocator.get(), caps, size);
}

gboolean propose_allocation(GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query) {
  TransformState &state = state_of(trans);
  if (!GST_BASE_TRANSFORM_CLASS(parent_class)->propose_allocation(trans, decide_query, query))
    return FALSE;
  if (decide_query == nullptr) return TRUE;  // passthrough

  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  GstVideoInfo info;
  if (caps == nullptr || !gst_video_info_from_caps(&info, caps)) return FALSE;

  guint size = static_cast<guint>(GST_VIDEO_INFO_SIZE(&info));
  PoolRef pool;
  if (caps_are_cuda(caps)) {
    ContextRef context = current_context(state);
    if (context != nullptr) pool = cuda_pool_new(context.get(), caps, 0, 0, &size);
  } else {
    pool = propose_system_pool(state, query, caps, size);
  }
  if (pool == nullptr) return FALSE;
  gst_query_add_allocation_pool(query, pool.get(), size, 0, 0);
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  return TRUE;
}

GstStructure *stats_of(const TransformState &state) {
  const Counters &c = *state.counters;
  return gst_structure_new("application/x-coalesce-stats",                              //
                           "frames", G_TYPE_UINT64, guint64(c.frames),                  //
                           "uploads", G_TYPE_UINT64, guint64(c.uploads),                //
                           "downloads", G_TYPE_UINT64, guint64(c.downloads),            //
                           "upload-bytes", G_TYPE_UINT64, guint64(c.upload_bytes),      //
                           "download-bytes", G_TYPE_UINT64, guint64(c.download_bytes),  //
                           "synchronizations", G_TYPE_UINT64, guint64(c.synchronizations), nullptr);
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  TransformState &state = state_of(object);
  GST_OBJECT_LOCK(object);
  switch (id) {
    case PROP_BACKEND:
      state.wanted.backend = static_cast<BackendChoice>(g_value_get_enum(value));
      break;
    case PROP_CUDA_DEVICE_ID:
      state.wanted.cuda_device_id = g_value_get_int(value);
      break;
    case PROP_N_THREADS:
      state.wanted.n_threads = g_value_get_int(value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
  if (!state.started) state.settings = state.wanted;
  GST_OBJECT_UNLOCK(object);
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  TransformState &state = state_of(object);
  GST_OBJECT_LOCK(object);
  switch (id) {
    case PROP_BACKEND:
      g_value_set_enum(value, int(state.wanted.backend));
      break;
    case PROP_CUDA_DEVICE_ID:
      g_value_set_int(value, state.wanted.cuda_device_id);
      break;
    case PROP_N_THREADS:
      g_value_set_int(value, state.wanted.n_threads);
      break;
    case PROP_ACTIVE_BACKEND:
      g_value_set_enum(value, int(state.active.load()));
      break;
    case PROP_STATS:
      g_value_take_boxed(value, stats_of(state));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
  GST_OBJECT_UNLOCK(object);
}

void finalize(GObject *object) {
  TransformState *state = &state_of(object);
  set_context_slot(*state, nullptr);
  delete state;
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

void install_properties(GObjectClass *klass) {
  constexpr auto kStatic = static_cast<GParamFlags>(G_PARAM_STATIC_STRINGS);
  const auto ready =
      static_cast<GParamFlags>(G_PARAM_READWRITE | kStatic | GST_PARAM_MUTABLE_READY);
  const auto readable = static_cast<GParamFlags>(G_PARAM_READABLE | kStatic);
  g_object_class_install_property(
      klass, PROP_BACKEND,
      g_param_spec_enum("backend", "Back end",
                        "Where the work is done. The bytes are the same everywhere.",
                        gst_coalesce_backend_get_type(), int(BackendChoice::automatic), ready));
  g_object_class_install_property(
      klass, PROP_CUDA_DEVICE_ID,
      g_param_spec_int("cuda-device-id", "CUDA device",
                       "Number of the GPU, counted from 0 (-1 = any: the one the buffers are on)",
                       -1, G_MAXINT, -1, ready));
  g_object_class_install_property(
      klass, PROP_N_THREADS,
      g_param_spec_int("n-threads", "Threads",
                       "Threads of the CPU back end (0 = one for each core)", 0, 1024, 0, ready));
  active_backend_pspec = g_param_spec_enum(
      "active-backend", "Active back end", "Where the work is done for the negotiated caps",
      gst_coalesce_active_backend_get_type(), int(ActiveBackend::none), readable);
  g_object_class_install_property(klass, PROP_ACTIVE_BACKEND, active_backend_pspec);
  g_object_class_install_property(
      klass, PROP_STATS,
      g_param_spec_boxed(
          "stats", "Statistics",
          "Since the element was made: frames, uploads, downloads (frames moved over "
          "the bus), upload-bytes, download-bytes, synchronizations (waits of a CPU "
          "thread for the GPU)",
          GST_TYPE_STRUCTURE, readable));
}

}  // namespace

static void gst_coalesce_transform_class_init(GstCoalesceTransformClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  install_properties(object_class);

  GST_ELEMENT_CLASS(klass)->set_context = set_context;

  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->start = start;
  trans_class->stop = stop;
  trans_class->query = query;
  trans_class->sink_event = sink_event;
  trans_class->before_transform = before_transform;
  trans_class->propose_allocation = propose_allocation;

  gst_type_mark_as_plugin_api(gst_coalesce_backend_get_type(), GstPluginAPIFlags(0));
  gst_type_mark_as_plugin_api(gst_coalesce_active_backend_get_type(), GstPluginAPIFlags(0));
  gst_type_mark_as_plugin_api(GST_TYPE_COALESCE_TRANSFORM, GstPluginAPIFlags(0));
}

static void gst_coalesce_transform_init(GstCoalesceTransform *self) {
  self->state = new TransformState;
  gst_base_transform_set_qos_enabled(GST_BASE_TRANSFORM(self), TRUE);
}

namespace coalesce::gst {

bool names_cuda(GstCapsFeatures *features) {
  return !gst_caps_features_is_any(features) &&
         gst_caps_features_contains(features, GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY);
}

bool caps_are_cuda(GstCaps *caps) {
  return names_cuda(gst_caps_get_features(caps, 0));
}

bool may_use_gpu(GstCoalesceTransform *self) {
  return settings_of(self).backend != BackendChoice::cpu && no_cuda(self) == nullptr &&
         gpu_gate().usable;
}

bool select_backend(GstCoalesceTransform *self, bool in_cuda, bool out_cuda, bool worth_the_trip) {
  TransformState &state = *self->state;
  const bool gpu = in_cuda || out_cuda || state.settings.backend == BackendChoice::cuda ||
                   (worth_the_trip && may_use_gpu(self));
  if (gpu) {
    if (!ensure_session(self)) return false;
  } else if (state.threads == nullptr) {
    state.threads = std::make_unique<ThreadPool>(state.settings.n_threads);
  }
  set_active(self, gpu ? ActiveBackend::cuda : ActiveBackend::cpu);
  return true;
}

Queue transform_queue(GstCoalesceTransform *self) {
  TransformState &state = *self->state;
  return state.active == ActiveBackend::cuda ? Queue::cuda(state.gpu->stream->handle())
                                             : Queue::cpu(state.threads.get());
}

void post_gpu_error(GstCoalesceTransform *self, const std::string &what) {
  if (std::exchange(self->state->failed, true)) return;
  GstCaps *in = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
  GstCaps *out = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SRC_PAD(self));
  GST_ELEMENT_ERROR(self, RESOURCE, FAILED, ("%s: %s", self->state->gpu_name.c_str(), what.c_str()),
                    ("input %" GST_PTR_FORMAT ", output %" GST_PTR_FORMAT, in, out));
  gst_clear_caps(&in);
  gst_clear_caps(&out);
}

void post_gpu_error(GstCoalesceTransform *self, const char *doing, CUresult result) {
  post_gpu_error(self, std::string(doing) + " failed: " + cuda_error_text(result));
}

}  // namespace coalesce::gst
