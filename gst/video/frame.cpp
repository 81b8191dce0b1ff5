// SPDX-License-Identifier: LGPL-2.1-or-later
#include "frame.h"

#include <algorithm>

#include "enumnumber.h"
#include "memory/fencedmemory.h"
#include "pixelformat.h"

namespace coalesce::gst {
namespace {

// libgstvideo raises a critical for numbers that are no format, and returns no name.
std::string format_name(int number) {
  guint count = 0;
  const GstVideoFormat *all = gst_video_formats_raw(&count);
  for (guint i = 0; i < count; i++)
    if (all[i] == number) return gst_video_format_to_string(all[i]);
  return "format " + std::to_string(number);
}

bool is_interlaced(const GstVideoInfo &info, GstBuffer *buffer, const GstVideoMeta *meta) {
  if (meta != nullptr && (number_of(meta->flags) & GST_VIDEO_FRAME_FLAG_INTERLACED) != 0)
    return true;
  if (GST_VIDEO_INFO_INTERLACE_MODE(&info) == GST_VIDEO_INTERLACE_MODE_MIXED)
    return GST_BUFFER_FLAG_IS_SET(buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  return GST_VIDEO_INFO_IS_INTERLACED(&info);
}

// What gst_video_frame_map() raises criticals for; a wrong buffer is no fault of the program.
std::string picture_problem(GstBuffer *buffer, const GstVideoMeta *meta, const FrameInfo &info) {
  if (gst_buffer_n_memory(buffer) == 0) return "the buffer is empty";
  if (meta == nullptr || (number_of(meta->format) == GST_VIDEO_INFO_FORMAT(&info) &&
                          meta->n_planes == GST_VIDEO_INFO_N_PLANES(&info) &&
                          meta->width >= static_cast<guint>(GST_VIDEO_INFO_WIDTH(&info)) &&
                          meta->height >= static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&info))))
    return {};
  return "the buffer's GstVideoMeta says " + format_name(number_of(meta->format)) + " " +
         std::to_string(meta->width) + "x" + std::to_string(meta->height) + " in " +
         std::to_string(meta->n_planes) + " planes, which is not what the caps say";
}

// room: the bytes from the plane's first one on.
std::string plane_problem(const FrameInfo &info, guint p, gint stride, gsize room) {
  const gsize row = info.row_bytes[p];
  if (stride < 0 || static_cast<gsize>(stride) < row)
    return "plane " + std::to_string(p) + " has rows of " + std::to_string(row) +
           " bytes but a stride of " + std::to_string(stride);
  const gsize needed = static_cast<gsize>(stride) * (static_cast<gsize>(info.rows[p]) - 1) + row;
  if (room < needed)
    return "plane " + std::to_string(p) + " needs " + std::to_string(needed) +
           " bytes and the buffer has fewer";
  return {};
}

}  // namespace

FrameInfo::FrameInfo(const GstVideoInfo &info) : GstVideoInfo(info), pixels(&pixel_format(info)) {
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&info); p++) {
    row_bytes[p] = plane_row_bytes(info, p);
    rows[p] = plane_rows(info, p);
  }
}

bool Frame::map(GstBuffer *buffer, const FrameInfo &info, Memory where, GstMapFlags access) {
  unmap();
  info_ = info;
  where_ = where;
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  problem_ = picture_problem(buffer, meta, info);
  if (!problem_.empty()) return false;
  GstMemory *memory = gst_buffer_peek_memory(buffer, 0);
  const bool ours = where == Memory::cuda && is_fenced_memory(memory);
  int number = int(access);
  if (where == Memory::cuda) number |= GST_MAP_CUDA;
  if (where == Memory::page_locked || ours) number |= MAP_FENCED;
  const auto flags = static_cast<GstMapFlags>(number);
  if (!(ours && map_whole(buffer, meta, flags)) && !map_planes(buffer, flags)) {
    problem_ = "the buffer of " + std::to_string(gst_buffer_get_size(buffer)) +
               " bytes could not be mapped as a frame of " +
               std::to_string(GST_VIDEO_INFO_SIZE(&info)) + " bytes";
    return false;
  }
  // (Mapping may have put another memory into the buffer, and let go of the one before.)
  GstMemory *mapped = map_of(0).memory;
  if (where != Memory::cuda && gst_is_cuda_memory(mapped) && !is_fenced_memory(mapped) &&
      !downloaded(mapped)) {
    unmap();
    problem_ = "the buffer could not be copied from the GPU";
    return false;
  }
  if (where == Memory::page_locked && !maps_only(memory)) where_ = Memory::system;
  if (!planes_fit()) {
    unmap();
    return false;
  }
  set_interlaced(is_interlaced(info, buffer, meta));
  return true;
}

// libgstvideo maps a memory once for each plane in it, with checks that take as long as a third of
// all else that is done for a frame.
bool Frame::map_whole(GstBuffer *buffer, const GstVideoMeta *meta, GstMapFlags flags) {
  GstMapInfo &map = frame_.map[0];
  if (meta == nullptr || gst_buffer_n_memory(buffer) != 1 ||
      !gst_memory_map(gst_buffer_peek_memory(buffer, 0), &map, flags))
    return false;
  frame_.meta = nullptr;
  for (guint p = 0; p < n_planes(); p++) {
    frame_.data[p] = map.data + std::min(meta->offset[p], map.size);
    frame_.info.stride[p] = meta->stride[p];
  }
  mapped_ = Mapped::whole;
  return true;
}

bool Frame::map_planes(GstBuffer *buffer, GstMapFlags flags) {
  const int number = int(flags) | int(GST_VIDEO_FRAME_MAP_FLAG_NO_REF);
  if (!gst_video_frame_map(&frame_, &info_, buffer, static_cast<GstMapFlags>(number))) return false;
  mapped_ = Mapped::planes;
  return true;
}

void Frame::unmap() {
  if (mapped_ == Mapped::whole) gst_memory_unmap(frame_.map[0].memory, &frame_.map[0]);
  if (mapped_ == Mapped::planes) gst_video_frame_unmap(&frame_);
  mapped_ = Mapped::no;
}

void Frame::set_interlaced(bool interlaced) {
  fields_ = {interlaced, {}};
  if (!interlaced) return;
  for (guint p = 0; p < n_planes(); p++)
    fields_.spare_row[p] = has_spare_row(p);
}

bool Frame::lacks_spare_row() const {
  for (guint p = 0; p < n_planes(); p++)
    if (fields_.interlaced && wants_spare_row(info_, p) && !fields_.spare_row[p]) return true;
  return false;
}

void Frame::be_copy_of(const Fields &original) {
  set_interlaced(original.interlaced);
  for (guint p = 0; p < n_planes(); p++)
    fields_.spare_row[p] = fields_.spare_row[p] && original.spare_row[p];
}

bool Frame::is_aligned() const {
  const auto bytes =
      static_cast<std::uintptr_t>(container_alignment(info_.pixels->component[0].container));
  std::uintptr_t all = 0;
  for (guint p = 0; p < n_planes(); p++)
    all |= reinterpret_cast<std::uintptr_t>(plane_[p].data) | plane_[p].pitch;
  return (all & (bytes - 1)) == 0;
}

Plane<std::uint8_t> Frame::plane(guint index) const {
  Plane<std::uint8_t> plane = plane_[index];
  if (fields_.spare_row[index]) plane.height++;
  return plane;
}

Image Frame::image() const {
  Image image = {*info_.pixels, info_.width, info_.height, fields_.interlaced, {}};
  for (guint p = 0; p < n_planes(); p++)
    image.plane[p] = plane(p);
  return image;
}

const GstMapInfo &Frame::map_of(guint index) const {
  return frame_.map[frame_.meta == nullptr ? 0 : index];
}

// Memory that someone else has mapped in another way is copied by GStreamer, for this mapping or
// for the buffer.
bool Frame::maps_only(const GstMemory *memory) const {
  for (guint p = 0; p < n_planes(); p++)
    if (map_of(p).memory != memory) return false;
  return true;
}

// Where GStreamer's own layouts have that row, a GstVideoMeta may put something else, or nothing.
bool Frame::has_spare_row(guint index) const {
  if (!wants_spare_row(info_, index)) return false;
  const Plane<std::uint8_t> chroma = plane(index);
  const GstMapInfo &map = map_of(index);
  const gsize skipped = static_cast<gsize>(chroma.row(chroma.height - 1) - map.data);
  if (map.size - skipped < chroma.pitch + static_cast<gsize>(chroma.width)) return false;
  const guint8 *start = chroma.row(chroma.height), *end = start + chroma.width;
  for (guint p = 0; p < n_planes(); p++) {
    const Plane<std::uint8_t> other = plane(p);
    if (p != index && end > other.data && start < other.row(other.height - 1) + other.width)
      return false;
  }
  return true;
}

// A GstVideoMeta may claim any stride and offset; trust only what the mapping really covers.
bool Frame::planes_fit() {
  for (guint p = 0; p < n_planes(); p++) {
    const gint stride = GST_VIDEO_FRAME_PLANE_STRIDE(&frame_, p);
    const GstMapInfo &map = map_of(p);
    auto *start = static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame_, p));
    const gsize skipped = static_cast<gsize>(start - map.data);
    const bool outside = start < map.data || skipped > map.size;
    problem_ = plane_problem(info_, p, stride, outside ? 0 : map.size - skipped);
    if (!problem_.empty()) return false;
    plane_[p] = {start, static_cast<int>(info_.row_bytes[p]), info_.rows[p],
                 static_cast<std::size_t>(stride)};
  }
  return true;
}

std::string buffer_problem(GstBuffer *buffer, const FrameInfo &info) {
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  const gsize bytes = gst_buffer_get_size(buffer);
  std::string problem = picture_problem(buffer, meta, info);
  for (guint p = 0; problem.empty() && p < GST_VIDEO_INFO_N_PLANES(&info); p++) {
    const gsize offset = meta != nullptr ? meta->offset[p] : info.offset[p];
    const gint stride = meta != nullptr ? meta->stride[p] : info.stride[p];
    problem = plane_problem(info, p, stride, offset > bytes ? 0 : bytes - offset);
    if (!problem.empty()) problem += ", " + std::to_string(bytes) + " bytes in all";
  }
  return problem;
}

bool is_cuda_buffer_of(GstBuffer *buffer, GstCudaContext *context) {
  if (gst_buffer_n_memory(buffer) != 1) return false;
  GstMemory *memory = gst_buffer_peek_memory(buffer, 0);
  return (is_fenced_memory(memory) || gst_is_cuda_memory(memory)) &&
         GST_CUDA_MEMORY_CAST(memory)->context == context;
}

}  // namespace coalesce::gst
