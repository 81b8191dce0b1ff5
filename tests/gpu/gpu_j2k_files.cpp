// SPDX-License-Identifier: LGPL-2.1-or-later
// j2kenc in whole pipelines on a real GPU, from GStreamer's decoder and upload to its muxers: the
// codestreams are those of a pipeline on the CPU, and others decode the files to its pixels. What
// is not there is skipped, and said.
#include "../support/temporary_file.h"
#include "gpu_pipeline.h"
#include "support/h264_stream.h"

using namespace gpu_test;

namespace {

#define CUDA "video/x-raw(memory:CUDAMemory)"

constexpr int kFrames = 12;
const std::string kPicture =
    "videotestsrc num-buffers=12 pattern=smpte ! video/x-raw,format=BGRx,width=642,height=362,"
    "framerate=25/1 ! ";
const std::string kDecoder =
    "appsrc name=source caps=video/x-h264,stream-format=byte-stream,framerate=25/1 ! h264parse ! "
    "nvh264dec ! " CUDA ",format=NV12 ! ";
// The filters in front of the encoder, in the memory of a back end. (tsdemux says sRGB
// of a colorimetry that it does not know, as that of NV12 from sRGB is unless one is asked for.)
const std::string kOnGpu =
    "rgb2yuv backend=cuda ! " CUDA
    ",format=NV12,colorimetry=bt709 ! convolve preset=sharpen backend=cuda ! " CUDA " ! ";
const std::string kOnCpu =
    "rgb2yuv backend=cpu ! video/x-raw,format=NV12,colorimetry=bt709 ! convolve preset=sharpen "
    "backend=cpu ! ";

const std::string kUpload = "cudaupload ! " CUDA ",format=BGRx ! ";

std::string sink(const char *name) {
  return std::string("appsink sync=false name=") + name + "  ";
}

void feed_h264(Branches &pipeline) {
  gsize size = 0;
  guchar *stream = g_base64_decode(kH264Stream, &size);
  pipeline.feed(stream, size);
  g_free(stream);
}

struct File : TemporaryFile {
  std::string sink() const { return " ! filesink location=" + name(); }
  // Its pictures, by a demuxer and a decoder.
  std::string read(const char *demuxer, const char *decoder) const {
    return "filesrc location=" + name() + " ! " + demuxer + " ! jpeg2000parse ! " + decoder +
           " ! videoconvert ! video/x-raw,format=I420 ! ";
  }
};

constexpr struct {
  const char *muxer, *demuxer;
} kMuxers[] = {{"mj2mux", "qtdemux"}, {"mxfmux", "mxfdemux"}, {"mpegtsmux", "tsdemux"}};

// A file of what `writer` makes is read by a decoder and compared with what `expected` makes.
void compare_file(const std::string &writer, const char *muxer, const char *demuxer,
                  const char *decoder, const std::string &expected, int frames) {
  const File file;
  const auto feed = [&expected](Branches &pipeline) {
    if (contains(expected, "appsrc")) feed_h264(pipeline);
  };
  Branches writing(writer + " ! " + muxer + file.sink());
  feed(writing);
  writing.wait_for_eos();
  writing.stop();
  Branches both(file.read(demuxer, decoder) + sink("gpu") + expected +
                "videoconvert ! video/x-raw,format=I420 ! " + sink("cpu"));
  feed(both);
  fail_unless_equals_int(both.compare(), frames);
}

void files(const std::string &upload, const char *decoder) {
  if (skip_without({"mj2mux", "mxfmux", "mpegtsmux", "jpeg2000parse", decoder})) return;
  for (const auto &[muxer, demuxer] : kMuxers)
    compare_file(kPicture + upload + kOnGpu + "j2kenc backend=cuda", muxer, demuxer, decoder,
                 kPicture + kOnCpu, kFrames);
}

void h264_file(const char *decoder) {
  if (skip_without({"h264parse", "nvh264dec", "cudadownload", "mxfmux", "jpeg2000parse", decoder}))
    return;
  compare_file(kDecoder + "j2kenc", "mxfmux", "mxfdemux", decoder,
               kDecoder + "cudadownload ! video/x-raw ! ", kH264Frames);
}

void codestreams(const std::string &upload) {
  for (const std::string setting : {"", "bpp=2 frames-in-flight=8", "psnr=38 num-layers=3"}) {
    Branches pipeline(kPicture + "tee name=t  t. ! queue ! " + upload + kOnGpu +
                      "j2kenc name=coder backend=cuda " + setting + " ! image/x-j2c ! " +
                      sink("gpu") + "t. ! queue ! " + kOnCpu + "j2kenc backend=cpu " + setting +
                      " ! image/x-j2c ! " + sink("cpu"));
    fail_unless_equals_int(pipeline.compare(), kFrames);
    fail_unless_equals_uint64(stat(pipeline.element("coder"), "uploads"), 0);
  }
}

}  // namespace

// Decoded on the GPU, coded there; and the same frames brought down, coded on the CPU.
GST_START_TEST(h264_codestreams) {
  if (skip_without({"h264parse", "nvh264dec", "cudadownload"})) return;
  for (const std::string setting : {"", "bpp=1 num-layers=2"}) {
    Branches pipeline(kDecoder + "tee name=t  t. ! queue ! j2kenc name=coder " + setting + " ! " +
                      sink("gpu") +
                      "t. ! queue ! cudadownload ! video/x-raw ! j2kenc backend=cpu " + setting +
                      " ! " + sink("cpu"));
    feed_h264(pipeline);
    fail_unless_equals_int(pipeline.compare(), kH264Frames);
    fail_unless_equals_uint64(stat(pipeline.element("coder"), "uploads"), 0);
  }
}
GST_END_TEST

GST_START_TEST(h264_to_mxf_openjpegdec) {
  h264_file("openjpegdec");
}
GST_END_TEST

GST_START_TEST(h264_to_mxf_avdec) {
  h264_file("avdec_jpeg2000");
}
GST_END_TEST

// With an upload of ours, and with cudaupload.
GST_START_TEST(codestreams_behind_filters) {
  codestreams("");
}
GST_END_TEST

GST_START_TEST(codestreams_behind_cudaupload) {
  if (!skip_without({"cudaupload"})) codestreams(kUpload);
}
GST_END_TEST

GST_START_TEST(files_openjpegdec) {
  files("", "openjpegdec");
}
GST_END_TEST

GST_START_TEST(files_avdec) {
  files("", "avdec_jpeg2000");
}
GST_END_TEST

GST_START_TEST(files_of_cudaupload) {
  if (!skip_without({"cudaupload"})) files(kUpload, "openjpegdec");
}
GST_END_TEST

GST_START_TEST(files_of_cudaupload_avdec) {
  if (!skip_without({"cudaupload"})) files(kUpload, "avdec_jpeg2000");
}
GST_END_TEST

// Several encoders with different settings look at the same frames in CUDA memory.
GST_START_TEST(two_encoders_of_one_frame) {
  const auto pair = [](const std::string &setting) {
    return " t. ! queue ! j2kenc backend=cuda " + setting + " ! " + sink("gpu") +
           "t. ! queue ! video/x-raw(ANY) ! convolve mask=1 ! video/x-raw ! j2kenc backend=cpu " +
           setting + " ! " + sink("cpu");
  };
  Branches pipeline(kPicture + kOnGpu + "tee name=t  t. ! queue ! j2kenc bpp=1 ! fakesink " +
                    pair("quality=80"));
  fail_unless_equals_int(pipeline.compare(), kFrames);
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_j2k_files", [](TCase *tests) {
    tcase_add_test(tests, h264_codestreams);
    tcase_add_test(tests, h264_to_mxf_openjpegdec);
    tcase_add_test(tests, h264_to_mxf_avdec);
    tcase_add_test(tests, codestreams_behind_filters);
    tcase_add_test(tests, codestreams_behind_cudaupload);
    tcase_add_test(tests, files_openjpegdec);
    tcase_add_test(tests, files_avdec);
    tcase_add_test(tests, files_of_cudaupload);
    tcase_add_test(tests, files_of_cudaupload_avdec);
    tcase_add_test(tests, two_encoders_of_one_frame);
  });
}
