// SPDX-License-Identifier: LGPL-2.1-or-later
// Decoding with nvJPEG, to planes as coded. A host thread for each stream.
#include <cstdio>

#include "bench/jpeg/jpeg_peers.h"
#include "bench/peers/nvjpeg_library.h"

namespace coalesce::test {
namespace {

class Worker {
 public:
  Worker(nvjpegHandle_t handle, const std::vector<std::uint8_t> &file) : handle_(handle) {
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    must(nvjpegJpegStateCreate(handle, &state_));
    int components = 0, width[NVJPEG_MAX_COMPONENT], height[NVJPEG_MAX_COMPONENT];
    nvjpegChromaSubsampling_t subsampling;
    must(nvjpegGetImageInfo(handle, file.data(), file.size(), &components, &subsampling, width,
                            height));
    for (int p = 0; p < components; ++p) {
      image_.pitch[p] = static_cast<unsigned>(width[p]);
      must(cudaMalloc(&image_.channel[p], image_.pitch[p] * static_cast<std::size_t>(height[p])));
    }
  }
  ~Worker() {
    for (unsigned char *channel : image_.channel)
      cudaFree(channel);
    nvjpegJpegStateDestroy(state_);
    cudaStreamDestroy(stream_);
  }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  void decode(const std::vector<std::uint8_t> &file) {
    must(nvjpegDecode(handle_, state_, file.data(), file.size(), NVJPEG_OUTPUT_UNCHANGED, &image_,
                      stream_));
    must(cudaStreamSynchronize(stream_));
  }

 private:
  nvjpegHandle_t handle_;
  cudaStream_t stream_ = nullptr;
  nvjpegJpegState_t state_ = nullptr;
  nvjpegImage_t image_ = {};
};

bool time(nvjpegBackend_t backend, const std::vector<std::uint8_t> &file, PeerTimes *times) {
  try {
    const NvjpegLibrary library(backend);
    *times = time_streams([&] { return std::make_unique<Worker>(library.handle, file); },
                          [&](Worker &worker, int) {
                            worker.decode(file);
                            return file.size();
                          });
    return true;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "nvJPEG's back end %d: %s\n", static_cast<int>(backend), error.what());
    return false;
  }
}

}  // namespace

std::vector<DecodingPeer> nvjpeg_decode(const std::vector<std::uint8_t> &file) {
  const struct {
    nvjpegBackend_t backend;
    const char *name;
  } backends[] = {{NVJPEG_BACKEND_DEFAULT, "nvJPEG"},
                  {NVJPEG_BACKEND_GPU_HYBRID, "nvJPEG hybrid"},
                  {NVJPEG_BACKEND_HARDWARE, "nvJPEG engine"}};
  std::vector<DecodingPeer> peers;
  for (const auto &[backend, name] : backends) {
    DecodingPeer peer = {name, {}};
    if (time(backend, file, &peer.times)) peers.push_back(peer);
  }
  return peers;
}

}  // namespace coalesce::test
