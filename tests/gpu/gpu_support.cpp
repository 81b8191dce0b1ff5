// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gpu_support.h"

#include <gmodule.h>
#include <gst/cuda/cuda-gst.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "../support/random.h"

namespace gpu_test {

void require_gpu() {
  int devices = 0;
  if (gst_cuda_load_library() && CuInit(0) == CUDA_SUCCESS &&
      CuDeviceGetCount(&devices) == CUDA_SUCCESS && devices > 0)
    return;
  const bool must = g_strcmp0(g_getenv("COALESCE_REQUIRE_GPU"), "1") == 0;
  g_print("%s: no CUDA device can be used on this machine\n", must ? "FAILED" : "SKIP");
  std::exit(must ? 1 : kSkip);
}

DeviceMemory device_memory(GstCudaContext *context) {
  using Ask = CUresult (*)(std::size_t * free, std::size_t * total);
  gpointer ask = nullptr;
  DeviceMemory memory;
  GModule *driver = g_module_open("libcuda.so.1", G_MODULE_BIND_LAZY);
  if (driver == nullptr || !g_module_symbol(driver, "cuMemGetInfo_v2", &ask)) return memory;
  if (!gst_cuda_context_push(context)) return memory;
  if (reinterpret_cast<Ask>(ask)(&memory.free, &memory.total) != CUDA_SUCCESS) memory = {};
  gst_cuda_context_pop(nullptr);
  g_module_close(driver);
  return memory;
}

std::string caps_text(const char *format, int width, int height, bool cuda) {
  return video_caps(cuda ? kCuda : kSystem, format, possible_width(format, width), height);
}

void share_context(GstElement *element) {
  static GstContext *shared = gst_context_new_cuda_context(gst_cuda_context_new(0));
  gst_element_set_context(element, shared);
}

GstHarness *harness(const char *launch_line, const std::string &in_caps,
                    const std::string &out_caps, Context context) {
  GError *error = nullptr;
  GstElement *bin = gst_parse_bin_from_description(at_work(launch_line).c_str(), TRUE, &error);
  fail_unless(error == nullptr, "%s: %s", launch_line, error->message);
  if (context == Context::shared) share_context(bin);
  GstHarness *h = gst_harness_new_with_element(bin, "sink", "src");
  gst_object_unref(bin);
  gst_harness_set_sink_caps_str(h, out_caps.c_str());
  gst_harness_set_src_caps_str(h, in_caps.c_str());
  return h;
}

GstBufferPool *proposed_pool(GstHarness *h) {
  return test::proposed_pool(h, text_of(current_caps(h->srcpad).get()).c_str());
}

void write_picture(GstBuffer *buffer, const GstVideoInfo &info, const Bytes &bytes) {
  const guint8 *next = bytes.data();
  fail_unless(each_row(buffer, info, GST_MAP_WRITE, [&](int plane, int, guint8 *row) {
    const int count = row_bytes(info, plane);
    std::copy_n(next, count, row);
    next += count;
  }));
  fail_unless(next == bytes.data() + bytes.size());
}

void write_plane(GstBuffer *buffer, GstCaps *caps, int plane, const Bytes &bytes, std::size_t row) {
  const GstVideoInfo info = video_info(text_of(caps));
  fail_unless(each_row(buffer, info, GST_MAP_WRITE, [&](int p, int y, guint8 *target) {
    if (p == plane) std::memcpy(target, bytes.data() + std::size_t(y) * row, row);
  }));
}

Bytes random_bytes(std::size_t count, unsigned seed) {
  auto generator = coalesce::test::random_of_run(seed);
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; i += sizeof(guint64)) {
    const guint64 bits = generator.bits();
    std::memcpy(&bytes[i], &bits, std::min(sizeof(bits), count - i));
  }
  return bytes;
}

void paint(GstBuffer *buffer, const GstVideoInfo &info, unsigned picture) {
  unsigned seed = 5000 * picture;
  fail_unless(each_row(buffer, info, GST_MAP_WRITE, [&](int plane, int, guint8 *row) {
    const Bytes random = random_bytes(std::size_t(row_bytes(info, plane)), seed++);
    std::copy(random.begin(), random.end(), row);
  }));
}

Side::Side(const std::string &line, const CapsPair &caps)
    : harness_(harness(line.c_str(), caps.in, caps.out, Context::shared)),
      pool_(proposed_pool(harness_)) {
  fail_unless(pool_ != nullptr, "no pool from %s", line.c_str());
}

Side::~Side() {
  drop_pool(pool_);
  gst_harness_teardown(harness_);
}

BufferRef Side::frame(unsigned picture) const {
  BufferRef buffer(acquire(pool_));
  paint(buffer.get(), video_info(text_of(current_caps(harness_->srcpad).get())), picture);
  return buffer;
}

void Side::push(const BufferRef &frame) const {
  fail_unless_equals_int(gst_harness_push(harness_, gst_buffer_ref(frame.get())), GST_FLOW_OK);
}

Bytes Side::pull() const {
  const BufferRef buffer(gst_harness_pull(harness_));
  fail_unless(buffer != nullptr, "no frame");
  return picture(buffer.get(), video_info(text_of(current_caps(harness_->sinkpad).get())));
}

void Twins::expect_same_frames(const std::string &what) const {
  const Bytes got = gpu.pull(), expected = cpu.pull();
  fail_unless_equals_uint64(got.size(), expected.size());
  const auto first = std::mismatch(got.begin(), got.end(), expected.begin()).first - got.begin();
  fail_unless(got == expected, "byte %zd of %zu: %s", first, got.size(), what.c_str());
}

void compare_with_cpu(const std::string &element, const CapsPair &gpu, const CapsPair &cpu,
                      int frames) {
  const Twins twins(element, gpu, cpu);
  for (int i = 0; i < frames; i++)
    for (const Side *side : {&twins.gpu, &twins.cpu})
      side->push(side->frame(static_cast<unsigned>(i)));
  for (int i = 0; i < frames; i++)
    twins.expect_same_frames(element + ", frame " + std::to_string(i) + ", " + gpu.in + " to " +
                             gpu.out);
}

int run_anywhere(int *argc, char ***argv, const char *name, void (*add_tests)(TCase *)) {
  // A CUDA context does not survive a fork.
  g_setenv("CK_FORK", "no", TRUE);
  gst_check_init(argc, argv);
  Suite *suite = suite_create(name);
  add_tests(new_case(suite, "gpu"));
  return run_suite(suite, name);
}

int run(int *argc, char ***argv, const char *name, void (*add_tests)(TCase *)) {
  gst_init(argc, argv);
  require_gpu();
  return run_anywhere(argc, argv, name, add_tests);
}

}  // namespace gpu_test
