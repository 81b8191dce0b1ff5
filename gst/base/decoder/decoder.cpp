// SPDX-License-Identifier: LGPL-2.1-or-later
#include "decoder.h"

#include <utility>

#include "decoderprivate.h"
#include "object/category.h"
#include "object/guarded.h"
#include "object/objectlock.h"
#include "object/propertytable.h"
#include "video/memorycaps.h"

using namespace coalesce;
using namespace coalesce::gst;

G_DEFINE_ABSTRACT_TYPE(GstCoalesceDecoder, gst_coalesce_decoder, GST_TYPE_COALESCE_TRANSFORM)
#define parent_class gst_coalesce_decoder_parent_class

namespace {

const PropertyTable<DecoderSettings> &properties() {
  using S = DecoderSettings;
  static const PropertyTable<S> table = [] {
    PropertyTable<S> t;
    t.set_flags(G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING);
    t.add(&S::max_errors,
          {"max-errors", "Most errors",
           "Number of consecutive pictures that may be left out before an error (-1 = any number)"},
          -1, G_MAXINT);
    t.add(&S::frames_in_flight,
          {"frames-in-flight", "Frames in flight",
           "Number of pictures that the GPU decodes at once (0 = up to 4, within half of the free "
           "device memory), from the next caps on. All but one add to the reported latency. No "
           "effect on the CPU"},
          0, kMostFramesInFlight);
    return t;
  }();
  return table;
}

// ---- events ----------------------------------------------------------------------------------

void release_held(GstCoalesceDecoder *self) {
  for (EventRef &event : std::exchange(self->priv->held, {}))
    (void)decoder_send_to_base(self, std::move(event));
}

// Tags, of the streaming thread.
void send(GstCoalesceDecoder *self, EventRef event) {
  if (self->priv->holds)
    self->priv->held.push_back(std::move(event));
  else if (self->priv->task.drain() == GST_FLOW_OK)
    gst_pad_push_event(decoder_source(self), event.release());
  else
    self->priv->tags_pending = true;  // they come before the next picture
}

// With what the pictures say themselves.
EventRef event_of_tags(GstCoalesceDecoder *self) {
  const GstCoalesceDecoderPrivate &priv = *self->priv;
  return EventRef(gst_event_new_tag(
      gst_tag_list_merge(priv.upstream_tags.get(), priv.own_tags.get(), GST_TAG_MERGE_REPLACE)));
}

EventRef with_own_tags(GstCoalesceDecoder *self, EventRef event) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  GstTagList *tags = nullptr;
  gst_event_parse_tag(event.get(), &tags);
  if (gst_tag_list_get_scope(tags) != GST_TAG_SCOPE_STREAM) return event;
  priv.upstream_tags.reset(gst_tag_list_ref(tags));
  if (priv.own_tags == nullptr) return event;
  EventRef merged = event_of_tags(self);
  gst_event_set_seqnum(merged.get(), gst_event_get_seqnum(event.get()));
  return merged;
}

// Bytes have no time, and pictures begin with the first.
EventRef in_time(EventRef event) {
  GstSegment segment;
  gst_event_copy_segment(event.get(), &segment);
  if (segment.format == GST_FORMAT_TIME) return event;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  EventRef other(gst_event_new_segment(&segment));
  gst_event_set_seqnum(other.get(), gst_event_get_seqnum(event.get()));
  return other;
}

void take_caps(GstCoalesceDecoder *self, EventRef event) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  priv.caps_event = std::move(event);
  priv.caps.reset();
  GstCaps *caps = decoder_input_caps(self);
  gboolean parsed = FALSE;
  gst_structure_get_boolean(gst_caps_get_structure(caps, 0), "parsed", &parsed);
  priv.parsed = parsed;
  if (!gst_video_info_from_caps(&priv.coded, caps)) gst_video_info_init(&priv.coded);
  GST_DEBUG_OBJECT(self, "input %" GST_PTR_FORMAT ", %s", caps,
                   parsed ? "a picture a buffer" : "cut anywhere");
}

GstFlowReturn show_in_order(GstCoalesceDecoder *self, CodedBuffer coded) {
  if (GST_BASE_TRANSFORM(self)->segment.rate > 0) return decoder_show(self, coded);
  self->priv->block.push_back(std::move(coded));
  return GST_FLOW_OK;
}

// Nothing follows the bytes that have come.
GstFlowReturn end_sequence(GstCoalesceDecoder *self) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  GstFlowReturn flow = GST_FLOW_OK;
  for (CodedBuffer last; flow == GST_FLOW_OK && priv.bytes.next(true, &last);)
    flow = show_in_order(self, std::move(last));
  auto block = std::exchange(priv.block, {});
  for (; flow == GST_FLOW_OK && !block.empty(); block.pop_back())
    flow = decoder_show(self, block.back());
  return flow;
}

GstFlowReturn take(GstCoalesceTransform *transform, BufferRef in) {
  auto *self = GST_COALESCE_DECODER(transform);
  GstCoalesceDecoderPrivate &priv = *self->priv;
  priv.any_input = true;
  GstFlowReturn flow = GST_FLOW_OK;
  if (GST_BUFFER_IS_DISCONT(in.get())) {
    flow = end_sequence(self);
    transform->after_skipped = true;
  }
  if (flow != GST_FLOW_OK) return flow;
  if (priv.parsed) {
    BufferRef metadata(gst_buffer_ref(in.get()));
    return show_in_order(self, {std::move(in), std::move(metadata)});
  }
  priv.bytes.add(in.get());
  for (CodedBuffer next; flow == GST_FLOW_OK && priv.bytes.next(false, &next);)
    flow = show_in_order(self, std::move(next));
  return flow;
}

// Neither negotiated nor too late before its pictures are known.
GstFlowReturn submit_input_buffer(GstBaseTransform *trans, gboolean, GstBuffer *in) {
  trans->queued_buf = in;
  return GST_FLOW_OK;
}

void forget_input(GstCoalesceDecoder *self) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  priv.bytes.clear();
  priv.block.clear();
  priv.next_time = GST_CLOCK_TIME_NONE;
  priv.any_input = false;
  {
    const std::lock_guard guard(priv.lock);
    priv.skipped = false;
  }
  const ObjectLock lock(self);
  priv.earliest = GST_CLOCK_TIME_NONE;
}

bool has_flag(GstEventType type, GstEventTypeFlags flag) {
  return (gst_event_type_get_flags(type) & flag) != 0;
}

// What is sticky remains true, but for the segment.
void forget_held(GstCoalesceDecoder *self) {
  std::erase_if(self->priv->held, [](const EventRef &event) {
    const GstEventType type = GST_EVENT_TYPE(event.get());
    return type == GST_EVENT_SEGMENT || !has_flag(type, GST_EVENT_TYPE_STICKY);
  });
}

// At the end, when all pictures have gone. As GStreamer's decoders have it: since the start.
void check_any_output(GstCoalesceDecoder *self) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  bool any_output = false;
  std::string why;
  {
    const std::lock_guard guard(priv.lock);
    any_output = priv.any_output;
    why = priv.problem;
  }
  if (!priv.any_input || any_output) return;
  backend_of(self).finish();  // a failure of the GPU is told alone
  if (backend_of(self).failed()) return;
  if (const guint64 bytes = priv.bytes.without_picture(); bytes > 0)
    why = "there is no " + std::string(GST_COALESCE_DECODER_GET_CLASS(self)->picture_name) +
          " in " + std::to_string(bytes) + " bytes";
  // Any bytes may have a picture's first two by chance, so in unparsed ones it may be no picture.
  const char *hint = priv.parsed || priv.any_picture
                         ? ""
                         : ". A file with other streams requires a demuxer in front, and "
                           "another format another decoder; decodebin finds both";
  GST_ELEMENT_ERROR(self, STREAM, DECODE,
                    ("No valid frames decoded before end of stream%s%s%s", why.empty() ? "" : ": ",
                     why.c_str(), hint),
                    (nullptr));
}

bool ends_sequence(GstEventType type) {
  return type == GST_EVENT_CAPS || type == GST_EVENT_STREAM_START || type == GST_EVENT_SEGMENT ||
         type == GST_EVENT_GAP || type == GST_EVENT_SEGMENT_DONE || type == GST_EVENT_EOS;
}

// Does it wait for the first caps?
bool is_held(GstCoalesceDecoder *self, GstEventType type) {
  return has_flag(type, GST_EVENT_TYPE_SERIALIZED) && type != GST_EVENT_FLUSH_STOP &&
         type != GST_EVENT_STREAM_START && type != GST_EVENT_SEGMENT_DONE &&
         type != GST_EVENT_EOS && self->priv->holds;
}

void begin_stream(GstCoalesceDecoder *self) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  priv.held.clear();
  priv.holds = true;
  priv.upstream_tags.reset();
  if (priv.own_tags != nullptr) priv.held.push_back(event_of_tags(self));
}

gboolean sink_event(GstBaseTransform *trans, GstEvent *taken) {
  auto *self = GST_COALESCE_DECODER(trans);
  EventRef event(taken);
  const GstEventType type = GST_EVENT_TYPE(taken);
  GstFlowReturn flow = ends_sequence(type) ? end_sequence(self) : GST_FLOW_OK;
  if (flow == GST_FLOW_OK && type == GST_EVENT_EOS) flow = self->priv->task.drain();
  if (flow != GST_FLOW_OK) gst_coalesce_transform_return_later(GST_COALESCE_TRANSFORM(self), flow);
  if (type == GST_EVENT_CAPS) {
    take_caps(self, std::move(event));
    return TRUE;
  }
  if (type == GST_EVENT_SEGMENT) {
    event = in_time(std::move(event));
    gst_event_copy_segment(event.get(), &trans->segment);
    self->priv->next_time = GST_CLOCK_TIME_NONE;
  }
  if (type == GST_EVENT_TAG) event = with_own_tags(self, std::move(event));
  // What waits for the end of the gap must not wait for a picture.
  if (type == GST_EVENT_GAP && self->priv->holds) decoder_negotiate_without_picture(self);
  if (is_held(self, type)) {
    self->priv->held.push_back(std::move(event));
    return TRUE;
  }
  if (type == GST_EVENT_EOS || type == GST_EVENT_SEGMENT_DONE) release_held(self);
  if (type == GST_EVENT_EOS && flow == GST_FLOW_OK) check_any_output(self);
  const gboolean done = decoder_send_to_base(self, std::move(event));
  if (type == GST_EVENT_STREAM_START) begin_stream(self);
  if (type == GST_EVENT_FLUSH_STOP) {
    forget_input(self);
    forget_held(self);
  }
  return done;
}

gboolean src_event(GstBaseTransform *trans, GstEvent *event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_QOS) {
    GstClockTimeDiff late = 0;
    GstClockTime time = GST_CLOCK_TIME_NONE;
    gst_event_parse_qos(event, nullptr, nullptr, &late, &time);
    const ObjectLock lock(trans);
    const bool known =
        GST_CLOCK_TIME_IS_VALID(time) && (late >= 0 || time >= static_cast<GstClockTime>(-late));
    priv_of_decoder(trans).earliest =
        known ? time + static_cast<GstClockTime>(late) : GST_CLOCK_TIME_NONE;
  }
  return GST_BASE_TRANSFORM_CLASS(parent_class)->src_event(trans, event);
}

gboolean decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  backend_of(trans).decide_memory(query, priv_of_decoder(trans).cuda);
  return GST_BASE_TRANSFORM_CLASS(parent_class)->decide_allocation(trans, query);
}

// Coded pictures are in whatever memory they come. (GstBaseTransform would negotiate, without one.)
gboolean query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
  if (direction == GST_PAD_SINK && GST_QUERY_TYPE(query) == GST_QUERY_ALLOCATION) return TRUE;
  return GST_BASE_TRANSFORM_CLASS(parent_class)->query(trans, direction, query);
}

gboolean stop(GstBaseTransform *trans) {
  auto *self = GST_COALESCE_DECODER(trans);
  GstCoalesceDecoderPrivate &priv = *self->priv;
  const SourceTask::Halt halt(priv.task);
  priv.task.discard();
  decoder_release(self);
  priv.pool.drop();
  priv.host_pool.drop();
  priv.caps.reset();
  priv.caps_event.reset();
  priv.held.clear();
  priv.holds = true;
  priv.upstream_tags.reset();
  priv.own_tags.reset();
  priv.tags_pending = priv.any_output = priv.any_picture = false;
  priv.parsed = false;
  gst_video_info_init(&priv.coded);
  priv.problem.clear();
  priv.errors = 0;
  priv.pictures = priv.late = 0;
  forget_input(self);
  return GST_BASE_TRANSFORM_CLASS(parent_class)->stop(trans);
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *) {
  priv_of_decoder(object).settings.change(
      [&](DecoderSettings &settings) { return properties().set(id, &settings, value); });
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *) {
  priv_of_decoder(object).settings.read(
      [&](const DecoderSettings &settings) { properties().get(id, settings, value); });
}

// What the input is said to be does not matter before a picture comes.
gboolean accept_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps) {
  const CapsRef possible(gst_pad_get_pad_template_caps(
      direction == GST_PAD_SINK ? GST_BASE_TRANSFORM_SINK_PAD(trans) : decoder_source(trans)));
  return gst_caps_is_subset(caps, possible.get()) ||
         GST_BASE_TRANSFORM_CLASS(parent_class)->accept_caps(trans, direction, caps);
}

}  // namespace

gboolean coalesce::gst::decoder_send_to_base(GstCoalesceDecoder *self, EventRef event) {
  return GST_BASE_TRANSFORM_CLASS(parent_class)
      ->sink_event(GST_BASE_TRANSFORM(self), event.release());
}

void coalesce::gst::decoder_stop_holding(GstCoalesceDecoder *self) {
  if (std::exchange(self->priv->holds, false)) release_held(self);
}

GstCoalesceDecoderPrivate::GstCoalesceDecoderPrivate(GstCoalesceDecoder *self)
    : settings(self),
      task(GST_COALESCE_TRANSFORM(self), decoder_finish,
           [](GstCoalesceTransform *transform) {
             auto *decoder = GST_COALESCE_DECODER(transform);
             const ContextScope scope(decoder->priv->context.get());
             GST_COALESCE_DECODER_GET_CLASS(decoder)->discard(decoder);
           }),
      bytes(self) {
  gst_video_info_init(&coded);
}

bool coalesce::gst::CodedPicture::is_like(const CodedPicture &other) const {
  return width == other.width && height == other.height && par_n == other.par_n &&
         par_d == other.par_d && interlacing == other.interlacing && top_first == other.top_first &&
         formats == other.formats &&
         gst_video_colorimetry_is_equal(&colorimetry, &other.colorimetry) &&
         chroma_site == other.chroma_site;
}

const GstVideoInfo &gst_coalesce_decoder_input_info(GstCoalesceDecoder *self) {
  return self->priv->coded;
}

namespace coalesce::gst {

void decoder_send_pending_tags(GstCoalesceDecoder *self) {
  if (std::exchange(self->priv->tags_pending, false)) send(self, event_of_tags(self));
}

}  // namespace coalesce::gst

void gst_coalesce_decoder_set_tags(GstCoalesceDecoder *self, GstTagList *tags) {
  self->priv->own_tags.reset(tags);
  send(self, event_of_tags(self));
}

void gst_coalesce_decoder_class_add_templates(GstCoalesceDecoderClass *klass, const char *coded,
                                              const char *formats) {
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  gst_coalesce_transform_class_add_template(transform_class, "sink", GST_PAD_SINK,
                                            gst_caps_from_string(coded));
  gst_coalesce_transform_class_add_template(transform_class, "src", GST_PAD_SRC,
                                            template_caps(formats));
}

static void gst_coalesce_decoder_class_init(GstCoalesceDecoderClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = guarded<set_property>;
  object_class->get_property = guarded<get_property>;
  properties().install(object_class);
  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->fixate_caps = guarded<decoder_fixate_caps>;
  trans_class->accept_caps = guarded<accept_caps>;
  trans_class->sink_event = guarded<sink_event>;
  trans_class->src_event = guarded<src_event>;
  trans_class->submit_input_buffer = submit_input_buffer;
  trans_class->decide_allocation = guarded<decide_allocation>;
  trans_class->query = guarded<query>;
  trans_class->stop = guarded<stop>;
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  gst_coalesce_transform_class_set_take(transform_class, take);
  transform_class->convert = decoder_convert;
  transform_class->set_format = decoder_set_format;
  SourceTask::install(transform_class);
  gst_type_mark_as_plugin_api(GST_TYPE_COALESCE_DECODER, GstPluginAPIFlags(0));
}

static void gst_coalesce_decoder_init(GstCoalesceDecoder *self) {
  initialise(self, [self] { self->priv = add_part<GstCoalesceDecoderPrivate>(self, self); });
}
