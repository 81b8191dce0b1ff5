// SPDX-License-Identifier: LGPL-2.1-or-later
// Encoding with nvJPEG2000: its coders of Part 1 and of Part 15, with blocks of 64 x 64 and as many
// resolutions as ours. A host thread for each stream.
#include <cuda_runtime.h>
#include <nvjpeg2k.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "bench/j2k/j2k_frames.h"
#include "bench/support/results.h"
#include "bench/support/rounds.h"

namespace coalesce::test {
namespace {

constexpr int kRounds = 4;

void must(nvjpeg2kStatus_t status) {
  if (status != NVJPEG2K_STATUS_SUCCESS)
    throw std::runtime_error("nvJPEG2000: status " + std::to_string(status));
}

void must(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

class Params {
 public:
  // step: 0 is lossless.
  Params(const BenchFrames &frames, PeerCoder coder, double step) {
    nvjpeg2kImageComponentInfo_t components[3];
    for (auto &c : components)
      c = {static_cast<unsigned>(frames.width), static_cast<unsigned>(frames.height), 8, 0};
    nvjpeg2kEncodeConfig_t config = {};
    config.stream_type = NVJPEG2K_STREAM_J2K;
    config.color_space = NVJPEG2K_COLORSPACE_SRGB;
    config.image_width = static_cast<unsigned>(frames.width);
    config.image_height = static_cast<unsigned>(frames.height);
    config.num_components = 3;
    config.image_comp_info = components;
    config.prog_order = NVJPEG2K_LRCP;
    config.num_layers = 1;
    config.mct_mode = 1;
    config.num_resolutions = 6;
    config.code_block_w = config.code_block_h = 64;
    config.irreversible = step > 0;
    if (coder == PeerCoder::ht) {
      config.rsiz = NVJPEG2K_RSIZ_HT;
      config.encode_modes = NVJPEG2K_MODE_HT;
    }
    must(nvjpeg2kEncodeParamsCreate(&params_));
    must(nvjpeg2kEncodeParamsSetEncodeConfig(params_, &config));
    if (step > 0)
      must(nvjpeg2kEncodeParamsSpecifyQuality(params_, NVJPEG2K_QUALITY_TYPE_QUANTIZATION_STEP,
                                              step));
  }
  ~Params() { nvjpeg2kEncodeParamsDestroy(params_); }
  Params(const Params &) = delete;
  Params &operator=(const Params &) = delete;
  nvjpeg2kEncodeParams_t get() const { return params_; }

 private:
  nvjpeg2kEncodeParams_t params_ = nullptr;
};

// What one stream needs.
class Worker {
 public:
  Worker(nvjpeg2kEncoder_t encoder, std::size_t room) : encoder_(encoder), room_(room) {
    must(nvjpeg2kEncodeStateCreate(encoder, &state_));
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    must(cudaHostAlloc(&out_, room, cudaHostAllocDefault));
  }
  ~Worker() {
    nvjpeg2kEncodeStateDestroy(state_);
    cudaStreamDestroy(stream_);
    cudaFreeHost(out_);
  }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  std::size_t encode(const BenchFrames &frames, std::size_t frame, const Params &params) {
    void *planes[3];
    std::size_t pitches[3];
    for (int c = 0; c < 3; ++c) {
      planes[c] = const_cast<std::uint8_t *>(frames.plane(frame, c));
      pitches[c] = static_cast<std::size_t>(frames.width);
    }
    const nvjpeg2kImage_t image = {planes, pitches, NVJPEG2K_UINT8, 3};
    must(nvjpeg2kEncode(encoder_, state_, params.get(), &image, stream_));
    std::size_t bytes = 0;
    must(nvjpeg2kEncodeRetrieveBitstream(encoder_, state_, nullptr, &bytes, stream_));
    if (bytes > room_) throw std::runtime_error("nvJPEG2000: more bytes than samples");
    must(nvjpeg2kEncodeRetrieveBitstream(encoder_, state_, static_cast<unsigned char *>(out_),
                                         &bytes, stream_));
    must(cudaStreamSynchronize(stream_));
    return bytes;
  }

 private:
  nvjpeg2kEncoder_t encoder_;
  nvjpeg2kEncodeState_t state_ = nullptr;
  cudaStream_t stream_ = nullptr;
  void *out_ = nullptr;
  std::size_t room_;
};

// Milliseconds a frame, of each round.
std::vector<double> time_streams(nvjpeg2kEncoder_t encoder, const BenchFrames &frames,
                                 const Params &params, int streams, double *bytes) {
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < streams; ++i) {
    workers.push_back(std::make_unique<Worker>(encoder, frames.first.size() + (1 << 20)));
    workers.back()->encode(frames, 0, params);
  }
  const std::size_t count = frames.frames.size() * kRounds;
  std::atomic<std::size_t> next{0}, sum{0};
  std::atomic<bool> failed{false};
  std::vector<std::thread> threads;
  Rounds rounds(static_cast<int>(frames.frames.size()));
  for (auto &worker : workers)
    threads.emplace_back([&] {
      try {
        for (std::size_t i; (i = next++) < count;) {
          sum += worker->encode(frames, i % frames.frames.size(), params);
          rounds.done();
        }
      } catch (const std::exception &) {
        failed = true;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  if (failed) throw std::runtime_error("nvJPEG2000 failed in a thread");
  *bytes = static_cast<double>(sum) / static_cast<double>(count);
  return rounds.ms();
}

// The step with which frames have, on average, nearly so many bytes. (Some differ from the mean
// twofold.)
double find_step(nvjpeg2kEncoder_t encoder, const BenchFrames &frames, PeerCoder coder,
                 double bytes) {
  Worker worker(encoder, 4 * frames.first.size() + (1 << 20));
  double low = 1e-3, high = 1e3;
  for (int i = 0; i < 16; ++i) {
    const double middle = std::sqrt(low * high);
    const Params params(frames, coder, middle);
    double sum = 0;
    for (std::size_t frame = 0; frame < frames.frames.size(); ++frame)
      sum += static_cast<double>(worker.encode(frames, frame, params));
    (sum / static_cast<double>(frames.frames.size()) > bytes ? low : high) = middle;
  }
  return high;
}

}  // namespace

bool nvjpeg2000(const BenchFrames &frames, PeerCoder coder, bool lossless, double bytes,
                PeerResult *result) {
  try {
    nvjpeg2kEncoder_t encoder = nullptr;
    must(nvjpeg2kEncoderCreateSimple(&encoder));
    const std::unique_ptr<nvjpeg2kEncoder, decltype(&nvjpeg2kEncoderDestroy)> owner(
        encoder, nvjpeg2kEncoderDestroy);
    const Params params(frames, coder, lossless ? 0 : find_step(encoder, frames, coder, bytes));
    result->single = time_streams(encoder, frames, params, 1, &result->bytes);
    result->sustained = result->single;
    result->streams = 1;
    for (const int streams : {2, 4, 8, 16}) {
      double bytes_of_frame = 0;
      const std::vector<double> ms =
          time_streams(encoder, frames, params, streams, &bytes_of_frame);
      if (median(ms) >= median(result->sustained)) continue;
      result->sustained = ms;
      result->streams = streams;
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return false;
  }
  return true;
}

std::string nvjpeg2000_version() {
  int major = 0, minor = 0, patch = 0;
  if (nvjpeg2kGetProperty(MAJOR_VERSION, &major) != NVJPEG2K_STATUS_SUCCESS ||
      nvjpeg2kGetProperty(MINOR_VERSION, &minor) != NVJPEG2K_STATUS_SUCCESS ||
      nvjpeg2kGetProperty(PATCH_LEVEL, &patch) != NVJPEG2K_STATUS_SUCCESS)
    return "unknown";
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

}  // namespace coalesce::test
