// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "bench/jpeg/jpeg_bench.h"
#include "bench/support/profile.h"
#include "bench/support/rounds.h"
#include "core/device.h"
#include "jpeg/encoder/cuda_encoder.h"
#include "jpeg/encoder/encoder.h"
#include "tests/support/device.h"

namespace coalesce::test {
namespace {

constexpr int kCudaFrames = 240, kFramesOfRound = 48;

// Frames in device memory, and some slots of an encoder.
class CudaRun {
 public:
  CudaRun(const std::vector<JpegFrame> &frames, const JpegOptions &options, int slots)
      : frames_(frames), slots_(slots) {
    for (const JpegFrame &frame : frames) {
      uploaded_.emplace_back(frame.bytes.size());
      uploaded_.back().upload(frame.bytes.data());
    }
    must(jpeg::CudaEncoder::make(params_of(frames[0], options), slots, &encoder_));
    room_ = frames[0].bytes.size() + (1 << 20);
    out_.resize(static_cast<std::size_t>(slots));
    for (coalesce::DeviceMemory &out : out_)
      must(coalesce::DeviceMemory::page_locked(room_, &out));
  }

  // Is the first frame's file the CPU's?
  void check(const JpegOptions &options) {
    std::unique_ptr<jpeg::Encoder> cpu;
    std::vector<std::uint8_t> expected;
    must(jpeg::Encoder::make(params_of(frames_[0], options), &cpu));
    must(cpu->encode(image_of(frames_[0], frames_[0].bytes.data()), &expected));
    start(0);
    if (finish(0) != expected.size() || std::memcmp(at(0), expected.data(), expected.size()) != 0)
      throw std::runtime_error("the file is not the CPU's");
  }
  double profile() {
    double bytes = 0;
    device_profile([&] { start(0), bytes = static_cast<double>(finish(0)); });
    return bytes;
  }
  // The mean of a frame, of each round; with one slot each one waits for the one before.
  std::vector<double> time(double *bytes) {
    for (int i = 0; i < 2 * slots_; ++i)
      start(i), finish(i);
    *bytes = 0;
    Rounds rounds(kFramesOfRound);
    for (int i = 0; i < kCudaFrames + slots_ - 1; ++i) {
      if (i < kCudaFrames) start(i);
      if (i < slots_ - 1) continue;
      *bytes += static_cast<double>(finish(i - (slots_ - 1)));
      rounds.done();
    }
    *bytes /= kCudaFrames;
    return rounds.ms();
  }

 private:
  std::uint8_t *at(int slot) const {
    return static_cast<std::uint8_t *>(out_[static_cast<std::size_t>(slot)].get());
  }
  void start(int frame) {
    const auto i = static_cast<std::size_t>(frame) % frames_.size();
    const int slot = frame % slots_;
    must(encoder_->start(slot, image_of(frames_[i], uploaded_[i].data()), device_stream(), at(slot),
                         room_));
  }
  std::size_t finish(int frame) {
    std::size_t bytes = 0;
    must(encoder_->wait(frame % slots_, &bytes));
    must(encoder_->fetch(frame % slots_, at(frame % slots_)));
    return bytes;
  }

  const std::vector<JpegFrame> &frames_;
  int slots_;
  std::size_t room_;
  std::vector<DeviceMemory> uploaded_;
  std::vector<coalesce::DeviceMemory> out_;
  std::unique_ptr<jpeg::CudaEncoder> encoder_;
};

}  // namespace

void time_cuda(const std::vector<JpegFrame> &frames, const JpegOptions &options, Results *results) {
  const JpegInput input = frames[0].input;
  if (options.once) {
    CudaRun run(frames, options, 1);
    run.check(options);
    report(options, input, "coalesce CUDA", "once", {0.0}, run.profile(), results);
    return;
  }
  for (const int slots : {1, 2, 3, 4}) {
    CudaRun run(frames, options, slots);
    if (slots == 1) run.check(options);
    double bytes;
    const std::vector<double> ms = run.time(&bytes);
    report(options, input, "coalesce CUDA",
           slots == 1 ? "alone" : (std::to_string(slots) + " in flight").c_str(), ms, bytes,
           results);
  }
  for (const auto &[name, encode] :
       {std::pair{"nvJPEG", &nvjpeg}, std::pair{"GPUJPEG", &gpujpeg}}) {
    PeerTimes peer;
    if (!encode(frames, options.quality, &peer)) {
      std::printf("%-13s %s: no figures\n", name_of(input), name);
      continue;
    }
    report(options, input, name, "alone", peer.alone_ms, peer.bytes, results);
    report(options, input, name, (std::to_string(peer.streams) + " streams").c_str(), peer.ms,
           peer.bytes, results);
  }
}

}  // namespace coalesce::test
