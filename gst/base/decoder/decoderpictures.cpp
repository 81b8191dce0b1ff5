// SPDX-License-Identifier: LGPL-2.1-or-later
// The pictures of decoders, on either back end.
#include <cstring>
#include <utility>
#include <vector>

#include "decoderprivate.h"
#include "object/category.h"
#include "object/objectlock.h"
#include "object/onexit.h"
#include "video/input.h"
#include "video/transfer.h"

namespace coalesce::gst {
namespace {

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

// ---- what is said of pictures ----------------------------------------------------------------

// One warning for a run of pictures with the same problem.
void warn(GstCoalesceDecoder *self, guint64 number, const std::string &text,
          const std::string &reason = {}) {
  const char *separator = reason.empty() ? "" : ": ";
  {
    const std::lock_guard guard(self->priv->lock);
    if (std::exchange(self->priv->problem, text) == text) {
      GST_WARNING_OBJECT(self, "picture %" G_GUINT64_FORMAT ": %s%s%s", number, text.c_str(),
                         separator, reason.c_str());
      return;
    }
  }
  GST_ELEMENT_WARNING(
      self, STREAM, DECODE, ("%s", text.c_str()),
      ("picture %" G_GUINT64_FORMAT "%s%s; further ones with the same problem are in the log only",
       number, separator, reason.c_str()));
}

GstFlowReturn refuse(GstCoalesceDecoder *self, guint64 number, const Status &status,
                     const std::string &why) {
  if (status.code() == StatusCode::device_error) {
    backend_of(self).post_gpu_error(status.message());
    return GST_FLOW_ERROR;
  }
  const std::string text = "A picture is left out: " + why;
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
GstFlowReturn push(GstCoalesceDecoder *self, const Shown &shown, BufferRef out,
                   const std::string &broken) {
  if (!broken.empty())
    warn(self, shown.number, "A picture is broken, and shown as far as it can be decoded", broken);
  const CodedPicture &picture = shown.picture;
  out.reset(gst_buffer_make_writable(out.release()));
  gst_buffer_copy_into(out.get(), shown.metadata.get(), kMetadata, 0, static_cast<gsize>(-1));
  if (!broken.empty()) GST_BUFFER_FLAG_SET(out.get(), GST_BUFFER_FLAG_CORRUPTED);
  if (picture.interlacing == GST_VIDEO_INTERLACE_MODE_INTERLEAVED) {
    GST_BUFFER_FLAG_SET(out.get(), GST_VIDEO_BUFFER_FLAG_INTERLACED);
    if (picture.top_first) GST_BUFFER_FLAG_SET(out.get(), GST_VIDEO_BUFFER_FLAG_TFF);
    if (picture.one_field) GST_BUFFER_FLAG_SET(out.get(), GST_VIDEO_BUFFER_FLAG_ONEFIELD);
  }
  {
    const std::lock_guard guard(self->priv->lock);
    if (broken.empty()) self->priv->problem.clear();
    if (std::exchange(self->priv->skipped, false))
      GST_BUFFER_FLAG_SET(out.get(), GST_BUFFER_FLAG_DISCONT);
    self->priv->errors = 0;
    self->priv->any_output = true;
  }
  backend_of(self).counters().frames++;
  return gst_pad_push(decoder_source(self), out.release());
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

// Of the segment: a demuxer may begin before what was sought.
bool is_outside(GstCoalesceDecoder *self, GstBuffer *metadata) {
  const GstSegment &segment = GST_BASE_TRANSFORM(self)->segment;
  if (segment.format != GST_FORMAT_TIME || !GST_BUFFER_PTS_IS_VALID(metadata)) return false;
  const GstClockTime begin = GST_BUFFER_PTS(metadata);
  const GstClockTime end = GST_BUFFER_DURATION_IS_VALID(metadata)
                               ? begin + GST_BUFFER_DURATION(metadata)
                               : GST_CLOCK_TIME_NONE;
  return !gst_segment_clip(&segment, GST_FORMAT_TIME, begin, end, nullptr, nullptr);
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
  if (GST_PAD_IS_FLUSHING(decoder_source(self))) return GST_FLOW_FLUSHING;
  GST_ELEMENT_ERROR(self, RESOURCE, NO_SPACE_LEFT, ("no memory for an output frame"), (nullptr));
  return GST_FLOW_ERROR;
}

// Are all rows in the buffer whole, with what is behind their samples?
bool has_usual_layout(GstBuffer *buffer, const GstVideoInfo &info) {
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  bool usual = gst_buffer_get_size(buffer) >= GST_VIDEO_INFO_SIZE(&info);
  for (guint p = 0; meta != nullptr && p < GST_VIDEO_INFO_N_PLANES(&info); p++)
    usual = usual && meta->offset[p] == GST_VIDEO_INFO_PLANE_OFFSET(&info, p) &&
            meta->stride[p] == GST_VIDEO_INFO_PLANE_STRIDE(&info, p);
  return usual;
}

// What is behind the samples of a row would be memory of someone before.
void clear_padding(GstBuffer *buffer, const GstVideoInfo &info, const Frame &frame) {
  const Image image = frame.image();
  const int last = has_usual_layout(buffer, info) ? 0 : 1;
  for (int p = 0; p < image.format.planes; ++p) {
    const Plane<std::uint8_t> &plane = image.plane[p];
    const auto bytes = static_cast<std::size_t>(plane.width);
    for (int y = 0; plane.pitch > bytes && y + last < plane.height; ++y)
      std::memset(plane.row(y) + bytes, 0, plane.pitch - bytes);
  }
}

GstFlowReturn decode_on_cpu(GstCoalesceDecoder *self, GstBuffer *out, Status *status,
                            std::string *broken) {
  Frame frame;
  if (!frame.map(out, self->priv->info, Memory::system, GST_MAP_WRITE))
    return post_bad_frame(GST_ELEMENT(self), "output", frame);
  clear_padding(out, self->priv->info, frame);
  Backend &backend = backend_of(self);
  *status = GST_COALESCE_DECODER_GET_CLASS(self)->decode(
      self, frame, backend.is_on_gpu() ? nullptr : backend.queue().pool(), broken);
  return GST_FLOW_OK;
}

// The output is the copy that the upload makes.
GstFlowReturn decode_and_upload(GstCoalesceDecoder *self, BufferRef *out, Status *status,
                                std::string *broken) {
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
  std::string broken;
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
  clear_padding(out->get(), self->priv->info, to);
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

GstFlowReturn finish(GstCoalesceDecoder *self, PictureInFlight *flight) {
  Backend &backend = backend_of(self);
  const ContextScope scope(backend.session().context.get());
  backend.counters().synchronizations++;
  std::string broken;
  const Status status = GST_COALESCE_DECODER_GET_CLASS(self)->finish(self, &broken);
  if (!status.ok()) {
    const std::lock_guard guard(self->priv->lock);
    self->priv->skipped = true;
  }
  if (!status.ok()) return refuse(self, flight->shown.number, status, status.message());
  BufferRef out;
  if (!self->priv->cuda)
    if (GstFlowReturn flow = download(self, flight, &out); flow != GST_FLOW_OK) return flow;
  flight->frame.reset();
  if (self->priv->cuda) out = std::move(flight->device);
  return push(self, flight->shown, std::move(out), broken);
}

// Another flow has an error of its own, here or elsewhere, and that is enough.
GstFlowReturn remember(GstCoalesceDecoder *self, GstFlowReturn flow) {
  if (flow == GST_FLOW_OK) return flow;
  const std::lock_guard guard(self->priv->lock);
  self->priv->any_output = true;
  return flow;
}

}  // namespace

// In the task, or in the streaming thread if no other picture is in flight.
GstFlowReturn decoder_finish(GstCoalesceTransform *transform, FrameInFlight *frame) {
  auto *self = GST_COALESCE_DECODER(transform);
  return remember(self, finish(self, static_cast<PictureInFlight *>(frame)));
}

namespace {

// Takes `shown` where a picture has been started.
GstFlowReturn start(GstCoalesceDecoder *self, Shown *shown, Status *status) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  Backend &backend = backend_of(self);
  if (GstFlowReturn flow = priv.task.wait_for_room(); flow != GST_FLOW_OK) return flow;
  auto flight = std::make_unique<PictureInFlight>();
  flight->device = priv.pool.acquire();
  *status = flight->device != nullptr ? Status() : kNoDeviceMemory;
  if (!status->ok()) return GST_FLOW_OK;
  GstFlowReturn flow;
  {
    std::unique_lock lock(priv.session);
    Job job(backend);
    flow = job.begin(nullptr);
    if (flow == GST_FLOW_OK)
      flow = job.write(flight->device.get(), priv.info, priv.pool, &flight->frame);
    if (flow != GST_FLOW_OK) return flow;
    void *stream = backend.queue().stream();
    lock.unlock();
    *status = GST_COALESCE_DECODER_GET_CLASS(self)->start(self, flight->frame.frame(), stream,
                                                          priv.task.room());
    lock.lock();
    // (Nobody has the buffer before the picture is in it.)
    if (!status->ok()) return GST_FLOW_OK;
    flow = job.end();
  }
  if (flow != GST_FLOW_OK) {  // what has been started still writes
    if (priv.task.drain() == GST_FLOW_OK) priv.task.discard();
    return flow;
  }
  flight->shown = std::move(*shown);
  // (Of one picture at a time, the way through another thread would cost time.)
  if (priv.task.room() == 1) return decoder_finish(GST_COALESCE_TRANSFORM(self), flight.get());
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

// Elements count a frame's bytes in int.
Status drop_formats_too_large(CodedPicture *picture) {
  const auto is_too_large = [picture](GstVideoFormat format) {
    GstVideoInfo info;
    return !gst_video_info_set_format(&info, format, static_cast<guint>(picture->width),
                                      static_cast<guint>(picture->height)) ||
           GST_VIDEO_INFO_SIZE(&info) > G_MAXINT;
  };
  if (std::erase_if(picture->formats, is_too_large) == 0 || !picture->formats.empty()) return {};
  return invalid_argument("its frame would have 2 GiB or more");
}

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
  self->priv->any_picture |= shown->picture.width > 0;
  if (status->ok()) *status = drop_formats_too_large(&shown->picture);
  if (!status->ok()) return GST_FLOW_OK;
  if (GstFlowReturn flow = decoder_negotiate(self, shown->picture); flow != GST_FLOW_OK)
    return flow;
  return backend_of(self).is_on_gpu() && !shown->picture.for_cpu
             ? show_on_gpu(self, shown, status)
             : show_on_cpu(self, *shown, status);
}

}  // namespace

GstFlowReturn decoder_show(GstCoalesceDecoder *self, const CodedBuffer &coded) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  decoder_send_pending_tags(self);
  Shown shown;
  const guint64 number = shown.number = priv.pictures++;
  shown.metadata = metadata_of(self, coded);
  Status status;
  GstFlowReturn flow = GST_FLOW_OK;
  const bool outside = is_outside(self, shown.metadata.get());
  if (outside || is_too_late(self, shown.metadata.get())) {
    GST_DEBUG_OBJECT(self, "picture %" G_GUINT64_FORMAT " %s", number,
                     outside ? "is outside the segment" : "would come too late");
    const std::lock_guard guard(priv.lock);
    priv.any_output = true;  // there would have been one
  } else {
    flow = read_and_show(self, &shown, coded.bytes.get(), &status);
    if (flow != GST_FLOW_OK || status.ok()) return remember(self, flow);
    const auto text = GST_COALESCE_DECODER_GET_CLASS(self)->text;
    flow = refuse(self, number, status, text != nullptr ? text(self, status) : status.message());
  }
  GST_COALESCE_TRANSFORM(self)->after_skipped = true;
  return remember(self, flow);
}

}  // namespace coalesce::gst
