// SPDX-License-Identifier: LGPL-2.1-or-later
// Encoding with nvJPEG. A host thread for each stream.
#include <cstdio>

#include "bench/jpeg/jpeg_peers.h"
#include "bench/peers/nvjpeg_library.h"

namespace coalesce::test {
namespace {

// Frames in device memory.
struct Uploaded {
  explicit Uploaded(const JpegFrame &frame) : frame(frame) {
    must(cudaMalloc(&data, frame.bytes.size()));
    must(cudaMemcpy(data, frame.bytes.data(), frame.bytes.size(), cudaMemcpyHostToDevice));
  }
  ~Uploaded() { cudaFree(data); }
  Uploaded(const Uploaded &) = delete;
  Uploaded &operator=(const Uploaded &) = delete;
  const JpegFrame &frame;
  unsigned char *data = nullptr;
};

class Worker {
 public:
  Worker(nvjpegHandle_t handle, const JpegFrame &like, int quality) : handle_(handle) {
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    must(nvjpegEncoderStateCreate(handle, &state_, stream_));
    must(nvjpegEncoderParamsCreate(handle, &params_, stream_));
    must(nvjpegEncoderParamsSetQuality(params_, quality, stream_));
    must(nvjpegEncoderParamsSetSamplingFactors(
        params_, like.input == JpegInput::yuv444 ? NVJPEG_CSS_444 : NVJPEG_CSS_420, stream_));
    room_ = like.bytes.size() + (1 << 20);
    must(cudaHostAlloc(reinterpret_cast<void **>(&out_), room_, cudaHostAllocDefault));
  }
  ~Worker() {
    nvjpegEncoderParamsDestroy(params_);
    nvjpegEncoderStateDestroy(state_);
    cudaStreamDestroy(stream_);
    cudaFreeHost(out_);
  }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  std::size_t encode(const Uploaded &uploaded) {
    const JpegFrame &f = uploaded.frame;
    nvjpegImage_t image = {};
    if (f.input == JpegInput::rgb) {
      image.channel[0] = uploaded.data;
      image.pitch[0] = static_cast<std::size_t>(3 * f.width);
      must(nvjpegEncodeImage(handle_, state_, params_, &image, NVJPEG_INPUT_RGBI, f.width, f.height,
                             stream_));
    } else {
      for (int p = 0; p < 3; ++p) {
        image.channel[p] = uploaded.data + f.plane_at(p);
        image.pitch[p] = static_cast<std::size_t>(f.plane_width(p));
      }
      must(nvjpegEncodeYUV(handle_, state_, params_, &image,
                           f.input == JpegInput::yuv444 ? NVJPEG_CSS_444 : NVJPEG_CSS_420, f.width,
                           f.height, stream_));
    }
    std::size_t bytes = room_;
    must(nvjpegEncodeRetrieveBitstream(handle_, state_, nullptr, &bytes, stream_));
    must(cudaStreamSynchronize(stream_));
    must(nvjpegEncodeRetrieveBitstream(handle_, state_, out_, &bytes, stream_));
    must(cudaStreamSynchronize(stream_));
    return bytes;
  }

 private:
  nvjpegHandle_t handle_;
  cudaStream_t stream_ = nullptr;
  nvjpegEncoderState_t state_ = nullptr;
  nvjpegEncoderParams_t params_ = nullptr;
  unsigned char *out_ = nullptr;
  std::size_t room_ = 0;
};

}  // namespace

bool nvjpeg(const std::vector<JpegFrame> &frames, int quality, PeerTimes *times) {
  try {
    const NvjpegLibrary library;
    std::vector<std::unique_ptr<Uploaded>> uploaded;
    for (const JpegFrame &frame : frames)
      uploaded.push_back(std::make_unique<Uploaded>(frame));
    *times = time_streams(
        [&] { return std::make_unique<Worker>(library.handle, frames[0], quality); },
        [&](Worker &worker, int i) {
          return worker.encode(*uploaded[static_cast<std::size_t>(i) % uploaded.size()]);
        });
    return true;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return false;
  }
}

}  // namespace coalesce::test
