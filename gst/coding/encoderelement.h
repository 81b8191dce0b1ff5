// SPDX-License-Identifier: LGPL-2.1-or-later
// What encoders have in common whose settings may change with every frame.
//
// parts_of(element): its EncoderParts. check(settings): what is wrong with them in any format.
// ignored(settings): of what has been set, what has no effect in any format. Both may be empty.
//
// GST_CAT_DEFAULT: the element's category, defined before this is included.
#pragma once

#include "codedcaps.h"
#include "currentcoder.h"
#include "object/guarded.h"

namespace coalesce::gst {

template <class Coder, class Flight>
struct EncoderParts {
  explicit EncoderParts(GstCoalesceEncoder *self)
      : settings(self), current(self, settings), coding(self, &current) {}

  Settings<typename Coder::Settings> settings;
  // The streaming thread's.
  CurrentCoder<Coder, Flight> current;
  FrameCoding coding;
};

template <auto parts_of, auto check, auto ignored>
class EncoderElement {
 public:
  // Sets functions of the class. The element has properties, templates, convert() and conflict().
  static void install(GstCoalesceEncoderClass *klass) {
    auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
    trans_class->query = guarded<query>;
    trans_class->fixate_caps = guarded<fixate_caps>;
    trans_class->submit_input_buffer = guarded<submit_input_buffer>;
    trans_class->start = guarded<start>;
    trans_class->stop = guarded<stop>;
    auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
    transform_class->set_format = set_format;
    transform_class->settings_changes = [](GstCoalesceTransform *self) {
      return parts_of(self).settings.changes();
    };
    transform_class->context_changed = [](GstCoalesceTransform *self) -> gboolean {
      return parts_of(self).coding.move_to_context();
    };
    klass->encode = encode;
    klass->finish = [](GstCoalesceEncoder *self, GstBuffer **out) {
      return parts_of(self).coding.finish(out);
    };
    klass->discard = [](GstCoalesceEncoder *self) { parts_of(self).coding.discard(); };
  }

  // For an element's own, in place of the class's.
  static GstCaps *fixate_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                              GstCaps *othercaps) {
    GstCaps *fixed = parent()->fixate_caps(trans, direction, caps, othercaps);
    GST_DEBUG_OBJECT(trans, "chooses %" GST_PTR_FORMAT " for %" GST_PTR_FORMAT, fixed, caps);
    return fixed;
  }

 private:
  static GstBaseTransformClass *parent() {
    return GST_BASE_TRANSFORM_CLASS(g_type_class_peek(GST_TYPE_COALESCE_ENCODER));
  }

  static gboolean query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
    if (!parent()->query(trans, direction, query)) return FALSE;
    if (GST_QUERY_TYPE(query) == GST_QUERY_CAPS && direction == GST_PAD_SINK) drop_defaults(query);
    return TRUE;
  }

  static gboolean set_format(GstCoalesceTransform *self, GstCaps *in_caps, GstCaps *out_caps) {
    auto &parts = parts_of(self);
    GstVideoInfo info;
    return check_raw_caps(GST_BASE_TRANSFORM(self), in_caps, &info) &&
           parts.current.set_format(info, out_caps) && parts.coding.choose_backend(in_caps);
  }

  static GstFlowReturn submit_input_buffer(GstBaseTransform *trans, gboolean is_discont,
                                           GstBuffer *in) {
    BufferRef owned(in);
    parts_of(trans).current.look_at_settings();  // the base negotiates again, if they require it
    return parent()->submit_input_buffer(trans, is_discont, owned.release());
  }

  // Another rate needs no other encoders, and frames in flight go on with theirs.
  static GstFlowReturn turn_to_next_coder(GstCoalesceEncoder *encoder) {
    auto &parts = parts_of(encoder);
    if (parts.current.take_rate(parts.coding.flight())) return GST_FLOW_OK;
    const GstFlowReturn flow = gst_coalesce_encoder_drain(encoder);
    if (flow != GST_FLOW_OK) return flow;  // the next coder is the next frame's
    parts.current.take_next();
    return parts.current.coder() == nullptr || parts.coding.try_again() ? GST_FLOW_OK
                                                                        : GST_FLOW_ERROR;
  }

  static GstFlowReturn encode(GstCoalesceEncoder *encoder, GstBuffer *in) {
    auto &parts = parts_of(encoder);
    if (parts.current.has_next())
      if (GstFlowReturn flow = turn_to_next_coder(encoder); flow != GST_FLOW_OK) return flow;
    return parts.current.coder() != nullptr ? parts.coding.encode(in) : GST_FLOW_ERROR;
  }

  static gboolean start(GstBaseTransform *trans) {
    const auto settings = parts_of(trans).settings.read([](const auto &read) { return read; });
    const std::string problem = check(settings);
    if (problem.empty()) warn_of_ignored(trans, {ignored(settings)});
    return (problem.empty() || post_settings_problem(trans, problem, false)) &&
           parent()->start(trans);
  }

  static gboolean stop(GstBaseTransform *trans) {
    const gboolean stopped = parent()->stop(trans);
    parts_of(trans).coding.stop();
    parts_of(trans).current.stop();
    return stopped;
  }
};

}  // namespace coalesce::gst
