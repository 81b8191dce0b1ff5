// SPDX-License-Identifier: LGPL-2.1-or-later
#include "filter.h"

#include "filtercaps.h"
#include "filterframe.h"
#include "filterpools.h"
#include "video/input.h"

#define GST_CAT_DEFAULT gst_coalesce_debug

using namespace coalesce;
using namespace coalesce::gst;

G_DEFINE_ABSTRACT_TYPE(GstCoalesceFilter, gst_coalesce_filter, GST_TYPE_COALESCE_TRANSFORM)
#define parent_class gst_coalesce_filter_parent_class

namespace {

GstCoalesceFilterPrivate &priv_of(gpointer object) {
  return *GST_COALESCE_FILTER(object)->priv;
}

gboolean keep_caps(GstCoalesceFilter *, GstPadDirection, guint alternative, GstStructure *) {
  return alternative == 0;
}

GstCaps *transform_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                        GstCaps *filter) {
  return filter_transform_caps(GST_COALESCE_FILTER(trans), direction, caps, filter);
}

GstCaps *fixate_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                     GstCaps *othercaps) {
  return filter_fixate_caps(GST_COALESCE_FILTER(trans), direction, caps, othercaps);
}

gboolean decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  filter_choose_pools(GST_COALESCE_FILTER(trans), query);
  return GST_BASE_TRANSFORM_CLASS(parent_class)->decide_allocation(trans, query);
}

GstFlowReturn prepare_output_buffer(GstBaseTransform *trans, GstBuffer *in, GstBuffer **out) {
  GstCoalesceFilterPrivate &priv = priv_of(trans);
  if (!priv.out_cuda || gst_base_transform_is_passthrough(trans))
    return GST_BASE_TRANSFORM_CLASS(parent_class)->prepare_output_buffer(trans, in, out);
  Backend &backend = backend_of(trans);
  if (backend.failed()) return GST_FLOW_ERROR;
  *out = pool_acquire(priv.output_pool.get());
  if (*out == nullptr) {
    backend.post_gpu_error("no device memory for an output frame; backend=cpu requires none");
    return GST_FLOW_ERROR;
  }
  if (!GST_BASE_TRANSFORM_GET_CLASS(trans)->copy_metadata(trans, in, *out))
    GST_ELEMENT_WARNING(trans, STREAM, NOT_IMPLEMENTED,
                        ("The metadata of a buffer could not be copied"), (nullptr));
  return GST_FLOW_OK;
}

bool check_and_use(GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps) {
  auto *self = GST_COALESCE_FILTER(trans);
  auto *klass = GST_COALESCE_FILTER_GET_CLASS(self);
  GstCoalesceFilterPrivate &priv = *self->priv;
  if (!usable_info(in_caps, &priv.in_info) || !usable_info(out_caps, &priv.out_info)) {
    GST_ELEMENT_ERROR(
        self, STREAM, FORMAT,
        ("Unsupported caps: no raw video, or frames of 2 GiB or more (input %" GST_PTR_FORMAT
         ", output %" GST_PTR_FORMAT ")",
         in_caps, out_caps),
        (nullptr));
    return false;
  }
  if (GST_VIDEO_INFO_WIDTH(&priv.in_info) != GST_VIDEO_INFO_WIDTH(&priv.out_info) ||
      GST_VIDEO_INFO_HEIGHT(&priv.in_info) != GST_VIDEO_INFO_HEIGHT(&priv.out_info)) {
    GST_ELEMENT_ERROR(self, STREAM, FORMAT,
                      ("Unsupported caps: input and output must have the same width and height"),
                      ("%" GST_PTR_FORMAT " and %" GST_PTR_FORMAT, in_caps, out_caps));
    return false;
  }
  if (klass->set_info && !klass->set_info(self, &priv.in_info, &priv.out_info)) return false;
  gst_caps_replace(&priv.in_caps, in_caps);
  gst_caps_replace(&priv.out_caps, out_caps);
  priv.in_cuda = caps_are_cuda(in_caps);
  priv.out_cuda = caps_are_cuda(out_caps);
  const bool worth = klass->worth_the_trip && klass->worth_the_trip(self, &priv.in_info);
  Backend &backend = backend_of(trans);
  if (!backend.select(priv.in_cuda, priv.out_cuda, worth)) return false;
  if (!filter_make_pools(self)) return false;
  return !backend.is_on_gpu() || filter_warm_up(self);
}

CapsRef take_ref(GstCaps *caps) {
  return CapsRef(caps != nullptr ? gst_caps_ref(caps) : nullptr);
}

// Where caps are refused, those before are still the pads', and GstBaseTransform does not set them
// again when they come again. What cannot be had again either is not negotiated.
void go_back(GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps) {
  if (in_caps != nullptr && !backend_of(trans).failed() && check_and_use(trans, in_caps, out_caps))
    return;
  GstCoalesceFilterPrivate &priv = priv_of(trans);
  gst_clear_caps(&priv.in_caps);
  gst_clear_caps(&priv.out_caps);
}

gboolean set_format(GstCoalesceTransform *transform, GstCaps *in_caps, GstCaps *out_caps) {
  auto *trans = GST_BASE_TRANSFORM(transform);
  GstCoalesceFilterPrivate &priv = priv_of(trans);
  const CapsRef in_before = take_ref(priv.in_caps), out_before = take_ref(priv.out_caps);
  const bool accepted = check_and_use(trans, in_caps, out_caps);
  if (!accepted) go_back(trans, in_before.get(), out_before.get());
  return accepted;
}

gboolean context_changed(GstCoalesceTransform *transform) {
  // The output pool's page-locked memory is the old context's.
  gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(transform));
  auto *self = GST_COALESCE_FILTER(transform);
  return filter_make_pools(self) && filter_warm_up(self);
}

gboolean stop(GstBaseTransform *trans) {
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(parent_class)->stop(trans);
  GstCoalesceFilterPrivate &priv = priv_of(trans);
  filter_drop_pools(GST_COALESCE_FILTER(trans));
  gst_clear_caps(&priv.in_caps);
  gst_clear_caps(&priv.out_caps);
  return stopped;
}

GstFlowReturn transform(GstBaseTransform *trans, GstBuffer *in, GstBuffer *out) {
  auto *self = GST_COALESCE_FILTER(trans);
  Backend &backend = backend_of(trans);
  if (backend.failed()) return GST_FLOW_ERROR;
  if (self->priv->in_caps == nullptr) return GST_FLOW_NOT_NEGOTIATED;
  const GstFlowReturn flow =
      backend.is_on_gpu() ? filter_run_on_gpu(self, in, out) : filter_run_on_cpu(self, in, out);
  if (flow == GST_FLOW_OK) backend.counters().frames++;
  return flow;
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
  trans_class->decide_allocation = decide_allocation;
  trans_class->prepare_output_buffer = prepare_output_buffer;
  trans_class->transform = transform;
  trans_class->transform_size = transform_size;
  trans_class->get_unit_size = get_unit_size;
  trans_class->stop = stop;
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  transform_class->set_format = set_format;
  transform_class->context_changed = context_changed;
  gst_type_mark_as_plugin_api(GST_TYPE_COALESCE_FILTER, GstPluginAPIFlags(0));
}

static void gst_coalesce_filter_init(GstCoalesceFilter *self) {
  self->priv = new GstCoalesceFilterPrivate;
}

void gst_coalesce_filter_set_formats(GstStructure *structure, const char *formats) {
  GValue list = G_VALUE_INIT;
  g_value_init(&list, GST_TYPE_LIST);
  gst_value_deserialize(&list, formats);
  gst_structure_take_value(structure, "format", &list);
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
