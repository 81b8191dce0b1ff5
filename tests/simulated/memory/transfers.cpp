// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames over the bus: who waits for what, and who need not.
#include <algorithm>

#include "memory/fence.h"
#include "transfers.h"

using namespace simulated;
using namespace coalesce::gst;

// Neither copied on the CPU nor waited for, in or out.
GST_START_TEST(our_pools_both_ways) {
  Bench bench(kSlow);
  bench.negotiate(kSystemGray, kSystemGray);
  GstBufferPool *pool = proposed_pool(bench.harness(), kSystemGray.c_str());
  std::vector<GstBuffer *> inputs;
  for (unsigned seed = 1; seed <= 4; seed++)
    inputs.push_back(pool_buffer(pool, gray(), seed));
  fakecuda_reset_counts();
  for (GstBuffer *input : inputs)
    fail_unless_equals_int(bench.push(input), GST_FLOW_OK);
  const FakecudaCounts now = counts();
  fail_unless_equals_uint64(now.pageable_async_copies, 0);
  fail_unless_equals_uint64(
      now.stream_syncs + now.event_syncs + now.context_syncs + now.implicit_syncs, 0);
  fail_unless_equals_uint64(now.copies_htod, 4);
  fail_unless_equals_uint64(now.copies_dtoh, 4);
  // The pool's and the outputs; no staging.
  fail_unless_equals_uint64(now.host_allocations_live, 4 + 4);
  fail_unless_equals_uint64(waits(bench), 0);
  for (unsigned seed = 1; seed <= 4; seed++) {
    check_next(bench, seed);
    fail_unless_equals_uint64(waits(bench), seed);
  }
  fail_unless_equals_uint64(stat(bench.element(), "uploads"), 4);
  fail_unless_equals_uint64(stat(bench.element(), "downloads"), 4);
  drop_pool(pool);
  assert_clean();
}
GST_END_TEST

// Who looks at an output as if it were finished sees that it is not.
GST_START_TEST(detects_reading_too_early) {
  Bench bench(kSlow);
  bench.negotiate(kSystemGray, kSystemGray);
  push(bench, 1);
  GstBuffer *output = bench.pull();
  fail_unless(is_page_locked(output));
  fail_if(wrong_inverted(output, gray(), 1, GST_MAP_READ | MAP_FENCED).empty());
  fail_unless_equals_uint64(waits(bench), 0);
  assert_inverted(output, gray(), 1);
  fail_unless_equals_uint64(waits(bench), 1);
  assert_inverted(output, gray(), 1);
  fail_unless_equals_uint64(waits(bench), 1);
  gst_buffer_unref(output);
}
GST_END_TEST

// The GPU gets to this buffer only when it has done much else.
void delay_gpu(GstBuffer *buffer, GstCudaContext *context, Stream &stream) {
  ContextScope scope(context);
  for (int i = 0; i < 2000; i++)
    fakecuda_launch(
        stream.handle(), [](void *) {}, nullptr, nullptr);
  CUresult error = CUDA_SUCCESS;
  auto event = Event::create(context, &error);
  fail_unless(event != nullptr && event->record(stream) == CUDA_SUCCESS);
  page_locked_fence(buffer)->written(event);
}

// Someone writes into the memory of an input that is still being uploaded: he waits, and only if he
// did not would the picture be his.
GST_START_TEST(inputs_are_written_again) {
  GstCudaContext *context = new_context();
  CUresult error = CUDA_SUCCESS;
  auto stream = Stream::create(context, &error);
  for (bool waits_for_us : {true, false}) {
    Bench bench(kSlow);
    give_context(bench.element(), context);
    bench.negotiate(kSystemGray, kCudaGray);
    GstBufferPool *pool = proposed_pool(bench.harness(), kSystemGray.c_str());
    GstBuffer *input = pool_buffer(pool, gray(), 3);
    delay_gpu(input, context, *stream);
    GstMemory *memory = gst_buffer_get_memory(input, 0);
    fail_unless_equals_int(bench.push(input), GST_FLOW_OK);
    const int flags = int(GST_MAP_WRITE) | (waits_for_us ? 0 : int(MAP_FENCED));
    GstMapInfo map;
    fail_unless(gst_memory_map(memory, &map, static_cast<GstMapFlags>(flags)));
    std::fill_n(map.data, map.size, guint8{0});
    gst_memory_unmap(memory, &map);
    gst_memory_unref(memory);
    // None if this thread was kept from running until the upload was over.
    fail_unless(waits(bench) <= (waits_for_us ? 1 : 0));
    GstBuffer *output = bench.pull();
    fail_unless(wrong_inverted(output, gray(), 3).empty() == waits_for_us);
    gst_buffer_unref(output);
    drop_pool(pool);
    assert_clean();
  }
  stream.reset();
  gst_object_unref(context);
}
GST_END_TEST

// An output comes back while someone's GPU still reads it: what comes next does not overwrite it.
GST_START_TEST(outputs_are_filled_when_read) {
  GstCudaContext *context = new_context();
  CUresult error = CUDA_SUCCESS;
  auto stream = Stream::create(context, &error);
  struct Reader {
    const guint8 *from;
    guint8 byte;
  } reader{};
  {
    Bench bench("coalesceinvert");
    give_context(bench.element(), context);
    bench.negotiate(kSystemGray, kSystemGray);
    push(bench, 1);
    GstBuffer *output = bench.pull();
    GstMemory *memory = gst_buffer_get_memory(output, 0);
    GstMapInfo map;
    fail_unless(gst_memory_map(memory, &map, GST_MAP_READ));
    reader.from = map.data;
    gst_memory_unmap(memory, &map);
    {
      ContextScope scope(context);
      fakecuda_launch(
          stream->handle(),
          [](void *arg) { static_cast<Reader *>(arg)->byte = *static_cast<Reader *>(arg)->from; },
          &reader, nullptr);
      auto event = Event::create(context, &error);
      fail_unless(event != nullptr && event->record(*stream) == CUDA_SUCCESS);
      page_locked_fence(output)->read(event);
    }
    gst_buffer_unref(output);
    push(bench, 2);
    output = bench.pull();
    fail_unless(gst_buffer_peek_memory(output, 0) == memory);
    assert_inverted(output, gray(), 2);
    gst_buffer_unref(output);
    gst_memory_unref(memory);
    fail_unless_equals_int(reader.byte, guint8(~sample(1, 0, 0, 0)));
  }
  stream.reset();
  gst_object_unref(context);
  assert_clean();
}
GST_END_TEST

// From one element of ours to the next through system memory: the second uploads what the first
// has not downloaded yet, and nobody waits.
GST_START_TEST(through_system_memory) {
  Bench bench("coalesceinvert name=a delay=300 ! video/x-raw ! coalesceinvert name=b");
  bench.negotiate(kSystemGray, kSystemGray);
  GstElement *elements[] = {gst_bin_get_by_name(GST_BIN(bench.element()), "a"),
                            gst_bin_get_by_name(GST_BIN(bench.element()), "b")};
  GstBufferPool *pool = proposed_pool(bench.harness(), kSystemGray.c_str());
  fakecuda_reset_counts();
  for (unsigned seed = 1; seed <= 4; seed++)
    push(bench, seed, pool);
  fail_unless_equals_uint64(counts().pageable_async_copies, 0);
  fail_unless_equals_uint64(counts().stalls, 0);
  for (GstElement *element : elements) {
    fail_unless_equals_uint64(stat(element, "uploads"), 4);
    fail_unless_equals_uint64(stat(element, "downloads"), 4);
    fail_unless_equals_uint64(stat(element, "synchronizations"), 0);
  }
  for (unsigned seed = 1; seed <= 4; seed++)
    check_next(bench, seed, 0);
  for (GstElement *element : elements)
    gst_object_unref(element);
  drop_pool(pool);
  assert_clean();
}
GST_END_TEST

// Two elements fetch the same memory; the pool gets it back when both have it.
GST_START_TEST(through_a_tee) {
  Bench bench(
      "tee name=t  t. ! queue ! coalesceinvert delay=20 ! video/x-raw(memory:CUDAMemory) ! "
      "fakesink async=false sync=false  t. ! queue ! coalesceinvert backend=cuda ! identity");
  Bench lender(kSlow);
  lender.negotiate(kSystemGray, kSystemGray);
  GstBufferPool *pool = proposed_pool(lender.harness(), kSystemGray.c_str(), nullptr, 2);
  bench.negotiate(kSystemGray, kSystemGray);
  for (unsigned seed = 1; seed <= 12; seed++) {
    push(bench, seed, pool);
    check_next(bench, seed);
  }
  drop_pool(pool);
  fail_unless(bench.errors().empty());
  assert_clean();
}
GST_END_TEST

static Suite *transfers_suite() {
  register_elements();
  Suite *suite = suite_create("transfers");
  TCase *tests = new_case(suite, "transfers");
  tcase_add_test(tests, our_pools_both_ways);
  tcase_add_test(tests, detects_reading_too_early);
  tcase_add_test(tests, inputs_are_written_again);
  tcase_add_test(tests, outputs_are_filled_when_read);
  tcase_add_test(tests, through_system_memory);
  tcase_add_test(tests, through_a_tee);
  return suite;
}
SIMULATED_MAIN(transfers)
