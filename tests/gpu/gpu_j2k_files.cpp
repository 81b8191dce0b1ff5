// SPDX-License-Identifier: LGPL-2.1-or-later
// j2kenc in whole pipelines on a real GPU, from GStreamer's decoder and upload to its muxers: the
// codestreams are those of a pipeline on the CPU, and others decode the files to its pixels. What
// is not there is skipped, and said.
#include "../support/temporary_file.h"
#include "gpu_pipeline.h"
#include "h264_stream.h"

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

std::string sink(const char *name) {
  return std::string("appsink sync=false name=") + name + "  ";
}

void feed_h264(const Pipeline &pipeline) {
  gsize size = 0;
  guchar *stream = g_base64_decode(kH264Stream, &size);
  pipeline.feed("source", stream, size);
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
constexpr const char *kDecoders[] = {"openjpegdec", "avdec_jpeg2000"};

// A file that has been written is read by all decoders and compared with what `expected` makes.
template <class Feed>
void compare_file(const File &file, const char *demuxer, const std::string &expected, int frames,
                  Feed feed) {
  for (const char *decoder : kDecoders) {
    if (skipped(demuxer, {demuxer, "jpeg2000parse", decoder})) continue;
    const Pipeline both(file.read(demuxer, decoder) + sink("gpu") + expected +
                        "videoconvert ! video/x-raw,format=I420 ! " + sink("cpu"));
    feed(both);
    fail_unless_equals_int(both.compare(), frames);
  }
}

}  // namespace

// Decoded on the GPU, coded there; and the same frames brought down, coded on the CPU.
GST_START_TEST(h264_codestreams) {
  if (skipped("nvh264dec", {"h264parse", "nvh264dec", "cudadownload"})) return;
  for (const std::string setting : {"", "bpp=1 num-layers=2"}) {
    const Pipeline pipeline(kDecoder + "tee name=t  t. ! queue ! j2kenc name=coder " + setting +
                            " ! " + sink("gpu") +
                            "t. ! queue ! cudadownload ! video/x-raw ! j2kenc backend=cpu " +
                            setting + " ! " + sink("cpu"));
    feed_h264(pipeline);
    fail_unless_equals_int(pipeline.compare(), kH264Frames);
    fail_unless_equals_uint64(statistic(pipeline.element("coder"), "uploads"), 0);
  }
}
GST_END_TEST

GST_START_TEST(h264_to_mxf) {
  if (skipped("nvh264dec to mxfmux", {"h264parse", "nvh264dec", "cudadownload", "mxfmux"})) return;
  const File file;
  {
    const Pipeline writer(kDecoder + "j2kenc ! mxfmux" + file.sink());
    feed_h264(writer);
    writer.run();
  }
  compare_file(file, "mxfdemux", kDecoder + "cudadownload ! video/x-raw ! ", kH264Frames,
               feed_h264);
}
GST_END_TEST

// With cudaupload, and with an upload of ours.
GST_START_TEST(codestreams_behind_filters) {
  for (const std::string upload : {"", "cudaupload ! " CUDA ",format=BGRx ! "}) {
    if (!upload.empty() && skipped("cudaupload", {"cudaupload"})) continue;
    for (const std::string setting : {"", "bpp=2 frames-in-flight=8", "psnr=38 num-layers=3"}) {
      const Pipeline pipeline(kPicture + "tee name=t  t. ! queue ! " + upload + kOnGpu +
                              "j2kenc name=coder backend=cuda " + setting + " ! image/x-j2c ! " +
                              sink("gpu") + "t. ! queue ! " + kOnCpu + "j2kenc backend=cpu " +
                              setting + " ! image/x-j2c ! " + sink("cpu"));
      fail_unless_equals_int(pipeline.compare(), kFrames);
      fail_unless_equals_uint64(statistic(pipeline.element("coder"), "uploads"), 0);
    }
  }
}
GST_END_TEST

GST_START_TEST(files) {
  for (const std::string upload : {"", "cudaupload ! " CUDA ",format=BGRx ! "})
    for (const auto &[muxer, demuxer] : kMuxers) {
      if (skipped(muxer, {muxer}) || (!upload.empty() && skipped(muxer, {"cudaupload"}))) continue;
      const File file;
      Pipeline(kPicture + upload + kOnGpu + "j2kenc backend=cuda ! " + muxer + file.sink()).run();
      compare_file(file, demuxer, kPicture + kOnCpu, kFrames, [](const Pipeline &) {});
    }
}
GST_END_TEST

// Several encoders with different settings look at the same frames in CUDA memory.
GST_START_TEST(two_encoders_of_one_frame) {
  const auto pair = [](const std::string &setting) {
    return " t. ! queue ! j2kenc backend=cuda " + setting + " ! " + sink("gpu") +
           "t. ! queue ! video/x-raw(ANY) ! convolve mask=1 ! video/x-raw ! j2kenc backend=cpu " +
           setting + " ! " + sink("cpu");
  };
  const Pipeline pipeline(kPicture + kOnGpu + "tee name=t  t. ! queue ! j2kenc bpp=1 ! fakesink " +
                          pair("quality=80"));
  fail_unless_equals_int(pipeline.compare(), kFrames);
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_j2k_files", [](TCase *tests) {
    tcase_add_test(tests, h264_codestreams);
    tcase_add_test(tests, h264_to_mxf);
    tcase_add_test(tests, codestreams_behind_filters);
    tcase_add_test(tests, files);
    tcase_add_test(tests, two_encoders_of_one_frame);
  });
}
