// SPDX-License-Identifier: LGPL-2.1-or-later
#include "decoder.h"

#include <string>
#include <utility>

#include "base/job.h"
#include "object/category.h"
#include "object/guarded.h"
#include "object/onexit.h"
#include "object/owned.h"
#include "video/conflict.h"
#include "video/input.h"
#include "video/memorycaps.h"

using namespace coalesce;
using namespace coalesce::gst;

G_DEFINE_ABSTRACT_TYPE(GstCoalesceDecoder, gst_coalesce_decoder, GST_TYPE_VIDEO_DECODER)
#define parent_class gst_coalesce_decoder_parent_class

namespace {

struct DropState {
  void operator()(GstVideoCodecState *state) const { gst_video_codec_state_unref(state); }
};
using StateRef = std::unique_ptr<GstVideoCodecState, DropState>;

}  // namespace

// The streaming thread's.
struct GstCoalesceDecoderPrivate {
  StateRef input;
  bool any_input = false;  // since the start or a flush

  CodedPicture picture;  // that the output's caps are of
  CapsRef caps;          // none: they are to be chosen
  GstVideoInfo info{};
  bool cuda = false;
  FramePool pool;       // where the GPU works
  FramePool host_pool;  // of pictures that the CPU decodes for CUDA memory
  CapsRef told;         // of the input: an error has said why downstream does not take it
  std::string problem;  // of the last picture; a warning has told it
};

namespace {

GstCoalesceDecoderPrivate &priv_of(gpointer object) {
  return *GST_COALESCE_DECODER(object)->priv;
}

Backend &backend_of_decoder(gpointer object) {
  return *GST_COALESCE_DECODER(object)->backend;
}

GstPad *source_of(gpointer object) {
  return GST_VIDEO_DECODER_SRC_PAD(object);
}

// ---- caps ------------------------------------------------------------------------------------

bool names_aspect(const GstVideoCodecState *input) {
  return gst_structure_has_field(gst_caps_get_structure(input->caps, 0), "pixel-aspect-ratio");
}

CapsRef caps_of(GstCoalesceDecoder *self, const CodedPicture &picture, GstVideoFormat format,
                bool cuda) {
  const GstVideoCodecState *input = self->priv->input.get();
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
  const bool has_aspect = input != nullptr && names_aspect(input);
  info.par_n = has_aspect ? input->info.par_n : picture.par_n;
  info.par_d = has_aspect ? input->info.par_d : picture.par_d;
  info.fps_n = input != nullptr ? input->info.fps_n : 0;
  info.fps_d = input != nullptr ? input->info.fps_d : 1;
  CapsRef caps(gst_video_info_to_caps(&info));
  if (caps != nullptr && cuda)
    gst_caps_set_features(caps.get(), 0,
                          gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY, nullptr));
  return caps;
}

// The first format that downstream takes, in CUDA memory if that is named there. *made: all that
// there could be.
CapsRef choose_caps(GstCoalesceDecoder *self, const CodedPicture &picture, GstCaps *taken,
                    CapsRef *made) {
  made->reset(gst_caps_new_empty());
  const bool may_be_cuda =
      backend_of_decoder(self).may_use_gpu() && peer_names_cuda(source_of(self));
  for (const bool cuda : {true, false}) {
    if (cuda && !may_be_cuda) continue;
    for (const GstVideoFormat format : picture.formats) {
      CapsRef caps = caps_of(self, picture, format, cuda);
      if (caps == nullptr) continue;
      if (gst_caps_can_intersect(caps.get(), taken)) return caps;
      gst_caps_append(made->get(), caps.release());
    }
  }
  return nullptr;
}

GstFlowReturn tell_conflict(GstCoalesceDecoder *self, GstCaps *made, GstCaps *taken) {
  CapsRef &told = self->priv->told;
  GstCaps *coded = self->priv->input != nullptr ? self->priv->input->caps : made;
  if (told != nullptr && gst_caps_is_equal(told.get(), coded)) return GST_FLOW_NOT_NEGOTIATED;
  told.reset(gst_caps_ref(coded));
  const auto conflict = caps_conflict(made, taken, made);
  std::string text = conflict ? conflict->ours + ", but downstream accepts " + conflict->theirs
                              : "downstream accepts none of the picture's caps";
  if (conflict && !conflict->advice.empty()) text += "; " + conflict->advice;
  GST_ELEMENT_ERROR(self, CORE, NEGOTIATION, ("%s", text.c_str()),
                    ("produced %" GST_PTR_FORMAT ", accepted %" GST_PTR_FORMAT, made, taken));
  return GST_FLOW_NOT_NEGOTIATED;
}

GstFlowReturn use_caps(GstCoalesceDecoder *self, const CodedPicture &picture, CapsRef caps) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  Backend &backend = backend_of_decoder(self);
  if (!usable_info(caps.get(), &priv.info)) {
    GST_ELEMENT_ERROR(
        self, STREAM, FORMAT,
        ("Unsupported picture: %s (%" GST_PTR_FORMAT ")", unusable_reason(caps.get()), caps.get()),
        (nullptr));
    return GST_FLOW_ERROR;
  }
  priv.cuda = caps_are_cuda(caps.get());
  const Backend::NewCaps new_caps(backend, priv.input != nullptr ? priv.input->caps : nullptr,
                                  caps.get());
  // (Not worth the trip until a GPU has run such kernels: docs/lab/jpeg-decoding.md.)
  if (!backend.select(false, priv.cuda, false)) return GST_FLOW_ERROR;
  priv.host_pool.drop();
  if (backend.is_on_gpu() && !backend.make_pool(&priv.pool, caps.get(), 1)) return GST_FLOW_ERROR;
  const StateRef output(gst_video_decoder_set_interlaced_output_state(
      GST_VIDEO_DECODER(self), GST_VIDEO_INFO_FORMAT(&priv.info), picture.interlacing,
      static_cast<guint>(picture.width), static_cast<guint>(picture.height), priv.input.get()));
  if (output == nullptr) return GST_FLOW_NOT_NEGOTIATED;
  output->info = priv.info;
  gst_caps_replace(&output->caps, caps.get());
  if (!gst_video_decoder_negotiate(GST_VIDEO_DECODER(self))) {
    gst_pad_mark_reconfigure(source_of(self));
    return GST_PAD_IS_FLUSHING(source_of(self)) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
  }
  GST_DEBUG_OBJECT(self, "chooses %" GST_PTR_FORMAT " for %" GST_PTR_FORMAT, caps.get(),
                   priv.input != nullptr ? priv.input->caps : nullptr);
  priv.told.reset();
  priv.picture = picture;
  priv.caps = std::move(caps);
  return GST_FLOW_OK;
}

// Caps for the picture, if it is unlike the last one or downstream has changed its mind.
GstFlowReturn negotiate(GstCoalesceDecoder *self, const CodedPicture &picture) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  const bool asked = gst_pad_check_reconfigure(source_of(self));
  if (!asked && priv.caps != nullptr && priv.picture.is_like(picture)) return GST_FLOW_OK;
  priv.caps.reset();
  CapsRef taken(gst_pad_peer_query_caps(source_of(self), nullptr));
  if (taken == nullptr) taken.reset(gst_caps_new_any());
  CapsRef made;
  CapsRef caps = choose_caps(self, picture, taken.get(), &made);
  if (caps == nullptr) return tell_conflict(self, made.get(), taken.get());
  return use_caps(self, picture, std::move(caps));
}

gboolean set_format(GstVideoDecoder *decoder, GstVideoCodecState *state) {
  GstCoalesceDecoderPrivate &priv = priv_of(decoder);
  gboolean parsed = FALSE;
  gst_structure_get_boolean(gst_caps_get_structure(state->caps, 0), "parsed", &parsed);
  // Bytes of a picture that has not ended may be there.
  if (!priv.any_input || !parsed) gst_video_decoder_set_packetized(decoder, parsed);
  GST_DEBUG_OBJECT(
      decoder, "input %" GST_PTR_FORMAT ", %s", state->caps,
      gst_video_decoder_get_packetized(decoder) ? "a picture a buffer" : "cut anywhere");
  priv.input.reset(gst_video_codec_state_ref(state));
  priv.caps.reset();
  return TRUE;
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
GstCaps *getcaps(GstVideoDecoder *decoder, GstCaps *filter) {
  GstCaps *caps = gst_caps_make_writable(gst_video_decoder_proxy_getcaps(decoder, nullptr, filter));
  gst_caps_filter_and_map_in_place(
      caps,
      [](GstCapsFeatures *, GstStructure *structure, gpointer) -> gboolean {
        gst_structure_filter_and_map_in_place(
            structure, [](GQuark, GValue *value, gpointer) -> gboolean { return !is_any(value); },
            nullptr);
        return TRUE;
      },
      nullptr);
  return caps;
}

gboolean decide_allocation(GstVideoDecoder *decoder, GstQuery *query) {
  backend_of_decoder(decoder).decide_memory(query, priv_of(decoder).cuda);
  return GST_VIDEO_DECODER_CLASS(parent_class)->decide_allocation(decoder, query);
}

// ---- pictures --------------------------------------------------------------------------------

// A stream without an end of a picture fills no more memory.
constexpr gsize kMostBytes = gsize{1} << 30;

GstFlowReturn parse(GstVideoDecoder *decoder, GstVideoCodecFrame *, GstAdapter *adapter,
                    gboolean at_end) {
  auto *self = GST_COALESCE_DECODER(decoder);
  auto *klass = GST_COALESCE_DECODER_GET_CLASS(self);
  self->priv->any_input = true;
  gsize before = 0, bytes = 0;
  bool ended = klass->find_end(self, adapter, at_end, &before, &bytes);
  if (before > 0) {
    GST_DEBUG_OBJECT(self, "%" G_GSIZE_FORMAT " bytes belong to no picture", before);
    gst_adapter_flush(adapter, before);
  }
  const gsize room = kMostBytes - gst_video_decoder_get_pending_frame_size(decoder);
  if (bytes > room) {
    GST_ELEMENT_WARNING(
        self, STREAM, DECODE,
        ("A picture is cut: it has more than %" G_GSIZE_FORMAT " bytes", kMostBytes), (nullptr));
    bytes = room;
    ended = true;
  }
  // At once: the adapter would look for its place in all that it has.
  if (bytes > 0) gst_video_decoder_add_to_frame(decoder, static_cast<int>(bytes));
  if (!ended) return GST_VIDEO_DECODER_FLOW_NEED_DATA;
  klass->restart(self);
  return gst_video_decoder_have_frame(decoder);
}

// One warning for a run of pictures with the same problem.
void warn(GstCoalesceDecoder *self, const GstVideoCodecFrame *frame, const std::string &text) {
  if (std::exchange(self->priv->problem, text) == text) {
    GST_WARNING_OBJECT(self, "picture %u: %s", frame->system_frame_number, text.c_str());
    return;
  }
  GST_ELEMENT_WARNING(self, STREAM, DECODE, ("%s", text.c_str()),
                      ("picture %u; further ones with the same problem are in the log only",
                       frame->system_frame_number));
}

// Takes the frame.
GstFlowReturn refuse(GstCoalesceDecoder *self, GstVideoCodecFrame *frame, const Status &status) {
  const std::string text = std::string("A picture is left out: ") + status.message();
  warn(self, frame, text);
  GstFlowReturn flow = GST_FLOW_OK;
  GST_VIDEO_DECODER_ERROR(self, 1, STREAM, DECODE, ("%s", text.c_str()), (nullptr), flow);
  gst_video_decoder_drop_frame(GST_VIDEO_DECODER(self), frame);
  return flow;
}

GstFlowReturn decode_on_cpu(GstCoalesceDecoder *self, GstBuffer *out, Status *status,
                            bool *broken) {
  Frame frame;
  if (!frame.map(out, self->priv->info, Memory::system, GST_MAP_WRITE))
    return post_bad_frame(GST_ELEMENT(self), "output", frame);
  Backend &backend = backend_of_decoder(self);
  *status = GST_COALESCE_DECODER_GET_CLASS(self)->decode(
      self, frame, backend.is_on_gpu() ? Queue::cpu() : backend.queue(), broken);
  return GST_FLOW_OK;
}

// The output is the copy that the upload makes.
GstFlowReturn decode_and_upload(GstCoalesceDecoder *self, BufferRef *out, Status *status,
                                bool *broken) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  Backend &backend = backend_of_decoder(self);
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
  DeviceFrame device;
  Job job(backend);
  flow = job.begin(nullptr);
  if (flow == GST_FLOW_OK) flow = job.load(host.get(), priv.info, priv.pool, &device);
  if (flow == kNoMemory) {
    *status = {StatusCode::out_of_memory, "no device memory for the picture"};
    return GST_FLOW_OK;
  }
  if (flow == GST_FLOW_OK) flow = job.end();
  if (flow == GST_FLOW_OK) out->reset(gst_buffer_ref(device.buffer()));
  return flow;
}

GstFlowReturn decode_on_gpu(GstCoalesceDecoder *self, GstBuffer *out, Status *status,
                            bool *broken) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  Backend &backend = backend_of_decoder(self);
  OutputFrame frame;
  Job job(backend);
  GstFlowReturn flow = job.begin(nullptr);
  if (flow == GST_FLOW_OK) flow = job.write(out, priv.info, priv.pool, &frame);
  if (flow == kNoMemory) {
    *status = {StatusCode::out_of_memory, "no device memory for the picture"};
    return GST_FLOW_OK;
  }
  if (flow != GST_FLOW_OK) return flow;
  backend.counters().synchronizations++;
  *status =
      GST_COALESCE_DECODER_GET_CLASS(self)->decode(self, frame.frame(), backend.queue(), broken);
  return status->ok() ? job.end() : GST_FLOW_OK;
}

// Downstream's memory, or the pool's.
GstFlowReturn make_output(GstCoalesceDecoder *self, BufferRef *out) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  if (!priv.cuda) {
    out->reset(gst_video_decoder_allocate_output_buffer(GST_VIDEO_DECODER(self)));
    if (*out != nullptr) return GST_FLOW_OK;
    if (GST_PAD_IS_FLUSHING(source_of(self))) return GST_FLOW_FLUSHING;
    GST_ELEMENT_ERROR(self, RESOURCE, NO_SPACE_LEFT, ("no memory for an output frame"), (nullptr));
    return GST_FLOW_ERROR;
  }
  *out = priv.pool.acquire();
  if (*out != nullptr) return GST_FLOW_OK;
  backend_of_decoder(self).post_gpu_error(
      "no device memory for an output frame; backend=cpu requires none");
  return GST_FLOW_ERROR;
}

GstFlowReturn decode(GstCoalesceDecoder *self, const CodedPicture &picture, BufferRef *out,
                     Status *status, bool *broken) {
  Backend &backend = backend_of_decoder(self);
  const bool on_gpu = backend.is_on_gpu() && !picture.for_cpu;
  const bool uploads = !on_gpu && self->priv->cuda;
  if (!uploads)
    if (GstFlowReturn flow = make_output(self, out); flow != GST_FLOW_OK) return flow;
  if (uploads) return decode_and_upload(self, out, status, broken);
  if (!on_gpu) return decode_on_cpu(self, out->get(), status, broken);
  const GstFlowReturn flow = decode_on_gpu(self, out->get(), status, broken);
  const bool too_much =
      status->code() == StatusCode::out_of_memory || status->code() == StatusCode::unsupported;
  if (flow != GST_FLOW_OK || !too_much || backend.is_cuda_required()) return flow;
  GST_INFO_OBJECT(self, "decodes on the CPU: %s", status->message());
  CodedPicture on_cpu = picture;
  on_cpu.for_cpu = true;
  out->reset();
  return decode(self, on_cpu, out, status, broken);
}

void describe(const CodedPicture &picture, bool broken, GstBuffer *out) {
  if (broken) GST_BUFFER_FLAG_SET(out, GST_BUFFER_FLAG_CORRUPTED);
  if (picture.interlacing != GST_VIDEO_INTERLACE_MODE_INTERLEAVED) return;
  GST_BUFFER_FLAG_SET(out, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  if (picture.top_first) GST_BUFFER_FLAG_SET(out, GST_VIDEO_BUFFER_FLAG_TFF);
  if (picture.one_field) GST_BUFFER_FLAG_SET(out, GST_VIDEO_BUFFER_FLAG_ONEFIELD);
}

// Not ok: why the picture is left out.
GstFlowReturn take(GstCoalesceDecoder *self, const GstVideoCodecFrame *frame, BufferRef *out,
                   Status *status) {
  GstMapInfo map;
  if (!gst_buffer_map(frame->input_buffer, &map, GST_MAP_READ)) {
    *status = invalid_argument("its memory cannot be read");
    return GST_FLOW_OK;
  }
  const OnExit unmap([&] { gst_buffer_unmap(frame->input_buffer, &map); });
  CodedPicture picture;
  *status = GST_COALESCE_DECODER_GET_CLASS(self)->read(self, map.data, map.size, &picture);
  if (!status->ok()) return GST_FLOW_OK;
  GstFlowReturn flow = negotiate(self, picture);
  if (flow != GST_FLOW_OK) return flow;
  bool broken = false;
  flow = decode(self, picture, out, status, &broken);
  if (flow != GST_FLOW_OK || !status->ok()) return flow;
  out->reset(gst_buffer_make_writable(out->release()));
  describe(picture, broken, out->get());
  if (broken)
    warn(self, frame, "A picture is broken, and shown as far as it can be decoded");
  else
    self->priv->problem.clear();
  return GST_FLOW_OK;
}

bool is_too_late(GstVideoDecoder *decoder, GstVideoCodecFrame *frame) {
  if (gst_video_decoder_get_max_decode_time(decoder, frame) >= 0) return false;
  gboolean qos = TRUE;
  g_object_get(decoder, "qos", &qos, nullptr);
  return qos;
}

GstFlowReturn handle_frame(GstVideoDecoder *decoder, GstVideoCodecFrame *frame) {
  auto *self = GST_COALESCE_DECODER(decoder);
  Backend &backend = backend_of_decoder(self);
  self->priv->any_input = true;
  if (backend.failed()) {
    gst_video_decoder_release_frame(decoder, frame);
    return GST_FLOW_ERROR;
  }
  if (is_too_late(decoder, frame)) {
    GST_DEBUG_OBJECT(self, "picture %u would come too late", frame->system_frame_number);
    return gst_video_decoder_drop_frame(decoder, frame);
  }
  BufferRef out;
  Status status;
  const GstFlowReturn flow = guard(self, [&] { return take(self, frame, &out, &status); });
  if (flow != GST_FLOW_OK) {
    gst_video_decoder_release_frame(decoder, frame);
    return flow;
  }
  if (status.code() == StatusCode::device_error) {
    backend.post_gpu_error(status.message());
    gst_video_decoder_release_frame(decoder, frame);
    return GST_FLOW_ERROR;
  }
  if (!status.ok()) return refuse(self, frame, status);
  frame->output_buffer = out.release();
  backend.counters().frames++;
  return gst_video_decoder_finish_frame(decoder, frame);
}

gboolean flush(GstVideoDecoder *decoder) {
  GST_COALESCE_DECODER_GET_CLASS(decoder)->restart(GST_COALESCE_DECODER(decoder));
  priv_of(decoder).any_input = false;
  return TRUE;
}

// Failures of the last pictures are told by no other.
GstFlowReturn finish(GstVideoDecoder *decoder) {
  backend_of_decoder(decoder).finish();
  return backend_of_decoder(decoder).failed() ? GST_FLOW_ERROR : GST_FLOW_OK;
}

GstFlowReturn drain(GstVideoDecoder *) {
  return GST_FLOW_OK;  // nothing is held
}

gboolean transform_meta(GstVideoDecoder *decoder, GstVideoCodecFrame *frame, GstMeta *meta) {
  return is_about_picture(meta) ||
         GST_VIDEO_DECODER_CLASS(parent_class)->transform_meta(decoder, frame, meta);
}

// ---- the object ------------------------------------------------------------------------------

gboolean sink_query(GstVideoDecoder *decoder, GstQuery *query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT &&
      backend_of_decoder(decoder).answer_context(query))
    return TRUE;
  return GST_VIDEO_DECODER_CLASS(parent_class)->sink_query(decoder, query);
}

gboolean src_query(GstVideoDecoder *decoder, GstQuery *query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT &&
      backend_of_decoder(decoder).answer_context(query))
    return TRUE;
  return GST_VIDEO_DECODER_CLASS(parent_class)->src_query(decoder, query);
}

void set_context(GstElement *element, GstContext *context) {
  backend_of_decoder(element).take_context(context);
  GST_ELEMENT_CLASS(parent_class)->set_context(element, context);
}

gboolean start(GstElement *element) {
  return check_start(element) && backend_of_decoder(element).start();
}

void stop(GstElement *element) {
  auto *self = GST_COALESCE_DECODER(element);
  auto *klass = GST_COALESCE_DECODER_GET_CLASS(self);
  GstCoalesceDecoderPrivate &priv = *self->priv;
  klass->restart(self);
  klass->release(self);
  priv.pool.drop();
  priv.host_pool.drop();
  priv.caps.reset();
  priv.told.reset();
  priv.input.reset();
  priv.problem.clear();
  priv.any_input = false;
  backend_of_decoder(self).stop();
  forget_exception(element);
}

// (GstVideoDecoder adds an error of its own where its start() fails, which says nothing.)
GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
  const bool starts = transition == GST_STATE_CHANGE_READY_TO_PAUSED;
  if (starts && !guarded<start>(element)) return GST_STATE_CHANGE_FAILURE;
  const GstStateChangeReturn done =
      change_guarded_state(element, transition, GST_ELEMENT_CLASS(parent_class));
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
      (starts && done == GST_STATE_CHANGE_FAILURE))
    guarded<stop>(element);
  return done;
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *) {
  backend_of_decoder(object).set_property(id, value);
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *) {
  backend_of_decoder(object).get_property(id, value);
}

}  // namespace

bool coalesce::gst::CodedPicture::is_like(const CodedPicture &other) const {
  return width == other.width && height == other.height && par_n == other.par_n &&
         par_d == other.par_d && interlacing == other.interlacing && top_first == other.top_first &&
         formats == other.formats &&
         gst_video_colorimetry_is_equal(&colorimetry, &other.colorimetry) &&
         chroma_site == other.chroma_site;
}

int gst_coalesce_decoder_caps_height(GstCoalesceDecoder *self) {
  const GstVideoCodecState *input = self->priv->input.get();
  return input != nullptr ? GST_VIDEO_INFO_HEIGHT(&input->info) : 0;
}

void gst_coalesce_decoder_class_add_templates(GstCoalesceDecoderClass *klass, const char *coded,
                                              const char *formats) {
  const CapsRef in(gst_caps_from_string(coded)), out(template_caps(formats));
  auto *element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_pad_template(
      element_class, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, in.get()));
  gst_element_class_add_pad_template(
      element_class, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, out.get()));
}

static void gst_coalesce_decoder_class_init(GstCoalesceDecoderClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = guarded<set_property>;
  object_class->get_property = guarded<get_property>;
  Backend::install_properties(object_class);
  auto *element_class = GST_ELEMENT_CLASS(klass);
  element_class->change_state = change_state;
  element_class->set_context = guarded<set_context>;
  auto *decoder_class = GST_VIDEO_DECODER_CLASS(klass);
  decoder_class->set_format = guarded<set_format>;
  decoder_class->getcaps = guarded<getcaps>;
  decoder_class->decide_allocation = guarded<decide_allocation>;
  decoder_class->parse = guarded<parse>;
  decoder_class->handle_frame = guarded<handle_frame>;
  decoder_class->flush = guarded<flush>;
  decoder_class->finish = guarded<finish>;
  decoder_class->drain = drain;
  decoder_class->transform_meta = guarded<transform_meta>;
  decoder_class->sink_query = guarded<sink_query>;
  decoder_class->src_query = guarded<src_query>;
  gst_type_mark_as_plugin_api(GST_TYPE_COALESCE_DECODER, GstPluginAPIFlags(0));
}

static void gst_coalesce_decoder_init(GstCoalesceDecoder *self) {
  initialise(self, [self] {
    self->backend = add_part<Backend>(self, GST_ELEMENT(self));
    self->priv = add_part<GstCoalesceDecoderPrivate>(self);
  });
  auto *decoder = GST_VIDEO_DECODER(self);
  gst_video_decoder_set_packetized(decoder, FALSE);
  gst_video_decoder_set_needs_format(decoder, FALSE);  // files come without caps
  gst_video_decoder_set_use_default_pad_acceptcaps(decoder, TRUE);
  GST_PAD_SET_ACCEPT_TEMPLATE(GST_VIDEO_DECODER_SINK_PAD(decoder));
}
