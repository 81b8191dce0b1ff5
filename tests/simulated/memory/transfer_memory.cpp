// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory for frames over the bus: who offers page-locked memory to whom, and what is made when.
#include <algorithm>
#include <string>

#include "../../support/elements/log.h"
#include "transfers.h"

using namespace simulated;

namespace {

// What an element offers upstream for system memory.
struct Offer {
  bool allocator, pool;
};
Offer offer_of(Bench &bench) {
  GstCaps *caps = gst_caps_from_string(kSystemGray.c_str());
  GstQuery *query = gst_query_new_allocation(caps, TRUE);
  fail_unless(gst_pad_peer_query(bench.harness()->srcpad, query));
  fail_unless(gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr));
  Offer offer{gst_query_get_n_allocation_params(query) > 0, false};
  if (offer.allocator) {
    GstAllocator *allocator = nullptr;
    gst_query_parse_nth_allocation_param(query, 0, &allocator, nullptr);
    GstBuffer *buffer = gst_buffer_new_allocate(allocator, 100, nullptr);
    fail_unless(is_page_locked(buffer));
    gst_buffer_unref(buffer);
    gst_object_unref(allocator);
  }
  gst_query_unref(query);
  gst_caps_unref(caps);
  GstBufferPool *pool = proposed_pool(bench.harness(), kSystemGray.c_str());
  GstBuffer *buffer = pool_buffer(pool, gray(), 1);
  offer.pool = is_page_locked(buffer);
  gst_buffer_unref(buffer);
  drop_pool(pool);
  return offer;
}

}  // namespace

// Only those who will upload offer page-locked memory.
GST_START_TEST(offered_upstream) {
  for (const char *backend : {"cuda", "cpu"}) {
    const std::string launch = std::string("coalesceinvert backend=") + backend;
    const bool cuda = g_str_equal(backend, "cuda");
    Bench bench(launch.c_str());
    bench.negotiate(kSystemGray, kSystemGray);
    const Offer offer = offer_of(bench);
    fail_unless(offer.allocator == cuda && offer.pool == cuda);
  }
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

// As any pool of video frames does, it makes room around the picture for those who ask.
GST_START_TEST(offered_with_alignment) {
  Bench bench(kSlow);
  bench.negotiate(kSystemGray, kSystemGray);
  GstBufferPool *pool = proposed_pool(bench.harness(), kSystemGray.c_str());
  gst_buffer_pool_set_active(pool, FALSE);
  GstVideoAlignment alignment;
  gst_video_alignment_reset(&alignment);
  alignment.padding_left = alignment.padding_top = 3;
  alignment.stride_align[0] = 31;
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT);
  gst_buffer_pool_config_set_video_alignment(config, &alignment);
  fail_unless(gst_buffer_pool_set_config(pool, config));
  fail_unless(gst_buffer_pool_set_active(pool, TRUE));
  GstBuffer *input = pool_buffer(pool, gray(), 5);
  fail_unless(is_page_locked(input));
  fail_unless(gst_buffer_get_video_meta(input)->stride[0] > kWidth);
  fail_unless_equals_int(bench.push(input), GST_FLOW_OK);
  check_next(bench, 5);
  drop_pool(pool);
  assert_clean();
}
GST_END_TEST

// Upstream's own memory is free again as soon as it has been pushed, and passes through a few
// buffers that are made once.
GST_START_TEST(staging) {
  Bench bench("coalesceinvert delay=3");
  for (int width : {kWidth, 33, kWidth}) {
    bench.negotiate(video_caps(kSystem, "GRAY8", width, kHeight), video_caps(kCuda, "GRAY8", 0, 0));
    fakecuda_reset_counts();
    for (unsigned seed = 1; seed <= 40; seed++) {
      GstBuffer *input = system_buffer(gray(width), seed);
      gst_buffer_ref(input);
      fail_unless_equals_int(bench.push(input), GST_FLOW_OK);
      fail_unless_equals_int(GST_MINI_OBJECT_REFCOUNT_VALUE(input), 1);
      gst_buffer_memset(input, 0, 0, gst_buffer_get_size(input));
      gst_buffer_unref(input);
    }
    const FakecudaCounts now = counts();
    fail_unless_equals_uint64(now.host_allocations, 3);
    fail_unless_equals_uint64(now.host_allocations_live, 3);
    fail_unless_equals_uint64(now.pageable_async_copies, 0);
    for (unsigned seed = 1; seed <= 40; seed++)
      check_next(bench, seed, 0xFF, width);
  }
  assert_clean();
}
GST_END_TEST

// Large frames are copied there by as many threads as the element may have, eight at most, and are
// the same.
GST_START_TEST(staging_by_threads) {
  constexpr int kWide = 400001;  // two rows are worth a thread
  const int cores = coalesce::usable_cores();
  struct {
    int n_threads, width, threads;
  } cases[] = {
      {1, kWide, 1}, {3, kWide, 3}, {3, 1, 3}, {100, kWide, 8}, {0, kWide, std::min(cores, 8)}};
  for (const auto &[n_threads, width, threads] : cases) {
    const Log log("coalesce*", GST_LEVEL_DEBUG);
    Bench bench(("coalesceinvert n-threads=" + std::to_string(n_threads)).c_str());
    bench.negotiate(video_caps(kSystem, "GRAY8", width, kHeight), video_caps(kCuda, "GRAY8", 0, 0));
    for (unsigned seed = 1; seed <= 4; seed++) {
      push(bench, seed, nullptr, width);
      check_next(bench, seed, 0xFF, width);
    }
    log.expect({("threads that fill staging buffers: " + std::to_string(threads)).c_str()});
  }
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

// Without page-locked memory all is as before, but for the speed: no error, right bytes.
GST_START_TEST(no_page_locked_memory) {
  fakecuda_fail_how(FAKECUDA_ALLOC_HOST, 1, 2, FAKECUDA_ALWAYS);
  {
    Bench bench("coalesceinvert delay=3");
    bench.negotiate(kSystemGray, kSystemGray);
    GstBufferPool *pool = proposed_pool(bench.harness(), kSystemGray.c_str());
    for (unsigned seed = 1; seed <= 20; seed++) {
      push(bench, seed, seed % 2 ? pool : nullptr);
      check_next(bench, seed);
    }
    fail_unless_equals_uint64(counts().host_allocations, 0);
    // Each is waited for twice, on its way in and out.
    fail_unless_equals_uint64(waits(bench), 40);
    fail_unless(bench.errors().empty());
    drop_pool(pool);
  }
  fakecuda_reset_faults();
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

// In a running stream nothing is made any more, in any mix of memories, ours or upstream's; and
// what has been made is no more than can be in flight, although the pools have no limit.
GST_START_TEST(steady_state) {
  for (const char *in : {kSystem, kCuda})
    for (const char *out : {kSystem, kCuda})
      for (bool own : {true, false}) {
        if (own && in == kCuda) continue;
        Bench bench("coalesceinvert delay=12");
        const std::string caps = in == kCuda ? kCudaGray : kSystemGray;
        bench.negotiate(caps, out == kCuda ? kCudaGray : kSystemGray);
        GstBufferPool *pool = own ? nullptr : proposed_pool(bench.harness(), caps.c_str());
        // At first the GPU is so slow that as much is in flight as ever will be.
        for (unsigned seed = 1; seed <= 60; seed++) {
          push(bench, seed, pool);
          gst_buffer_unref(bench.pull());
        }
        g_object_set(bench.element(), "delay", 2, nullptr);
        run_until_steady([&] {
          std::vector<GstBuffer *> kept;  // downstream holds a few
          for (unsigned seed = 1; seed <= 100; seed++) {
            push(bench, seed, pool);
            kept.push_back(bench.pull());
            if (kept.size() < 4) continue;
            assert_inverted(kept[0], gray(), seed - 3);
            gst_buffer_unref(kept[0]);
            kept.erase(kept.begin());
          }
          for (GstBuffer *buffer : kept)
            gst_buffer_unref(buffer);
        });
        const guint64 blocks = counts().host_allocations_live;
        fail_unless(blocks <= 24, "%" G_GUINT64_FORMAT " blocks", blocks);
        drop_pool(pool);
      }
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

// One element, up and down; what it made is gone every time, and what was in flight arrives.
GST_START_TEST(a_hundred_rounds) {
  Bench bench("coalesceinvert delay=20");
  for (unsigned round = 1; round <= 100; round++) {
    bench.negotiate(kSystemGray, kSystemGray);
    GstBufferPool *pool = proposed_pool(bench.harness(), kSystemGray.c_str());
    push(bench, 1, pool);
    push(bench, 2);
    drop_pool(pool);
    gst_element_set_state(bench.element(), GST_STATE_NULL);
    check_next(bench, 1);
    check_next(bench, 2);
    fail_unless(bench.errors().empty());
    const FakecudaCounts now = counts();
    fail_unless_equals_uint64(now.allocations_live + now.host_allocations_live, 0);
    fail_unless_equals_uint64(now.streams_live + now.events_live, 0);
    fail_unless(now.contexts_live <= 1);
    gst_element_set_state(bench.element(), GST_STATE_PLAYING);
    gst_harness_push_event(bench.harness(), gst_event_new_stream_start("again"));
  }
  assert_clean();
}
GST_END_TEST

static Suite *transfer_memory_suite() {
  register_elements();
  Suite *suite = suite_create("transfer_memory");
  TCase *tests = new_case(suite, "transfer_memory");
  tcase_add_test(tests, offered_upstream);
  tcase_add_test(tests, offered_with_alignment);
  tcase_add_test(tests, staging);
  tcase_add_test(tests, staging_by_threads);
  tcase_add_test(tests, no_page_locked_memory);
  tcase_add_test(tests, steady_state);
  tcase_add_test(tests, a_hundred_rounds);
  return suite;
}
SIMULATED_MAIN(transfer_memory)
