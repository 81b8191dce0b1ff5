// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of interlaced 4:2:0 with an odd number of chroma rows: GStreamer's layouts have one more,
// which a GstVideoMeta may leave out.
#include "video/framecopy.h"

#include "elements.h"
#include "memory/bufferpool.h"

using namespace simulated;
using namespace coalesce::gst;

namespace {

constexpr int kWidth = 8, kHeight = 6, kLuma = kWidth * kHeight, kRows = 3;
constexpr guint8 kGuard = 0xa5;

GstVideoInfo info_of(GstVideoFormat format, GstVideoInterlaceMode mode) {
  GstVideoInfo info;
  fail_unless(gst_video_info_set_interlaced_format(&info, format, mode, kWidth, kHeight));
  return info;
}

GstVideoInfo nv12() {
  return info_of(GST_VIDEO_FORMAT_NV12, GST_VIDEO_INTERLACE_MODE_INTERLEAVED);
}

// NV12 whose chroma has three rows, and `more` guard bytes behind them.
GstBuffer *without_the_row(gsize more) {
  GstBuffer *buffer = gst_buffer_new_allocate(nullptr, kLuma + kRows * kWidth + more, nullptr);
  gst_buffer_memset(buffer, 0, kGuard, gst_buffer_get_size(buffer));
  gsize offset[GST_VIDEO_MAX_PLANES] = {0, kLuma};
  gint stride[GST_VIDEO_MAX_PLANES] = {kWidth, kWidth};
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_NV12, kWidth,
                                 kHeight, 2, offset, stride);
  return buffer;
}

int rows_of(GstBuffer *buffer, const GstVideoInfo &info, guint plane) {
  Frame frame;
  fail_unless(frame.map(buffer, info, Memory::system, GST_MAP_READ), "%s", frame.problem().c_str());
  return frame.plane(plane).height;
}

}  // namespace

GST_START_TEST(by_mode_and_flag) {
  for (auto format : {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YV12, GST_VIDEO_FORMAT_NV12})
    for (auto mode : {GST_VIDEO_INTERLACE_MODE_PROGRESSIVE, GST_VIDEO_INTERLACE_MODE_INTERLEAVED,
                      GST_VIDEO_INTERLACE_MODE_MIXED})
      for (bool flagged : {false, true}) {
        const GstVideoInfo info = info_of(format, mode);
        GstBuffer *buffer = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr);
        if (flagged) GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
        const bool interlaced = mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED ||
                                (mode == GST_VIDEO_INTERLACE_MODE_MIXED && flagged);
        fail_unless_equals_int(rows_of(buffer, info, 0), kHeight);
        for (guint p = 1; p < GST_VIDEO_INFO_N_PLANES(&info); p++)
          fail_unless_equals_int(rows_of(buffer, info, p), kRows + (interlaced ? 1 : 0));
        gst_buffer_unref(buffer);
      }
}
GST_END_TEST

GST_START_TEST(by_room) {
  for (gsize more : {0, 1, kWidth - 1, kWidth}) {
    GstBuffer *buffer = without_the_row(more);
    fail_unless_equals_int(rows_of(buffer, nv12(), 1), kRows + (more >= kWidth ? 1 : 0));
    gst_buffer_unref(buffer);
  }
  // Planes of I420 one behind the other: only the last has room behind it. Side by side: both.
  const GstVideoInfo i420 = info_of(GST_VIDEO_FORMAT_I420, GST_VIDEO_INTERLACE_MODE_INTERLEAVED);
  struct {
    gsize offset[GST_VIDEO_MAX_PLANES];
    gint stride[GST_VIDEO_MAX_PLANES];
    int rows[3];
  } layouts[] = {{{0, 48, 60}, {8, 4, 4}, {6, 3, 4}},
                 {{0, 60, 48}, {8, 4, 4}, {6, 4, 3}},
                 {{0, 48, 52}, {8, 8, 8}, {6, 4, 4}},
                 {{32, 0, 16}, {8, 4, 4}, {6, 4, 4}},
                 {{32, 0, 12}, {8, 4, 4}, {6, 3, 4}}};
  for (auto &layout : layouts) {
    GstBuffer *buffer = gst_buffer_new_allocate(nullptr, 80, nullptr);
    gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_I420, kWidth,
                                   kHeight, 3, layout.offset, layout.stride);
    for (guint p = 0; p < 3; p++)
      fail_unless_equals_int(rows_of(buffer, i420, p), layout.rows[p]);
    gst_buffer_unref(buffer);
  }
}
GST_END_TEST

// A copy goes as far as both have rows, and an upload claims no row that its original lacks.
GST_START_TEST(copies) {
  GstCudaContext *context = new_context();
  {
    CUresult error = CUDA_SUCCESS;
    auto stream = Stream::create(context, &error);
    GstVideoInfo info = nv12();
    GstCaps *caps = gst_video_info_to_caps(&info);
    gst_caps_set_features_simple(caps, gst_caps_features_from_string(kCuda));
    guint size = 0;
    PoolRef pool = cuda_pool_new(context, caps, &size);
    gst_caps_unref(caps);
    fail_unless(pool && stream && gst_buffer_pool_set_active(pool.get(), TRUE));
    GstBuffer *device = pool_acquire(pool.get());
    ContextScope scope(context);
    for (bool room : {true, false}) {
      GstBuffer *from = without_the_row(room ? kWidth : 0),
                *to = without_the_row(room ? kWidth : 3);
      fill(from, info_of(GST_VIDEO_FORMAT_NV12, GST_VIDEO_INTERLACE_MODE_PROGRESSIVE), 1);
      Frame original, copy, back;
      fail_unless(original.map(from, nv12(), Memory::system, GST_MAP_READ));
      fail_unless(copy.map(device, nv12(), Memory::cuda, GST_MAP_WRITE));
      fail_unless_equals_int(copy.plane(1).height, kRows + 1);
      gsize bytes = 0;
      // The last row is the device's own from before, unless it is copied.
      fail_unless_equals_int(copy_frame(original, copy, *stream, &bytes), CUDA_SUCCESS);
      fail_unless_equals_uint64(bytes, kLuma + (kRows + (room ? 1 : 0)) * kWidth);
      fail_unless(back.map(to, nv12(), Memory::system, GST_MAP_WRITE));
      fail_unless_equals_int(copy_frame(copy, back, *stream, &bytes), CUDA_SUCCESS);
      fail_unless_equals_uint64(bytes, kLuma + (kRows + (room ? 1 : 0)) * kWidth);
      fail_unless_equals_int(stream->synchronize(), CUDA_SUCCESS);
      copy.be_copy_of(original);
      fail_unless_equals_int(copy.plane(1).height, kRows + (room ? 1 : 0));
      original.set_interlaced(false);
      copy.be_copy_of(original);
      fail_unless(!copy.interlaced() && copy.plane(1).height == kRows);
      original.unmap();
      back.unmap();
      GstMapInfo map;
      fail_unless(gst_buffer_map(from, &map, GST_MAP_READ));
      fail_unless(gst_buffer_memcmp(to, 0, map.data, map.size) == 0);
      gst_buffer_unmap(from, &map);
      guint8 behind[3];
      gst_buffer_extract(to, gst_buffer_get_size(to) - 3, behind, 3);
      for (guint8 byte : behind)
        fail_unless_equals_int(byte, kGuard);
      gst_buffer_unref(from);
      gst_buffer_unref(to);
    }
    gst_buffer_unref(device);
    gst_buffer_pool_set_active(pool.get(), FALSE);
  }
  gst_object_unref(context);
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

static Suite *fields_suite() {
  register_elements();
  Suite *suite = suite_create("fields");
  TCase *tests = new_case(suite, "fields");
  tcase_add_test(tests, by_mode_and_flag);
  tcase_add_test(tests, by_room);
  tcase_add_test(tests, copies);
  return suite;
}

SIMULATED_MAIN(fields)
