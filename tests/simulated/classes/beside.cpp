// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory beside the frames: more than 4 GiB of it, less of it than would be good, and none.
#include "pair.h"
#include "stereo.h"

using namespace simulated;

namespace {

constexpr gsize kGib = gsize{1} << 30;
constexpr unsigned kFrames = 5;

GstVideoInfo info() {
  return video_info(GST_VIDEO_FORMAT_GRAY8, 33, 17);
}
std::string caps(const char *memory) {
  return video_caps(memory, "GRAY8", 33, 17);
}

// The driver as it was before a test.
struct DeviceMemory {
  explicit DeviceMemory(gsize bytes) { fakecuda_set_device_memory(bytes); }
  ~DeviceMemory() { fakecuda_set_device_memory(4 * kGib); }
};

// Frames go through an element, two of them in flight; so many blocks of 1 GiB and more are there
// at the end.
void invert(const std::string &properties, const char *in, const char *out, gsize gib_at_end) {
  const std::string what = properties + ", " + memory_text(in) + " to " + memory_text(out);
  Bench bench("coalesceinvert backend=cuda delay=20 " + properties);
  bench.negotiate(caps(in), caps(out));
  bench.expect_no_error();
  GstBufferPool *pool = proposed_pool(bench.get(), caps(in).c_str());
  for (unsigned n = 0; n < kFrames; n++)
    fail_unless_equals_int(bench.push(pool_buffer(pool, info(), n)), GST_FLOW_OK);
  for (unsigned n = 0; n < kFrames; n++) {
    const BufferRef frame(bench.pull());
    assert_inverted(frame.get(), info(), n);
  }
  bench.expect_no_error();
  fail_unless_equals_uint64(counts().bytes_live / kGib, gib_at_end);
  drop_pool(pool);
}

void done() {
  assert_clean();
  assert_nothing_lives();
}

}  // namespace

// Of scratch memory there are two pieces, for two frames in flight; of what is kept one.
GST_START_TEST(more_than_4_gib) {
  const DeviceMemory device(64 * kGib);
  for (const char *in : {kSystem, kCuda})
    for (const char *out : {kSystem, kCuda}) {
      invert("scratch=5", in, out, 10);
      invert("kept=9", in, out, 9);
      invert("scratch=4 kept=4", in, out, 12);
    }
  done();
}
GST_END_TEST

// One piece serves where there is no memory for the second one.
GST_START_TEST(one_piece) {
  const DeviceMemory device(8 * kGib);
  for (const char *memory : {kSystem, kCuda})
    invert("scratch=5", memory, memory, 5);
  done();
}
GST_END_TEST

// The error says how much is missing; with more memory the same element works.
GST_START_TEST(no_memory) {
  const struct {
    const char *properties, *bytes;
  } cases[] = {
      {"scratch=5", "5368709120"}, {"kept=5", "5368709120"}, {"scratch=3 kept=2", "5368709120"}};
  for (const auto &[properties, bytes] : cases) {
    const DeviceMemory device(4 * kGib);
    Bench bench(std::string("coalesceinvert backend=cuda ") + properties);
    bench.accept(caps(kSystem));
    const auto push = [&bench] {
      gst_harness_set_src_caps_str(bench.get(), caps(kSystem).c_str());
      return bench.push(system_buffer(info(), 1));
    };
    fail_unless(push() != GST_FLOW_OK);
    const std::vector<std::string> errors = bench.errors();
    fail_unless_equals_int(errors.size(), 1);
    fail_unless(contains(errors[0], std::string("no device memory for ") + bytes +
                                        " bytes beside the frames; smaller pictures require "
                                        "fewer, backend=cpu none"),
                "%s: %s", properties, errors[0].c_str());
    fakecuda_set_device_memory(16 * kGib);
    gst_element_set_state(bench.element(), GST_STATE_NULL);
    gst_element_set_state(bench.element(), GST_STATE_PLAYING);
    fail_unless(bench.push_event(gst_event_new_stream_start("test")));
    fail_unless(bench.push_event(gst_event_new_caps(parse_caps(caps(kSystem)).get())));
    fail_unless(bench.push_event(segment_event()));
    fail_unless_equals_int(bench.push(system_buffer(info(), 1)), GST_FLOW_OK);
    const BufferRef frame(bench.pull());
    assert_inverted(frame.get(), info(), 1);
  }
  done();
}
GST_END_TEST

namespace {

// A frame of each eye; the errors of the element.
std::vector<std::string> match(Size size, const std::string &properties) {
  const GstVideoInfo eye = video_info(GST_VIDEO_FORMAT_GRAY8, size.width, size.height);
  std::vector<StereoFrames> frames;
  frames.emplace_back(eye, 1, true);
  const std::string in = stereo_caps(kSystem, "GRAY8", size);
  StereoPair pair(in, in, properties + " backend=cuda");
  pair.start();
  pair.push(in_memory(frames[0].left.get(), nullptr, kSystem, eye, 0), "l");
  pair.push(in_memory(frames[0].right.get(), nullptr, kSystem, eye, 0), "r");
  pair.end_all();
  std::vector<std::string> errors;
  if (const test::BufferRef buffer{pair.pull()}) {
    fail_unless(disparities_of(buffer.get(), size) == on_cpu(frames, eye, properties)[0]);
  } else {
    pair.wait_for_end();
    for (const Message &error : pair.errors())
      if (error.source == "d") errors.push_back(error.text);
    fail_unless_equals_int(errors.size(), 1);
  }
  pair.stop();
  return errors;
}

}  // namespace

// The same of a class with several inputs.
GST_START_TEST(no_memory_for_several_inputs) {
  {
    const DeviceMemory device(gsize{64} << 20);
    const std::vector<std::string> errors = match({640, 320}, "");
    fail_unless(errors.size() == 1 && contains(errors[0], " bytes beside the frames"), "%s",
                errors.empty() ? "no error" : errors[0].c_str());
  }
  done();
}
GST_END_TEST

// The largest scratch memory of all, of pictures of 4K with the defaults. (In the slow tests.)
GST_START_TEST(disparities_of_4k) {
  {
    const DeviceMemory device(8 * kGib);
    for (const std::string &error : match({3840, 2160}, ""))
      fail_unless(false, "%s", error.c_str());
  }
  done();
}
GST_END_TEST

static Suite *beside_suite() {
  register_elements();
  Suite *suite = suite_create("beside");
  TCase *tests = new_case(suite, "beside");
  tcase_add_test(tests, more_than_4_gib);
  tcase_add_test(tests, one_piece);
  tcase_add_test(tests, no_memory);
  tcase_add_test(tests, no_memory_for_several_inputs);
  tcase_add_test(tests, disparities_of_4k);
  return suite;
}
SIMULATED_MAIN(beside)
