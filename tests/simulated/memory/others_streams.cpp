// SPDX-License-Identifier: LGPL-2.1-or-later
// Others who read and write our frames and theirs on streams of their own, and wait for nothing.
// Ours come behind them.
#include <cuda.h>

#include "../cudastream.h"
#include "../encoder/j2k.h"
#include "../gray.h"
#include "cuda/cudadriver.h"
#include "memory/fencedmemory.h"

using namespace simulated;
using namespace coalesce::gst;

namespace {

GstVideoInfo rgba() {
  return video_info(GST_VIDEO_FORMAT_RGBA, 64, 4);
}

std::vector<guint8> picture_of(unsigned seed) {
  GstBuffer *buffer = system_buffer(rgba(), seed);
  const auto bytes = picture(buffer, rgba());
  gst_buffer_unref(buffer);
  return bytes;
}

// An element that hands on the picture that it finds.
class Reader : public Bench {
 public:
  Reader(GstCudaContext *context, const char *out, const char *more = "")
      : Bench((std::string("convolve mask=1 ") + more).c_str()) {
    give_context(element(), context);
    negotiate(video_caps(kCuda, "RGBA", 64, 4), video_caps(out, "RGBA", 64, 4));
  }

  bool finds(GstBuffer *input, unsigned seed) {
    fail_unless_equals_int(push(input), GST_FLOW_OK);
    GstBuffer *output = pull();
    const bool right = picture(output, rgba()) == picture_of(seed);
    gst_buffer_unref(output);
    return right;
  }
};

class ApplicationStream {
 public:
  explicit ApplicationStream(GstCudaContext *context, CUstream_flags flags = CU_STREAM_DEFAULT)
      : context_(context) {
    ContextScope scope(context);
    fail_unless_equals_int(cuda_driver()->stream_create(&handle_, flags), CUDA_SUCCESS);
  }
  ~ApplicationStream() {
    ContextScope scope(context_);
    cuda_driver()->stream_synchronize(handle_);
    cuda_driver()->stream_destroy(handle_);
  }
  CUstream handle() const { return handle_; }

 private:
  GstCudaContext *context_;
  CUstream handle_ = nullptr;
};

// The frame, with nothing behind its last row: libgstcuda has room there.
GstBuffer *ends_with_rows(GstBuffer *buffer, const GstVideoInfo &info) {
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  const guint last = GST_VIDEO_INFO_N_PLANES(&info) - 1;
  gst_buffer_set_size(
      buffer, gssize(meta->offset[last] + gsize(rows(info, last)) * gsize(meta->stride[last])));
  return buffer;
}

Bytes coded_on_cpu(const J2kCase &c, GstVideoInfo info, unsigned seed) {
  GstBuffer *buffer = system_buffer(info, seed);
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                                 GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info),
                                 GST_VIDEO_INFO_N_PLANES(&info), info.offset, info.stride);
  return on_cpu(c, buffer);
}

}  // namespace

// Memory of libgstcuda's that the application writes on a stream of its own, and hands on without
// waiting: ours come behind every blocking stream. Not behind a non-blocking one, which shows that
// there was something to come behind.
GST_START_TEST(application_stream) {
  GstCudaContext *context = new_context();
  for (CUstream_flags flags : {CU_STREAM_DEFAULT, CU_STREAM_NON_BLOCKING}) {
    GstBuffer *source = plain_cuda_buffer(context, rgba(), 1);
    GstBuffer *input = plain_cuda_buffer(context, rgba(), 2);
    Reader reader(context, kCuda);
    const ApplicationStream stream(context, flags);
    copy_on(stream.handle(), source, input);
    fail_unless(reader.finds(input, 1) == (flags == CU_STREAM_DEFAULT), "flags %d", int(flags));
    gst_buffer_unref(source);
  }
  gst_object_unref(context);
}
GST_END_TEST

// Someone reads our frame on his stream, gives it back to its pool at once, and we fill it again:
// the reader comes first.
template <class TheirStream>
static void read_behind_our_back() {
  Bench bench("coalesceinvert");
  GstCudaContext *context = new_context();
  give_context(bench.element(), context);
  bench.negotiate(kSystemGray, kCudaGray);
  std::vector<GstBuffer *> copies;
  {
    const TheirStream stream(context);
    for (unsigned seed = 1; seed <= 6; seed++) {
      fail_unless_equals_int(bench.push(timed_buffer(seed)), GST_FLOW_OK);
      GstBuffer *frame = bench.pull();
      gsize offsets[GST_VIDEO_MAX_PLANES];
      gint strides[GST_VIDEO_MAX_PLANES];
      GstMemory *memory = fenced_memory_alloc(context, gray(), offsets, strides);
      copies.push_back(buffer_of(memory, gray(), offsets, strides));
      copy_on(stream.handle(), frame, copies.back());
      gst_buffer_unref(frame);
    }
  }
  for (unsigned seed = 1; seed <= 6; seed++)
    check_frame(copies[seed - 1], seed, 0xFF);
  gst_object_unref(context);
}

GST_START_TEST(read_after_it_was_given_back) {
  read_behind_our_back<ApplicationStream>();
}
GST_END_TEST

GST_START_TEST(read_on_a_cuda_stream) {
  if (skip_without_cuda_streams()) return;
  read_behind_our_back<CudaStream>();
}
GST_END_TEST

// Memory that names the stream on which its writes are in flight: nobody waits, wherever the result
// goes. That there was something to come behind is seen where the memory does not say so.
GST_START_TEST(memory_with_a_stream) {
  if (skip_without_cuda_streams()) return;
  GstCudaContext *context = new_context();
  for (const char *out : {kCuda, kSystem}) {
    CudaStream stream(context);
    Reader reader(context, out);
    for (unsigned seed = 1; seed <= 6; seed++) {
      GstBuffer *input = stream.buffer_in_flight(rgba(), seed);
      fakecuda_reset_counts();
      fail_unless_equals_int(reader.push(input), GST_FLOW_OK);
      const FakecudaCounts now = counts();
      fail_unless_equals_uint64(now.stream_syncs + now.event_syncs + now.context_syncs, 0);
      GstBuffer *output = reader.pull();
      fail_unless(picture(output, rgba()) == picture_of(seed), "picture %u", seed);
      gst_buffer_unref(output);
      fail_unless(reader.finds(stream.buffer_written(rgba(), seed), seed), "picture %u", seed);
    }
    GstBuffer *silent = stream.buffer_in_flight(rgba(), 7);
    forget_stream(silent);
    fail_if(reader.finds(silent, 7));
  }
  gst_object_unref(context);
}
GST_END_TEST

// The same on another device than the one that was asked for.
GST_START_TEST(stream_of_another_device) {
  if (skip_without_cuda_streams()) return;
  GstCudaContext *own = new_context(0), *other = new_context(1);
  for (const char *out : {kCuda, kSystem}) {
    CudaStream stream(other);
    Reader reader(own, out, "cuda-device-id=0");
    for (unsigned seed = 1; seed <= 4; seed++) {
      fail_unless(reader.finds(stream.buffer_in_flight(rgba(), seed), seed), "picture %u", seed);
      fail_unless_equals_uint64(stat(reader.element(), "uploads"), seed);
    }
  }
  gst_object_unref(own);
  gst_object_unref(other);
}
GST_END_TEST

// The encoder, which holds several such frames: whole ones, fields, and fields that lack a row and
// are copied first; where they are, and from another device.
GST_START_TEST(encoder_of_memory_with_a_stream) {
  if (skip_without_cuda_streams()) return;
  constexpr const char *kFields = ",interlace-mode=interleaved,field-order=top-field-first";
  constexpr J2kCase kCases[] = {{"NV12", 38, 26, "", "", "image/x-jpc"},
                                {"NV12", 32, 24, kFields, "", "image/x-j2c"},
                                {"NV12", 16, 22, kFields, "", "image/x-jpc"},
                                {"RGBA", 33, 17, "", "bpp=8", "image/jp2"}};
  const J2kCase &c = kCases[__i__ / 2];
  const guint device = __i__ % 2;
  GstCudaContext *own = new_context(0), *theirs = new_context(device);
  const GstVideoInfo info = video_info(video_caps(kSystem, c.format, c.width, c.height));
  for (const char *frames : {"1", "4"}) {
    CudaStream stream(theirs);
    Bench bench(
        (std::string("j2kenc cuda-device-id=0 frames-in-flight=") + frames + " " + c.properties)
            .c_str());
    give_context(bench.element(), own);
    bench.negotiate(in_caps(c, kCuda), c.media);
    for (unsigned seed = 1; seed <= 6; seed++)
      fail_unless_equals_int(bench.push(ends_with_rows(stream.buffer_in_flight(info, seed), info)),
                             GST_FLOW_OK);
    gst_harness_push_event(bench.harness(), gst_event_new_eos());
    for (unsigned seed = 1; seed <= 6; seed++)
      fail_unless(take_bytes(bench.pull()) == coded_on_cpu(c, info, seed), "%s: picture %u",
                  in_caps(c, kCuda).c_str(), seed);
    fail_unless(bench.errors().empty());
    fail_unless_equals_uint64(stat(bench.element(), "uploads"), device == 0 ? 0 : 6);
  }
  gst_object_unref(own);
  gst_object_unref(theirs);
}
GST_END_TEST

int main(int argc, char **argv) {
  gst_check_init(&argc, &argv);
  register_elements();
  Suite *suite = suite_create("others_streams");
  TCase *tests = new_case(suite, "others_streams");
  tcase_add_checked_fixture(tests, nullptr, done);
  tcase_add_test(tests, application_stream);
  tcase_add_test(tests, read_after_it_was_given_back);
  tcase_add_test(tests, read_on_a_cuda_stream);
  tcase_add_test(tests, memory_with_a_stream);
  tcase_add_test(tests, stream_of_another_device);
  tcase_add_loop_test(tests, encoder_of_memory_with_a_stream, 0, 8);
  return run_suite(suite, "others_streams");
}
