// SPDX-License-Identifier: LGPL-2.1-or-later
#include "filter.h"

#include "transfer.h"

#define GST_CAT_DEFAULT gst_coalesce_debug

using namespace coalesce;
using namespace coalesce::gst;

struct GstCoalesceFilterPrivate {
  GstVideoInfo in_info;
  GstVideoInfo out_info;
  GstCaps *in_caps = nullptr;
  GstCaps *out_caps = nullptr;
  GstCaps *refused_caps = nullptr;  // input caps that came to an error, until others come
  bool in_cuda = false;
  bool out_cuda = false;
  // Device memory: for inputs that have to be uploaded, and for every output made on the GPU.
  PoolRef upload_pool;
  PoolRef output_pool;
};

G_DEFINE_ABSTRACT_TYPE(GstCoalesceFilter, gst_coalesce_filter, GST_TYPE_COALESCE_TRANSFORM)
#define parent_class gst_coalesce_filter_parent_class

namespace {

GstCoalesceFilterPrivate &priv_of(gpointer object) {
  return *GST_COALESCE_FILTER(object)->priv;
}

struct Unmini {
  void operator()(gpointer object) const { gst_mini_object_unref(GST_MINI_OBJECT_CAST(object)); }
};
using BufferRef = std::unique_ptr<GstBuffer, Unmini>;

// ---- caps ------------------------------------------------------------------------------------

bool names_cuda(GstCapsFeatures *features) {
  return !gst_caps_features_is_any(features) &&
         gst_caps_features_contains(features, GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY);
}

// `features` with the memory it names replaced.
GstCapsFeatures *with_memory(GstCapsFeatures *features, Memory memory) {
  GstCapsFeatures *result = gst_caps_features_is_any(features) ? gst_caps_features_new_empty()
                                                               : gst_caps_features_copy(features);
  gst_caps_features_remove(result, GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY);
  gst_caps_features_remove(result, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY);
  if (memory == Memory::cuda) gst_caps_features_add(result, GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY);
  return result;
}

gboolean keep_caps(GstCoalesceFilter *, GstPadDirection, guint alternative, GstStructure *) {
  return alternative == 0;
}

GstCaps *transform_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                        GstCaps *filter) {
  auto *self = GST_COALESCE_FILTER(trans);
  auto *klass = GST_COALESCE_FILTER_GET_CLASS(self);
  const bool gpu = may_use_gpu(GST_COALESCE_TRANSFORM(trans));
  GstCaps *result = gst_caps_new_empty();
  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    GstCapsFeatures *features = gst_caps_get_features(caps, i);
    const bool from_cuda = names_cuda(features);
    if (from_cuda && !gpu) continue;
    // The same memory first, so that buffers stay where they are.
    for (Memory to :
         {from_cuda ? Memory::cuda : Memory::system, from_cuda ? Memory::system : Memory::cuda}) {
      if (to == Memory::cuda && !gpu) continue;
      for (guint alternative = 0;; alternative++) {
        GstStructure *structure = gst_structure_copy(gst_caps_get_structure(caps, i));
        if (!klass->convert_caps(self, direction, alternative, structure)) {
          gst_structure_free(structure);
          break;
        }
        gst_caps_append_structure_full(result, structure, with_memory(features, to));
      }
    }
  }
  if (filter != nullptr) {
    GstCaps *filtered = gst_caps_intersect_full(filter, result, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref(result);
    result = filtered;
  }
  return result;
}

// ANY is not a wish for CUDA memory: fakesink, filesink and appsink would get padded device rows.
bool peer_names_cuda(GstPad *pad) {
  GstCaps *peer = gst_pad_peer_query_caps(pad, nullptr);
  if (peer == nullptr) return false;
  bool named = false;
  if (!gst_caps_is_any(peer)) {
    for (guint i = 0; i < gst_caps_get_size(peer) && !named; i++)
      named = names_cuda(gst_caps_get_features(peer, i));
  }
  gst_caps_unref(peer);
  return named;
}

// The first format of the pad's template that the structure allows.
void fixate_format(GstPad *pad, GstStructure *structure) {
  GstCaps *templ = gst_pad_get_pad_template_caps(pad);
  const GValue *formats = gst_structure_get_value(gst_caps_get_structure(templ, 0), "format");
  const GValue *allowed = gst_structure_get_value(structure, "format");
  const guint n = GST_VALUE_HOLDS_LIST(formats) ? gst_value_list_get_size(formats) : 0;
  for (guint i = 0; allowed && i < n; i++) {
    const GValue *format = gst_value_list_get_value(formats, i);
    if (gst_value_intersect(nullptr, allowed, format)) {
      gst_structure_set_value(structure, "format", format);
      break;
    }
  }
  gst_caps_unref(templ);
}

// The structure to negotiate: CUDA memory only where the other side asks for it by name, and then
// where the caps on this side are, first.
gint choose_structure(GstCaps *caps, bool from_cuda, bool may_be_cuda) {
  gint first = -1;
  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    const bool cuda = names_cuda(gst_caps_get_features(caps, i));
    if (cuda && !may_be_cuda) continue;
    if (cuda == from_cuda) return static_cast<gint>(i);
    if (first < 0) first = static_cast<gint>(i);
  }
  return first;
}

GstCaps *fixate_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                     GstCaps *othercaps) {
  if (gst_caps_is_empty(othercaps)) return othercaps;
  GstPad *otherpad = direction == GST_PAD_SINK ? GST_BASE_TRANSFORM_SRC_PAD(trans)
                                               : GST_BASE_TRANSFORM_SINK_PAD(trans);
  const gint choice = choose_structure(othercaps, caps_are_cuda(caps), peer_names_cuda(otherpad));
  GstCaps *result =
      choice < 0 ? gst_caps_copy_nth(othercaps, 0) : gst_caps_copy_nth(othercaps, choice);
  gst_caps_unref(othercaps);
  GstStructure *structure = gst_caps_get_structure(result, 0);
  fixate_format(otherpad, structure);
  // What the input does not pin down stays as near to it as can be.
  const GstStructure *source = gst_caps_get_structure(caps, 0);
  for (const char *field : {"pixel-aspect-ratio", "interlace-mode"}) {
    if (const GValue *value = gst_structure_get_value(source, field);
        value && gst_structure_has_field(structure, field) && gst_value_is_fixed(value) &&
        gst_value_intersect(nullptr, value, gst_structure_get_value(structure, field)))
      gst_structure_set_value(structure, field, value);
  }
  return gst_caps_fixate(result);
}

// ---- pools -----------------------------------------------------------------------------------

PoolRef active_pool(GstCoalesceTransform *self, GstCaps *caps) {
  guint size = 0;
  PoolRef pool = cuda_pool_new(self->state->gpu->context.get(), caps, 0, 0, &size);
  if (pool != nullptr && !gst_buffer_pool_set_active(pool.get(), TRUE)) pool.reset();
  if (pool == nullptr) post_gpu_error(self, "no device memory for the frames");
  return pool;
}

void drop_pools(GstCoalesceFilterPrivate &priv) {
  for (PoolRef *pool : {&priv.upload_pool, &priv.output_pool}) {
    if (*pool) gst_buffer_pool_set_active(pool->get(), FALSE);
    pool->reset();
  }
}

bool make_pools(GstCoalesceTransform *self) {
  GstCoalesceFilterPrivate &priv = priv_of(self);
  drop_pools(priv);
  if (self->state->active != ActiveBackend::cuda) return true;
  priv.output_pool = active_pool(self, priv.out_caps);
  if (priv.output_pool) priv.upload_pool = active_pool(self, priv.in_caps);
  return priv.output_pool && priv.upload_pool;
}

void add_default_pool(GstQuery *query, GstCaps *caps) {
  GstVideoInfo info;
  if (caps == nullptr || !gst_video_info_from_caps(&info, caps)) return;
  GstBufferPool *pool = nullptr;
  guint size = static_cast<guint>(GST_VIDEO_INFO_SIZE(&info)), least = 0, most = 0;
  const bool offered = gst_query_get_n_allocation_pools(query) > 0;
  if (offered) gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &least, &most);
  if (pool == nullptr) pool = gst_video_buffer_pool_new();
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, size, least, most);
  // Strides other than the default only if downstream said that it can read them.
  if (gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr))
    gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_set_config(pool, config);
  if (offered)
    gst_query_set_nth_allocation_pool(query, 0, pool, size, least, most);
  else
    gst_query_add_allocation_pool(query, pool, size, least, most);
  gst_object_unref(pool);
}

gboolean decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  // CUDA output comes from our own pool (see prepare_output_buffer): only its memory has a fence.
  if (priv_of(trans).out_cuda) {
    while (gst_query_get_n_allocation_pools(query) > 0)
      gst_query_remove_nth_allocation_pool(query, 0);
    return TRUE;
  }
  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  add_default_pool(query, caps);
  return GST_BASE_TRANSFORM_CLASS(parent_class)->decide_allocation(trans, query);
}

GstFlowReturn prepare_output_buffer(GstBaseTransform *trans, GstBuffer *in, GstBuffer **out) {
  GstCoalesceFilterPrivate &priv = priv_of(trans);
  if (!priv.out_cuda)
    return GST_BASE_TRANSFORM_CLASS(parent_class)->prepare_output_buffer(trans, in, out);
  TransformState &state = *GST_COALESCE_TRANSFORM(trans)->state;
  if (state.failed) return GST_FLOW_ERROR;
  *out = pool_acquire(priv.output_pool.get());
  if (*out == nullptr) {
    post_gpu_error(GST_COALESCE_TRANSFORM(trans), "no device memory for an output frame");
    return GST_FLOW_ERROR;
  }
  if (!GST_BASE_TRANSFORM_GET_CLASS(trans)->copy_metadata(trans, in, *out))
    GST_ELEMENT_WARNING(trans, STREAM, NOT_IMPLEMENTED, ("metadata could not be copied"),
                        (nullptr));
  return GST_FLOW_OK;
}

// ---- a frame ---------------------------------------------------------------------------------

GstFlowReturn bad_buffer(GstCoalesceFilter *self, const char *which, const Frame &frame) {
  GST_ELEMENT_ERROR(self, STREAM, FORMAT,
                    ("%s %s frame of %dx%d: %s", which, GST_VIDEO_INFO_NAME(&frame.info()),
                     GST_VIDEO_INFO_WIDTH(&frame.info()), GST_VIDEO_INFO_HEIGHT(&frame.info()),
                     frame.problem().c_str()),
                    (nullptr));
  return GST_FLOW_ERROR;
}

GstFlowReturn bad_status(GstCoalesceFilter *self, const Status &status) {
  auto *transform = GST_COALESCE_TRANSFORM(self);
  if (transform->state->active == ActiveBackend::cuda)
    post_gpu_error(transform, status.message());
  else
    GST_ELEMENT_ERROR(self, STREAM, FAILED, ("%s", status.message()), (nullptr));
  return GST_FLOW_ERROR;
}

GstFlowReturn run_on_cpu(GstCoalesceFilter *self, GstBuffer *in_buffer, GstBuffer *out_buffer) {
  GstCoalesceFilterPrivate &priv = *self->priv;
  Frame in, out;
  if (!in.map(in_buffer, priv.in_info, Memory::system, GST_MAP_READ))
    return bad_buffer(self, "input", in);
  if (!out.map(out_buffer, priv.out_info, Memory::system, GST_MAP_WRITE))
    return bad_buffer(self, "output", out);
  const Status status = GST_COALESCE_FILTER_GET_CLASS(self)->run(
      self, in, out, transform_queue(GST_COALESCE_TRANSFORM(self)));
  return status.ok() ? GST_FLOW_OK : bad_status(self, status);
}

// One frame's way over the GPU. Each step posts its own error; once work has been enqueued,
// finish() keeps everything it touches alive until it is done.
class GpuFrame {
 public:
  GpuFrame(GstCoalesceFilter *self, GstBuffer *in, GstBuffer *out)
      : self_(self),
        state_(*GST_COALESCE_TRANSFORM(self)->state),
        session_(*state_.gpu),
        in_buffer_(in),
        out_buffer_(out) {}

  GstFlowReturn run() {
    ContextScope scope(session_.context.get());
    if (!scope.ok()) return fail("making the CUDA context current", CUDA_ERROR_UNKNOWN);
    GstFlowReturn flow = enqueue();
    if (flow != GST_FLOW_OK) {
      // Some of the work may be in flight; let it end before the buffers go.
      (void)session_.stream->synchronize();
      return flow;
    }
    return self_->priv->out_cuda ? leave_in_flight() : flow;
  }

 private:
  GstFlowReturn enqueue() {
    GstFlowReturn flow = take_input();
    if (flow == GST_FLOW_OK) flow = take_output();
    if (flow != GST_FLOW_OK) return flow;
    const Status status = GST_COALESCE_FILTER_GET_CLASS(self_)->run(
        self_, in_, out_, Queue::cuda(session_.stream->handle()));
    if (!status.ok()) return bad_status(self_, status);
    return self_->priv->out_cuda ? GST_FLOW_OK : download();
  }

  // Device memory of our context is read where it is; everything else is uploaded.
  GstFlowReturn take_input() {
    const GstVideoInfo &info = self_->priv->in_info;
    if (is_cuda_buffer_of(in_buffer_, session_.context.get())) {
      if (!in_.map(in_buffer_, info, Memory::cuda, GST_MAP_READ))
        return bad_buffer(self_, "input", in_);
      return ordered(gst_buffer_peek_memory(in_buffer_, 0));
    }
    host_ = std::make_unique<Frame>();
    if (!host_->map(in_buffer_, info, Memory::system, GST_MAP_READ))
      return bad_buffer(self_, "input", *host_);
    uploaded_.reset(pool_acquire(self_->priv->upload_pool.get()));
    if (uploaded_ == nullptr || !in_.map(uploaded_.get(), info, Memory::cuda, GST_MAP_WRITE))
      return fail("allocating device memory for an upload", CUDA_ERROR_OUT_OF_MEMORY);
    gsize bytes = 0;
    if (CUresult result = copy_frame(*host_, in_, *session_.stream, &bytes); result != CUDA_SUCCESS)
      return fail("uploading a frame", result);
    state_.counters->uploads++;
    state_.counters->upload_bytes += bytes;
    return GST_FLOW_OK;
  }

  GstFlowReturn take_output() {
    GstBuffer *target = out_buffer_;
    if (!self_->priv->out_cuda) {
      scratch_.reset(pool_acquire(self_->priv->output_pool.get()));
      target = scratch_.get();
    }
    if (target == nullptr)
      return fail("allocating device memory for a frame", CUDA_ERROR_OUT_OF_MEMORY);
    if (!out_.map(target, self_->priv->out_info, Memory::cuda, GST_MAP_WRITE))
      return bad_buffer(self_, "output", out_);
    return GST_FLOW_OK;
  }

  GstFlowReturn download() {
    Frame host;
    if (!host.map(out_buffer_, self_->priv->out_info, Memory::system, GST_MAP_WRITE))
      return bad_buffer(self_, "output", host);
    gsize bytes = 0;
    CUresult result = copy_frame(out_, host, *session_.stream, &bytes);
    if (result == CUDA_SUCCESS) result = session_.stream->synchronize();
    if (result != CUDA_SUCCESS) return fail("downloading a frame", result);
    state_.counters->downloads++;
    state_.counters->download_bytes += bytes;
    state_.counters->synchronizations++;
    return GST_FLOW_OK;
  }

  // The output goes on with its fence; what the GPU still reads is kept until the fence has passed.
  GstFlowReturn leave_in_flight() {
    CUresult result = CUDA_SUCCESS;
    auto event = fence_memory(gst_buffer_peek_memory(out_buffer_, 0), *session_.stream,
                              state_.counters, &result);
    if (event == nullptr) {
      (void)session_.stream->synchronize();
      return fail("fencing a frame", result);
    }
    in_.unmap();
    session_.retired->add(in_buffer_, event, std::move(host_));
    if (uploaded_ != nullptr) session_.retired->add(uploaded_.get(), event);
    return GST_FLOW_OK;
  }

  GstFlowReturn ordered(GstMemory *memory) {
    const CUresult result = order_behind_fence(memory, *session_.stream);
    return result == CUDA_SUCCESS ? GST_FLOW_OK : fail("ordering behind the input", result);
  }

  GstFlowReturn fail(const char *doing, CUresult result) {
    post_gpu_error(GST_COALESCE_TRANSFORM(self_), doing, result);
    return GST_FLOW_ERROR;
  }

  GstCoalesceFilter *self_;
  TransformState &state_;
  GpuSession &session_;
  GstBuffer *in_buffer_;
  GstBuffer *out_buffer_;
  BufferRef uploaded_;
  BufferRef scratch_;
  std::unique_ptr<Frame> host_;  // the input, where it has to be uploaded
  Frame in_;
  Frame out_;
};

GstFlowReturn transform(GstBaseTransform *trans, GstBuffer *in, GstBuffer *out) {
  auto *self = GST_COALESCE_FILTER(trans);
  TransformState &state = *GST_COALESCE_TRANSFORM(trans)->state;
  if (state.failed) return GST_FLOW_ERROR;
  const GstFlowReturn flow = state.active == ActiveBackend::cpu ? run_on_cpu(self, in, out)
                                                                : GpuFrame(self, in, out).run();
  if (flow == GST_FLOW_OK) state.counters->frames++;
  return flow;
}

// The first launch loads the kernels, which takes milliseconds: do it before the first frame.
bool warm_up(GstCoalesceFilter *self) {
  GpuSession &session = *GST_COALESCE_TRANSFORM(self)->state->gpu;
  if (session.warm) return true;
  ContextScope scope(session.context.get());
  BufferRef from(pool_acquire(self->priv->upload_pool.get()));
  BufferRef to(pool_acquire(self->priv->output_pool.get()));
  Frame in, out;
  if (!from || !to || !in.map(from.get(), self->priv->in_info, Memory::cuda, GST_MAP_WRITE) ||
      !out.map(to.get(), self->priv->out_info, Memory::cuda, GST_MAP_WRITE)) {
    post_gpu_error(GST_COALESCE_TRANSFORM(self), "no device memory for the frames");
    return false;
  }
  const Status status = GST_COALESCE_FILTER_GET_CLASS(self)->run(
      self, in, out, Queue::cuda(session.stream->handle()));
  const CUresult result = session.stream->synchronize();
  if (!status.ok()) {
    bad_status(self, status);
    return false;
  }
  if (result != CUDA_SUCCESS) {
    post_gpu_error(GST_COALESCE_TRANSFORM(self), "the first launch", result);
    return false;
  }
  session.warm = true;
  return true;
}

// ---- the rest --------------------------------------------------------------------------------

// libgstvideo 1.22 lets some sizes through whose strides overflow; such a frame counts 2^63 bytes.
bool usable_info(GstCaps *caps, GstVideoInfo *info) {
  return gst_video_info_from_caps(info, caps) && GST_VIDEO_INFO_SIZE(info) <= G_MAXINT;
}

bool apply_caps(GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps) {
  auto *self = GST_COALESCE_FILTER(trans);
  auto *klass = GST_COALESCE_FILTER_GET_CLASS(self);
  GstCoalesceFilterPrivate &priv = *self->priv;
  if (!usable_info(in_caps, &priv.in_info) || !usable_info(out_caps, &priv.out_info)) {
    GST_ELEMENT_ERROR(
        self, STREAM, FORMAT,
        ("caps that are no raw video, or of frames of 2 GiB and more: %" GST_PTR_FORMAT, in_caps),
        ("output %" GST_PTR_FORMAT, out_caps));
    return false;
  }
  if (klass->set_info && !klass->set_info(self, &priv.in_info, &priv.out_info)) return false;
  gst_caps_replace(&priv.in_caps, in_caps);
  gst_caps_replace(&priv.out_caps, out_caps);
  priv.in_cuda = caps_are_cuda(in_caps);
  priv.out_cuda = caps_are_cuda(out_caps);
  const bool worth = klass->worth_the_trip && klass->worth_the_trip(self, &priv.in_info);
  auto *transform = GST_COALESCE_TRANSFORM(trans);
  if (!select_backend(transform, priv.in_cuda, priv.out_cuda, worth)) return false;
  if (!make_pools(transform)) return false;
  return transform->state->active != ActiveBackend::cuda || warm_up(self);
}

gboolean set_caps(GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps) {
  GstCoalesceFilterPrivate &priv = priv_of(trans);
  if (GST_COALESCE_TRANSFORM(trans)->state->failed) return FALSE;
  // Upstream's pads send caps again and again that have been refused: one error is enough.
  if (priv.refused_caps && gst_caps_is_equal(priv.refused_caps, in_caps)) return FALSE;
  const bool accepted = apply_caps(trans, in_caps, out_caps);
  gst_caps_replace(&priv.refused_caps, accepted ? nullptr : in_caps);
  return accepted;
}

gboolean context_changed(GstCoalesceTransform *transform) {
  return make_pools(transform) && warm_up(GST_COALESCE_FILTER(transform));
}

gboolean stop(GstBaseTransform *trans) {
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(parent_class)->stop(trans);
  GstCoalesceFilterPrivate &priv = priv_of(trans);
  drop_pools(priv);
  gst_clear_caps(&priv.in_caps);
  gst_clear_caps(&priv.out_caps);
  gst_clear_caps(&priv.refused_caps);
  return stopped;
}

gboolean get_unit_size(GstBaseTransform *, GstCaps *caps, gsize *size) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return FALSE;
  *size = GST_VIDEO_INFO_SIZE(&info);
  return TRUE;
}

gboolean transform_size(GstBaseTransform *trans, GstPadDirection, GstCaps *, gsize,
                        GstCaps *othercaps, gsize *othersize) {
  return get_unit_size(trans, othercaps, othersize);
}

// Size and place of every sample stay what they were, so what is said about the picture (timecodes,
// regions, crop rectangles) stays true; what is said about its memory or colours does not.
gboolean transform_meta(GstBaseTransform *trans, GstBuffer *out, GstMeta *meta, GstBuffer *in) {
  const gchar *const *tags = gst_meta_api_type_get_tags(meta->info->api);
  if (tags == nullptr) return TRUE;
  bool only_picture = true;
  for (; *tags != nullptr; tags++) {
    only_picture = only_picture && (g_str_equal(*tags, GST_META_TAG_VIDEO_STR) ||
                                    g_str_equal(*tags, GST_META_TAG_VIDEO_SIZE_STR) ||
                                    g_str_equal(*tags, GST_META_TAG_VIDEO_ORIENTATION_STR));
  }
  return only_picture ||
         GST_BASE_TRANSFORM_CLASS(parent_class)->transform_meta(trans, out, meta, in);
}

void finalize(GObject *object) {
  delete GST_COALESCE_FILTER(object)->priv;
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

}  // namespace

static void gst_coalesce_filter_class_init(GstCoalesceFilterClass *klass) {
  klass->convert_caps = keep_caps;
  G_OBJECT_CLASS(klass)->finalize = finalize;
  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->transform_caps = transform_caps;
  trans_class->fixate_caps = fixate_caps;
  trans_class->set_caps = set_caps;
  trans_class->decide_allocation = decide_allocation;
  trans_class->prepare_output_buffer = prepare_output_buffer;
  trans_class->transform = transform;
  trans_class->transform_meta = transform_meta;
  trans_class->transform_size = transform_size;
  trans_class->get_unit_size = get_unit_size;
  trans_class->stop = stop;
  trans_class->passthrough_on_same_caps = FALSE;
  GST_COALESCE_TRANSFORM_CLASS(klass)->context_changed = context_changed;
  gst_type_mark_as_plugin_api(GST_TYPE_COALESCE_FILTER, GstPluginAPIFlags(0));
}

static void gst_coalesce_filter_init(GstCoalesceFilter *self) {
  self->priv = new GstCoalesceFilterPrivate;
}

void gst_coalesce_filter_class_add_templates(GstCoalesceFilterClass *klass,
                                             const char *sink_formats, const char *src_formats) {
  const struct {
    const char *name;
    GstPadDirection direction;
    const char *formats;
  } pads[] = {{"sink", GST_PAD_SINK, sink_formats}, {"src", GST_PAD_SRC, src_formats}};
  for (const auto &pad : pads) {
    const std::string fields = std::string("format = (string) ") + pad.formats +
                               ", width = (int) [ 1, max ], height = (int) [ 1, max ], "
                               "framerate = (fraction) [ 0, max ]";
    const std::string text = "video/x-raw(" GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY "), " + fields +
                             "; video/x-raw, " + fields;
    GstCaps *caps = gst_caps_from_string(text.c_str());
    gst_element_class_add_pad_template(
        GST_ELEMENT_CLASS(klass),
        gst_pad_template_new(pad.name, pad.direction, GST_PAD_ALWAYS, caps));
    gst_caps_unref(caps);
  }
}
