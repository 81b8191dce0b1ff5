// SPDX-License-Identifier: LGPL-2.1-or-later
// coalescedeinterlace on a real GPU: the bytes of its CPU back end, which tests/check has judged,
// and frames that pass as they are, in any mix of memory.
#include "gpu_support.h"

using namespace gpu_test;

namespace {

const char *const kFormats[] = {"NV12", "I420", "P010_10LE", "UYVY", "v210", "I422_10LE",
                                "RGB",  "BGRA", "GRAY16_LE", "Y410", "UYVP"};
const char *const kMethods[] = {"bwdif", "yadif", "yadif spatial-check=false", "w3fdif",
                                "best",  "ela",   "ela ela-window=7",          "linear",
                                "line",  "weave"};
// (Of interlaced 4:2:0 with an odd number of rows of chroma GStreamer's pools may lack the row that
// its frames then have.)
constexpr Size kSizes[] = {{2, 3}, {66, 35}, {320, 20}, {1922, 24}};

const std::string kInterleaved = ", interlace-mode=interleaved, field-order=bottom-field-first";

// What comes out may have another frame rate.
CapsPair caps(const char *format, Size size, const std::string &more, bool in_cuda, bool out_cuda) {
  const auto in = [&](bool cuda) { return caps_text(format, size.width, size.height, cuda); };
  return {in(in_cuda) + more, in(out_cuda).substr(0, in(out_cuda).find(",framerate"))};
}

// The GPU's element between these memories, the CPU's between two of the system's.
class Streams {
 public:
  Streams(const std::string &properties, const char *format, Size size, const std::string &more,
          bool in_cuda = true, bool out_cuda = true)
      : what_(properties + ", " + format + ", " + std::to_string(size.width) + "x" +
              std::to_string(size.height) + more + (in_cuda ? ", CUDA" : ", system") +
              (out_cuda ? " to CUDA" : " to system")),
        twins_("coalescedeinterlace " + properties, caps(format, size, more, in_cuda, out_cuda),
               caps(format, size, more, false, false)) {}

  void push(unsigned number, guint flags = 0) {
    for (const Side *side : {&twins_.gpu, &twins_.cpu}) {
      const BufferRef frame = side->frame(number);
      GST_BUFFER_FLAG_SET(frame.get(), flags);
      side->push(frame);
    }
  }

  // Frame `number` of video, whose fields, the bottom one first, are of these frames of film.
  void push_film(unsigned number, int first, int second) {
    for (const Side *side : {&twins_.gpu, &twins_.cpu}) {
      const BufferRef frame = side->frame(number);
      const GstVideoInfo info = video_info(text_of(current_caps(side->get()->srcpad).get()));
      fail_unless(each_row(frame.get(), info, GST_MAP_WRITE, [&](int plane, int y, guint8 *row) {
        for (int x = 0; x < row_bytes(info, plane); x++)
          row[x] = (x + 11 * (y % 2 == 1 ? first : second)) / 24 % 2 == 0 ? 40 : 200;
      }));
      side->push(frame);
    }
  }

  // All of them, after the end of the stream.
  void expect_same(int pictures) {
    for (const Side *side : {&twins_.gpu, &twins_.cpu}) {
      fail_unless(gst_harness_push_event(side->get(), gst_event_new_eos()));
      fail_unless_equals_int(gst_harness_buffers_in_queue(side->get()), pictures);
    }
    for (int i = 0; i < pictures; i++)
      twins_.expect_same_frames(what_ + ": picture " + std::to_string(i));
  }

 private:
  std::string what_;
  Twins twins_;
};

}  // namespace

GST_START_TEST(methods_and_formats) {
  const int formats = G_N_ELEMENTS(kFormats);
  for (int format = first_sample(formats); format < formats; format += sample_step())
    for (const Size &size : kSizes)
      for (const char *fields : {"all", "auto"}) {
        Streams streams(std::string("mode=auto fields=") + fields + " method=" + kMethods[__i__],
                        kFormats[format], size, kInterleaved);
        for (unsigned i = 0; i < 3; i++)
          streams.push(i);
        streams.expect_same(*fields == 'a' && fields[1] == 'l' ? 6 : 3);
      }
}
GST_END_TEST

GST_START_TEST(memory_combinations) {
  for (const char *format : kFormats)
    for (bool in_cuda : {false, true})
      for (bool out_cuda : {false, true}) {
        Streams streams("mode=auto fields=all", format, {640, 36}, kInterleaved, in_cuda, out_cuda);
        for (unsigned i = 0; i < 5; i++)
          streams.push(i);
        streams.expect_same(10);
      }
}
GST_END_TEST

// What is not interlaced, and what is left alone, has the same bytes in another memory. (In the
// same one it is the same buffer, as tests/check has it.)
GST_START_TEST(passing) {
  for (const char *format : kFormats)
    for (const char *method : {"bwdif", "linear"})
      for (bool in_cuda : {false, true})
        for (bool disabled : {false, true}) {
          const Size size = {66, 23};
          const Side side(
              std::string("coalescedeinterlace backend=cuda fields=all method=") + method +
                  (disabled ? " mode=disabled" : " mode=auto"),
              caps(format, size, disabled ? kInterleaved : ", interlace-mode=progressive", in_cuda,
                   !in_cuda));
          const GstVideoInfo info = video_info(text_of(current_caps(side.get()->srcpad).get()));
          std::vector<Bytes> expected;
          for (unsigned i = 0; i < 3; i++) {
            const BufferRef frame = side.frame(i);
            expected.push_back(picture(frame.get(), info));
            side.push(frame);
          }
          for (const Bytes &bytes : expected)
            fail_unless(side.pull() == bytes, "%s, %s, %s", format, method,
                        disabled ? "disabled" : "progressive");
        }
}
GST_END_TEST

GST_START_TEST(mixed) {
  constexpr guint kInterlaced = GST_VIDEO_BUFFER_FLAG_INTERLACED, kTop = GST_VIDEO_BUFFER_FLAG_TFF;
  for (const char *format : {"NV12", "v210", "RGB"})
    for (bool in_cuda : {false, true})
      for (bool out_cuda : {false, true}) {
        Streams streams("mode=auto fields=all", format, {66, 23}, ", interlace-mode=mixed", in_cuda,
                        out_cuda);
        unsigned number = 0;
        for (guint flags : {kInterlaced | kTop, 0u, kInterlaced, kInterlaced | kTop, 0u, 0u})
          streams.push(number++, flags);
        streams.expect_same(9);
      }
}
GST_END_TEST

// Film of two and three fields, video, film: what is measured decides, and comes from the GPU.
GST_START_TEST(film) {
  for (const char *format : {"NV12", "UYVY", "RGB", "GRAY16_LE"})
    for (bool in_cuda : {false, true})
      for (bool out_cuda : {false, true}) {
        Streams streams("mode=auto pattern=3:2", format, {320, 48}, kInterleaved, in_cuda,
                        out_cuda);
        unsigned number = 0;
        for (int part = 0; part < 3; part++)
          for (int i = 0; i < 20; i++, number++) {
            const int field = 2 * i, five[] = {0, 0, 1, 1, 1};
            const auto of = [&](int at) { return 2 * (at / 5) + five[at % 5]; };
            if (part == 1)
              streams.push(number);
            else
              streams.push_film(number, of(field), of(field + 1));
          }
        streams.expect_same(48);
      }
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_coalescedeinterlace", [](TCase *tests) {
    tcase_add_loop_test(tests, methods_and_formats, 0, G_N_ELEMENTS(kMethods));
    tcase_add_test(tests, memory_combinations);
    tcase_add_test(tests, passing);
    tcase_add_test(tests, mixed);
    tcase_add_test(tests, film);
  });
}
