// SPDX-License-Identifier: LGPL-2.1-or-later
// j2kenc on a driver that fails, at every call it is asked for in turn: one clear error at most, no
// wrong codestream, no hang, no leak, and all is well again once the driver is. Where there is too
// little device memory, there are fewer frames in flight. (Where there is none: encoder_limits.)
#include <utility>

#include "../driver_faults.h"
#include "j2k.h"

using namespace simulated;

namespace {

constexpr unsigned kFrames = 3;
constexpr J2kCase kSmall = {"NV12", 16, 8, "", "", "image/x-j2c"};
// A frame in flight takes more memory than the picture, though that has rows of 4096 bytes.
constexpr J2kCase kWide[] = {
    {"RGB", 1000, 16, "", "", "image/x-jpc"},
    {"RGB", 1000, 17, ",interlace-mode=interleaved,field-order=top-field-first", "",
     "image/x-jpc"}};

constexpr struct {
  FakecudaFunction function;
  const char *name;
  int code;
  bool while_running;  // a running stream asks for it too
} kFunctions[] = {
    {FAKECUDA_CTX_CREATE, "ctx_create", CUDA_ERROR_OUT_OF_MEMORY, false},
    {FAKECUDA_ALLOC, "alloc", kLaunchFailure, false},
    {FAKECUDA_ALLOC_PITCH, "alloc_pitch", CUDA_ERROR_OUT_OF_MEMORY, false},
    {FAKECUDA_ALLOC_HOST, "alloc_host", CUDA_ERROR_OUT_OF_MEMORY, false},
    {FAKECUDA_COPY, "copy", kLaunchFailure, true},
    {FAKECUDA_LAUNCH, "launch", kLaunchFailure, true},
    {FAKECUDA_STREAM_CREATE, "stream_create", kLaunchFailure, false},
    {FAKECUDA_STREAM_WAIT, "stream_wait", kLaunchFailure, true},
    {FAKECUDA_EVENT_CREATE, "event_create", kLaunchFailure, false},
    {FAKECUDA_EVENT_RECORD, "event_record", kLaunchFailure, true},
    {FAKECUDA_SYNCHRONIZE, "synchronize", kLaunchFailure, true},
    {FAKECUDA_EXECUTE, "execute", kLaunchFailure, true},
};

struct Fault {
  FakecudaFunction function;
  const char *name;
  int nth, code;
  FakecudaFault how;
};

std::string describe(const Fault &fault, const char *memory, bool running) {
  return fault_text(fault.name, fault.nth, fault.how) + ", from " + memory_text(memory) +
         " memory" + (running ? ", while running" : "");
}

std::vector<GstBuffer *> make_inputs(GstCudaContext *context, const char *memory,
                                     const J2kCase &c = kSmall) {
  const GstVideoInfo info = video_info(in_caps(c, kSystem));
  std::vector<GstBuffer *> inputs;
  for (unsigned seed = 1; seed <= kFrames; seed++)
    inputs.push_back(memory == kCuda ? plain_cuda_buffer(context, info, seed)
                                     : system_buffer(info, seed));
  return inputs;
}

bool begin(Bench &bench, GstCudaContext *context, const char *memory, const J2kCase &c = kSmall) {
  if (context != nullptr) give_context(bench.element(), context);
  gst_harness_set_sink_caps_str(bench.harness(), c.media);
  gst_harness_push_event(bench.harness(), gst_event_new_stream_start("one"));
  GstCaps *caps = gst_caps_from_string(in_caps(c, memory).c_str());
  const bool taken = gst_harness_push_event(bench.harness(), gst_event_new_caps(caps));
  gst_caps_unref(caps);
  if (!taken) return false;
  return gst_harness_push_event(bench.harness(), segment_event());
}

// The first refusal is the end of the inputs.
bool push_all(Bench &bench, const std::vector<GstBuffer *> &inputs, bool refused = false) {
  for (GstBuffer *input : inputs) {
    if (refused)
      gst_buffer_unref(input);
    else
      refused = bench.push(input) != GST_FLOW_OK;
  }
  return !refused;
}

// How many have come: the first so many frames of each round of inputs, and each of them right.
unsigned check_outputs(Bench &bench, const std::string &what, const J2kCase &c = kSmall) {
  unsigned come = 0;
  for (; gst_harness_buffers_in_queue(bench.harness()) > 0; come++)
    fail_unless(take_bytes(bench.pull()) == on_cpu(c, come % kFrames + 1), "%s: output %u is wrong",
                what.c_str(), come);
  return come;
}

// How many frames are held back, by the latency.
guint64 held(Bench &bench) {
  gst_harness_set_upstream_latency(bench.harness(), 0);
  return gst_harness_query_latency(bench.harness()) / (GST_SECOND / 25);
}

void end(Bench &bench) {
  gst_harness_push_event(bench.harness(), gst_event_new_eos());
}

// The last wait of all, at the end of the stream, may fail when every frame has come; so it does
// where a device was lost to an allocation, and the CPU has encoded the rest.
void check_errors(Bench &bench, bool all, bool waits, const std::string &what) {
  const std::vector<std::string> errors = bench.errors();
  fail_unless(errors.size() == (all ? 0 : 1) || (all && waits && errors.size() == 1),
              "%s: %zu errors%s%s", what.c_str(), errors.size(),
              errors.empty() ? "" : "; the last: ", errors.empty() ? "" : errors.back().c_str());
}

// Was the fault met?
bool check_fault(const Fault &fault, const char *memory, bool running) {
  const std::string what = describe(fault, memory, running);
  GstCudaContext *context =
      memory == kCuda || fault.function != FAKECUDA_CTX_CREATE ? new_context() : nullptr;
  {
    Bench bench("j2kenc frames-in-flight=2");
    const std::vector<GstBuffer *> inputs = make_inputs(context, memory);
    unsigned wanted = kFrames;
    if (running) {
      fail_unless(begin(bench, context, memory));
      fail_unless(push_all(bench, make_inputs(context, memory)));
      wanted += kFrames;
    }
    fakecuda_fail_how(fault.function, fault.nth, fault.code, fault.how);
    const bool begun = running || begin(bench, context, memory);
    push_all(bench, inputs, !begun);
    end(bench);
    check_errors(bench, check_outputs(bench, what) == wanted,
                 fault.function == FAKECUDA_SYNCHRONIZE || fault.how == FAKECUDA_LOST, what);
    fakecuda_reset_faults();
    gst_element_set_state(bench.element(), GST_STATE_NULL);
  }
  {
    Bench again("j2kenc backend=cuda");
    fail_unless(begin(again, context, memory));
    fail_unless(push_all(again, make_inputs(context, memory)));
    end(again);
    fail_unless_equals_int(check_outputs(again, what + ", then again"), kFrames);
  }
  gst_clear_object(&context);
  return fault_was_met(what);
}

// Under valgrind from one memory only, where the call is made for it; from which, alternates.
void check_every_call(FakecudaFault how, bool running) {
  const char *memories[] = {kCuda, kSystem};
  for (const auto &f : kFunctions) {
    std::swap(memories[0], memories[1]);
    if (!can_happen(f.function, how)) continue;
    int met = 0;
    for (const char *memory : memories) {
      if (is_enough(met)) break;
      met += fail_calls_in_turn([&](int nth) {
        return check_fault({f.function, f.name, nth, f.code, how}, memory, running);
      });
    }
    fail_unless(met > 0 || (running && !f.while_running), "%s was never called", f.name);
  }
}

// The bytes that a frame in flight takes, as the error tells them where there are too few.
std::size_t frame_memory(GstCudaContext *context, const J2kCase &c) {
  fakecuda_fail_how(FAKECUDA_ALLOC, 1, CUDA_ERROR_OUT_OF_MEMORY, FAKECUDA_ALWAYS);
  Bench bench("j2kenc backend=cuda");
  begin(bench, context, kCuda, c);
  fakecuda_reset_faults();
  const std::vector<std::string> errors = bench.errors();
  fail_unless_equals_int(errors.size(), 1);
  const std::size_t at = errors[0].find("frames-in-flight=0: even one frame requires ");
  fail_unless(at != std::string::npos, "%s", errors[0].c_str());
  return std::stoul(errors[0].substr(errors[0].find("requires ", at) + 9));
}

// Frames come, so many held back; or, if there is not enough even for one, an error with that text.
void check_with_fewer(Bench &bench, bool begun, guint64 frames_held, bool enough,
                      const char *text) {
  const std::vector<GstBuffer *> inputs = make_inputs(nullptr, kSystem);
  fail_unless_equals_int(push_all(bench, inputs, !begun), enough);
  fail_unless_equals_uint64(held(bench), frames_held);
  end(bench);
  fail_unless_equals_int(check_outputs(bench, "with fewer frames"), enough ? kFrames : 0);
  const std::vector<std::string> errors = bench.errors();
  fail_unless_equals_int(errors.size(), enough ? 0 : 1);
  if (!enough) fail_unless(errors[0].find(text) != std::string::npos, "%s", errors[0].c_str());
}

}  // namespace

GST_START_TEST(once_at_start) {
  check_every_call(FAKECUDA_ONCE, false);
}
GST_END_TEST
GST_START_TEST(always_from_start) {
  check_every_call(FAKECUDA_ALWAYS, false);
}
GST_END_TEST
GST_START_TEST(once_while_running) {
  check_every_call(FAKECUDA_ONCE, true);
}
GST_END_TEST
GST_START_TEST(lost_while_running) {
  check_every_call(FAKECUDA_LOST, true);
}
GST_END_TEST

// As many as there is room for, halving what was asked for; left to itself, half of the memory.
GST_START_TEST(little_memory) {
  GstCudaContext *context = new_context();
  const J2kCase &wide = kWide[__i__];
  const std::size_t frame = frame_memory(context, wide);
  const struct {
    int asked;
    std::size_t room;  // frames
    int have;
  } cases[] = {{8, 9, 8}, {8, 7, 4}, {6, 3, 3}, {6, 2, 1}, {2, 1, 1},
               {0, 9, 4}, {0, 6, 3}, {0, 4, 2}, {0, 1, 1}};
  for (const auto &c : cases) {
    const std::vector<GstBuffer *> inputs = make_inputs(context, kCuda, wide);
    fakecuda_set_device_memory(counts().bytes_live + frame * c.room + 100);
    Bench bench("j2kenc");
    g_object_set(bench.element(), "frames-in-flight", c.asked, nullptr);
    fail_unless(begin(bench, context, kCuda, wide));
    fail_unless(push_all(bench, inputs));
    fail_unless_equals_uint64(held(bench), guint(c.have - 1));
    end(bench);
    fail_unless_equals_int(check_outputs(bench, "little memory", wide), kFrames);
    fail_unless(bench.errors().empty());
    fakecuda_set_device_memory(std::size_t{1} << 30);
  }
  gst_object_unref(context);
}
GST_END_TEST

// The frames in flight have left nothing for an upload: fewer of them do, down to one. (Each time
// that there are fewer, a scratch frame is tried first, and may fail.)
GST_START_TEST(little_memory_for_uploads) {
  const struct {
    int failures;
    guint64 held;
    bool enough;
  } cases[] = {{1, 1, true}, {3, 0, true}, {5, 0, false}};
  for (const auto &c : cases) {
    Bench bench("j2kenc backend=cuda frames-in-flight=4");
    fakecuda_fail(FAKECUDA_ALLOC_PITCH, 2, CUDA_ERROR_OUT_OF_MEMORY);  // the scratch frame
    fail_unless(begin(bench, nullptr, kSystem));
    fail_unless_equals_uint64(held(bench), 3);
    for (int i = 0; i < c.failures; i++)
      fakecuda_fail(FAKECUDA_ALLOC_PITCH, 1, CUDA_ERROR_OUT_OF_MEMORY);
    check_with_fewer(bench, true, c.held, c.enough, "frames-in-flight=1");
  }
}
GST_END_TEST

// Or nothing for the kernels themselves, which the scratch frame finds out.
GST_START_TEST(little_memory_for_kernels) {
  for (const int failures : {1, 2, 3}) {
    Bench bench("j2kenc backend=cuda frames-in-flight=4");
    for (int i = 0; i < failures; i++)
      fakecuda_fail(FAKECUDA_LAUNCH, 1, CUDA_ERROR_OUT_OF_MEMORY);
    const bool enough = failures < 3;
    check_with_fewer(bench, begin(bench, nullptr, kSystem), failures == 1 ? 1 : 0, enough,
                     "frames-in-flight=4: even one frame");
  }
}
GST_END_TEST

// The error of a wrong frame is its own; those in flight come out.
GST_START_TEST(wrong_buffers) {
  GstCudaContext *context = new_context();
  for (auto size : {14, 16})
    for (const char *memory : {kCuda, kSystem}) {
      const GstVideoInfo info =
          video_info(size == 14 ? GST_VIDEO_FORMAT_NV12 : GST_VIDEO_FORMAT_I420, size, 8);
      Bench bench("j2kenc frames-in-flight=3");
      fail_unless(begin(bench, context, memory));
      std::vector<GstBuffer *> inputs = make_inputs(context, memory);
      fail_unless(push_all(bench, inputs));
      GstBuffer *wrong = plain_cuda_buffer(context, info, 1);
      fail_unless_equals_int(bench.push(wrong), GST_FLOW_ERROR);
      end(bench);
      fail_unless_equals_int(check_outputs(bench, "before"), kFrames);
      const std::vector<std::string> errors = bench.errors();
      fail_unless_equals_int(errors.size(), 1);
      fail_unless(errors[0].find("GstVideoMeta") != std::string::npos, "%s", errors[0].c_str());
    }
  gst_object_unref(context);
}
GST_END_TEST

static Suite *encoder_faults_suite() {
  return j2k_suite("encoder_faults", [](TCase *tests) {
    tcase_add_test(tests, once_at_start);
    tcase_add_test(tests, always_from_start);
    tcase_add_test(tests, once_while_running);
    tcase_add_test(tests, lost_while_running);
    tcase_add_loop_test(tests, little_memory, 0, std::size(kWide));
    tcase_add_test(tests, little_memory_for_uploads);
    tcase_add_test(tests, little_memory_for_kernels);
    tcase_add_test(tests, wrong_buffers);
  });
}
SIMULATED_MAIN(encoder_faults)
