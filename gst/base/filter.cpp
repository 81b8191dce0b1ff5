// SPDX-License-Identifier: LGPL-2.1-or-later
#include "filter.h"

#include "object/category.h"
#include "object/guarded.h"
#include "object/onexit.h"
#include "object/owned.h"
#include "video/fieldpairs.h"
#include "video/input.h"

using namespace coalesce;
using namespace coalesce::gst;

G_DEFINE_ABSTRACT_TYPE(GstCoalesceFilter, gst_coalesce_filter, GST_TYPE_COALESCE_TRANSFORM)
#define parent_class gst_coalesce_filter_parent_class

namespace {

GstCoalesceFilterPrivate &priv_of(gpointer object) {
  return *GST_COALESCE_FILTER(object)->priv;
}

gboolean decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  backend_of(trans).decide_memory(query, priv_of(trans).out.cuda);
  return GST_BASE_TRANSFORM_CLASS(parent_class)->decide_allocation(trans, query);
}

GstFlowReturn prepare_output_buffer(GstBaseTransform *trans, GstBuffer *in, GstBuffer **out) {
  GstCoalesceFilterPrivate &priv = priv_of(trans);
  const bool passes = GST_COALESCE_TRANSFORM(trans)->passthrough;
  // (Without a peer the caps are not those of priv.)
  if (passes && gst_pad_is_linked(GST_BASE_TRANSFORM_SRC_PAD(trans)))
    if (const std::string problem = buffer_problem(in, priv.in.info); !problem.empty())
      return post_bad_frame(GST_ELEMENT(trans), "input", priv.in.info, problem);
  if (!priv.out.cuda || passes)
    return GST_BASE_TRANSFORM_CLASS(parent_class)->prepare_output_buffer(trans, in, out);
  Backend &backend = backend_of(trans);
  if (backend.failed()) return GST_FLOW_ERROR;
  *out = priv.out.pool.acquire().release();
  if (*out == nullptr) {
    backend.post_gpu_error("no device memory for an output frame; backend=cpu requires none");
    return GST_FLOW_ERROR;
  }
  if (!GST_BASE_TRANSFORM_GET_CLASS(trans)->copy_metadata(trans, in, *out))
    GST_ELEMENT_WARNING(trans, STREAM, NOT_IMPLEMENTED,
                        ("The metadata of a buffer could not be copied"), (nullptr));
  return GST_FLOW_OK;
}

// ---- frames ----------------------------------------------------------------------------------

gsize scratch_bytes(GstCoalesceFilter *self, const Frame &in) {
  auto *klass = GST_COALESCE_FILTER_GET_CLASS(self);
  return klass->scratch_bytes ? klass->scratch_bytes(self, in) : 0;
}

gsize kept_bytes(GstCoalesceFilter *self, const Frame &in) {
  auto *klass = GST_COALESCE_FILTER_GET_CLASS(self);
  return klass->kept_bytes ? klass->kept_bytes(self, in) : 0;
}

gsize bytes_beside(GstCoalesceFilter *self, const Frame &in) {
  const gsize scratch = scratch_bytes(self, in);
  return scratch + kept_bytes(self, in);
}

GstFlowReturn process(GstCoalesceFilter *self, GstBuffer *in_buffer, GstBuffer *out_buffer) {
  auto &[from, to, scratch, kept, in, out] = *self->priv;
  Backend &backend = backend_of(self);
  const OnExit let_go([priv = self->priv] {
    priv->in_frame.reset();
    priv->out_frame.reset();
  });
  Job job(backend);
  GstFlowReturn flow = job.begin(in_buffer);
  if (flow == GST_FLOW_OK) flow = job.load(in_buffer, from.info, from.pool, &in);
  if (flow == GST_FLOW_OK) flow = job.write(out_buffer, to.info, to.pool, &out);
  if (flow == kNoMemory) return gst_coalesce_filter_fail(self, "no memory for a copy of the frame");
  if (GST_BUFFER_FLAG_IS_SET(in_buffer, GST_BUFFER_FLAG_DISCONT)) kept.forget();
  if (flow == GST_FLOW_OK) flow = scratch.prepare(backend, job, scratch_bytes(self, in.frame()));
  if (flow == GST_FLOW_OK) flow = kept.prepare(backend, job, kept_bytes(self, in.frame()));
  if (flow == kNoMemory)
    return gst_coalesce_filter_fail(
        self, no_memory_beside_frames(backend, bytes_beside(self, in.frame())).c_str());
  if (flow != GST_FLOW_OK) return flow;
  out.set_interlaced(in.frame().interlaced());
  const Status status =
      GST_COALESCE_FILTER_GET_CLASS(self)->run(self, in.frame(), out.frame(), backend.queue());
  return status.ok() ? job.end() : gst_coalesce_filter_fail(self, status.message());
}

// The first launch loads the kernels, which takes milliseconds that the first frame should not have
// to wait for: one run on scratch frames. Posts an error and returns false if it fails.
bool warm_up(GstCoalesceFilter *self) {
  auto &[from, to, scratch, kept, in_frame, out_frame] = *self->priv;
  Backend &backend = backend_of(self);
  GpuSession &session = backend.session();
  if (session.warm) return true;
  ContextScope scope(session.context.get());
  const BufferRef in_buffer = from.pool.acquire(), out_buffer = to.pool.acquire();
  Frame in, out;
  if (!in_buffer || !out_buffer ||
      !in.map(in_buffer.get(), from.info, Memory::cuda, GST_MAP_WRITE) ||
      !out.map(out_buffer.get(), to.info, Memory::cuda, GST_MAP_WRITE)) {
    backend.post_gpu_error("no device memory for the frames; backend=cpu requires none");
    return false;
  }
  if (!scratch.prepare_alone(backend, scratch_bytes(self, in)) ||
      !kept.prepare_alone(backend, kept_bytes(self, in))) {
    backend.post_gpu_error(no_memory_beside_frames(backend, bytes_beside(self, in)));
    return false;
  }
  out.set_interlaced(in.interlaced());
  const Status status = GST_COALESCE_FILTER_GET_CLASS(self)->run(self, in, out, backend.queue());
  const bool warm = backend.end_warm_up(status.ok());
  if (!status.ok()) gst_coalesce_filter_fail(self, status.message());
  return warm;
}

// ---- caps ------------------------------------------------------------------------------------

gboolean keep_caps(GstCoalesceFilter *, GstPadDirection, guint alternative, GstStructure *) {
  return alternative == 0;
}

// For each structure: the element's conversions of it, in both memories.
GstCaps *convert(GstCoalesceTransform *transform, GstPadDirection direction, GstCaps *given,
                 bool cuda) {
  auto *self = GST_COALESCE_FILTER(transform);
  auto *klass = GST_COALESCE_FILTER_GET_CLASS(self);
  const bool joins_to_source = klass->joins_fields && direction == GST_PAD_SINK;
  const CapsRef frames(joins_to_source ? frames_of(given) : CapsRef(gst_caps_ref(given)));
  GstCaps *caps = frames.get();
  CapsRef result(gst_caps_new_empty());
  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    GstCapsFeatures *features = gst_caps_get_features(caps, i);
    const bool from_cuda = names_cuda(features);
    if ((from_cuda && !cuda) || has_fields_apart(caps, i)) continue;
    // The same memory first, so that buffers stay where they are.
    for (Memory to :
         {from_cuda ? Memory::cuda : Memory::system, from_cuda ? Memory::system : Memory::cuda}) {
      if (to == Memory::cuda && !cuda) continue;
      for (guint alternative = 0;; alternative++) {
        StructureRef structure(gst_structure_copy(gst_caps_get_structure(caps, i)));
        if (!klass->convert_caps(self, direction, alternative, structure.get())) break;
        gst_caps_append_structure_full(result.get(), structure.release(),
                                       with_memory(features, to));
      }
    }
  }
  if (klass->joins_fields && direction == GST_PAD_SRC) add_fields_of(result.get());
  if (const std::string problem = interlacing_problem(caps, klass->joins_fields);
      gst_caps_is_empty(result.get()) && !problem.empty())
    GST_WARNING_OBJECT(self, "%s (%" GST_PTR_FORMAT ")", problem.c_str(), caps);
  return result.release();
}

// Of the structures in the memory of number `choice`: the one with the format of least loss, which
// is fixed there.
CapsRef with_least_loss(GstCoalesceFilter *self, GstPad *otherpad, const GstStructure *given,
                        GstCaps *othercaps, guint choice) {
  auto *klass = GST_COALESCE_FILTER_GET_CLASS(self);
  const bool cuda = names_cuda(gst_caps_get_features(othercaps, choice));
  const gchar *best = nullptr;
  gint least = 0;
  for (guint i = choice; klass->loss && i < gst_caps_get_size(othercaps); i++) {
    if (names_cuda(gst_caps_get_features(othercaps, i)) != cuda) continue;
    for (const gchar *name : possible_formats(otherpad, gst_caps_get_structure(othercaps, i))) {
      const gint lost = klass->loss(self, given, gst_video_format_from_string(name));
      if (best != nullptr && lost >= least) continue;
      best = name;
      least = lost;
      choice = i;
    }
  }
  CapsRef result(gst_caps_copy_nth(othercaps, choice));
  if (best != nullptr) gst_caps_set_simple(result.get(), "format", G_TYPE_STRING, best, nullptr);
  return result;
}

// CUDA memory only for a peer whose caps name it.
GstCaps *fixate_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                     GstCaps *othercaps) {
  CapsRef result(othercaps);
  if (gst_caps_is_empty(othercaps)) return result.release();
  GstPad *otherpad = direction == GST_PAD_SINK ? GST_BASE_TRANSFORM_SRC_PAD(trans)
                                               : GST_BASE_TRANSFORM_SINK_PAD(trans);
  const bool named = peer_names_cuda(otherpad);
  const guint choice = choose_structure(othercaps, caps_are_cuda(caps), named);
  const GstStructure *given = gst_caps_get_structure(caps, 0);
  result = direction == GST_PAD_SINK
               ? with_least_loss(GST_COALESCE_FILTER(trans), otherpad, given, othercaps, choice)
               : CapsRef(gst_caps_copy_nth(othercaps, choice));
  GstStructure *structure = gst_caps_get_structure(result.get(), 0);
  fixate_video(otherpad, structure);
  if (!gst_structure_has_field(given, "interlace-mode") && !is_progressive(structure)) {
    // Caps that say nothing are progressive, and frames cannot become fields.
    GST_DEBUG_OBJECT(trans, "progressive frames cannot become %" GST_PTR_FORMAT, result.get());
    return gst_caps_new_empty();
  }
  auto *klass = GST_COALESCE_FILTER_GET_CLASS(trans);
  if (klass->fixate) klass->fixate(GST_COALESCE_FILTER(trans), direction, given, structure);
  GstCaps *fixed = gst_caps_fixate(result.release());
  GST_DEBUG_OBJECT(
      trans, "chooses %" GST_PTR_FORMAT " for %" GST_PTR_FORMAT " (the peer's caps %s CUDA memory)",
      fixed, caps, named ? "name" : "do not name");
  return fixed;
}

bool make_pools(GstCoalesceFilter *self) {
  auto &[in, out, scratch, kept, in_frame, out_frame] = *self->priv;
  Backend &backend = backend_of(self);
  scratch.drop();
  kept.drop();
  // With two output buffers, the frames that are in two streams do not wait for each other's
  // memory.
  return backend.make_pool(&out.pool, out.caps.get(), 2) &&
         backend.make_pool(&in.pool, frames_of(in.caps.get()).get());
}

bool check_and_use(GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps) {
  auto *self = GST_COALESCE_FILTER(trans);
  auto *klass = GST_COALESCE_FILTER_GET_CLASS(self);
  auto &[in, out, scratch, kept, in_frame, out_frame] = *self->priv;
  GstVideoInfo in_info, out_info;
  const bool in_usable = usable_info(frames_of(in_caps).get(), &in_info);
  if (!in_usable || !usable_info(out_caps, &out_info)) {
    GST_ELEMENT_ERROR(
        self, STREAM, FORMAT,
        ("Unsupported caps: %s (input %" GST_PTR_FORMAT ", output %" GST_PTR_FORMAT ")",
         unusable_reason(in_usable ? out_caps : in_caps), in_caps, out_caps),
        (nullptr));
    return false;
  }
  in.info = in_info;
  out.info = out_info;
  if (klass->set_info && !klass->set_info(self, &in.info, &out.info)) return false;
  in.caps.reset(gst_caps_ref(in_caps));
  out.caps.reset(gst_caps_ref(out_caps));
  in.fields = caps_are_fields(in_caps);
  in.cuda = caps_are_cuda(in_caps);
  out.cuda = caps_are_cuda(out_caps);
  Backend &backend = backend_of(trans);
  const bool untouched = in.cuda == out.cuda && !in.fields && klass->is_identity &&
                         klass->is_identity(self, &in.info, &out.info);
  gst_coalesce_transform_set_passthrough(GST_COALESCE_TRANSFORM(trans), untouched);
  if (untouched) return backend.select(in.cuda, out.cuda, false);
  const bool worth = klass->worth_the_trip && klass->worth_the_trip(self, &in.info);
  return backend.select(in.cuda, out.cuda, worth) && make_pools(self) &&
         (!backend.is_on_gpu() || warm_up(self));
}

CapsRef take_ref(const CapsRef &caps) {
  return CapsRef(caps != nullptr ? gst_caps_ref(caps.get()) : nullptr);
}

void forget_caps(GstCoalesceFilterPrivate &priv) {
  priv.in.caps.reset();
  priv.out.caps.reset();
}

gboolean set_format(GstCoalesceTransform *transform, GstCaps *in_caps, GstCaps *out_caps) {
  auto *trans = GST_BASE_TRANSFORM(transform);
  GstCoalesceFilterPrivate &priv = priv_of(trans);
  const CapsRef in_before = take_ref(priv.in.caps), out_before = take_ref(priv.out.caps);
  if (check_and_use(trans, in_caps, out_caps)) return TRUE;
  // Where caps are refused, those before are still the pads', and GstBaseTransform does not set
  // them again when they come again. What cannot be had again either is not negotiated.
  if (in_before == nullptr || backend_of(trans).failed() ||
      !check_and_use(trans, in_before.get(), out_before.get()))
    forget_caps(priv);
  return FALSE;
}

gboolean context_changed(GstCoalesceTransform *transform) {
  // The output pool's page-locked memory is the old context's.
  gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(transform));
  auto *self = GST_COALESCE_FILTER(transform);
  return make_pools(self) && warm_up(self);
}

// What comes after a flush, or in another segment, does not follow what has been.
void discard(GstCoalesceTransform *transform) {
  priv_of(transform).kept.forget();
}

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) priv_of(trans).kept.forget();
  return GST_BASE_TRANSFORM_CLASS(parent_class)->sink_event(trans, event);
}

gboolean stop(GstBaseTransform *trans) {
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(parent_class)->stop(trans);
  GstCoalesceFilterPrivate &priv = priv_of(trans);
  priv.in.pool.drop();
  priv.out.pool.drop();
  priv.scratch.drop();
  priv.kept.drop();
  forget_caps(priv);
  return stopped;
}

GstFlowReturn transform(GstBaseTransform *trans, GstBuffer *in, GstBuffer *out) {
  auto *self = GST_COALESCE_FILTER(trans);
  Backend &backend = backend_of(trans);
  if (backend.failed()) return GST_FLOW_ERROR;
  if (self->priv->in.caps == nullptr) return GST_FLOW_NOT_NEGOTIATED;
  const GstFlowReturn flow = process(self, in, out);
  if (flow == GST_FLOW_OK) backend.counters().frames++;
  return flow;
}

}  // namespace

void *gst_coalesce_filter_scratch(GstCoalesceFilter *self) {
  return self->priv->scratch.data();
}

void *gst_coalesce_filter_kept(GstCoalesceFilter *self, bool *is_new) {
  *is_new = self->priv->kept.is_new();
  return self->priv->kept.data();
}

GstFlowReturn gst_coalesce_filter_fail(GstCoalesceFilter *self, const char *what) {
  const GstVideoInfo &in = self->priv->in.info, &out = self->priv->out.info;
  if (backend_of(self).is_on_gpu())
    backend_of(self).post_gpu_error(what);
  else
    GST_ELEMENT_ERROR(
        self, STREAM, FAILED,
        ("%s frame of %dx%d to %s: %s", GST_VIDEO_INFO_NAME(&in), GST_VIDEO_INFO_WIDTH(&in),
         GST_VIDEO_INFO_HEIGHT(&in), GST_VIDEO_INFO_NAME(&out), what),
        (nullptr));
  return GST_FLOW_ERROR;
}

static void gst_coalesce_filter_class_init(GstCoalesceFilterClass *klass) {
  klass->convert_caps = keep_caps;
  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->fixate_caps = guarded<fixate_caps>;
  trans_class->decide_allocation = guarded<decide_allocation>;
  trans_class->prepare_output_buffer = guarded<prepare_output_buffer>;
  trans_class->transform = guarded<transform>;
  trans_class->sink_event = guarded<sink_event>;
  trans_class->stop = guarded<stop>;
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  transform_class->convert = convert;
  transform_class->set_format = set_format;
  transform_class->discard = discard;
  transform_class->context_changed = context_changed;
  gst_type_mark_as_plugin_api(GST_TYPE_COALESCE_FILTER, GstPluginAPIFlags(0));
}

static void gst_coalesce_filter_init(GstCoalesceFilter *self) {
  initialise(self, [self] { self->priv = add_part<GstCoalesceFilterPrivate>(self); });
}

void gst_coalesce_filter_class_add_templates(GstCoalesceFilterClass *klass,
                                             const char *sink_formats, const char *src_formats) {
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  GstCaps *sink_caps = template_caps(sink_formats);
  if (klass->joins_fields) add_fields_of(sink_caps);
  gst_coalesce_transform_class_add_template(transform_class, "sink", GST_PAD_SINK, sink_caps);
  gst_coalesce_transform_class_add_template(transform_class, "src", GST_PAD_SRC,
                                            template_caps(src_formats));
}
