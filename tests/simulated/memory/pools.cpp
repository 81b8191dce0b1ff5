// SPDX-License-Identifier: LGPL-2.1-or-later
// Pools of CUDA frames: what is proposed upstream, formats that libgstcuda cannot lay out, and no
// allocation once a stream runs.
#include "../classes/elements.h"

#include "memory/bufferpool.h"

using namespace simulated;
using namespace coalesce::gst;

namespace {

struct Area {
  gsize start, end;
};

// Every plane inside the buffer, none over another, and the memory says the same of itself.
void check_layout(GstBuffer *buffer, const GstVideoInfo &info) {
  const char *name = GST_VIDEO_INFO_NAME(&info);
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  fail_unless(meta != nullptr, "%s has no GstVideoMeta", name);
  fail_unless_equals_int(meta->format, GST_VIDEO_INFO_FORMAT(&info));
  fail_unless_equals_int(meta->width, GST_VIDEO_INFO_WIDTH(&info));
  fail_unless_equals_int(meta->height, GST_VIDEO_INFO_HEIGHT(&info));
  fail_unless_equals_int(meta->n_planes, GST_VIDEO_INFO_N_PLANES(&info));
  const GstVideoInfo &said = GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0))->info;
  expect_string(GST_VIDEO_INFO_NAME(&said), name);
  fail_unless_equals_int(GST_VIDEO_INFO_WIDTH(&said), meta->width);
  fail_unless_equals_int(GST_VIDEO_INFO_HEIGHT(&said), meta->height);
  std::vector<Area> areas;
  for (guint p = 0; p < meta->n_planes; p++) {
    fail_unless_equals_uint64(GST_VIDEO_INFO_PLANE_OFFSET(&said, p), meta->offset[p]);
    fail_unless_equals_int(GST_VIDEO_INFO_PLANE_STRIDE(&said, p), meta->stride[p]);
    const int bytes = row_bytes(info, int(p)), n_rows = layout_rows(info, int(p));
    fail_unless(meta->stride[p] >= bytes, "%s, plane %u: stride %d", name, p, meta->stride[p]);
    areas.push_back({meta->offset[p],
                     meta->offset[p] + gsize(meta->stride[p]) * gsize(n_rows - 1) + gsize(bytes)});
  }
  for (const Area &a : areas) {
    fail_unless(a.end <= gst_buffer_get_size(buffer), "%s: a plane ends at %zu of %zu", name, a.end,
                gst_buffer_get_size(buffer));
    for (const Area &b : areas)
      fail_unless(&a == &b || a.end <= b.start || b.end <= a.start, "%s: planes overlap", name);
  }
}

// What is written plane by plane is there when all planes have been written: through the CPU as it
// was, on the device, and through the CPU again after a copy on the device.
void check_content(GstBuffer *buffer, const GstVideoInfo &info, unsigned seed, int flags) {
  const std::string wrong = wrong_bytes(
      buffer, info, flags, [seed](int plane, int x, int y) { return sample(seed, plane, x, y); });
  fail_unless(wrong.empty(), "%s", wrong.c_str());
}

void check_frame(GstBufferPool *pool, const GstVideoInfo &info, unsigned seed) {
  GstBuffer *buffer = pool_acquire(pool);
  fail_unless(buffer != nullptr, "%s: no buffer", GST_VIDEO_INFO_NAME(&info));
  fail_unless(is_cuda(buffer));
  check_layout(buffer, info);
  fill(buffer, info, seed);
  check_content(buffer, info, seed, GST_MAP_READ | GST_MAP_CUDA);
  check_content(buffer, info, seed, GST_MAP_READ);
  GstBuffer *copy = gst_buffer_copy_deep(buffer);
  check_layout(copy, info);
  check_content(copy, info, seed, GST_MAP_READ);
  gst_buffer_unref(copy);
  gst_buffer_unref(buffer);
}

// Can a format's planes be looked at row by row? Tiled and palette formats cannot.
bool is_linear(const GstVideoFormatInfo *format) {
  return format->format != GST_VIDEO_FORMAT_UNKNOWN && format->format != GST_VIDEO_FORMAT_ENCODED &&
         !GST_VIDEO_FORMAT_INFO_IS_TILED(format) && !GST_VIDEO_FORMAT_INFO_HAS_PALETTE(format);
}

// All that the GStreamer at hand knows.
std::vector<const GstVideoFormatInfo *> all_formats() {
  std::vector<const GstVideoFormatInfo *> formats;
  GValue names = G_VALUE_INIT;
  g_value_init(&names, GST_TYPE_LIST);
  fail_unless(gst_value_deserialize(&names, GST_VIDEO_FORMATS_ALL));
  for (guint i = 0; i < gst_value_list_get_size(&names); i++)
    formats.push_back(gst_video_format_get_info(
        gst_video_format_from_string(g_value_get_string(gst_value_list_get_value(&names, i)))));
  g_value_unset(&names);
  return formats;
}

PoolRef pool_for(GstCudaContext *context, const GstVideoInfo &info, guint *size) {
  GstVideoInfo copy = info;
  GstCaps *caps = gst_video_info_to_caps(&copy);
  gst_caps_set_features_simple(caps, gst_caps_features_from_string(kCuda));
  PoolRef pool = cuda_pool_new(context, caps, size);
  gst_caps_unref(caps);
  return pool;
}

void check_format(GstCudaContext *context, const GstVideoFormatInfo *format, int width, int height,
                  GstVideoInterlaceMode mode = GST_VIDEO_INTERLACE_MODE_PROGRESSIVE) {
  GstVideoInfo info;
  fail_unless(gst_video_info_set_interlaced_format(
      &info, format->format, mode, static_cast<guint>(width), static_cast<guint>(height)));
  guint size = 0;
  PoolRef pool = pool_for(context, info, &size);
  fail_unless(pool != nullptr, "%s: no pool", format->name);
  fail_unless(gst_buffer_pool_set_active(pool.get(), TRUE));
  GstBuffer *buffer = pool_acquire(pool.get());
  fail_unless_equals_uint64(gst_buffer_get_size(buffer), size);
  gst_buffer_unref(buffer);
  check_frame(pool.get(), info, 3);
  gst_buffer_pool_set_active(pool.get(), FALSE);
}

}  // namespace

// libgstcuda's own allocator ends the process on most of these.
GST_START_TEST(every_format) {
  GstCudaContext *context = new_context();
  int formats = 0;
  for (const GstVideoFormatInfo *format : all_formats()) {
    if (!is_linear(format)) continue;
    formats++;
    for (auto [width, height] : {std::pair{1, 1}, {33, 17}, {64, 6}, {6, 3}})
      check_format(context, format, possible_width(format->name, width), height);
  }
  fail_unless(formats >= 90, "only %d formats", formats);
  gst_object_unref(context);
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

// Those the project's operations meet are among them, whatever GStreamer's list says.
GST_START_TEST(named_formats) {
  GstCudaContext *context = new_context();
  for (const char *name :
       {"GRAY8", "GRAY16_LE", "v210", "YVYU", "VYUY", "AYUV", "VUYA", "xRGB", "xBGR", "Y444_10LE",
        "Y444_12LE", "I420_12LE", "I420", "NV12", "P012_LE", "UYVY"}) {
    const GstVideoFormat format = gst_video_format_from_string(name);
    fail_unless(format != GST_VIDEO_FORMAT_UNKNOWN, "%s", name);
    for (auto [width, height] : {std::pair{1, 1}, {33, 17}, {1920, 9}})
      check_format(context, gst_video_format_get_info(format), width, height);
  }
  gst_object_unref(context);
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

// Interlaced 4:2:0 has a row of chroma more where its number would be odd; libgstcuda forgets it.
GST_START_TEST(interlaced_formats) {
  GstCudaContext *context = new_context();
  for (const GstVideoFormatInfo *format : all_formats()) {
    if (!is_linear(format) || GST_VIDEO_FORMAT_INFO_H_SUB(format, 1) != 1) continue;
    for (auto [width, height] : {std::pair{1, 1}, {33, 6}, {64, 5}, {64, 8}})
      for (auto mode : {GST_VIDEO_INTERLACE_MODE_INTERLEAVED, GST_VIDEO_INTERLACE_MODE_MIXED})
        check_format(context, format, width, height, mode);
  }
  gst_object_unref(context);
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

// Tiled formats have no rows to check, but must not end the process either.
GST_START_TEST(tiled_formats) {
  GstCudaContext *context = new_context();
  int tiled = 0;
  for (const GstVideoFormatInfo *format : all_formats()) {
    if (is_linear(format)) continue;
    tiled++;
    guint size = 0;
    const GstVideoInfo info = video_info(format->format, 64, 32);
    PoolRef pool = pool_for(context, info, &size);
    fail_unless(pool == nullptr || size >= GST_VIDEO_INFO_SIZE(&info), "%s: %u of %zu bytes",
                format->name, size, GST_VIDEO_INFO_SIZE(&info));
  }
  fail_unless(tiled > 3);
  gst_object_unref(context);
  assert_nothing_lives();
}
GST_END_TEST

// Frames may have 4 GiB and more: GStreamer counts the bits of their samples.
GST_START_TEST(large_frames) {
  GstCudaContext *context = new_context();
  fakecuda_set_device_memory(std::size_t{16} << 30);
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_Y444_10LE, 30001, 30001);
  guint size = 0;
  const PoolRef pool = pool_for(context, info, &size);
  fail_unless(pool != nullptr && gst_buffer_pool_set_active(pool.get(), TRUE));
  for (int n = 0; n < 2; n++) {
    GstBuffer *buffer = pool_acquire(pool.get());
    fail_unless(buffer != nullptr && gst_buffer_get_size(buffer) > G_MAXUINT);
    check_layout(buffer, info);
    gst_buffer_unref(buffer);
  }
  gst_buffer_pool_set_active(pool.get(), FALSE);
  fakecuda_set_device_memory(std::size_t{4} << 30);
  gst_object_unref(context);
}
GST_END_TEST

GST_START_TEST(proposed_for_cuda_caps) {
  Bench bench("uyvy2y");
  for (const char *format : {"UYVY", "YUY2", "YVYU", "VYUY"}) {
    const std::string caps = video_caps(kCuda, format, 33, 17);
    bench.negotiate(caps, video_caps(kCuda, "GRAY8", 0, 0));
    guint size = 0;
    GstBufferPool *pool = proposed_pool(bench.harness(), caps.c_str(), &size);
    fail_unless(pool != nullptr);
    const GstVideoInfo info = video_info(gst_video_format_from_string(format), 33, 17);
    GstBuffer *buffer = pool_buffer(pool, info, 1);
    fail_unless_equals_uint64(gst_buffer_get_size(buffer), size);
    fail_unless(size > GST_VIDEO_INFO_SIZE(&info));  // the pitch
    check_layout(buffer, info);
    gst_buffer_unref(buffer);
    drop_pool(pool);
  }
  const std::string caps = video_caps(kSystem, "UYVY", 33, 17);
  bench.negotiate(caps, video_caps(kCuda, "GRAY8", 0, 0));
  GstBufferPool *pool = proposed_pool(bench.harness(), caps.c_str());
  GstBuffer *buffer = pool_buffer(pool, video_info(GST_VIDEO_FORMAT_UYVY, 33, 17), 1);
  fail_if(is_cuda(buffer));
  gst_buffer_unref(buffer);
  drop_pool(pool);
  assert_clean();
}
GST_END_TEST

// The frames an element makes have sound planes, odd heights included.
GST_START_TEST(output_layouts) {
  for (const char *format : {"GRAY8", "NV12", "I420"})
    for (auto [width, height] : {std::pair{1, 1}, {33, 17}, {640, 357}}) {
      Bench bench("uyvy2y");
      bench.negotiate(video_caps(kSystem, "UYVY", width, height),
                      video_caps(kCuda, format, width, height));
      const GstVideoInfo in = video_info(GST_VIDEO_FORMAT_UYVY, width, height);
      fail_unless_equals_int(bench.push(system_buffer(in, 1)), GST_FLOW_OK);
      GstBuffer *output = bench.pull();
      check_layout(output, video_info(gst_video_format_from_string(format), width, height));
      gst_buffer_unref(output);
    }
  assert_clean();
}
GST_END_TEST

// Frames `first` to `last`. Up to `kept` of their outputs wait before they are looked at.
void run_frames(Bench &bench, GstBufferPool *pool, unsigned first, unsigned last, unsigned kept) {
  const GstVideoInfo in = video_info(GST_VIDEO_FORMAT_YVYU, 33, 17);
  const GstVideoInfo out = video_info(GST_VIDEO_FORMAT_GRAY8, 33, 17);
  unsigned looked_at = first;
  for (unsigned seed = first; seed <= last; seed++) {
    fail_unless_equals_int(bench.push(pool_buffer(pool, in, seed)), GST_FLOW_OK);
    for (; seed == last || looked_at + kept <= seed; looked_at++) {
      if (looked_at > last) break;
      GstBuffer *output = bench.pull();
      assert_luma(output, out, GST_VIDEO_FORMAT_YVYU, looked_at);
      gst_buffer_unref(output);
    }
  }
}

// A running stream makes nothing, in any mix of memories.
GST_START_TEST(steady_state) {
  for (const char *in : {kSystem, kCuda}) {
    for (const char *out : {kSystem, kCuda}) {
      Bench bench("uyvy2y backend=cuda");
      const std::string caps = video_caps(in, "YVYU", 33, 17);
      bench.negotiate(caps, video_caps(out, "GRAY8", 33, 17));
      GstBufferPool *pool = proposed_pool(bench.harness(), caps.c_str(), nullptr, 4);
      run_frames(bench, pool, 0, 59, 12);
      run_until_steady([&] { run_frames(bench, pool, 60, 159, 0); });
      fail_unless_equals_uint64(counts().launches, 100);
      drop_pool(pool);
    }
  }
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

static Suite *pools_suite() {
  register_elements();
  Suite *suite = suite_create("pools");
  TCase *tests = new_case(suite, "pools");
  tcase_add_test(tests, every_format);
  tcase_add_test(tests, named_formats);
  tcase_add_test(tests, interlaced_formats);
  tcase_add_test(tests, tiled_formats);
  tcase_add_test(tests, large_frames);
  tcase_add_test(tests, proposed_for_cuda_caps);
  tcase_add_test(tests, output_layouts);
  tcase_add_test(tests, steady_state);
  return suite;
}
SIMULATED_MAIN(pools)
