// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gpu_support.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#define GST_USE_UNSTABLE_API
#include <gst/cuda/cuda-gst.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudautils.h>

namespace gpu_test {

void require_gpu() {
  int devices = 0;
  if (gst_cuda_load_library() && CuInit(0) == CUDA_SUCCESS &&
      CuDeviceGetCount(&devices) == CUDA_SUCCESS && devices > 0)
    return;
  const char *required = std::getenv("COALESCE_REQUIRE_GPU");
  const bool must = required != nullptr && std::strcmp(required, "1") == 0;
  g_print("%s: no CUDA device can be used on this machine\n", must ? "FAILED" : "SKIP");
  std::exit(must ? 1 : kSkip);
}

std::string caps_text(const char *format, int width, int height, bool cuda) {
  return std::string(cuda ? "video/x-raw(memory:CUDAMemory)" : "video/x-raw") +
         ",format=" + format + ",width=" + std::to_string(width) +
         ",height=" + std::to_string(height) + ",framerate=30/1";
}

GstHarness *harness(const char *launch_line, const std::string &in_caps,
                    const std::string &out_caps, Context context) {
  GstElement *bin = gst_parse_bin_from_description(launch_line, TRUE, nullptr);
  if (context == Context::shared) {
    static GstContext *shared = gst_context_new_cuda_context(gst_cuda_context_new(0));
    gst_element_set_context(bin, shared);
  }
  GstHarness *h = gst_harness_new_with_element(bin, "sink", "src");
  gst_object_unref(bin);
  gst_harness_set_sink_caps_str(h, out_caps.c_str());
  gst_harness_set_src_caps_str(h, in_caps.c_str());
  return h;
}

GstBufferPool *proposed_pool(GstHarness *h) {
  GstCaps *caps = gst_pad_get_current_caps(h->srcpad);
  GstQuery *query = gst_query_new_allocation(caps, TRUE);
  gst_caps_unref(caps);
  GstBufferPool *pool = nullptr;
  if (gst_pad_peer_query(h->srcpad, query) && gst_query_get_n_allocation_pools(query) > 0)
    gst_query_parse_nth_allocation_pool(query, 0, &pool, nullptr, nullptr, nullptr);
  gst_query_unref(query);
  if (pool != nullptr) gst_buffer_pool_set_active(pool, TRUE);
  return pool;
}

GstBuffer *acquire(GstBufferPool *pool) {
  GstBuffer *buffer = nullptr;
  fail_unless_equals_int(gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr), GST_FLOW_OK);
  return buffer;
}

void drop_pool(GstBufferPool *pool) {
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
}

namespace {

// Calls use(data, stride, rows) on a plane mapped for the CPU.
template <class Use>
void with_plane(GstBuffer *buffer, GstCaps *caps, guint plane, GstMapFlags flags, Use use) {
  GstVideoInfo info;
  GstVideoFrame frame;
  if (!gst_video_info_from_caps(&info, caps) || !gst_video_frame_map(&frame, &info, buffer, flags))
    g_error("a frame of %" GST_PTR_FORMAT " could not be mapped", caps);
  const gint rows = GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(info.finfo, plane, info.height);
  use(static_cast<std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane)),
      GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane), rows);
  gst_video_frame_unmap(&frame);
}

}  // namespace

void write_plane(GstBuffer *buffer, GstCaps *caps, guint plane,
                 const std::vector<std::uint8_t> &bytes, std::size_t row) {
  with_plane(buffer, caps, plane, GST_MAP_WRITE, [&](std::uint8_t *data, int stride, int rows) {
    for (int y = 0; y < rows; y++)
      std::memcpy(data + std::size_t(y) * stride, bytes.data() + y * row, row);
  });
}

std::vector<std::uint8_t> read_plane(GstBuffer *buffer, GstCaps *caps, guint plane,
                                     std::size_t row) {
  std::vector<std::uint8_t> bytes;
  with_plane(buffer, caps, plane, GST_MAP_READ, [&](std::uint8_t *data, int stride, int rows) {
    bytes.resize(row * rows);
    for (int y = 0; y < rows; y++)
      std::memcpy(bytes.data() + y * row, data + std::size_t(y) * stride, row);
  });
  return bytes;
}

std::vector<std::uint8_t> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<std::uint8_t> bytes(count);
  for (auto &byte : bytes)
    byte = static_cast<std::uint8_t>(generator());
  return bytes;
}

namespace {

GstVideoInfo info_of(GstPad *pad) {
  GstVideoInfo info;
  GstCaps *caps = gst_pad_get_current_caps(pad);
  fail_unless(caps != nullptr && gst_video_info_from_caps(&info, caps));
  gst_caps_unref(caps);
  return info;
}

// Calls visit(row, bytes) for every row of every plane, the last chroma row of the odd field too.
template <class Visit>
void each_row(GstBuffer *buffer, const GstVideoInfo &info, GstMapFlags flags, Visit visit) {
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &info, buffer, flags)) g_error("a frame could not be mapped");
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&info); p++) {
    gint component[GST_VIDEO_MAX_COMPONENTS];
    gst_video_format_info_component(info.finfo, p, component);
    int rows = GST_VIDEO_INFO_COMP_HEIGHT(&info, component[0]), bytes = 0;
    if (rows < info.height && GST_VIDEO_INFO_IS_INTERLACED(&info)) rows = GST_ROUND_UP_2(rows);
    for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(&info); c++)
      if (GST_VIDEO_INFO_COMP_PLANE(&info, c) == p)
        bytes = std::max(
            bytes, GST_VIDEO_INFO_COMP_WIDTH(&info, c) * GST_VIDEO_INFO_COMP_PSTRIDE(&info, c));
    if (GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_v210)  // six pixels in four words
      bytes = (info.width + 5) / 6 * 16;
    for (int y = 0; y < rows; y++)
      visit(static_cast<std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p)) +
                std::size_t(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p),
            std::size_t(bytes));
  }
  gst_video_frame_unmap(&frame);
}

}  // namespace

std::vector<std::uint8_t> bytes_of(GstBuffer *buffer, const GstVideoInfo &info) {
  std::vector<std::uint8_t> all;
  each_row(buffer, info, GST_MAP_READ, [&all](std::uint8_t *row, std::size_t bytes) {
    all.insert(all.end(), row, row + bytes);
  });
  return all;
}

void write_rows(GstBuffer *buffer, const GstVideoInfo &info, const WriteRow &write) {
  each_row(buffer, info, GST_MAP_WRITE, write);
}

guint64 statistic(GstElement *element, const char *name) {
  GstStructure *stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  guint64 value = 0;
  fail_unless(gst_structure_get_uint64(stats, name, &value));
  gst_structure_free(stats);
  return value;
}

Twins::Twins(const std::string &element, const CapsPair &gpu, const CapsPair &cpu) {
  const struct {
    const char *backend;
    const CapsPair &caps;
  } wanted[2] = {{"cuda", gpu}, {"cpu", cpu}};
  for (int i = 0; i < 2; i++) {
    const auto &[backend, caps] = wanted[i];
    const std::string line = element + " backend=" + backend;
    sides_[i].harness = harness(line.c_str(), caps.in, caps.out, Context::shared);
    sides_[i].pool = proposed_pool(sides_[i].harness);
    fail_unless(sides_[i].pool != nullptr, "no pool from %s", line.c_str());
  }
}

Twins::~Twins() {
  for (const Side &side : sides_) {
    drop_pool(side.pool);
    gst_harness_teardown(side.harness);
  }
}

GstBuffer *Twins::random_frame(const Side &side, unsigned seed) const {
  GstBuffer *buffer = acquire(side.pool);
  const GstVideoInfo info = info_of(side.harness->srcpad);
  write_rows(buffer, info, [&seed](std::uint8_t *row, std::size_t bytes) {
    const auto random = random_bytes(bytes, seed++);
    std::copy(random.begin(), random.end(), row);
  });
  return buffer;
}

void Twins::expect_same_frames(const std::string &what) const {
  std::vector<std::uint8_t> bytes[2];
  for (int i = 0; i < 2; i++) {
    GstBuffer *buffer = gst_harness_pull(sides_[i].harness);
    fail_unless(buffer != nullptr, "no frame: %s", what.c_str());
    bytes[i] = bytes_of(buffer, info_of(sides_[i].harness->sinkpad));
    gst_buffer_unref(buffer);
  }
  const auto &[gpu, cpu] = bytes;
  fail_unless_equals_uint64(gpu.size(), cpu.size());
  const auto first = std::mismatch(gpu.begin(), gpu.end(), cpu.begin()).first - gpu.begin();
  fail_unless(gpu == cpu, "byte %zd of %zu: %s", first, gpu.size(), what.c_str());
}

void compare_with_cpu(const std::string &element, const CapsPair &gpu, const CapsPair &cpu,
                      int frames) {
  const Twins twins(element, gpu, cpu);
  for (int i = 0; i < frames; i++)
    for (const Twins::Side &side : twins.sides()) {
      GstBuffer *frame = twins.random_frame(side, 1000u * static_cast<unsigned>(i));
      fail_unless_equals_int(gst_harness_push(side.harness, frame), GST_FLOW_OK);
    }
  for (int i = 0; i < frames; i++)
    twins.expect_same_frames(element + ", frame " + std::to_string(i) + ", " + gpu.in + " to " +
                             gpu.out);
}

namespace {

int run_suite(const char *name, void (*add_tests)(TCase *)) {
  // A CUDA context does not survive a fork.
  g_setenv("CK_FORK", "no", TRUE);
  Suite *suite = suite_create(name);
  TCase *tests = tcase_create("gpu");
  tcase_set_timeout(tests, 120);
  add_tests(tests);
  suite_add_tcase(suite, tests);
  return gst_check_run_suite(suite, name, name);
}

}  // namespace

int run(int *argc, char ***argv, const char *name, void (*add_tests)(TCase *)) {
  gst_check_init(argc, argv);
  require_gpu();
  return run_suite(name, add_tests);
}

int run_anywhere(int *argc, char ***argv, const char *name, void (*add_tests)(TCase *)) {
  gst_check_init(argc, argv);
  return run_suite(name, add_tests);
}

}  // namespace gpu_test
