// SPDX-License-Identifier: LGPL-2.1-or-later
// A driver that fails while frames go over the bus from and to page-locked memory: at most one
// error, no wrong frame, nothing left, and all is well again after a restart. (Frames in upstream's
// own memory are in faults.cpp.)
#include "../classes/elements.h"
#include "../driver_faults.h"

using namespace simulated;

namespace {

constexpr unsigned kFrames = 3;
const std::string kSystemGray = video_caps(kSystem, "GRAY8", 34, 5);

constexpr struct {
  FakecudaFunction function;
  const char *name;
} kFunctions[] = {
    {FAKECUDA_ALLOC_HOST, "alloc_host"},
    {FAKECUDA_ALLOC_PITCH, "alloc_pitch"},
    {FAKECUDA_COPY, "copy"},
    {FAKECUDA_STREAM_CREATE, "stream_create"},
    {FAKECUDA_STREAM_WAIT, "stream_wait"},
    {FAKECUDA_EVENT_CREATE, "event_create"},
    {FAKECUDA_EVENT_RECORD, "event_record"},
    {FAKECUDA_QUERY, "query"},
    {FAKECUDA_SYNCHRONIZE, "synchronize"},
    {FAKECUDA_EXECUTE, "execute"},
};

GstVideoInfo gray() {
  return video_info(GST_VIDEO_FORMAT_GRAY8, 34, 5);
}

// As an upstream fills it: not at all if it cannot be had or mapped.
GstBuffer *filled(GstBufferPool *pool, unsigned seed) {
  GstBuffer *buffer = nullptr;
  if (gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr) != GST_FLOW_OK) return nullptr;
  GstMapInfo map;
  if (!gst_buffer_map(buffer, &map, GST_MAP_WRITE)) {
    gst_buffer_unref(buffer);
    return nullptr;
  }
  gst_buffer_unmap(buffer, &map);
  fill(buffer, gray(), seed);
  return buffer;
}

// Frames until the first that fails, with one error if it was refused. How many came out, each
// right or not to be had.
unsigned pass(Bench &bench, GstBufferPool *pool, bool all_right, const std::string &what) {
  unsigned passed = 0;
  bool refused = false;
  for (unsigned seed = 1; seed <= kFrames && !refused; seed++) {
    GstBuffer *input = filled(pool, seed);
    if (input == nullptr) break;
    refused = bench.push(input) != GST_FLOW_OK;
    if (!refused) passed++;
  }
  const std::size_t errors = bench.errors().size();
  fail_unless(errors == (refused ? 1 : 0), "%s: %zu errors", what.c_str(), errors);
  for (unsigned seed = 1; seed <= passed; seed++) {
    GstBuffer *output = bench.pull();
    const std::string wrong = wrong_inverted(output, gray(), seed);
    fail_unless(wrong.empty() || (!all_right && wrong == "the frame could not be mapped"), "%s: %s",
                what.c_str(), wrong.c_str());
    gst_buffer_unref(output);
  }
  fail_unless_equals_uint64(gst_harness_buffers_in_queue(bench.harness()), 0);
  return passed;
}

// Was the fault met?
bool check_fault(FakecudaFunction function, int nth, FakecudaFault how, const std::string &what) {
  const guint64 before = counts().injected_faults;
  Bench bench("coalesceinvert delay=3");
  bench.negotiate(kSystemGray, kSystemGray);
  GstBufferPool *pool = proposed_pool(bench.harness(), kSystemGray.c_str());
  const int code = function == FAKECUDA_ALLOC_HOST ? 2 : kLaunchFailure;
  fakecuda_fail_how(function, nth, code, how);
  const unsigned passed = pass(bench, pool, false, what);
  const bool met = counts().injected_faults > before;
  if (function == FAKECUDA_ALLOC_HOST && how != FAKECUDA_LOST)
    fail_unless(passed == kFrames, "%s: there is other memory", what.c_str());
  fakecuda_reset_faults();
  drop_pool(pool);
  gst_element_set_state(bench.element(), GST_STATE_NULL);
  const FakecudaCounts now = counts();
  fail_unless(
      now.allocations_live + now.host_allocations_live + now.streams_live + now.events_live == 0,
      "%s: something lives on", what.c_str());

  gst_element_set_state(bench.element(), GST_STATE_PLAYING);
  gst_harness_push_event(bench.harness(), gst_event_new_stream_start("again"));
  bench.negotiate(kSystemGray, kSystemGray);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(bench.harness(), gst_event_new_segment(&segment));
  pool = proposed_pool(bench.harness(), kSystemGray.c_str());
  fail_unless(pass(bench, pool, true, what + ", then again") == kFrames, "%s", what.c_str());
  drop_pool(pool);
  return met;
}

}  // namespace

GST_START_TEST(every_call) {
  const auto how = FakecudaFault(__i__);
  for (const auto &[function, name] : kFunctions) {
    if (!can_happen(function, how)) continue;
    const int met = fail_calls_in_turn([&](int nth) {
      return nth < 200 && check_fault(function, nth, how, fault_text(name, nth, how));
    });
    fail_unless(met > 0, "%s was never called", name);
  }
  assert_nothing_lives();
  assert_clean();
}
GST_END_TEST

// No frame comes after it that could tell.
GST_START_TEST(failure_of_the_last_frame) {
  GstEvent *(*const ends[])() = {gst_event_new_eos,
                                 [] { return gst_event_new_segment_done(GST_FORMAT_TIME, 0); }};
  for (const auto end : ends) {
    Bench bench("coalesceinvert");
    bench.negotiate(kSystemGray, kSystemGray);
    fakecuda_fail(FAKECUDA_EXECUTE, 1, kLaunchFailure);
    const GstVideoInfo info = gray();
    GstBuffer *input = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr);
    fill(input, info, 1);
    // On a slow machine the retire list's thread asks the driver before the push has ended.
    const bool early = bench.push(input) != GST_FLOW_OK;
    fail_unless_equals_int(bench.errors().size(), early ? 1 : 0);
    gst_harness_push_event(bench.harness(), end());
    fail_unless_equals_int(bench.errors().size(), early ? 0 : 1);
    fakecuda_reset_faults();
  }
  assert_nothing_lives();
}
GST_END_TEST

// Two GPUs, with page-locked memory between them: a failure on the first does not stop the second
// by itself, and yet no wrong frame comes from it.
GST_START_TEST(failure_on_another_gpu) {
  guint64 met = 0;
  do {
    met++;
    {
      Bench bench("coalesceinvert cuda-device-id=0 ! coalesceinvert cuda-device-id=1");
      bench.negotiate(kSystemGray, kSystemGray);
      fakecuda_fail(FAKECUDA_EXECUTE, static_cast<int>(met), kLaunchFailure);
      GstFlowReturn flow = GST_FLOW_OK;
      unsigned seen = 0;
      for (unsigned seed = 1; seed <= kFrames && flow == GST_FLOW_OK; seed++)
        flow = bench.push(system_buffer(gray(), seed));
      while (gst_harness_buffers_in_queue(bench.harness()) > 0) {
        GstBuffer *output = bench.pull();
        const std::string wrong = wrong_inverted(output, gray(), ++seen, GST_MAP_READ, 0);
        fail_unless(wrong.empty() || wrong == "the frame could not be mapped", "%s", wrong.c_str());
        gst_buffer_unref(output);
      }
    }
    fakecuda_reset_faults();
    assert_nothing_lives();
  } while (counts().injected_faults == met);
  fail_unless(met > kFrames);
  assert_clean();
}
GST_END_TEST

static Suite *transfer_faults_suite() {
  register_elements();
  Suite *suite = suite_create("transfer-faults");
  TCase *tests = new_case(suite, "transfer-faults");
  add_fault_test(tests, every_call);
  tcase_add_test(tests, failure_of_the_last_frame);
  tcase_add_test(tests, failure_on_another_gpu);
  return suite;
}
SIMULATED_MAIN(transfer_faults)
