// SPDX-License-Identifier: LGPL-2.1-or-later
// A driver that fails under a whole pipeline of four of our elements: one of them says so, once,
// the pipeline stops, and after NULL and the end of the fault the same pipeline runs again. Nothing
// leaks. (faults.cpp does the same to one element, at every call and in every mix of memories.)
#include "../driver_faults.h"

using namespace simulated;

namespace {

constexpr int kWidth = 34, kHeight = 6;
constexpr unsigned kFrames = 3;
constexpr GstClockTime kDuration = GST_SECOND / 25;
constexpr const char *kElements[] = {"e1", "e2", "e3", "e4"};

struct Fault {
  FakecudaFunction function;
  const char *name;
  int code;
};
constexpr Fault kFaults[] = {{FAKECUDA_CTX_CREATE, "ctx_create", CUDA_ERROR_OUT_OF_MEMORY},
                             {FAKECUDA_ALLOC_PITCH, "alloc_pitch", CUDA_ERROR_OUT_OF_MEMORY},
                             {FAKECUDA_COPY, "copy", kLaunchFailure},
                             {FAKECUDA_LAUNCH, "launch", kLaunchFailure},
                             {FAKECUDA_STREAM_CREATE, "stream_create", CUDA_ERROR_OUT_OF_MEMORY},
                             {FAKECUDA_STREAM_WAIT, "stream_wait", kLaunchFailure},
                             {FAKECUDA_EVENT_CREATE, "event_create", CUDA_ERROR_OUT_OF_MEMORY},
                             {FAKECUDA_EVENT_RECORD, "event_record", kLaunchFailure},
                             {FAKECUDA_EXECUTE, "execute", kLaunchFailure}};

GstVideoInfo info(GstVideoFormat format) {
  return video_info(format, kWidth, kHeight);
}

// Four elements, which make UYVY GRAY8.
struct Chain {
  std::string elements, in, out;
  unsigned pictures;
};

Chain filters(const std::string &more_between = {}) {
  const std::string link = " ! video/x-raw(memory:CUDAMemory) ! " + more_between;
  return {"uyvy2y name=e1" + link + "convolve preset=sharpen name=e2" + link +
              "sepconvolve preset=gaussian sigma=1 name=e3" + link +
              "convolve preset=emboss name=e4",
          video_caps(kSystem, "UYVY", kWidth, kHeight),
          video_caps(kSystem, "GRAY8", kWidth, kHeight), kFrames};
}

// The first one holds a frame back, and makes two pictures of each.
Chain deinterlacer() {
  const std::string link = " ! video/x-raw(memory:CUDAMemory) ! ";
  return {"coalescedeinterlace method=yadif fields=all name=e1" + link + "uyvy2y name=e2" + link +
              "convolve preset=sharpen name=e3" + link +
              "sepconvolve preset=gaussian sigma=1 name=e4",
          video_caps(kSystem, "UYVY", kWidth, kHeight) + ", interlace-mode=interleaved",
          "video/x-raw, format=GRAY8", 2 * kFrames};
}

// Frames in, and an end, until one is refused or an error comes; what came out. A picture is empty
// if it could not be mapped.
std::vector<std::vector<guint8>> run(Line &line, const Chain &chain) {
  std::vector<std::vector<guint8>> pictures;
  line.start();
  for (unsigned seed = 1; seed <= kFrames; seed++) {
    GstBuffer *buffer = system_buffer(info(GST_VIDEO_FORMAT_UYVY), seed);
    GST_BUFFER_PTS(buffer) = seed * kDuration;
    GST_BUFFER_DURATION(buffer) = kDuration;
    GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF);
    line.push(buffer);
  }
  line.end();
  for (unsigned i = 0; i < chain.pictures; i++) {
    GstBuffer *buffer = line.pull();
    if (buffer == nullptr) break;
    pictures.push_back(picture_if_mapped(buffer, info(GST_VIDEO_FORMAT_GRAY8)));
    gst_buffer_unref(buffer);
  }
  line.wait_for_end();
  line.stop();
  return pictures;
}

// Of the messages, which end with the source's own "streaming stopped": how many our elements have
// posted, how many of these elements there are, and the texts.
struct Errors {
  std::size_t posted = 0, elements = 0;
  std::string texts;
};

Errors our_errors(Line &line) {
  Errors ours;
  const std::vector<Message> all = line.errors();
  for (const char *element : kElements) {
    const std::size_t before = ours.posted;
    for (const Message &error : all) {
      if (error.source != element) continue;
      ours.posted++;
      ours.texts += "\n" + error.source + ": " + error.text;
    }
    ours.elements += ours.posted > before ? 1 : 0;
  }
  return ours;
}

// How many are right; a wrong one fails the test.
std::size_t right_pictures(const std::vector<std::vector<guint8>> &got,
                           const std::vector<std::vector<guint8>> &good, const std::string &what) {
  std::size_t right = 0;
  fail_unless(got.size() <= good.size());
  for (std::size_t i = 0; i < got.size(); i++) {
    fail_unless(got[i].empty() || got[i] == good[i], "%s: picture %zu is wrong", what.c_str(),
                i + 1);
    right += got[i].empty() ? 0 : 1;
  }
  return right;
}

// Fails the nth call and looks at what the pipeline makes of it. Was there an nth call?
bool check_fault(Line &line, const Chain &chain, const Fault &fault, int nth, FakecudaFault how,
                 const std::vector<std::vector<guint8>> &good) {
  const std::string what = fault_text(fault.name, nth, how);
  const guint64 before = counts().injected_faults;
  fakecuda_fail_how(fault.function, nth, fault.code, how);
  const std::size_t right = right_pictures(run(line, chain), good, what);
  const Errors errors = our_errors(line);
  const bool met = counts().injected_faults > before;
  const bool stopped = right < chain.pictures;
  const bool dead_for_all = how == FAKECUDA_LOST || fault.function == FAKECUDA_EXECUTE;
  fail_unless((errors.posted > 0 || !stopped) && (met || errors.posted == 0) &&
                  errors.posted == errors.elements && (dead_for_all || errors.posted <= 1),
              "%s: %zu pictures, %zu errors%s", what.c_str(), right, errors.posted,
              errors.texts.c_str());
  fakecuda_reset_faults();
  const FakecudaCounts now = counts();
  // An appsink keeps the frames it gave out last, and frames that failed keep their fences.
  fail_unless(now.allocations_live + now.streams_live == 0 && now.events_live <= chain.pictures,
              "%s: left behind", what.c_str());
  return met;
}

void check_all(FakecudaFault how, const Chain &chain) {
  Line line(chain.elements, chain.in, chain.out);
  for (const char *name : kElements)
    gst_util_set_object_arg(G_OBJECT(line.element(name)), "backend", "cuda");
  const auto good = run(line, chain);
  fail_unless_equals_int(good.size(), chain.pictures);
  for (const Fault &fault : kFaults) {
    int nth = 1;
    while (check_fault(line, chain, fault, nth, how, good))
      nth = next_fault(nth);
    // The context outlives a stop, so the second run on may make none.
    fail_unless(nth > 1 || fault.function == FAKECUDA_CTX_CREATE, "%s: never called", fault.name);
    fail_unless(run(line, chain) == good, "%s: not as before", fault.name);
    fail_unless(line.errors().empty());
  }
}

void done() {
  const FakecudaCounts now = counts();
  assert_nothing_lives(now);
  fail_unless_equals_uint64(
      now.bad_calls + now.bad_accesses + now.guard_violations + now.use_after_free, 0);
}

}  // namespace

GST_START_TEST(one_thread_once) {
  check_all(FAKECUDA_ONCE, filters());
}
GST_END_TEST
GST_START_TEST(one_thread_lost) {
  check_all(FAKECUDA_LOST, filters());
}
GST_END_TEST

GST_START_TEST(four_threads_once) {
  check_all(FAKECUDA_ONCE, filters("queue ! "));
}
GST_END_TEST
GST_START_TEST(four_threads_lost) {
  check_all(FAKECUDA_LOST, filters("queue ! "));
}
GST_END_TEST

GST_START_TEST(deinterlacer_once) {
  check_all(FAKECUDA_ONCE, deinterlacer());
}
GST_END_TEST
GST_START_TEST(deinterlacer_lost) {
  check_all(FAKECUDA_LOST, deinterlacer());
}
GST_END_TEST

static Suite *chain_faults_suite() {
  Suite *suite = suite_create("chain_faults");
  TCase *tests = new_case(suite, "chain_faults");
  tcase_add_checked_fixture(tests, nullptr, done);
  tcase_add_test(tests, one_thread_once);
  tcase_add_test(tests, one_thread_lost);
  tcase_add_test(tests, four_threads_once);
  tcase_add_test(tests, four_threads_lost);
  tcase_add_test(tests, deinterlacer_once);
  tcase_add_test(tests, deinterlacer_lost);
  return suite;
}
SIMULATED_MAIN(chain_faults)
