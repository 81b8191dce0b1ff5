// SPDX-License-Identifier: LGPL-2.1-or-later
#include "frames.h"

#include <algorithm>
#include <random>

#include "../random.h"

namespace test {

using coalesce::test::seed_of_run;

namespace {

int first_component(const GstVideoInfo &info, int plane) {
  gint component[GST_VIDEO_MAX_COMPONENTS];
  gst_video_format_info_component(info.finfo, static_cast<guint>(plane), component);
  return component[0];
}

}  // namespace

int rows(const GstVideoInfo &info, int plane) {
  return GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(info.finfo, first_component(info, plane), info.height);
}

int layout_rows(const GstVideoInfo &info, int plane) {
  const bool halved = GST_VIDEO_FORMAT_INFO_H_SUB(info.finfo, first_component(info, plane)) == 1;
  const int n_rows = rows(info, plane);
  return halved && GST_VIDEO_INFO_IS_INTERLACED(&info) ? GST_ROUND_UP_2(n_rows) : n_rows;
}

int row_bytes(const GstVideoInfo &info, int plane) {
  int bytes = 0;
  if (GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_UYVP) return (info.width + 1) / 2 * 5;
  if (GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_v210) return (info.width + 47) / 48 * 128;
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(&info); c++)
    if (GST_VIDEO_INFO_COMP_PLANE(&info, c) == static_cast<guint>(plane))
      bytes = std::max(bytes,
                       GST_VIDEO_INFO_COMP_WIDTH(&info, c) * GST_VIDEO_INFO_COMP_PSTRIDE(&info, c));
  // Other formats without a pixel stride fill their rows.
  return bytes > 0 ? bytes : GST_VIDEO_INFO_PLANE_STRIDE(&info, plane);
}

bool each_row(GstBuffer *buffer, const GstVideoInfo &info, int flags, const VisitRow &visit) {
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &info, buffer, static_cast<GstMapFlags>(flags))) return false;
  for (int p = 0; p < static_cast<int>(GST_VIDEO_INFO_N_PLANES(&info)); p++)
    for (int y = 0; y < layout_rows(info, p); y++)
      visit(p, y,
            static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p)) +
                static_cast<gssize>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p));
  gst_video_frame_unmap(&frame);
  return true;
}

namespace {

// Mapped once: the next time the GPU may be lost.
bool read_picture(GstBuffer *buffer, const GstVideoInfo &info, int flags, Bytes *bytes) {
  return each_row(buffer, info, flags, [&](int plane, int, const guint8 *row) {
    bytes->insert(bytes->end(), row, row + row_bytes(info, plane));
  });
}

}  // namespace

Bytes picture(GstBuffer *buffer, const GstVideoInfo &info, int flags) {
  Bytes bytes;
  fail_unless(read_picture(buffer, info, flags, &bytes), "%s", kNotMapped);
  return bytes;
}

Bytes picture_if_mapped(GstBuffer *buffer, const GstVideoInfo &info) {
  Bytes bytes;
  read_picture(buffer, info, GST_MAP_READ, &bytes);
  return bytes;
}

Bytes bytes_of(GstBuffer *buffer) {
  fail_unless(buffer != nullptr, "no buffer");
  Bytes bytes(gst_buffer_get_size(buffer));
  fail_unless(gst_buffer_extract(buffer, 0, bytes.data(), bytes.size()) == bytes.size());
  return bytes;
}

Bytes take_bytes(GstBuffer *buffer) {
  return bytes_of(BufferRef(buffer).get());
}

namespace {

struct Placement {
  gsize offset[GST_VIDEO_MAX_PLANES] = {};
  gint stride[GST_VIDEO_MAX_PLANES] = {};
  gsize size = 0;
};

Placement place(const GstVideoInfo &info, const Layout &layout) {
  Placement result;
  if (!layout.with_meta) {
    std::copy_n(info.offset, GST_VIDEO_MAX_PLANES, result.offset);
    std::copy_n(info.stride, GST_VIDEO_MAX_PLANES, result.stride);
    result.size = info.size;
    return result;
  }
  for (int p = 0; p < static_cast<int>(GST_VIDEO_INFO_N_PLANES(&info)); p++) {
    result.offset[p] = result.size + layout.offset;
    result.stride[p] = row_bytes(info, p) + layout.extra_stride;
    // The last row has no padding after it.
    result.size = result.offset[p] + static_cast<gsize>(result.stride[p]) * (rows(info, p) - 1) +
                  row_bytes(info, p);
  }
  return result;
}

GstBuffer *new_frame(const GstVideoInfo &info, const Layout &layout,
                     const std::function<guint8()> &next_byte) {
  Placement at = place(info, layout);
  auto *bytes = static_cast<guint8 *>(g_malloc(layout.misalign + at.size));
  std::generate_n(bytes, layout.misalign + at.size, next_byte);
  GstBuffer *buffer = gst_buffer_new();
  // Not by the memory's own offset: a pool resets that when the buffer comes back.
  gst_buffer_append_memory(
      buffer, gst_memory_new_wrapped(GstMemoryFlags(0), bytes + layout.misalign, at.size, 0,
                                     at.size, bytes, g_free));
  if (layout.with_meta)
    gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                                   static_cast<guint>(info.width), static_cast<guint>(info.height),
                                   GST_VIDEO_INFO_N_PLANES(&info), at.offset, at.stride);
  return buffer;
}

}  // namespace

GstBuffer *plain_frame(const GstVideoInfo &info, const Layout &layout, guint8 byte) {
  return new_frame(info, layout, [byte] { return byte; });
}

GstBuffer *random_frame(const GstVideoInfo &info, Layout layout, guint32 seed) {
  return new_frame(info, layout,
                   [random = std::minstd_rand(1 + unsigned(seed_of_run(seed)))]() mutable {
                     return static_cast<guint8>(random() >> 8);
                   });
}

gsize frame_bytes(const GstVideoInfo &info, const Layout &layout) {
  return place(info, layout).size;
}

void each_row_of_layout(const GstVideoInfo &info, const Layout &layout,
                        const std::function<void(gsize offset, int bytes)> &visit) {
  const Placement at = place(info, layout);
  for (int p = 0; p < static_cast<int>(GST_VIDEO_INFO_N_PLANES(&info)); p++)
    for (int y = 0; y < rows(info, p); y++)
      visit(at.offset[p] + static_cast<gsize>(y) * static_cast<gsize>(at.stride[p]),
            row_bytes(info, p));
}

guint8 sample(unsigned seed, int plane, int x, int y) {
  unsigned hash = unsigned(seed_of_run(seed)) * 2654435761u + unsigned(plane) * 40503u +
                  unsigned(y) * 69069u + unsigned(x) * 2246822519u;
  hash = (hash ^ (hash >> 15)) * 2246822519u;
  return static_cast<guint8>(hash >> 24);
}

void fill(GstBuffer *buffer, const GstVideoInfo &info, unsigned seed) {
  fail_unless(each_row(buffer, info, GST_MAP_WRITE, [&](int plane, int y, guint8 *row) {
    for (int x = 0, bytes = row_bytes(info, plane); x < bytes; x++)
      row[x] = sample(seed, plane, x, y);
  }));
}

GstBuffer *system_buffer(const GstVideoInfo &info, unsigned seed) {
  GstBuffer *buffer = plain_frame(info, {}, 0x5A);
  fill(buffer, info, seed);
  return buffer;
}

std::string wrong_bytes(GstBuffer *buffer, const GstVideoInfo &info, int flags,
                        const Expected &expected) {
  std::string wrong;
  const bool mapped = each_row(buffer, info, flags, [&](int plane, int y, const guint8 *row) {
    for (int x = 0, bytes = row_bytes(info, plane); x < bytes && wrong.empty(); x++)
      if (const guint8 wanted = expected(plane, x, y); row[x] != wanted)
        wrong = std::string(GST_VIDEO_INFO_NAME(&info)) + ", plane " + std::to_string(plane) +
                ", (" + std::to_string(x) + ", " + std::to_string(y) +
                "): " + std::to_string(row[x]) + " instead of " + std::to_string(wanted);
  });
  return mapped ? wrong : kNotMapped;
}

}  // namespace test
