// SPDX-License-Identifier: LGPL-2.1-or-later
// Encoding and decoding with GPUJPEG, whose unit of work is a restart interval. A host thread for
// each stream.
#include <libgpujpeg/gpujpeg_decoder.h>
#include <libgpujpeg/gpujpeg_encoder.h>

#include <cstdio>

#include "bench/peers/threads.h"
#include "tests/support/device.h"

namespace coalesce::test {
namespace {

constexpr int kFewestIntervals = 32;  // with fewer its decoder uses the CPU

void must(int result, const char *what) {
  if (result != 0) throw std::runtime_error(std::string("GPUJPEG: ") + what);
}

struct Stream {
  cudaStream_t stream = nullptr;
  Stream() { test::must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream); }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
};

class Encoder {
 public:
  Encoder(const JpegFrame &like, int quality) {
    must(encoder_ == nullptr, "no encoder");
    must(
        gpujpeg_encoder_set_option(encoder_.get(), GPUJPEG_ENC_OPT_OUT, GPUJPEG_ENC_OUT_VAL_PINNED),
        "no page-locked output");
    params_.verbose = GPUJPEG_LL_QUIET;
    params_.quality = quality;
    params_.restart_interval = RESTART_AUTO;
    params_.interleaved = 1;
    gpujpeg_parameters_chroma_subsampling(&params_, like.input == JpegInput::yuv444
                                                        ? GPUJPEG_SUBSAMPLING_444
                                                        : GPUJPEG_SUBSAMPLING_420);
    image_.width = like.width;
    image_.height = like.height;
    image_.color_space = like.input == JpegInput::rgb ? GPUJPEG_RGB : GPUJPEG_YCBCR_JPEG;
    image_.pixel_format = like.input == JpegInput::rgb      ? GPUJPEG_444_U8_P012
                          : like.input == JpegInput::yuv444 ? GPUJPEG_444_U8_P0P1P2
                                                            : GPUJPEG_420_U8_P0P1P2;
  }
  std::size_t encode(const DeviceMemory &frame) {
    const gpujpeg_encoder_input input = gpujpeg_encoder_input_gpu_image(frame.data());
    std::uint8_t *file = nullptr;
    std::size_t bytes = 0;
    must(gpujpeg_encoder_encode(encoder_.get(), &params_, &image_, &input, &file, &bytes),
         "encoding failed");
    return bytes;
  }

 private:
  Stream stream_;
  std::unique_ptr<gpujpeg_encoder, decltype(&gpujpeg_encoder_destroy)> encoder_{
      gpujpeg_encoder_create(stream_.stream), gpujpeg_encoder_destroy};
  gpujpeg_parameters params_ = gpujpeg_default_parameters();
  gpujpeg_image_parameters image_ = gpujpeg_default_image_parameters();
};

// To planes as coded.
class Decoder {
 public:
  explicit Decoder(const gpujpeg_image_parameters &image)
      : out_(3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height)) {
    must(decoder_ == nullptr, "no decoder");
    gpujpeg_decoder_set_output_format(decoder_.get(), GPUJPEG_NONE, GPUJPEG_PIXFMT_NATIVE);
  }
  void decode(const std::vector<std::uint8_t> &file) {
    gpujpeg_decoder_output output;
    gpujpeg_decoder_output_set_custom_cuda(&output, out_.data());
    must(gpujpeg_decoder_decode(decoder_.get(), const_cast<std::uint8_t *>(file.data()),
                                file.size(), &output),
         "decoding failed");
  }

 private:
  Stream stream_;
  DeviceMemory out_;
  std::unique_ptr<gpujpeg_decoder, decltype(&gpujpeg_decoder_destroy)> decoder_{
      gpujpeg_decoder_create(stream_.stream), gpujpeg_decoder_destroy};
};

}  // namespace

bool gpujpeg(const std::vector<JpegFrame> &frames, int quality, PeerTimes *times) {
  try {
    std::vector<DeviceMemory> uploaded;
    for (const JpegFrame &frame : frames) {
      uploaded.emplace_back(frame.bytes.size());
      uploaded.back().upload(frame.bytes.data());
    }
    *times = time_streams(
        [&] { return std::make_unique<Encoder>(frames[0], quality); },
        [&](Encoder &encoder, int i) {
          return encoder.encode(uploaded[static_cast<std::size_t>(i) % uploaded.size()]);
        });
    return true;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return false;
  }
}

std::vector<DecodingPeer> gpujpeg_decode(const std::vector<std::uint8_t> &file) {
  try {
    gpujpeg_image_info info = {};
    must(gpujpeg_decoder_get_image_info2(const_cast<std::uint8_t *>(file.data()), file.size(),
                                         &info, GPUJPEG_LL_QUIET, GPUJPEG_COUNT_SEG_COUNT_REQ),
         "the file cannot be read");
    if (info.segment_count < kFewestIntervals) return {};
    return {{"GPUJPEG", time_streams([&] { return std::make_unique<Decoder>(info.param_image); },
                                     [&](Decoder &decoder, int) {
                                       decoder.decode(file);
                                       return file.size();
                                     })}};
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return {};
  }
}

}  // namespace coalesce::test
