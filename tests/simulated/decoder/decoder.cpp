// SPDX-License-Identifier: LGPL-2.1-or-later
// The class of decoders on the GPU, by coalescejpegdec: the bytes are those of the CPU, in any
// memory, of good files and broken ones; and what happens when the GPU fails.
#include "../../check/coalescejpegdec/jpegdec_files.h"
#include "../support.h"
#include "jpeg/libjpeg_judge.h"

using namespace simulated;

namespace {

constexpr const char *kWhole = "image/jpeg, parsed=true, framerate=25/1";

std::string raw(const char *memory, const char *format) {
  return std::string("video/x-raw") + (memory == kCuda ? "(memory:CUDAMemory)" : "") +
         ", format=" + format;
}

// On the GPU, whatever `memory` the output is in.
class JpegBench : public Bench {
 public:
  JpegBench(const char *memory, const char *format, Properties properties = {},
            const char *in = kWhole)
      : Bench("coalescejpegdec", with_backend(memory, std::move(properties))) {
    negotiate(in, raw(memory, format));
  }
  static Properties with_backend(const char *memory, Properties properties) {
    if (memory == kSystem) properties.push_back({"backend", "cuda"});
    return properties;
  }
  void push_picture(const Bytes &file) {
    fail_unless_equals_int(push(buffer_with(file)), GST_FLOW_OK);
  }
  // All pictures in flight come out before it.
  void settle() {
    push_event(
        gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("settle")));
  }
  // The next output, mapped as anyone does.
  void expect(const Bytes &expected, bool cuda, const char *what) {
    if (waiting() == 0) settle();
    fail_unless(waiting() > 0, "%s: no picture", what);
    const test::BufferRef out(pull());
    fail_unless(is_cuda(out.get()) == cuda, "%s: in other memory", what);
    fail_unless(picture(out.get(), output_info()) == expected, "%s", what);
  }
};

}  // namespace

GST_START_TEST(same_bytes) {
  for (const char *memory : {kCuda, kSystem})
    for (const char *coded : {"GRAY8", "I420", "Y42B", "Y444"})
      for (const char *out : {coded, "RGB", "BGRx"}) {
        JpegBench bench(memory, out);
        std::vector<Bytes> files;
        for (unsigned seed = 0; seed < 7; seed++) {
          files.push_back(jpeg_file(coded, {37, 23}, seed, seed % 2 == 0 ? 0 : 2));
          bench.push_picture(files.back());
        }
        for (const Bytes &file : files)
          bench.expect(decoded(file, out), memory == kCuda, out);
        expect_string(active_backend(bench.element()), "cuda");
        fail_unless_equals_uint64(stat(bench.element(), "frames"), 7);
        fail_unless_equals_uint64(stat(bench.element(), "uploads"), 0);
        fail_unless_equals_uint64(stat(bench.element(), "downloads"), memory == kCuda ? 0 : 7);
        fail_unless(bench.errors().empty() && bench.warnings().empty());
      }
}
GST_END_TEST

// Sizes, flushes and stops in between, cut anywhere.
GST_START_TEST(changes) {
  for (const char *memory : {kCuda, kSystem}) {
    JpegBench bench(memory, "I420", {}, "image/jpeg");
    unsigned seed = 0;
    for (int round = 0; round < 3; round++)
      for (const Size size : {Size{64, 48}, Size{17, 9}, Size{130, 50}}) {
        const Bytes file = jpeg_file("I420", size, seed++);
        const auto half = file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2);
        bench.push_picture(Bytes(file.begin(), half));
        if (seed % 3 == 0) {
          bench.push_event(gst_event_new_flush_start());
          bench.push_event(gst_event_new_flush_stop(TRUE));
          bench.push_event(segment_event());
          bench.push_picture(file);
        } else {
          bench.push_picture(Bytes(half, file.end()));
        }
        bench.expect(decoded(file, "I420"), memory == kCuda, "after a change");
      }
    bench.push_event(gst_event_new_eos());
    bench.expect_no_error();
    gst_element_set_state(bench.element(), GST_STATE_READY);
    gst_element_set_state(bench.element(), GST_STATE_PLAYING);
  }
}
GST_END_TEST

GST_START_TEST(fields) {
  const Bytes first = jpeg_file("GRAY8", {32, 16}, 1), second = jpeg_file("GRAY8", {32, 16}, 2);
  const Bytes top = decoded(first, "GRAY8"), bottom = decoded(second, "GRAY8");
  Bytes expected;
  for (int y = 0; y < 32; y++) {
    const auto row = (y % 2 == 0 ? top : bottom).begin() + y / 2 * 32;
    expected.insert(expected.end(), row, row + 32);
  }
  for (const char *memory : {kCuda, kSystem}) {
    JpegBench bench(memory, "GRAY8", {}, "image/jpeg, parsed=true, height=32");
    bench.push_picture(joined({first, second}));
    bench.expect(expected, memory == kCuda, "fields");
  }
}
GST_END_TEST

GST_START_TEST(broken_files) {
  const Bytes file = jpeg_file("I420", {49, 33}, 4);
  for (const char *memory : {kCuda, kSystem}) {
    JpegBench bench(memory, "I420");
    for (gsize bytes = 30; bytes < file.size(); bytes += 97) {
      const Bytes part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(bytes));
      const Bytes expected = decoded(part, "I420");
      bench.push_picture(part);
      bench.settle();
      fail_unless_equals_int(bench.waiting(), expected.empty() ? 0 : 1);
      if (!expected.empty()) bench.expect(expected, memory == kCuda, "truncated");
    }
    bench.expect_no_error();
    fail_unless(!bench.warnings().empty());
  }
}
GST_END_TEST

// The CPU decodes it, and it goes up to CUDA memory.
GST_START_TEST(left_to_libjpeg) {
  if (!coalesce::test::have_libjpeg()) return;
  Bytes pixels(3 * 37 * 23);
  for (gsize i = 0; i < pixels.size(); i++)
    pixels[i] = static_cast<guint8>(i * i / 50);
  coalesce::test::LibjpegCoding coding;
  coding.progressive = true;
  const Bytes file =
      coalesce::test::libjpeg_file_of_rgb({pixels.data(), 3 * 37, 37, 23}, false, coding);
  const auto judge = coalesce::test::libjpeg_rgb(file, true);
  for (const char *memory : {kCuda, kSystem}) {
    JpegBench bench(memory, "RGB");
    for (int n = 0; n < 3; n++) {
      bench.push_picture(file);
      bench.expect(judge.planes[0].samples, memory == kCuda, "progressive");
    }
    fail_unless_equals_uint64(stat(bench.element(), "uploads"), memory == kCuda ? 3 : 0);
    bench.expect_no_error();
  }
}
GST_END_TEST

// Where the decoder finds no device memory, the CPU decodes, but not where the GPU is wanted.
GST_START_TEST(without_device_memory) {
  const Bytes file = jpeg_file("I420", {200, 100}, 4);
  for (const char *memory : {kCuda, kSystem})
    for (const char *backend : {"auto", "cuda"}) {
      if (memory == kSystem && std::string(backend) == "auto") continue;  // the CPU decodes
      JpegBench bench(memory, "I420", {{"backend", backend}, {"frames-in-flight", "1"}});
      bench.push_picture(jpeg_file("I420", {16, 16}, 1));
      bench.expect(decoded(jpeg_file("I420", {16, 16}, 1), "I420"), memory == kCuda, "before");
      // Of the new pool and the output come the first ones.
      bench.push_picture(jpeg_file("I420", {199, 99}, 1));
      gst_buffer_unref(bench.pull());
      g_object_set(bench.element(), "max-pixels", 1 << 20, nullptr);  // another decoder
      fakecuda_fail_how(FAKECUDA_STREAM_CREATE, 1, CUDA_ERROR_OUT_OF_MEMORY, FAKECUDA_ONCE);
      bench.push_picture(jpeg_file("I420", {199, 99}, 2));
      fakecuda_reset_faults();
      if (std::string(backend) == "cuda") {
        fail_unless_equals_int(bench.waiting(), 0);
        fail_unless(contains(bench.take_warning(), "no device memory"));
      } else {
        bench.expect(decoded(jpeg_file("I420", {199, 99}, 2), "I420"), memory == kCuda, "on CPU");
      }
      bench.push_picture(file);
      bench.expect(decoded(file, "I420"), memory == kCuda, "after");
      bench.expect_no_error();
    }
}
GST_END_TEST

// One error, and no more pictures.
GST_START_TEST(failing_gpu) {
  const Bytes file = jpeg_file("I420", {64, 48}, 4);
  for (const char *memory : {kCuda, kSystem})
    for (const FakecudaFunction function :
         {FAKECUDA_LAUNCH, FAKECUDA_SYNCHRONIZE, FAKECUDA_EXECUTE, FAKECUDA_EVENT_RECORD}) {
      JpegBench bench(memory, "I420");
      bench.push_picture(file);
      fakecuda_fail_how(function, 1, 719, FAKECUDA_LOST);
      GstFlowReturn flow = GST_FLOW_OK;
      for (int n = 0; n < 8 && flow == GST_FLOW_OK; n++)
        flow = bench.push(buffer_with(file));
      fail_unless_equals_int(flow, GST_FLOW_ERROR);
      bench.push_event(gst_event_new_eos());  // the task has posted it by then
      fail_unless_equals_int(bench.errors().size(), 1);
      while (bench.waiting() > 0)
        gst_buffer_unref(bench.pull());
      gst_element_set_state(bench.element(), GST_STATE_NULL);
      fakecuda_reset_faults();
    }
}
GST_END_TEST

// A picture that has been started, and has no fence, writes nowhere any more when its error comes.
GST_START_TEST(failed_fence) {
  const Bytes file = jpeg_file("I420", {64, 48}, 4);
  for (const char *memory : {kCuda, kSystem}) {
    int fences = 0;
    for (int nth = 1; nth < 8; nth++) {
      JpegBench bench(memory, "I420");
      bench.push_picture(file);
      bench.settle();
      fakecuda_fail_how(FAKECUDA_EVENT_RECORD, nth, 719, FAKECUDA_ONCE);
      const GstFlowReturn flow = bench.push(buffer_with(file));
      if (flow != GST_FLOW_OK) {
        FakecudaCounts counts;
        fakecuda_snapshot(&counts);
        fail_unless_equals_uint64(counts.pending, 0);
        fences++;
      }
      fakecuda_reset_faults();
      bench.settle();
      (void)bench.errors();
      while (bench.waiting() > 0)
        gst_buffer_unref(bench.pull());
    }
    fail_unless(fences > 0);
  }
}
GST_END_TEST

static Suite *decoder_suite() {
  Suite *suite = suite_create("decoder");
  TCase *tests = new_case(suite, "decoder");
  tcase_add_checked_fixture(tests, nullptr, [] {
    assert_clean();
    assert_nothing_lives();
  });
  tcase_add_test(tests, same_bytes);
  tcase_add_test(tests, changes);
  tcase_add_test(tests, fields);
  tcase_add_test(tests, broken_files);
  tcase_add_test(tests, left_to_libjpeg);
  tcase_add_test(tests, without_device_memory);
  tcase_add_test(tests, failing_gpu);
  tcase_add_test(tests, failed_fence);
  return suite;
}

SIMULATED_MAIN(decoder)
