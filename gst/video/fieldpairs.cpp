// SPDX-License-Identifier: LGPL-2.1-or-later
#include "fieldpairs.h"

#include <algorithm>
#include <cstring>

#include "input.h"
#include "memorycaps.h"
#include "object/category.h"
#include "object/owned.h"

namespace coalesce::gst {
namespace {

constexpr const char *kFieldsFeature = GST_CAPS_FEATURE_FORMAT_INTERLACED;

bool names_fields(GstCapsFeatures *features) {
  return !gst_caps_features_is_any(features) &&
         gst_caps_features_contains(features, kFieldsFeature);
}

void set_mode(GstStructure *structure, const char *mode) {
  gst_structure_set(structure, "interlace-mode", G_TYPE_STRING, mode, nullptr);
}

// Without the field it may have any mode.
bool may_be_interleaved(const GstStructure *structure) {
  const StructureRef interleaved(gst_structure_new_empty(gst_structure_get_name(structure)));
  set_mode(interleaved.get(), "interleaved");
  return gst_structure_can_intersect(structure, interleaved.get()) != FALSE;
}

bool has_flag(const GstBuffer *buffer, guint flag) {
  return GST_BUFFER_FLAG_IS_SET(buffer, flag);
}

bool lacks_field(const GstBuffer *frame) {
  return has_flag(frame, GST_VIDEO_BUFFER_FLAG_ONEFIELD);
}

bool has_top_first(const GstBuffer *frame) {
  return has_flag(frame, GST_VIDEO_BUFFER_FLAG_TFF);
}

Plane<std::uint8_t> rows_of_field(const Plane<std::uint8_t> &frame, bool top) {
  const int first = top ? 0 : 1;
  return {frame.row(first), frame.width, (frame.height + 1 - first) / 2, 2 * frame.pitch};
}

void copy_rows(const Plane<std::uint8_t> &from, const Plane<std::uint8_t> &to) {
  for (int y = 0; y < to.height && from.height > 0; y++)
    std::memcpy(to.row(y), from.row(std::min(y, from.height - 1)),
                static_cast<std::size_t>(to.width));
}

}  // namespace

bool caps_are_fields(GstCaps *caps) {
  return names_fields(gst_caps_get_features(caps, 0));
}

CapsRef frames_of(GstCaps *caps) {
  CapsRef frames(gst_caps_copy(caps));
  for (guint i = 0; i < gst_caps_get_size(frames.get()); i++) {
    GstCapsFeatures *features = gst_caps_get_features(frames.get(), i);
    if (!names_fields(features)) continue;
    gst_caps_features_remove(features, kFieldsFeature);
    set_mode(gst_caps_get_structure(frames.get(), i), "interleaved");
  }
  return frames;
}

void add_fields_of(GstCaps *caps) {
  const guint frames = gst_caps_get_size(caps);
  for (guint i = 0; i < frames; i++) {
    GstCapsFeatures *features = gst_caps_get_features(caps, i);
    const GstStructure *structure = gst_caps_get_structure(caps, i);
    if (names_cuda(features) || !may_be_interleaved(structure)) continue;
    GstCapsFeatures *of_fields = with_memory(features, Memory::system);
    gst_caps_features_add(of_fields, kFieldsFeature);
    GstStructure *fields = gst_structure_copy(structure);
    set_mode(fields, "alternate");
    gst_caps_append_structure_full(caps, fields, of_fields);
  }
}

bool FieldPairs::start(GstCaps *fields, GstAllocator *allocator) {
  const GstVideoInfo before = field_info_;
  const CapsRef frames = frames_of(fields);
  if (!gst_video_info_from_caps(&field_info_, fields) ||
      !gst_video_info_from_caps(&info_, frames.get()) || !pool_.make_in(allocator, frames.get()))
    return false;
  if (before.finfo == nullptr || !gst_video_info_is_equal(&before, &field_info_)) restart();
  return true;
}

void FieldPairs::stop() {
  frame_.reset();
  pool_.drop();
  field_info_ = {};
}

void FieldPairs::restart() {
  frame_.reset();
  top_first_.reset();
  if (GST_VIDEO_INFO_FIELD_ORDER(&field_info_) != GST_VIDEO_FIELD_ORDER_UNKNOWN)
    top_first_ = GST_VIDEO_INFO_FIELD_ORDER(&field_info_) == GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST;
}

// Where its flags do not say, its place does.
bool FieldPairs::is_top(const GstBuffer *field) const {
  if (has_flag(field, GST_VIDEO_BUFFER_FLAG_ONEFIELD))
    return has_flag(field, GST_VIDEO_BUFFER_FLAG_TFF);
  return frame_ != nullptr ? !has_top_first(frame_.get()) : top_first_.value_or(true);
}

bool FieldPairs::wants(const GstBuffer *field) const {
  return frame_ != nullptr && is_top(field) != has_top_first(frame_.get());
}

// From the beginning of the first to the end of the second, and no more than the caps say: either
// field may have the time of the whole frame, as from GStreamer's interlace.
GstClockTime FieldPairs::duration_with(const GstBuffer *second) const {
  const GstBuffer *first = frame_.get();
  if (!GST_BUFFER_PTS_IS_VALID(first) || !GST_BUFFER_PTS_IS_VALID(second) ||
      !GST_BUFFER_DURATION_IS_VALID(second))
    return GST_CLOCK_TIME_NONE;
  const GstClockTime end = GST_BUFFER_PTS(second) + GST_BUFFER_DURATION(second);
  if (end <= GST_BUFFER_PTS(first)) return GST_CLOCK_TIME_NONE;
  const GstClockTime whole = end - GST_BUFFER_PTS(first);
  if (GST_VIDEO_INFO_FPS_N(&info_) <= 0) return whole;
  return std::min(whole, gst_util_uint64_scale_int_ceil(GST_SECOND, GST_VIDEO_INFO_FPS_D(&info_),
                                                        GST_VIDEO_INFO_FPS_N(&info_)));
}

void FieldPairs::describe_first(GstBuffer *field, bool top, bool after_break) {
  GstBuffer *frame = frame_.get();
  constexpr int what = GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS;
  gst_buffer_copy_into(frame, field, static_cast<GstBufferCopyFlags>(what), 0,
                       static_cast<gsize>(-1));
  copy_metas_about_picture(field, frame, true);
  GST_BUFFER_FLAG_UNSET(frame, GST_VIDEO_BUFFER_FLAG_TFF | GST_VIDEO_BUFFER_FLAG_RFF);
  GST_BUFFER_FLAG_SET(frame, GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_ONEFIELD |
                                 (top ? GST_VIDEO_BUFFER_FLAG_TFF : 0) |
                                 (after_break ? GST_BUFFER_FLAG_DISCONT : 0));
  if (!top_first_) top_first_ = top;
}

// (Each field has captions of its own.)
void FieldPairs::describe_second(GstBuffer *field) {
  GstBuffer *frame = frame_.get();
  GST_BUFFER_DURATION(frame) = duration_with(field);
  GST_BUFFER_FLAG_UNSET(frame, GST_VIDEO_BUFFER_FLAG_ONEFIELD);
  gpointer state = nullptr;
  while (GstMeta *meta =
             gst_buffer_iterate_meta_filtered(field, &state, GST_VIDEO_CAPTION_META_API_TYPE)) {
    const auto *captions = reinterpret_cast<GstVideoCaptionMeta *>(meta);
    gst_buffer_add_video_caption_meta(frame, captions->caption_type, captions->data,
                                      captions->size);
  }
}

GstFlowReturn FieldPairs::add(GstElement *element, GstBuffer *field, bool after_break) {
  const bool first = frame_ == nullptr, top = is_top(field);
  BufferRef frame = first ? pool_.acquire() : std::move(frame_);
  if (frame == nullptr) {
    GST_ELEMENT_ERROR(element, RESOURCE, NO_SPACE_LEFT, ("No memory for a frame of two fields"),
                      (nullptr));
    return GST_FLOW_ERROR;
  }
  Frame from, to;
  if (!from.map(field, field_info_, Memory::system, GST_MAP_READ))
    return post_bad_frame(element, "field of an input", from);
  if (!to.map(frame.get(), info_, Memory::system, GST_MAP_WRITE))
    return post_bad_frame(element, "joined", to);
  for (guint p = 0; p < to.n_planes(); p++) {
    const Plane<std::uint8_t> plane = to.plane(p);
    // (A single row is of the top field; a bottom field that is alone fills it, too.)
    copy_rows(from.plane(p), first && plane.height == 1 ? plane : rows_of_field(plane, top));
  }
  to.unmap();
  frame_ = std::move(frame);
  if (first)
    describe_first(field, top, after_break);
  else
    describe_second(field);
  return GST_FLOW_OK;
}

bool FieldPairs::is_complete() const {
  return !lacks_field(frame_.get()) || has_top_first(frame_.get()) != *top_first_;
}

BufferRef FieldPairs::take() {
  Frame frame;
  if (frame_ != nullptr && lacks_field(frame_.get()) &&
      frame.map(frame_.get(), info_, Memory::system, GST_MAP_READWRITE)) {
    const bool top = has_top_first(frame_.get());
    for (guint p = 0; p < frame.n_planes(); p++)
      copy_rows(rows_of_field(frame.plane(p), top), rows_of_field(frame.plane(p), !top));
  }
  return std::move(frame_);
}

}  // namespace coalesce::gst
