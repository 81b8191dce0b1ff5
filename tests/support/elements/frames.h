// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of any format and layout, and their bytes.
#pragma once

#include <functional>
#include <vector>

#include "caps.h"

namespace test {

using Bytes = std::vector<guint8>;

// Bytes of a row of a plane that carry samples, and rows of a plane.
int row_bytes(const GstVideoInfo &info, int plane);
int rows(const GstVideoInfo &info, int plane);
// The rows for which GStreamer's layout has room: chroma of interlaced 4:2:0 has an even number.
int layout_rows(const GstVideoInfo &info, int plane);

// Calls visit(plane, y, row) for all rows of the layout. False if the frame cannot be mapped.
using VisitRow = std::function<void(int plane, int y, guint8 *row)>;
bool each_row(GstBuffer *buffer, const GstVideoInfo &info, int flags, const VisitRow &visit);

// The bytes of a frame that carry samples, plane after plane.
Bytes picture(GstBuffer *buffer, const GstVideoInfo &info, int flags = GST_MAP_READ);
Bytes picture_if_mapped(GstBuffer *buffer, const GstVideoInfo &info);  // else empty
// All bytes of a buffer.
Bytes bytes_of(GstBuffer *buffer);
Bytes take_bytes(GstBuffer *buffer);  // and drops the buffer

// How a frame lies in its buffer. By default as the caps say, without a GstVideoMeta.
struct Layout {
  int extra_stride = 0;  // bytes a row more than its samples need
  gsize offset = 0;      // bytes before the first plane
  gsize misalign = 0;    // bytes between an aligned address and the memory
  bool with_meta = false;
};

// The exact number of bytes of a frame, in one memory, each of them `byte`.
GstBuffer *plain_frame(const GstVideoInfo &info, const Layout &layout, guint8 byte);
// The same with each byte, padding too, drawn from `seed`.
GstBuffer *random_frame(const GstVideoInfo &info, Layout layout, guint32 seed);
gsize frame_bytes(const GstVideoInfo &info, const Layout &layout);
// Where the samples of such a frame lie: calls visit(offset, bytes) for each row.
void each_row_of_layout(const GstVideoInfo &info, const Layout &layout,
                        const std::function<void(gsize offset, int bytes)> &visit);

// The picture numbered `seed`: a byte of every plane at every place.
guint8 sample(unsigned seed, int plane, int x, int y);
// Writes that picture through the CPU.
void fill(GstBuffer *buffer, const GstVideoInfo &info, unsigned seed);
GstBuffer *system_buffer(const GstVideoInfo &info, unsigned seed);

// The first place where a frame does not hold the expected bytes; empty if it holds them all.
using Expected = std::function<guint8(int plane, int x, int y)>;
std::string wrong_bytes(GstBuffer *buffer, const GstVideoInfo &info, int flags,
                        const Expected &expected);
constexpr const char *kNotMapped = "the frame could not be mapped";

}  // namespace test
