// SPDX-License-Identifier: LGPL-2.1-or-later
// Page-locked memory: ordinary memory to everyone, which the CPU does not touch before the GPU is
// done with it.
#include <cstring>

#include "../support.h"
#include "memory/pagelocked.h"
#include "memory/stagingring.h"

using namespace simulated;
using namespace coalesce::gst;

namespace {

constexpr gsize kBytes = 1000;

void fill_bytes(void *data, guint8 value) {
  std::memset(data, value, kBytes);
}

// A buffer of page-locked memory, a device picture of one row, and a stream on which nothing runs
// until someone waits.
struct Scene {
  GstCudaContext *context = new_context();
  std::shared_ptr<Counters> counters = std::make_shared<Counters>();
  AllocatorRef allocator = page_locked_allocator_new(context);
  std::unique_ptr<Stream> stream = new_stream();
  GstBuffer *device =
      plain_cuda_buffer(context, video_info(GST_VIDEO_FORMAT_RGBA, kBytes / 4, 1), 1);
  const guint64 of_others = counts().host_allocations_live;
  GstBuffer *buffer = gst_buffer_new_allocate(allocator.get(), kBytes, nullptr);

  Scene() {
    fail_unless(page_locked_fence(buffer) != nullptr);
    write(GST_MAP_WRITE, 1);
  }
  ~Scene() {
    gst_clear_buffer(&buffer);
    gst_clear_buffer(&device);
    stream.reset();
    allocator.reset();
    gst_object_unref(context);
    assert_clean();
    assert_nothing_lives();
  }
  Scene(const Scene &) = delete;
  Scene &operator=(const Scene &) = delete;

  std::unique_ptr<Stream> new_stream() {
    CUresult error = CUDA_SUCCESS;
    auto made = Stream::create(context, &error);
    fail_unless(made != nullptr);
    return made;
  }
  guint64 live() const { return counts().host_allocations_live - of_others; }
  void synchronize(Stream &which) {
    ContextScope scope(context);
    fail_unless_equals_int(which.synchronize(), CUDA_SUCCESS);
  }
  Fence &fence() { return *page_locked_fence(buffer); }

  // With gst_memory_map(), which no one else's reference to the buffer forbids.
  bool write(GstMapFlags flags, guint8 value) {
    GstMapInfo map;
    if (!gst_memory_map(gst_buffer_peek_memory(buffer, 0), &map, flags)) return false;
    fill_bytes(map.data, value);
    gst_memory_unmap(gst_buffer_peek_memory(buffer, 0), &map);
    return true;
  }
  // The first byte, or -1 if it cannot be had.
  static int read(GstBuffer *from, int flags = GST_MAP_READ) {
    GstMapInfo map;
    if (!gst_buffer_map(from, &map, static_cast<GstMapFlags>(flags))) return -1;
    const int byte = map.data[0];
    gst_buffer_unmap(from, &map);
    return byte;
  }
  int on_device() { return read(device, GST_MAP_READ | GST_MAP_CUDA); }

  void copy(const Stream &on, bool upload) {
    ContextScope scope(context);
    GstMapInfo host, gpu;
    const GstMapFlags ours = static_cast<GstMapFlags>(GST_MAP_READ | MAP_FENCED);
    fail_unless(gst_buffer_map(buffer, &host, ours));
    fail_unless(
        gst_buffer_map(device, &gpu, static_cast<GstMapFlags>(GST_MAP_READ | GST_MAP_CUDA)));
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = upload ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    copy.dstMemoryType = upload ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    copy.srcHost = copy.dstHost = host.data;
    copy.srcDevice = copy.dstDevice = reinterpret_cast<CUdeviceptr>(gpu.data);
    copy.WidthInBytes = copy.srcPitch = copy.dstPitch = kBytes;
    copy.Height = 1;
    gst_buffer_unmap(buffer, &host);
    gst_buffer_unmap(device, &gpu);
    fail_unless_equals_int(fence().order(on, upload ? GST_MAP_READ : GST_MAP_WRITE), CUDA_SUCCESS);
    fail_unless_equals_int(cuda_driver()->memcpy_2d_async(&copy, on.handle()), CUDA_SUCCESS);
    CUresult error = CUDA_SUCCESS;
    auto event = Event::create(context, &error, counters);
    fail_unless(event != nullptr && event->record(on) == CUDA_SUCCESS);
    if (upload)
      fence().read(std::move(event));
    else
      fence().written(std::move(event));
  }
  void upload() { copy(*stream, true); }
  void download() { copy(*stream, false); }
};

}  // namespace

GST_START_TEST(ordinary_memory) {
  Scene scene;
  fail_unless_equals_uint64(scene.live(), 1);
  GstMemory *memory = gst_buffer_peek_memory(scene.buffer, 0);
  fail_if(gst_is_cuda_memory(memory));
  fail_unless_equals_uint64(memory->size, kBytes);
  fail_unless_equals_int(Scene::read(scene.buffer), 1);
  // A copy is someone else's memory; a piece is the same.
  GstBuffer *copy = gst_buffer_copy_deep(scene.buffer);
  GstBuffer *piece = gst_buffer_copy_region(scene.buffer, GST_BUFFER_COPY_MEMORY, 10, 20);
  fail_unless(page_locked_fence(copy) == nullptr);
  fail_unless(page_locked_fence(piece) == &scene.fence());
  gst_buffer_memset(copy, 0, 9, kBytes);
  fail_unless_equals_int(Scene::read(piece), 1);
  fail_unless_equals_uint64(gst_buffer_get_size(piece), 20);
  gst_buffer_unref(copy);
  gst_clear_buffer(&scene.buffer);
  fail_unless_equals_int(Scene::read(piece), 1);
  fail_unless_equals_uint64(scene.live(), 1);
  gst_buffer_unref(piece);
  fail_unless_equals_uint64(scene.live(), 0);
}
GST_END_TEST

GST_START_TEST(allocation_parameters) {
  Scene scene;
  for (gsize align : {gsize{0}, gsize{63}, gsize{4095}, gsize{65535}}) {
    GstAllocationParams params;
    gst_allocation_params_init(&params);
    params.align = align;
    params.prefix = 100;
    params.padding = 33;
    params.flags =
        static_cast<GstMemoryFlags>(GST_MEMORY_FLAG_ZERO_PREFIXED | GST_MEMORY_FLAG_ZERO_PADDED);
    GstMemory *memory = gst_allocator_alloc(scene.allocator.get(), kBytes, &params);
    gsize offset = 0, maxsize = 0;
    fail_unless_equals_uint64(gst_memory_get_sizes(memory, &offset, &maxsize), kBytes);
    fail_unless_equals_uint64(offset, 100);
    fail_unless_equals_uint64(maxsize, 1133);
    GstMapInfo map;
    fail_unless(gst_memory_map(memory, &map, GST_MAP_WRITE));
    fail_unless_equals_uint64((reinterpret_cast<guintptr>(map.data) - 100) & align, 0);
    for (int i = 1; i <= 33; i++)
      fail_unless(map.data[-i] == 0 && map.data[kBytes - 1 + static_cast<gsize>(i)] == 0);
    fill_bytes(map.data, 7);
    gst_memory_unmap(memory, &map);
    gst_memory_unref(memory);
  }
  // Sizes that cannot be are refused and not wrapped around.
  GstAllocationParams params;
  gst_allocation_params_init(&params);
  params.padding = G_MAXSIZE - 10;
  fail_unless(gst_allocator_alloc(scene.allocator.get(), kBytes, &params) == nullptr);
}
GST_END_TEST

GST_START_TEST(none_to_be_had) {
  Scene scene;
  fakecuda_fail(FAKECUDA_ALLOC_HOST, 1, CUDA_ERROR_OUT_OF_MEMORY);
  GstBuffer *buffer = gst_buffer_new_allocate(scene.allocator.get(), kBytes, nullptr);
  fail_unless(buffer != nullptr && page_locked_fence(buffer) == nullptr);
  fail_unless_equals_uint64(gst_buffer_memset(buffer, 0, 5, kBytes), kBytes);
  gst_buffer_unref(buffer);
  // The ring does not try again with every frame.
  fakecuda_fail_how(FAKECUDA_ALLOC_HOST, 1, CUDA_ERROR_OUT_OF_MEMORY, FAKECUDA_ALWAYS);
  StagingRing ring(scene.allocator.get());
  const guint64 before = counts().injected_faults;
  for (int i = 0; i < 10; i++)
    fail_unless(ring.next(kBytes) == nullptr);
  fail_unless_equals_uint64(counts().injected_faults, before + 1);
  fakecuda_reset_faults();
  // Another size is another chance, and three buffers take turns.
  GstBuffer *first = ring.next(2 * kBytes), *second = ring.next(2 * kBytes),
            *third = ring.next(2 * kBytes);
  fail_unless(first && second && third && first != second && second != third && first != third);
  fail_unless(ring.next(2 * kBytes) == first && ring.next(2 * kBytes) == second);
}
GST_END_TEST

// The memory keeps its context, whoever else has let go of it.
GST_START_TEST(outlives_everything) {
  {
    GstCudaContext *context = new_context();
    AllocatorRef allocator = page_locked_allocator_new(context);
    GstBuffer *buffer = gst_buffer_new_allocate(allocator.get(), kBytes, nullptr);
    allocator.reset();
    gst_object_unref(context);
    fail_unless_equals_uint64(counts().contexts_live, 1);
    fail_unless_equals_uint64(gst_buffer_memset(buffer, 0, 5, kBytes), kBytes);
    gst_buffer_unref(buffer);
  }
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

// A writer that claims to order himself, and does not, changes what arrives: so all that follows
// is not for nothing.
GST_START_TEST(detects_writing_too_early) {
  Scene scene;
  scene.upload();
  fail_unless(scene.write(static_cast<GstMapFlags>(GST_MAP_WRITE | MAP_FENCED), 2));
  scene.synchronize(*scene.stream);
  fail_unless_equals_int(scene.on_device(), 2);
}
GST_END_TEST

GST_START_TEST(detects_reading_too_early) {
  Scene scene;
  scene.upload();
  fail_unless(scene.write(GST_MAP_WRITE, 2));
  scene.download();
  fail_unless_equals_int(Scene::read(scene.buffer, GST_MAP_READ | MAP_FENCED), 2);
  fail_unless_equals_int(Scene::read(scene.buffer), 1);
}
GST_END_TEST

GST_START_TEST(writers_wait_for_uploads) {
  Scene scene;
  scene.upload();
  // A reader need not.
  fail_unless_equals_int(Scene::read(scene.buffer), 1);
  fail_unless_equals_uint64(scene.counters->synchronizations, 0);
  fail_unless(scene.write(GST_MAP_READWRITE, 2));
  fail_unless_equals_uint64(scene.counters->synchronizations, 1);
  fail_unless_equals_int(scene.on_device(), 1);
  fail_unless(scene.write(GST_MAP_WRITE, 3));
  fail_unless_equals_uint64(scene.counters->synchronizations, 1);
}
GST_END_TEST

// Two elements behind a tee.
GST_START_TEST(writers_wait_for_all_uploads) {
  Scene scene;
  auto other = scene.new_stream();
  scene.upload();
  scene.copy(*other, true);
  scene.upload();
  fail_unless(scene.write(GST_MAP_WRITE, 2));
  fail_unless_equals_uint64(scene.counters->synchronizations, 2);
  fail_unless_equals_uint64(counts().pending, 0);
  fail_unless_equals_int(scene.on_device(), 1);
}
GST_END_TEST

GST_START_TEST(pieces_wait_too) {
  Scene scene;
  scene.upload();
  fail_unless(scene.write(GST_MAP_WRITE, 2));
  scene.download();
  GstBuffer *piece = gst_buffer_copy_region(scene.buffer, GST_BUFFER_COPY_MEMORY, 0, 20);
  fail_unless_equals_int(Scene::read(piece), 1);
  gst_buffer_unref(piece);
}
GST_END_TEST

// On the GPU's side: a stream that fills what another still reads, and one that reads what another
// still fills, come after it, and the CPU waits for none.
GST_START_TEST(streams_are_ordered) {
  for (bool upload : {false, true}) {
    Scene scene;
    auto other = scene.new_stream();
    scene.copy(*scene.stream, upload);
    scene.copy(*other, !upload);
    fail_unless_equals_uint64(scene.counters->synchronizations, 0);
    // Whoever forces the second has the first done.
    scene.synchronize(*other);
    fail_unless_equals_uint64(counts().pending, 0);
  }
}
GST_END_TEST

GST_START_TEST(freed_in_flight) {
  for (bool upload : {false, true}) {
    Scene scene;
    scene.copy(*scene.stream, upload);
    gst_clear_buffer(&scene.buffer);
    fail_unless_equals_uint64(scene.live(), 0);
    fail_unless_equals_uint64(scene.counters->synchronizations, 1);
  }
}
GST_END_TEST

// No one gets to see memory of which nothing is known, and it is given back all the same.
GST_START_TEST(lost_device) {
  Scene scene;
  scene.download();
  fakecuda_fail_how(FAKECUDA_QUERY, 1, 77, FAKECUDA_LOST);
  fail_unless_equals_int(Scene::read(scene.buffer), -1);
  fail_if(scene.write(GST_MAP_WRITE, 2));
  fail_unless_equals_int(Scene::read(scene.buffer, GST_MAP_READ | MAP_FENCED), 1);
  gst_clear_buffer(&scene.buffer);
  GstBuffer *buffer = gst_buffer_new_allocate(scene.allocator.get(), kBytes, nullptr);
  fail_unless(page_locked_fence(buffer) == nullptr);
  gst_buffer_unref(buffer);
  fakecuda_reset_faults();
  fail_unless_equals_uint64(scene.live(), 0);
}
GST_END_TEST

static Suite *page_locked_suite() {
  Suite *suite = suite_create("pagelocked");
  TCase *tests = new_case(suite, "pagelocked");
  tcase_add_test(tests, ordinary_memory);
  tcase_add_test(tests, allocation_parameters);
  tcase_add_test(tests, none_to_be_had);
  tcase_add_test(tests, outlives_everything);
  tcase_add_test(tests, detects_writing_too_early);
  tcase_add_test(tests, detects_reading_too_early);
  tcase_add_test(tests, writers_wait_for_uploads);
  tcase_add_test(tests, writers_wait_for_all_uploads);
  tcase_add_test(tests, pieces_wait_too);
  tcase_add_test(tests, streams_are_ordered);
  tcase_add_test(tests, freed_in_flight);
  tcase_add_test(tests, lost_device);
  return suite;
}
SIMULATED_MAIN(page_locked)
