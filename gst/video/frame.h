// SPDX-License-Identifier: LGPL-2.1-or-later
// A GstBuffer and its GstVideoInfo as planes, mapped the right way for a scope.
#pragma once

#include <cstdint>
#include <string>

#include "core/plane.h"
#include "cuda/cudadriver.h"
#include "memory/planes.h"
#include "picture/image.h"

namespace coalesce::gst {

// page_locked: system memory that carries a fence (pagelocked.h), for the GPU to read and write.
enum class Memory { system, page_locked, cuda };

// What caps say of frames and their planes. Made once for them: it takes as long as half of a
// map().
struct FrameInfo : GstVideoInfo {
  FrameInfo() = default;
  FrameInfo(const GstVideoInfo &info);  // NOLINT: implicit on purpose

  const PixelFormat *pixels;
  gsize row_bytes[GST_VIDEO_MAX_PLANES];  // plane_row_bytes()
  gint rows[GST_VIDEO_MAX_PLANES];        // plane_rows()
};

class Frame {
 public:
  Frame() = default;
  ~Frame() { unmap(); }
  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  // Maps `buffer`, whose caps say `info`, for reading or writing in host or device memory. Every
  // plane is checked to lie inside the buffer. On failure returns false and says why in problem().
  // Device memory of ours and Memory::page_locked are mapped without waiting: the caller orders its
  // stream behind the fence. where() is Memory::system after all if only a copy of the memory could
  // be had.
  bool map(GstBuffer *buffer, const FrameInfo &info, Memory where, GstMapFlags access);
  void unmap();

  const FrameInfo &info() const { return info_; }
  Memory where() const { return where_; }
  guint n_planes() const { return GST_VIDEO_INFO_N_PLANES(&info_); }
  const std::string &problem() const { return problem_; }

  // Is the picture two fields? Of mixed video the buffer's flag says so.
  bool interlaced() const { return fields_.interlaced; }
  // Instead: what the picture's own buffer said, where this one has not its flags.
  void set_interlaced(bool interlaced);
  // Has a plane fewer rows of one field than of the other, where GStreamer's layouts have as many?
  bool lacks_spare_row() const;
  // Filled from a frame of the same format: interlaced if it is, and with no row that it lacks.
  struct Fields {
    bool interlaced = false;
    bool spare_row[GST_VIDEO_MAX_PLANES] = {};
  };
  const Fields &fields() const { return fields_; }
  void be_copy_of(const Fields &original);
  void be_copy_of(const Frame &original) { be_copy_of(original.fields_); }

  // Do all samples stand at multiples of their size?
  bool is_aligned() const;

  // The bytes of a plane: width is the number of meaningful bytes in a row. Interlaced 4:2:0 chroma
  // has as many rows of each field, an even number; the last is there if the buffer has it.
  Plane<std::uint8_t> plane(guint index) const;
  // All planes.
  Image image() const;

 private:
  bool map_whole(GstBuffer *buffer, const GstVideoMeta *meta, GstMapFlags flags);
  bool map_planes(GstBuffer *buffer, GstMapFlags flags);
  bool planes_fit();
  bool has_spare_row(guint index) const;
  bool maps_only(const GstMemory *memory) const;
  const GstMapInfo &map_of(guint index) const;

  enum class Mapped { no, whole, planes };
  Mapped mapped_ = Mapped::no;
  // Of frame_, data, strides and the first map are there where the buffer is mapped as a whole.
  GstVideoFrame frame_;
  FrameInfo info_;
  Memory where_ = Memory::system;
  Plane<std::uint8_t> plane_[GST_VIDEO_MAX_PLANES];  // without spare rows
  Fields fields_;
  std::string problem_;
};

// Without mapping it: why the buffer is no frame of these caps. Empty: it may be one.
std::string buffer_problem(GstBuffer *buffer, const FrameInfo &info);

// Is the buffer one piece of CUDA memory of this context?
bool is_cuda_buffer_of(GstBuffer *buffer, GstCudaContext *context);

}  // namespace coalesce::gst
