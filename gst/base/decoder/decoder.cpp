// SPDX-License-Identifier: LGPL-2.1-or-later
#include "decoder.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include "base/flight/sourcetask.h"
#include "base/job.h"
#include "codedbytes.h"
#include "object/category.h"
#include "object/guarded.h"
#include "object/objectlock.h"
#include "object/onexit.h"
#include "object/owned.h"
#include "object/propertytable.h"
#include "video/input.h"
#include "video/memorycaps.h"
#include "video/transfer.h"

using namespace coalesce;
using namespace coalesce::gst;

G_DEFINE_ABSTRACT_TYPE(GstCoalesceDecoder, gst_coalesce_decoder, GST_TYPE_COALESCE_TRANSFORM)
#define parent_class gst_coalesce_decoder_parent_class

namespace {

struct DropTags {
  void operator()(GstTagList *tags) const { gst_tag_list_unref(tags); }
};
using TagsRef = std::unique_ptr<GstTagList, DropTags>;

struct DecoderSettings {
  int max_errors = -1;
  int frames_in_flight = 0;
};

const PropertyTable<DecoderSettings> &properties() {
  using S = DecoderSettings;
  static const PropertyTable<S> table = [] {
    PropertyTable<S> t;
    t.set_flags(G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING);
    t.add(&S::max_errors,
          {"max-errors", "Most errors",
           "Pictures in a row that are left out before that is an error (-1 = any number)"},
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

// What is known of a picture before it is decoded.
struct Shown {
  CodedPicture picture;
  guint64 number = 0;
  BufferRef metadata;
};

struct PictureInFlight : FrameInFlight {
  Shown shown;
  BufferRef device;
  OutputFrame frame;  // the picture in it
};

}  // namespace

struct GstCoalesceDecoderPrivate {
  explicit GstCoalesceDecoderPrivate(GstCoalesceDecoder *self);

  Settings<DecoderSettings> settings;
  SourceTask task;

  // Under the object's lock.
  CapsRef made;  // all caps that the picture in hand can have, while they are negotiated
  GstClockTime earliest = GST_CLOCK_TIME_NONE;  // running time; what is before it is late

  // The streaming thread's: of the input.
  EventRef caps_event;
  GstVideoInfo coded{};
  bool parsed = false;
  CodedBytes bytes;
  std::vector<CodedBuffer> block;                // of a segment that is played backwards
  GstClockTime next_time = GST_CLOCK_TIME_NONE;  // of a picture without a time
  guint64 pictures = 0, late = 0;
  bool any_input = false;  // since the start or a flush
  // Events that wait for the first caps of a stream, and those that do not wait any more.
  bool holds = true;
  std::vector<EventRef> held;
  TagsRef upstream_tags, own_tags;

  // The streaming thread's: of the output. While pictures are in flight it does not change.
  CodedPicture picture;  // that the caps are of
  CapsRef caps;          // none: they are to be chosen
  FrameInfo info;
  bool cuda = false;
  FramePool pool;       // where the GPU works
  FramePool host_pool;  // of pictures that the CPU decodes for CUDA memory
  ContextRef context;   // of what the class has on the GPU

  // Both threads use the session's streams and events.
  std::mutex session;

  // Both threads'.
  std::mutex lock;
  std::string problem;   // of the last picture; a warning has told it
  int errors = 0;        // in a row
  bool skipped = false;  // by the task
  bool any_output = false;
};

namespace {

GstCoalesceDecoderPrivate &priv_of(gpointer object) {
  return *GST_COALESCE_DECODER(object)->priv;
}

GstPad *source_of(gpointer object) {
  return GST_BASE_TRANSFORM_SRC_PAD(object);
}

// ---- caps ------------------------------------------------------------------------------------

GstCaps *input_caps(GstCoalesceDecoder *self) {
  GstCaps *caps = nullptr;
  if (self->priv->caps_event != nullptr) gst_event_parse_caps(self->priv->caps_event.get(), &caps);
  return caps;
}

CapsRef caps_of(GstCoalesceDecoder *self, const CodedPicture &picture, GstVideoFormat format,
                bool cuda) {
  const GstVideoInfo &coded = self->priv->coded;
  GstVideoInfo info;
  if (!gst_video_info_set_interlaced_format(&info, format, picture.interlacing,
                                            static_cast<guint>(picture.width),
                                            static_cast<guint>(picture.height)))
    return nullptr;
  if (picture.interlacing == GST_VIDEO_INTERLACE_MODE_INTERLEAVED)
    GST_VIDEO_INFO_FIELD_ORDER(&info) = picture.top_first
                                            ? GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST
                                            : GST_VIDEO_FIELD_ORDER_BOTTOM_FIELD_FIRST;
  if (!GST_VIDEO_INFO_IS_RGB(&info)) {
    info.colorimetry = picture.colorimetry;
    if (!GST_VIDEO_INFO_IS_GRAY(&info)) info.chroma_site = picture.chroma_site;
  }
  GstCaps *input = input_caps(self);
  const bool has_aspect =
      input != nullptr &&
      gst_structure_has_field(gst_caps_get_structure(input, 0), "pixel-aspect-ratio");
  info.par_n = has_aspect ? coded.par_n : picture.par_n;
  info.par_d = has_aspect ? coded.par_d : picture.par_d;
  info.fps_n = coded.fps_n;
  info.fps_d = coded.fps_d;
  CapsRef caps(gst_video_info_to_caps(&info));
  if (caps != nullptr && cuda)
    gst_caps_set_features(caps.get(), 0,
                          gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY, nullptr));
  return caps;
}

// Most wanted first: in CUDA memory, if that is named downstream.
CapsRef all_caps(GstCoalesceDecoder *self, const CodedPicture &picture) {
  CapsRef all(gst_caps_new_empty());
  const bool may_be_cuda = backend_of(self).may_use_gpu() && peer_names_cuda(source_of(self));
  for (const bool cuda : {true, false})
    for (const GstVideoFormat format : picture.formats)
      if (CapsRef caps; may_be_cuda || !cuda)
        if (caps = caps_of(self, picture, format, cuda); caps != nullptr)
          gst_caps_append(all.get(), caps.release());
  return all;
}

void set_made(GstCoalesceDecoder *self, CapsRef made) {
  const ObjectLock lock(self);
  self->priv->made.swap(made);
}

CapsRef made_caps(gpointer object) {
  const ObjectLock lock(object);
  GstCaps *made = priv_of(object).made.get();
  return CapsRef(made != nullptr ? gst_caps_ref(made) : nullptr);
}

bool is_any(const GValue *value) {
  if (GST_VALUE_HOLDS_INT_RANGE(value))
    return gst_value_get_int_range_min(value) <= 1 &&
           gst_value_get_int_range_max(value) == G_MAXINT;
  if (!GST_VALUE_HOLDS_FRACTION_RANGE(value)) return false;
  const GValue *least = gst_value_get_fraction_range_min(value);
  const GValue *most = gst_value_get_fraction_range_max(value);
  return gst_value_get_fraction_numerator(least) == 0 &&
         gst_value_get_fraction_numerator(most) == G_MAXINT;
}

// What downstream wants of size and rate. Fields of which it wants nothing are left out, lest a
// capsfilter for coded video were left with them.
CapsRef coded_caps(gpointer object, GstCaps *raw) {
  CapsRef result(gst_caps_new_empty());
  for (guint i = 0; i < gst_caps_get_size(raw); i++) {
    CapsRef coded(
        gst_caps_make_writable(gst_pad_get_pad_template_caps(GST_BASE_TRANSFORM_SINK_PAD(object))));
    for (const char *field : {"width", "height", "framerate", "pixel-aspect-ratio"})
      if (const GValue *value = gst_structure_get_value(gst_caps_get_structure(raw, i), field);
          value != nullptr && !is_any(value))
        gst_caps_set_value(coded.get(), field, value);
    result.reset(gst_caps_merge(result.release(), coded.release()));
  }
  return result;
}

GstCaps *convert(GstCoalesceTransform *self, GstPadDirection direction, GstCaps *caps, bool cuda) {
  if (direction == GST_PAD_SRC) return coded_caps(self, caps).release();
  CapsRef made = made_caps(self);
  return made != nullptr ? made.release() : template_caps_of(source_of(self), cuda);
}

GstCaps *fixate_caps(GstBaseTransform *trans, GstPadDirection, GstCaps *, GstCaps *possible) {
  const CapsRef owned(possible), made = made_caps(trans);
  for (guint i = 0; made != nullptr && i < gst_caps_get_size(made.get()); i++) {
    CapsRef caps(gst_caps_copy_nth(made.get(), i));
    if (gst_caps_can_intersect(caps.get(), possible)) return caps.release();
  }
  return gst_caps_new_empty();
}

// What the input is said to be does not matter before a picture comes.
gboolean accept_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps) {
  const CapsRef possible(gst_pad_get_pad_template_caps(
      direction == GST_PAD_SINK ? GST_BASE_TRANSFORM_SINK_PAD(trans) : source_of(trans)));
  return gst_caps_is_subset(caps, possible.get()) ||
         GST_BASE_TRANSFORM_CLASS(parent_class)->accept_caps(trans, direction, caps);
}

guint choose_room(GstCoalesceDecoder *self) {
  constexpr gsize kUsual = 4;
  const int wish = self->priv->settings.snapshot().frames_in_flight;
  if (wish > 0) return static_cast<guint>(wish);
  const ContextScope scope(backend_of(self).session().context.get());
  const gsize each = GST_VIDEO_INFO_SIZE(&self->priv->info) + self->priv->picture.device_bytes;
  std::size_t free = 0, total = 0;
  if (cuda_driver()->mem_get_info(&free, &total) != CUDA_SUCCESS) return kUsual;
  return static_cast<guint>(std::clamp<gsize>(free / 2 / each, 1, kUsual));
}

void release(GstCoalesceDecoder *self) {
  const ContextScope scope(self->priv->context.get());
  GST_COALESCE_DECODER_GET_CLASS(self)->release(self);
  self->priv->context.reset();
}

gboolean set_format(GstCoalesceTransform *transform, GstCaps *, GstCaps *caps) {
  auto *self = GST_COALESCE_DECODER(transform);
  GstCoalesceDecoderPrivate &priv = *self->priv;
  Backend &backend = backend_of(self);
  GstVideoInfo info;
  if (!usable_info(caps, &info)) {
    GST_ELEMENT_ERROR(
        self, STREAM, FORMAT,
        ("Unsupported picture: %s (%" GST_PTR_FORMAT ")", unusable_reason(caps), caps), (nullptr));
    return FALSE;
  }
  priv.info = info;
  priv.cuda = caps_are_cuda(caps);
  // (Not worth the trip until a GPU has run such kernels: docs/lab/jpeg-decoding.md.)
  if (!backend.select(false, priv.cuda, false)) return FALSE;
  priv.host_pool.drop();
  GstCudaContext *context = backend.is_on_gpu() ? backend.session().context.get() : nullptr;
  if (priv.context != nullptr && priv.context.get() != context) release(self);
  if (context != nullptr && priv.context == nullptr)
    priv.context.reset(static_cast<GstCudaContext *>(gst_object_ref(context)));
  const guint room = context != nullptr ? choose_room(self) : 1;
  if (context != nullptr && !backend.make_pool(&priv.pool, caps, room)) return FALSE;
  priv.task.set_room(room);
  priv.caps.reset(gst_caps_ref(caps));
  return TRUE;
}

// ---- events ----------------------------------------------------------------------------------

gboolean send_to_base(GstCoalesceDecoder *self, EventRef event) {
  return GST_BASE_TRANSFORM_CLASS(parent_class)
      ->sink_event(GST_BASE_TRANSFORM(self), event.release());
}

void release_held(GstCoalesceDecoder *self) {
  for (EventRef &event : std::exchange(self->priv->held, {}))
    (void)send_to_base(self, std::move(event));
}

// Serialized, of the streaming thread.
void send(GstCoalesceDecoder *self, EventRef event) {
  if (self->priv->holds)
    self->priv->held.push_back(std::move(event));
  else if (self->priv->task.drain() == GST_FLOW_OK)
    gst_pad_push_event(source_of(self), event.release());
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
  GstCaps *caps = input_caps(self);
  gboolean parsed = FALSE;
  gst_structure_get_boolean(gst_caps_get_structure(caps, 0), "parsed", &parsed);
  priv.parsed = parsed;
  if (!gst_video_info_from_caps(&priv.coded, caps)) gst_video_info_init(&priv.coded);
  GST_DEBUG_OBJECT(self, "input %" GST_PTR_FORMAT ", %s", caps,
                   parsed ? "a picture a buffer" : "cut anywhere");
}

// Caps for the picture, if it is unlike the last one or downstream has changed its mind.
GstFlowReturn negotiate(GstCoalesceDecoder *self, const CodedPicture &picture) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  if (priv.caps == nullptr || !priv.picture.is_like(picture) ||
      gst_pad_needs_reconfigure(source_of(self))) {
    if (GstFlowReturn flow = priv.task.drain(); flow != GST_FLOW_OK) return flow;
    priv.picture = picture;
    set_made(self, all_caps(self, picture));
    // GstBaseTransform negotiates with the input's caps.
    EventRef event(priv.caps_event != nullptr ? gst_event_ref(priv.caps_event.get()) : nullptr);
    if (event == nullptr) {
      const CapsRef coded(gst_pad_get_pad_template_caps(GST_BASE_TRANSFORM_SINK_PAD(self)));
      event.reset(gst_event_new_caps(coded.get()));
    }
    const bool done = send_to_base(self, std::move(event));
    set_made(self, nullptr);
    const bool unlinked = GST_COALESCE_TRANSFORM(self)->passthrough;
    if (unlinked) gst_coalesce_transform_set_passthrough(GST_COALESCE_TRANSFORM(self), false);
    if (!done || unlinked) {
      priv.caps.reset();
      if (GST_PAD_IS_FLUSHING(source_of(self))) return GST_FLOW_FLUSHING;
      return unlinked                    ? GST_FLOW_NOT_LINKED
             : backend_of(self).failed() ? GST_FLOW_ERROR
                                         : GST_FLOW_NOT_NEGOTIATED;
    }
  }
  if (std::exchange(priv.holds, false)) release_held(self);
  return GST_FLOW_OK;
}

// ---- what is said of pictures ----------------------------------------------------------------

constexpr auto kMetadata = static_cast<GstBufferCopyFlags>(
    GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_META);

// One warning for a run of pictures with the same problem.
void warn(GstCoalesceDecoder *self, guint64 number, const std::string &text) {
  {
    const std::lock_guard guard(self->priv->lock);
    if (std::exchange(self->priv->problem, text) == text) {
      GST_WARNING_OBJECT(self, "picture %" G_GUINT64_FORMAT ": %s", number, text.c_str());
      return;
    }
  }
  GST_ELEMENT_WARNING(
      self, STREAM, DECODE, ("%s", text.c_str()),
      ("picture %" G_GUINT64_FORMAT "; further ones with the same problem are in the log only",
       number));
}

GstFlowReturn refuse(GstCoalesceDecoder *self, guint64 number, const Status &status) {
  if (status.code() == StatusCode::device_error) {
    backend_of(self).post_gpu_error(status.message());
    return GST_FLOW_ERROR;
  }
  const std::string text = std::string("A picture is left out: ") + status.message();
  warn(self, number, text);
  const int most = self->priv->settings.snapshot().max_errors;
  {
    const std::lock_guard guard(self->priv->lock);
    if (++self->priv->errors <= most || most < 0) return GST_FLOW_OK;
  }
  GST_ELEMENT_ERROR(self, STREAM, DECODE, ("%s", text.c_str()), ("max-errors=%d", most));
  return GST_FLOW_ERROR;
}

// Only one thread pushes at a time.
GstFlowReturn push(GstCoalesceDecoder *self, const Shown &shown, BufferRef out, bool broken) {
  if (broken)
    warn(self, shown.number, "A picture is broken, and shown as far as it can be decoded");
  const CodedPicture &picture = shown.picture;
  out.reset(gst_buffer_make_writable(out.release()));
  gst_buffer_copy_into(out.get(), shown.metadata.get(), kMetadata, 0, static_cast<gsize>(-1));
  if (broken) GST_BUFFER_FLAG_SET(out.get(), GST_BUFFER_FLAG_CORRUPTED);
  if (picture.interlacing == GST_VIDEO_INTERLACE_MODE_INTERLEAVED) {
    GST_BUFFER_FLAG_SET(out.get(), GST_VIDEO_BUFFER_FLAG_INTERLACED);
    if (picture.top_first) GST_BUFFER_FLAG_SET(out.get(), GST_VIDEO_BUFFER_FLAG_TFF);
    if (picture.one_field) GST_BUFFER_FLAG_SET(out.get(), GST_VIDEO_BUFFER_FLAG_ONEFIELD);
  }
  {
    const std::lock_guard guard(self->priv->lock);
    if (!broken) self->priv->problem.clear();
    if (std::exchange(self->priv->skipped, false))
      GST_BUFFER_FLAG_SET(out.get(), GST_BUFFER_FLAG_DISCONT);
    self->priv->errors = 0;
    self->priv->any_output = true;
  }
  backend_of(self).counters().frames++;
  return gst_pad_push(source_of(self), out.release());
}

// What the input does not say: from one picture to the next it is the time of a frame.
void set_times(GstCoalesceDecoder *self, GstBuffer *metadata) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  const GstSegment &segment = GST_BASE_TRANSFORM(self)->segment;
  const GstVideoInfo &coded = priv.coded;
  if (!GST_BUFFER_DURATION_IS_VALID(metadata) && coded.fps_n > 0 && coded.fps_d > 0)
    GST_BUFFER_DURATION(metadata) = gst_util_uint64_scale(
        GST_SECOND, static_cast<guint64>(coded.fps_d), static_cast<guint64>(coded.fps_n));
  const bool lasts = GST_BUFFER_DURATION_IS_VALID(metadata);
  if (!GST_BUFFER_PTS_IS_VALID(metadata)) GST_BUFFER_PTS(metadata) = GST_BUFFER_DTS(metadata);
  if (!GST_BUFFER_PTS_IS_VALID(metadata) && lasts && segment.format == GST_FORMAT_TIME)
    GST_BUFFER_PTS(metadata) = GST_CLOCK_TIME_IS_VALID(priv.next_time) ? priv.next_time
                               : segment.rate > 0                      ? segment.start
                                                                       : GST_CLOCK_TIME_NONE;
  priv.next_time = GST_BUFFER_PTS_IS_VALID(metadata) && lasts
                       ? GST_BUFFER_PTS(metadata) + GST_BUFFER_DURATION(metadata)
                       : GST_CLOCK_TIME_NONE;
}

BufferRef metadata_of(GstCoalesceDecoder *self, const CodedBuffer &coded) {
  auto *transform = GST_COALESCE_TRANSFORM(self);
  const BufferRef none(coded.origin == nullptr ? gst_buffer_new() : nullptr);
  BufferRef metadata = gst_coalesce_transform_metadata_of(
      transform, coded.origin != nullptr ? coded.origin.get() : none.get());
  // Of coded data, and of fields as the container knows them.
  GST_BUFFER_FLAG_UNSET(metadata.get(), GST_BUFFER_FLAG_DELTA_UNIT | GST_BUFFER_FLAG_HEADER |
                                            GST_VIDEO_BUFFER_FLAG_INTERLACED |
                                            GST_VIDEO_BUFFER_FLAG_TFF | GST_VIDEO_BUFFER_FLAG_RFF |
                                            GST_VIDEO_BUFFER_FLAG_ONEFIELD);
  if (!self->priv->parsed)  // a place among bytes is no picture's number
    GST_BUFFER_OFFSET(metadata.get()) = GST_BUFFER_OFFSET_END(metadata.get()) =
        GST_BUFFER_OFFSET_NONE;
  set_times(self, metadata.get());
  return metadata;
}

bool is_too_late(GstCoalesceDecoder *self, GstBuffer *metadata) {
  auto *trans = GST_BASE_TRANSFORM(self);
  const GstSegment &segment = trans->segment;
  const GstClockTime time = GST_BUFFER_PTS(metadata);
  if (!gst_base_transform_is_qos_enabled(trans) || segment.format != GST_FORMAT_TIME ||
      !GST_CLOCK_TIME_IS_VALID(time))
    return false;
  const GstClockTime running = gst_segment_to_running_time(&segment, GST_FORMAT_TIME, time);
  GstClockTime earliest;
  {
    const ObjectLock lock(self);
    earliest = self->priv->earliest;
  }
  if (!GST_CLOCK_TIME_IS_VALID(earliest) || !GST_CLOCK_TIME_IS_VALID(running) || running > earliest)
    return false;
  GstMessage *message = gst_message_new_qos(
      GST_OBJECT(self), FALSE, running, gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, time),
      time, GST_BUFFER_DURATION(metadata));
  gst_message_set_qos_values(message, GST_CLOCK_DIFF(running, earliest), 1.0, 1000000);
  gst_message_set_qos_stats(message, GST_FORMAT_BUFFERS, backend_of(self).counters().frames,
                            ++self->priv->late);
  gst_element_post_message(GST_ELEMENT(self), message);
  return true;
}

// ---- on the CPU ------------------------------------------------------------------------------

// The result with a device, or to be tried again with less.
constexpr Status kNoDeviceMemory = {StatusCode::out_of_memory, "no device memory for the picture"};

// In system memory: downstream's, or page-locked.
GstFlowReturn acquire_output(GstCoalesceDecoder *self, BufferRef *out) {
  const PoolRef pool(gst_base_transform_get_buffer_pool(GST_BASE_TRANSFORM(self)));
  if (pool != nullptr && gst_buffer_pool_set_active(pool.get(), TRUE))
    out->reset(pool_acquire(pool.get()));
  if (*out != nullptr) return GST_FLOW_OK;
  if (GST_PAD_IS_FLUSHING(source_of(self))) return GST_FLOW_FLUSHING;
  GST_ELEMENT_ERROR(self, RESOURCE, NO_SPACE_LEFT, ("no memory for an output frame"), (nullptr));
  return GST_FLOW_ERROR;
}

GstFlowReturn decode_on_cpu(GstCoalesceDecoder *self, GstBuffer *out, Status *status,
                            bool *broken) {
  Frame frame;
  if (!frame.map(out, self->priv->info, Memory::system, GST_MAP_WRITE))
    return post_bad_frame(GST_ELEMENT(self), "output", frame);
  Backend &backend = backend_of(self);
  *status = GST_COALESCE_DECODER_GET_CLASS(self)->decode(
      self, frame, backend.is_on_gpu() ? nullptr : backend.queue().pool(), broken);
  return GST_FLOW_OK;
}

// The output is the copy that the upload makes.
GstFlowReturn decode_and_upload(GstCoalesceDecoder *self, BufferRef *out, Status *status,
                                bool *broken) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  Backend &backend = backend_of(self);
  const CapsRef system(gst_caps_copy(priv.caps.get()));
  gst_caps_set_features(system.get(), 0, nullptr);
  BufferRef host = priv.host_pool.acquire();
  if (host == nullptr && priv.host_pool.make_in(backend.session().page_locked.get(), system.get()))
    host = priv.host_pool.acquire();
  if (host == nullptr) {
    *status = {StatusCode::out_of_memory, "no memory for the picture"};
    return GST_FLOW_OK;
  }
  GstFlowReturn flow = decode_on_cpu(self, host.get(), status, broken);
  if (flow != GST_FLOW_OK || !status->ok()) return flow;
  // (The retire list keeps the host's buffer until the GPU has fetched it.)
  DeviceFrame device;
  Job job(backend);
  flow = job.begin(nullptr);
  if (flow == GST_FLOW_OK) flow = job.load(host.get(), priv.info, priv.pool, &device);
  if (flow == kNoMemory) {
    *status = kNoDeviceMemory;
    return GST_FLOW_OK;
  }
  if (flow == GST_FLOW_OK) flow = job.end();
  if (flow == GST_FLOW_OK) out->reset(gst_buffer_ref(device.buffer()));
  return flow;
}

GstFlowReturn show_on_cpu(GstCoalesceDecoder *self, const Shown &shown, Status *status) {
  BufferRef out;
  bool broken = false;
  GstFlowReturn flow = self->priv->task.drain();
  if (flow == GST_FLOW_OK && !self->priv->cuda) flow = acquire_output(self, &out);
  if (flow != GST_FLOW_OK) return flow;
  flow = self->priv->cuda ? decode_and_upload(self, &out, status, &broken)
                          : decode_on_cpu(self, out.get(), status, &broken);
  return flow == GST_FLOW_OK && status->ok() ? push(self, shown, std::move(out), broken) : flow;
}

// ---- on the GPU ------------------------------------------------------------------------------

GstFlowReturn download(GstCoalesceDecoder *self, PictureInFlight *flight, BufferRef *out) {
  Backend &backend = backend_of(self);
  if (GstFlowReturn flow = acquire_output(self, out); flow != GST_FLOW_OK) return flow;
  Frame to;
  if (!to.map(out->get(), self->priv->info, transfer_memory(out->get()), GST_MAP_WRITE))
    return post_bad_frame(GST_ELEMENT(self), "output", to);
  const std::lock_guard guard(self->priv->session);
  GpuSession &session = backend.session();
  CUresult result = CUDA_SUCCESS;
  std::shared_ptr<Event> ready = session.mark(*session.stream, &result);
  if (ready != nullptr)
    result = download_frame(session, flight->device.get(), flight->frame.frame(), std::move(ready),
                            out->get(), to);
  if (result == CUDA_SUCCESS) return GST_FLOW_OK;
  backend.post_gpu_error("downloading a frame", result);
  return GST_FLOW_ERROR;
}

// In the task, or in the streaming thread if no other picture is in flight.
GstFlowReturn finish(GstCoalesceTransform *transform, FrameInFlight *frame) {
  auto *self = GST_COALESCE_DECODER(transform);
  auto *flight = static_cast<PictureInFlight *>(frame);
  Backend &backend = backend_of(self);
  const ContextScope scope(backend.session().context.get());
  backend.counters().synchronizations++;
  bool broken = false;
  const Status status = GST_COALESCE_DECODER_GET_CLASS(self)->finish(self, &broken);
  if (!status.ok()) {
    const std::lock_guard guard(self->priv->lock);
    self->priv->skipped = true;
  }
  if (!status.ok()) return refuse(self, flight->shown.number, status);
  BufferRef out;
  if (!self->priv->cuda)
    if (GstFlowReturn flow = download(self, flight, &out); flow != GST_FLOW_OK) return flow;
  flight->frame.reset();
  if (self->priv->cuda) out = std::move(flight->device);
  return push(self, flight->shown, std::move(out), broken);
}

// Takes `shown` where a picture has been started.
GstFlowReturn start(GstCoalesceDecoder *self, Shown *shown, Status *status) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  Backend &backend = backend_of(self);
  if (GstFlowReturn flow = priv.task.wait_for_room(); flow != GST_FLOW_OK) return flow;
  auto flight = std::make_unique<PictureInFlight>();
  flight->device = priv.pool.acquire();
  *status = flight->device != nullptr ? Status() : kNoDeviceMemory;
  if (!status->ok()) return GST_FLOW_OK;
  {
    std::unique_lock lock(priv.session);
    Job job(backend);
    GstFlowReturn flow = job.begin(nullptr);
    if (flow == GST_FLOW_OK)
      flow = job.write(flight->device.get(), priv.info, priv.pool, &flight->frame);
    if (flow != GST_FLOW_OK) return flow;
    void *stream = backend.queue().stream();
    lock.unlock();
    *status = GST_COALESCE_DECODER_GET_CLASS(self)->start(self, flight->frame.frame(), stream,
                                                          priv.task.room());
    lock.lock();
    // (Nobody has the buffer before the picture is in it.)
    if (status->ok()) flow = job.end();
    if (flow != GST_FLOW_OK || !status->ok()) return flow;
  }
  flight->shown = std::move(*shown);
  // (Of one picture at a time, the way through another thread would cost time.)
  if (priv.task.room() == 1) return finish(GST_COALESCE_TRANSFORM(self), flight.get());
  priv.task.add(std::move(flight));
  return GST_FLOW_OK;
}

GstFlowReturn show_on_gpu(GstCoalesceDecoder *self, Shown *shown, Status *status) {
  SourceTask &task = self->priv->task;
  Backend &backend = backend_of(self);
  GstFlowReturn flow = start(self, shown, status);
  while (flow == GST_FLOW_OK && status->code() == StatusCode::out_of_memory && task.room() > 1) {
    if (flow = task.drain(); flow != GST_FLOW_OK) return flow;
    GST_WARNING_OBJECT(self, "no device memory for %u pictures in flight", task.room());
    task.set_room(task.room() / 2);
    flow = start(self, shown, status);
  }
  const bool too_much =
      status->code() == StatusCode::out_of_memory || status->code() == StatusCode::unsupported;
  if (flow != GST_FLOW_OK || !too_much || backend.is_cuda_required()) return flow;
  GST_INFO_OBJECT(self, "decodes on the CPU: %s", status->message());
  *status = {};
  return show_on_cpu(self, *shown, status);
}

// ---- pictures --------------------------------------------------------------------------------

// Not ok: why the picture is left out.
GstFlowReturn read_and_show(GstCoalesceDecoder *self, Shown *shown, GstBuffer *bytes,
                            Status *status) {
  GstMapInfo map;
  if (!gst_buffer_map(bytes, &map, GST_MAP_READ)) {
    *status = invalid_argument("its memory cannot be read");
    return GST_FLOW_OK;
  }
  const OnExit unmap([&] { gst_buffer_unmap(bytes, &map); });
  *status = GST_COALESCE_DECODER_GET_CLASS(self)->read(self, map.data, map.size, &shown->picture);
  if (!status->ok()) return GST_FLOW_OK;
  if (GstFlowReturn flow = negotiate(self, shown->picture); flow != GST_FLOW_OK) return flow;
  return backend_of(self).is_on_gpu() && !shown->picture.for_cpu
             ? show_on_gpu(self, shown, status)
             : show_on_cpu(self, *shown, status);
}

GstFlowReturn show(GstCoalesceDecoder *self, const CodedBuffer &coded) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  Shown shown;
  const guint64 number = shown.number = priv.pictures++;
  shown.metadata = metadata_of(self, coded);
  Status status;
  GstFlowReturn flow = GST_FLOW_OK;
  if (is_too_late(self, shown.metadata.get())) {
    GST_DEBUG_OBJECT(self, "picture %" G_GUINT64_FORMAT " would come too late", number);
    const std::lock_guard guard(priv.lock);
    priv.any_output = true;  // there would have been one
  } else {
    flow = read_and_show(self, &shown, coded.bytes.get(), &status);
    if (flow != GST_FLOW_OK || status.ok()) return flow;
    flow = refuse(self, number, status);
  }
  GST_COALESCE_TRANSFORM(self)->after_skipped = true;
  return flow;
}

GstFlowReturn show_in_order(GstCoalesceDecoder *self, CodedBuffer coded) {
  if (GST_BASE_TRANSFORM(self)->segment.rate > 0) return show(self, coded);
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
    flow = show(self, block.back());
  return flow;
}

GstFlowReturn take(GstCoalesceTransform *transform, GstBuffer *in) {
  auto *self = GST_COALESCE_DECODER(transform);
  GstCoalesceDecoderPrivate &priv = *self->priv;
  priv.any_input = true;
  GstFlowReturn flow = GST_FLOW_OK;
  if (GST_BUFFER_IS_DISCONT(in)) {
    flow = end_sequence(self);
    transform->after_skipped = true;
  }
  if (flow == GST_FLOW_OK && priv.parsed)
    return show_in_order(self, {BufferRef(gst_buffer_ref(in)), BufferRef(gst_buffer_ref(in))});
  priv.bytes.add(in);
  for (CodedBuffer next; flow == GST_FLOW_OK && priv.bytes.next(false, &next);)
    flow = show_in_order(self, std::move(next));
  return flow;
}

// Neither negotiated nor too late before its pictures are known.
GstFlowReturn submit_input_buffer(GstBaseTransform *trans, gboolean, GstBuffer *in) {
  trans->queued_buf = in;
  return GST_FLOW_OK;
}

// ---- the stream ------------------------------------------------------------------------------

void forget_input(GstCoalesceDecoder *self) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  priv.bytes.clear();
  priv.block.clear();
  priv.next_time = GST_CLOCK_TIME_NONE;
  priv.any_input = false;
  {
    const std::lock_guard guard(priv.lock);
    priv.any_output = priv.skipped = false;
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

// As GStreamer's decoders have it.
void check_any_output(GstCoalesceDecoder *self) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  (void)priv.task.drain();
  const std::lock_guard guard(priv.lock);
  if (priv.any_input && !priv.any_output && !backend_of(self).failed())
    GST_ELEMENT_ERROR(self, STREAM, DECODE, ("No valid frames decoded before end of stream"),
                      (nullptr));
}

bool ends_sequence(GstEventType type) {
  return type == GST_EVENT_CAPS || type == GST_EVENT_STREAM_START || type == GST_EVENT_SEGMENT ||
         type == GST_EVENT_GAP || type == GST_EVENT_SEGMENT_DONE || type == GST_EVENT_EOS;
}

// Does it wait for the first caps?
bool is_held(GstCoalesceDecoder *self, GstEventType type) {
  return self->priv->holds && has_flag(type, GST_EVENT_TYPE_SERIALIZED) &&
         type != GST_EVENT_FLUSH_STOP && type != GST_EVENT_STREAM_START &&
         type != GST_EVENT_SEGMENT_DONE && type != GST_EVENT_EOS;
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
  if (ends_sequence(type))
    if (GstFlowReturn flow = end_sequence(self); flow != GST_FLOW_OK)
      gst_coalesce_transform_return_later(GST_COALESCE_TRANSFORM(self), flow);
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
  if (is_held(self, type)) {
    self->priv->held.push_back(std::move(event));
    return TRUE;
  }
  if (type == GST_EVENT_EOS || type == GST_EVENT_SEGMENT_DONE) release_held(self);
  if (type == GST_EVENT_EOS) check_any_output(self);
  const gboolean done = send_to_base(self, std::move(event));
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
    priv_of(trans).earliest = known ? time + static_cast<GstClockTime>(late) : GST_CLOCK_TIME_NONE;
  }
  return GST_BASE_TRANSFORM_CLASS(parent_class)->src_event(trans, event);
}

gboolean decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  backend_of(trans).decide_memory(query, priv_of(trans).cuda);
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
  release(self);
  priv.pool.drop();
  priv.host_pool.drop();
  priv.caps.reset();
  priv.caps_event.reset();
  priv.held.clear();
  priv.holds = true;
  priv.upstream_tags.reset();
  priv.own_tags.reset();
  priv.parsed = false;
  gst_video_info_init(&priv.coded);
  priv.problem.clear();
  priv.errors = 0;
  priv.pictures = priv.late = 0;
  forget_input(self);
  return GST_BASE_TRANSFORM_CLASS(parent_class)->stop(trans);
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *) {
  priv_of(object).settings.change(
      [&](DecoderSettings &settings) { return properties().set(id, &settings, value); });
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *) {
  priv_of(object).settings.read(
      [&](const DecoderSettings &settings) { properties().get(id, settings, value); });
}

}  // namespace

GstCoalesceDecoderPrivate::GstCoalesceDecoderPrivate(GstCoalesceDecoder *self)
    : settings(self),
      task(GST_COALESCE_TRANSFORM(self), finish,
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

int gst_coalesce_decoder_caps_height(GstCoalesceDecoder *self) {
  return GST_VIDEO_INFO_HEIGHT(&self->priv->coded);
}

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
  trans_class->fixate_caps = guarded<fixate_caps>;
  trans_class->accept_caps = guarded<accept_caps>;
  trans_class->sink_event = guarded<sink_event>;
  trans_class->src_event = guarded<src_event>;
  trans_class->submit_input_buffer = submit_input_buffer;
  trans_class->decide_allocation = guarded<decide_allocation>;
  trans_class->query = guarded<query>;
  trans_class->stop = guarded<stop>;
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  gst_coalesce_transform_class_set_take(transform_class, take);
  transform_class->convert = convert;
  transform_class->set_format = set_format;
  transform_class->drain = [](GstCoalesceTransform *self) { return priv_of(self).task.drain(); };
  transform_class->discard = [](GstCoalesceTransform *self) { priv_of(self).task.discard(); };
  transform_class->max_frames_in_flight = [](GstCoalesceTransform *self) -> guint {
    return priv_of(self).task.room() - 1;
  };
  gst_type_mark_as_plugin_api(GST_TYPE_COALESCE_DECODER, GstPluginAPIFlags(0));
}

static void gst_coalesce_decoder_init(GstCoalesceDecoder *self) {
  initialise(self, [self] { self->priv = add_part<GstCoalesceDecoderPrivate>(self, self); });
}
