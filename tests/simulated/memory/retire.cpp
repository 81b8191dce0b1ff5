// SPDX-License-Identifier: LGPL-2.1-or-later
// Inputs stay untouched while the GPU reads them, come back soon, and are never many.
#include <gst/allocators/gstfdmemory.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "../gray.h"
#include "memory/retirelist.h"

using namespace simulated;
using namespace coalesce::gst;
using namespace std::chrono_literals;

namespace {

// Counts the buffers that have been made and not yet come to their end.
std::atomic<int> alive{0};

GstBuffer *counted(GstBuffer *buffer) {
  alive++;
  gst_mini_object_weak_ref(
      GST_MINI_OBJECT_CAST(buffer), [](gpointer, GstMiniObject *) { alive--; }, nullptr);
  return buffer;
}

// Page-locked memory, of an upstream that takes our allocator and has a pool of its own.
GstAllocator *proposed_allocator(Bench &bench) {
  GstCaps *caps = gst_caps_from_string(kSystemGray.c_str());
  GstQuery *query = gst_query_new_allocation(caps, FALSE);
  GstAllocator *allocator = nullptr;
  fail_unless(gst_pad_peer_query(bench.harness()->srcpad, query));
  fail_unless_equals_int(gst_query_get_n_allocation_params(query), 1);
  gst_query_parse_nth_allocation_param(query, 0, &allocator, nullptr);
  fail_unless(allocator != nullptr);
  gst_query_unref(query);
  gst_caps_unref(caps);
  return allocator;
}

GstBuffer *page_locked_buffer(GstAllocator *allocator, unsigned seed) {
  const GstVideoInfo info = gray();
  GstBuffer *buffer = gst_buffer_new_allocate(allocator, GST_VIDEO_INFO_SIZE(&info), nullptr);
  fill(buffer, info, seed);
  return buffer;
}

// Memory whose mapping ends with gst_memory_unmap(), like a camera's.
GstBuffer *fd_buffer(GstAllocator *allocator, unsigned seed) {
  const GstVideoInfo info = gray();
  const gsize size = GST_VIDEO_INFO_SIZE(&info);
  const int fd = memfd_create("frame", MFD_CLOEXEC);
  fail_unless(fd >= 0 && ftruncate(fd, static_cast<off_t>(size)) == 0);
  GstBuffer *buffer = gst_buffer_new();
  gst_buffer_append_memory(buffer,
                           gst_fd_allocator_alloc(allocator, fd, size, GST_FD_MEMORY_FLAG_NONE));
  fill(buffer, info, seed);
  return buffer;
}

// Upstream has so few buffers that it must wait for each of them, and writes into them at once.
void check_small_pool(const std::string &caps, guint buffers) {
  constexpr unsigned kFrames = 25;
  Bench bench("coalesceinvert delay=3");
  bench.negotiate(caps, kCudaGray);
  GstBufferPool *pool = proposed_pool(bench.harness(), caps.c_str(), nullptr, buffers);
  fail_unless(pool != nullptr);
  for (unsigned seed = 1; seed <= kFrames; seed++)
    fail_unless_equals_int(bench.push(pool_buffer(pool, gray(), seed)), GST_FLOW_OK);
  for (unsigned seed = 1; seed <= kFrames; seed++) {
    GstBuffer *output = bench.pull();
    assert_inverted(output, gray(), seed);
    gst_buffer_unref(output);
  }
  drop_pool(pool);
  assert_clean();
}

// Time passes only when the test says so, and the sweeper sleeps whenever the test goes on.
class FakeTimer : public SweepTimer {
 public:
  Time now() override { return time_; }
  void sleep(Guard &guard) override { sleep_until(guard, Time::max()); }
  void sleep_until(Guard &guard, Time time) override {
    std::unique_lock own(lock_);
    until_ = time;
    asleep_ = true;
    changed_.notify_all();
    guard.unlock();
    changed_.wait(own, [this] { return !asleep_; });
    own.unlock();
    guard.lock();
  }
  void wake() override {
    std::lock_guard own(lock_);
    end_sleep();
  }

  // Waits until the sweeper sleeps.
  void settle() {
    std::unique_lock own(lock_);
    changed_.wait(own, [this] { return asleep_; });
  }
  void pass(std::chrono::nanoseconds duration) {
    const Time end = now() + duration;
    for (settle(); until_ <= end; settle()) {
      std::lock_guard own(lock_);
      time_ = std::max(now(), until_);
      end_sleep();
    }
    time_ = end;
  }
  int wakes() {
    settle();
    return wakes_;
  }

 private:
  void end_sleep() {
    if (asleep_) wakes_++;
    asleep_ = false;
    changed_.notify_all();
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::atomic<Time> time_{Time(1h)};
  Time until_;
  bool asleep_ = false;
  int wakes_ = 0;
};

// A retire list alone, and what a streaming thread does with it.
class Retiring {
 public:
  // The GPU finishes a frame at once, or when asked to.
  explicit Retiring(bool fast_gpu = true) {
    fakecuda_set_eager(fast_gpu);
    CUresult error;
    stream_ = Stream::create(context_.get(), &error);
    fail_unless(stream_ != nullptr);
    auto timer = std::make_unique<FakeTimer>();
    timer_ = timer.get();
    list_ = std::make_unique<RetireList>(context_.get(), std::move(timer));
  }
  ~Retiring() {
    list_.reset();
    fakecuda_set_eager(false);
  }
  FakeTimer &timer() { return *timer_; }
  void add() {
    ContextScope scope(context_.get());
    CUresult error;
    auto event = Event::create(context_.get(), &error);
    fail_unless(event != nullptr && event->record(*stream_) == CUDA_SUCCESS);
    GstBuffer *buffer = counted(gst_buffer_new());
    list_->add(buffer, std::move(event));
    gst_buffer_unref(buffer);
    timer_->settle();
  }
  void launch_kernels(int count) {
    ContextScope scope(context_.get());
    const auto nothing = [](void *) {};
    for (int i = 0; i < count; i++)
      fail_unless_equals_int(fakecuda_launch(stream_->handle(), nothing, nullptr, nullptr), 0);
  }
  void finish_kernels() {
    ContextScope scope(context_.get());
    fail_unless_equals_int(stream_->synchronize(), CUDA_SUCCESS);
  }

 private:
  ContextRef context_{new_context()};
  std::unique_ptr<Stream> stream_;
  FakeTimer *timer_;
  std::unique_ptr<RetireList> list_;
};

}  // namespace

// A camera, a film, a file read at full speed: no rate wakes the sweeper 500 times a second.
GST_START_TEST(wakes_are_few) {
  for (int rate : {5, 25, 60, 120, 200, 249, 251, 300, 400, 500, 700, 1000, 3000}) {
    Retiring retiring;
    FakeTimer &timer = retiring.timer();
    int before = 0;
    for (int second = 1; second <= 2; second++) {
      for (int frame = 0; frame < rate; frame++) {
        retiring.add();
        timer.pass(1000000000ns / rate);
      }
      const int wakes = timer.wakes() - std::exchange(before, timer.wakes());
      fail_unless(wakes < 500 && wakes <= 2 * rate, "%d wakes at %d frames/s", wakes, rate);
      // The streaming thread has taken over.
      if (second > 1 && rate > 250) fail_unless(wakes < 40, "%d wakes at %d frames/s", wakes, rate);
    }
  }
  done();
}
GST_END_TEST

// Frames stop, after any number, and their inputs come back in a time that is known.
GST_START_TEST(released_after_the_last_frame) {
  for (int frames : {1, 2, 5, 6, 7, 30, 100, 1000}) {
    Retiring retiring;
    FakeTimer &timer = retiring.timer();
    for (int frame = 0; frame < frames; frame++) {
      timer.pass(1ms);
      retiring.add();
    }
    fail_unless(alive > 0);
    timer.pass(frames < 6 ? RetireList::kPeriod : RetireList::kLongestPeriod);
    fail_unless_equals_int(alive, 0);
    // Then the sweeper sleeps, and does not remember.
    const int before = timer.wakes();
    timer.pass(1h);
    fail_unless_equals_int(timer.wakes(), before);
    retiring.add();
    fail_unless_equals_int(timer.wakes(), before + 1);
    timer.pass(RetireList::kPeriod);
    fail_unless_equals_int(timer.wakes(), before + 2);
    fail_unless_equals_int(alive, 0);
  }
  done();
}
GST_END_TEST

// Upstream waits for each of its few buffers, and never for more than one period.
GST_START_TEST(few_buffers_come_back_at_once) {
  for (int buffers = 1; buffers <= 5; buffers++) {
    Retiring retiring;
    FakeTimer &timer = retiring.timer();
    constexpr int kFrames = 100;
    for (int frame = 0; frame < kFrames; frame++) {
      if (alive == buffers) timer.pass(RetireList::kPeriod);
      fail_unless(alive < buffers, "%d of %d buffers are out", alive.load(), buffers);
      retiring.add();
      timer.pass(10us);
    }
    fail_unless(timer.wakes() <= 2 * kFrames, "%d wakes", timer.wakes());
  }
  done();
}
GST_END_TEST

// As long as the GPU reads, the sweeper looks once a period, and releases nothing.
GST_START_TEST(not_released_early) {
  Retiring retiring(false);
  FakeTimer &timer = retiring.timer();
  retiring.add();
  retiring.finish_kernels();
  retiring.launch_kernels(1000);
  retiring.add();
  retiring.add();
  timer.pass(RetireList::kPeriod);
  fail_unless_equals_int(alive, 2);
  const int before = timer.wakes();
  timer.pass(100 * RetireList::kPeriod);
  fail_unless_equals_int(alive, 2);
  fail_unless_equals_int(timer.wakes(), before + 100);
  retiring.finish_kernels();
  timer.pass(RetireList::kPeriod);
  fail_unless_equals_int(alive, 0);
}
GST_END_TEST

GST_START_TEST(small_cuda_pool) {
  check_small_pool(kCudaGray, 1);
  check_small_pool(kCudaGray, 2);
}
GST_END_TEST

GST_START_TEST(small_system_pool) {
  check_small_pool(kSystemGray, 1);
  check_small_pool(kSystemGray, 2);
}
GST_END_TEST

// No further frame comes, and yet the input is given back, and the output is done.
GST_START_TEST(released_without_further_frames) {
  for (const std::string &caps : {kSystemGray, kCudaGray}) {
    Bench bench("coalesceinvert delay=3");
    bench.negotiate(caps, kCudaGray);
    GstBufferPool *pool = proposed_pool(bench.harness(), caps.c_str());
    // Twice: after the first the sweeper sleeps without a timer.
    for (unsigned seed : {1u, 2u}) {
      fail_unless_equals_int(bench.push(counted(pool_buffer(pool, gray(), seed))), GST_FLOW_OK);
      gst_buffer_pool_set_active(pool, FALSE);  // what comes back is freed
      fail_unless(eventually([] { return alive == 0; }));
      fail_unless_equals_uint64(stat(bench.element(), "synchronizations"), 0);
      gst_buffer_pool_set_active(pool, TRUE);
    }
    gst_object_unref(pool);
  }
}
GST_END_TEST

// The GPU is slower than upstream: the element waits rather than collect frames without end.
GST_START_TEST(bounded) {
  constexpr int kMost = 16;
  Bench bench("coalesceinvert delay=200");
  bench.negotiate(kSystemGray, kCudaGray);
  GstAllocator *allocator = proposed_allocator(bench);
  int most = 0;
  std::vector<int> after_waits;
  guint64 waits = 0;
  for (unsigned seed = 1; seed <= 100; seed++) {
    fail_unless_equals_int(bench.push(counted(page_locked_buffer(allocator, seed))), GST_FLOW_OK);
    const int now = alive;
    most = std::max(most, now);
    const guint64 waits_before = std::exchange(waits, stat(bench.element(), "synchronizations"));
    if (waits > waits_before) after_waits.push_back(now);
    gst_buffer_unref(bench.pull());
  }
  fail_unless(most <= kMost, "%d inputs in flight", most);
  fail_unless(most > 1, "nothing was in flight: the test tests nothing");
  // It waits for the oldest frame only, so that the GPU does not run dry, although all outputs are
  // one buffer. (Where this thread is kept from running, the other one may find that more is done:
  // hence not the least.)
  fail_unless(!after_waits.empty());
  std::sort(after_waits.begin(), after_waits.end());
  const int median = after_waits[after_waits.size() / 2];
  fail_unless(median > 1, "down to %d of %d inputs in flight", median, most);
  gst_object_unref(allocator);
}
GST_END_TEST

// The upload must still find what was there.
GST_START_TEST(input_unmapped_early) {
  Bench bench("coalesceinvert delay=2000");
  bench.negotiate(kSystemGray, kCudaGray);
  GstAllocator *allocator = gst_fd_allocator_new();
  for (unsigned seed = 1; seed <= 3; seed++) {
    fail_unless_equals_int(bench.push(fd_buffer(allocator, seed)), GST_FLOW_OK);
    GstBuffer *output = bench.pull();
    assert_inverted(output, gray(), seed);
    gst_buffer_unref(output);
  }
  gst_object_unref(allocator);
  assert_clean();
}
GST_END_TEST

// The same where there is no page-locked memory, and the upload fails after its copy has begun.
GST_START_TEST(input_unmapped_after_a_failure) {
  for (FakecudaFunction function : {FAKECUDA_EVENT_RECORD, FAKECUDA_STREAM_WAIT}) {
    Bench bench("coalesceinvert");
    bench.negotiate(kSystemGray, kCudaGray);
    fakecuda_fail_how(FAKECUDA_ALLOC_HOST, 1, 2, FAKECUDA_ALWAYS);
    fakecuda_fail(function, 1, 719);
    GstAllocator *allocator = gst_fd_allocator_new();
    fail_unless_equals_int(bench.push(fd_buffer(allocator, 1)), GST_FLOW_ERROR);
    fail_unless_equals_int(bench.errors().size(), 1);
    gst_object_unref(allocator);
    fakecuda_reset_faults();
    assert_clean();
  }
}
GST_END_TEST

// Upstream keeps its page-locked memory mapped for writing, so that mapping it to read gives a
// copy: one that the buffer gets, or, if others have the buffer too, one that ends with the
// mapping.
GST_START_TEST(input_still_mapped_by_upstream) {
  Bench bench("coalesceinvert delay=2000");
  bench.negotiate(kSystemGray, kCudaGray);
  GstAllocator *allocator = proposed_allocator(bench);
  for (unsigned seed = 1; seed <= 6; seed++) {
    GstBuffer *input = page_locked_buffer(allocator, seed);
    GstBuffer *shared = seed % 2 ? gst_buffer_ref(input) : nullptr;
    GstMemory *memory = gst_buffer_get_memory(input, 0);
    GstMapInfo map;
    fail_unless(gst_memory_map(memory, &map, GST_MAP_WRITE));
    const guint64 before = counts().pageable_async_copies;
    fail_unless_equals_int(bench.push(input), GST_FLOW_OK);
    fail_unless_equals_uint64(counts().pageable_async_copies, before);
    GstBuffer *output = bench.pull();
    assert_inverted(output, gray(), seed);
    gst_buffer_unref(output);
    gst_memory_unmap(memory, &map);
    gst_memory_unref(memory);
    gst_clear_buffer(&shared);
  }
  gst_object_unref(allocator);
  assert_clean();
}
GST_END_TEST

// Stopped with frames in flight: everything comes back, the outputs stay readable.
GST_START_TEST(stopped_in_flight) {
  std::vector<GstBuffer *> outputs;
  {
    Bench bench("coalesceinvert delay=2000");
    bench.negotiate(kSystemGray, kCudaGray);
    GstAllocator *allocator = proposed_allocator(bench);
    for (unsigned seed = 1; seed <= 5; seed++) {
      fail_unless_equals_int(bench.push(counted(page_locked_buffer(allocator, seed))), GST_FLOW_OK);
      outputs.push_back(bench.pull());
    }
    // (On a slow machine the inputs may have been uploaded and released before.)
    fail_unless(counts().pending > 0, "nothing is in flight: the test tests nothing");
    gst_object_unref(allocator);
  }
  fail_unless_equals_int(alive, 0);
  for (unsigned seed = 1; seed <= 5; seed++) {
    assert_inverted(outputs[seed - 1], gray(), seed);
    gst_buffer_unref(outputs[seed - 1]);
  }
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

static Suite *retire_suite() {
  register_elements();
  Suite *suite = suite_create("retire");
  TCase *tests = new_case(suite, "retire");
  tcase_add_test(tests, wakes_are_few);
  tcase_add_test(tests, released_after_the_last_frame);
  tcase_add_test(tests, few_buffers_come_back_at_once);
  tcase_add_test(tests, not_released_early);
  tcase_add_test(tests, small_cuda_pool);
  tcase_add_test(tests, small_system_pool);
  tcase_add_test(tests, released_without_further_frames);
  tcase_add_test(tests, bounded);
  tcase_add_test(tests, input_unmapped_early);
  tcase_add_test(tests, input_unmapped_after_a_failure);
  tcase_add_test(tests, input_still_mapped_by_upstream);
  tcase_add_test(tests, stopped_in_flight);
  return suite;
}
SIMULATED_MAIN(retire)
