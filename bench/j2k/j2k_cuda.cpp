// SPDX-License-Identifier: LGPL-2.1-or-later
// JPEG 2000 on a GPU, frame by frame: 4:4:4 in device memory to codestreams in page-locked host
// memory. Of 8 bits, without loss and at 2 bits per pixel, and nvJPEG2000 with the same frames; or
// of 12 bits, for cinema at 24 Hz, with all the bytes that a frame and a component may have there.
// bench-j2k-cuda PICTURE.ppm [WIDTH HEIGHT [BLOCK | cinema | once]] [--json FILE]
// once: one frame without loss, for a profiler (bench/support/profile.h).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "bench/j2k/j2k_frames.h"
#include "bench/support/profile.h"
#include "bench/support/results.h"
#include "bench/support/rounds.h"
#include "core/device.h"
#include "j2k/encoder/cuda_encoder.h"
#include "j2k/encoder/encoder.h"
#include "j2k/profile/profile.h"
#include "j2k/transform/quantiser.h"

namespace {

using namespace coalesce;
using namespace coalesce::j2k;
using coalesce::test::BenchFrames;

constexpr int kFrames = 24, kRounds = 4;
constexpr double kBitsPerPixel = 2;

void must(const Status &status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

EncoderParams params_of(const BenchFrames &frames, bool lossless, int block) {
  EncoderParams params;
  params.coding.image = {0, 0, frames.width, frames.height};
  params.coding.num_components = 3;
  params.coding.block_x = params.coding.block_y = block;
  params.colour_transform = true;
  if (lossless) return params;
  params.wavelet = Wavelet::irreversible_97;
  params.base_step = fine_base_step(true);
  const double bytes = kBitsPerPixel / 8 * frames.width * frames.height;
  params.targets = {{LayerBudget::Kind::bytes, static_cast<std::uint64_t>(bytes)}};
  return params;
}

EncoderParams cinema_params(const BenchFrames &frames) {
  EncoderParams params;
  params.coding.image = {0, 0, frames.width, frames.height};
  params.coding.num_components = 3;
  for (std::size_t c = 0; c < 3; ++c)
    params.coding.component[c].bits = frames.bits;
  params.colour_transform = true;
  std::uint64_t unused;
  const Profile profile = frames.width > 2048 ? Profile::cinema_4k : Profile::cinema_2k;
  must(set_profile(profile, {24, 1, 0}, &params, &unused));
  params.base_step = fine_base_step(true);
  return params;
}

struct Planes {
  Planes(const std::uint8_t *first, const BenchFrames &frames) {
    for (std::size_t c = 0; c < 3; ++c) {
      at[c].data = first + c * frames.pitch() * static_cast<std::size_t>(frames.height);
      at[c].pitch = frames.pitch();
      at[c].container = frames.bits > 8 ? Container::u16 : Container::u8;
      at[c].bits = static_cast<std::uint8_t>(frames.bits);
    }
  }
  Samples at[3];
};

// With some slots of an encoder.
class Run {
 public:
  Run(const BenchFrames &frames, const EncoderParams &params, int slots)
      : frames_(frames), slots_(slots) {
    must(CudaEncoder::make(params, slots, &encoder_));
    must(DeviceMemory::page_locked(frames.first.size() + (1 << 20), &out_));
  }

  // Is the first frame's codestream the CPU's?
  void check(const EncoderParams &params) {
    std::vector<std::uint8_t> expected;
    std::unique_ptr<Encoder> cpu;
    ThreadPool pool(0);
    must(Encoder::make(params, &cpu));
    must(cpu->encode(Planes(frames_.first.data(), frames_).at, &pool, &expected));
    start(0);
    const std::size_t bytes = finish(0);
    if (bytes != expected.size() || std::memcmp(out_.get(), expected.data(), bytes) != 0)
      throw std::runtime_error("the codestream is not the CPU's");
  }

  // The bytes of the frame.
  double profile() {
    double bytes = 0;
    test::device_profile([&] { start(0), bytes = static_cast<double>(finish(0)); });
    return bytes;
  }

  // Milliseconds of a frame, of each round. (With one slot each frame waits for the one before.)
  std::vector<double> time() {
    test::Rounds rounds(kFrames);
    for (int i = 0; i < kRounds * kFrames + slots_ - 1; ++i) {
      if (i < kRounds * kFrames) start(i);
      if (i < slots_ - 1) continue;
      bytes_ += static_cast<double>(finish(i - (slots_ - 1)));
      rounds.done();
    }
    return rounds.ms();
  }
  double bytes() const { return bytes_ / (kRounds * kFrames); }

 private:
  void start(int frame) {
    const auto i = static_cast<std::size_t>(frame % kFrames);
    must(encoder_->start(frame % slots_, Planes(frames_.plane(i, 0), frames_).at,
                         test::device_stream()));
  }
  std::size_t finish(int frame) {
    std::size_t bytes = 0;
    must(encoder_->wait(frame % slots_, &bytes));
    must(encoder_->fetch(frame % slots_, static_cast<std::uint8_t *>(out_.get())));
    return bytes;
  }

  const BenchFrames &frames_;
  int slots_;
  std::unique_ptr<CudaEncoder> encoder_;
  DeviceMemory out_;
  double bytes_ = 0;
};

test::Row row_of(const BenchFrames &frames, const char *what, const char *encoder) {
  test::Row row;
  row.text("operation", what).text("encoder", encoder);
  row.number("width", frames.width).number("height", frames.height);
  return row;
}

void profile(const BenchFrames &frames, const EncoderParams &params, test::Results *results) {
  Run run(frames, params, 1);
  run.check(params);
  results->add(row_of(frames, "lossless, once", "j2kenc").number("bytes", run.profile()));
}

// Returns the bytes of a frame.
double measure(const BenchFrames &frames, const EncoderParams &params, const char *what,
               test::Results *results) {
  std::size_t memory = 0;
  must(CudaEncoder::slot_memory(params, &memory));
  std::printf("%s, %dx%d, blocks of %d: %.0f MB of device memory a slot\n", what, frames.width,
              frames.height, 1 << params.coding.block_x, static_cast<double>(memory) / 1e6);
  double bytes = 0;
  for (const int slots : {1, 2, 4, 8, 16}) {
    Run run(frames, params, slots);
    if (slots == 1) run.check(params);
    const std::vector<double> ms = run.time();
    const double time = test::median(ms);
    bytes = run.bytes();
    std::printf("  %2d slots  %8.3f ms a frame  %7.1f frames/s  %9.0f bytes\n", slots, time,
                1000 / time, bytes);
    results->add(row_of(frames, what, "j2kenc")
                     .number("block", 1 << params.coding.block_x)
                     .number("slots", slots)
                     .samples("ms", ms)
                     .number("bytes", bytes));
  }
  return bytes;
}

void compare(const BenchFrames &frames, bool lossless, int block, test::Results *results) {
  const char *what = lossless ? "lossless" : "2 bits per pixel";
  const double bytes = measure(frames, params_of(frames, lossless, block), what, results);
  for (const auto &[coder, name] : {std::pair{test::PeerCoder::part1, "nvJPEG2000, Part 1"},
                                    {test::PeerCoder::ht, "nvJPEG2000, HT"}}) {
    test::PeerResult peer;
    if (!test::nvjpeg2000(frames, coder, lossless, bytes, &peer)) {
      std::printf("  %s: no figures\n", name);
      continue;
    }
    std::printf("  %-18s  %8.3f ms alone; %8.3f ms, %7.1f frames/s in %d streams  %9.0f bytes\n",
                name, test::median(peer.single), test::median(peer.sustained),
                1000 / test::median(peer.sustained), peer.streams, peer.bytes);
    results->add(row_of(frames, what, name)
                     .number("block", 64)
                     .samples("alone_ms", peer.single)
                     .samples("ms", peer.sustained)
                     .number("streams", peer.streams)
                     .number("bytes", peer.bytes));
  }
}

}  // namespace

int main(int argc, char **argv) {
  test::Results results("bench-j2k-cuda", &argc, argv);
  if (argc < 2) {
    std::fprintf(
        stderr,
        "bench-j2k-cuda PICTURE.ppm [WIDTH HEIGHT [BLOCK | cinema | once]] [--json FILE]\n");
    return 2;
  }
  if (!test::device_usable()) {
    std::fprintf(stderr, "%s\n", test::device_text().c_str());
    return 77;
  }
  try {
    const int width = argc > 3 ? std::atoi(argv[2]) : 3840;
    const int height = argc > 3 ? std::atoi(argv[3]) : 2160;
    const int block = argc > 4 && std::atoi(argv[4]) == 32 ? 5 : 6;
    const bool cinema = argc > 4 && std::strcmp(argv[4], "cinema") == 0;
    const bool once = argc > 4 && std::strcmp(argv[4], "once") == 0;
    const BenchFrames frames =
        test::read_bench_frames(argv[1], width, height, kFrames, cinema ? 12 : 8);
    std::printf("%s; %d different frames\n", test::device_text().c_str(), kFrames);
    results.set_machine(test::device_text());
    if (const std::string version = test::nvjpeg2000_version(); !version.empty())
      results.set_library("nvJPEG2000", version);
    if (once) {
      profile(frames, params_of(frames, true, block), &results);
    } else if (cinema) {
      measure(frames, cinema_params(frames), "cinema, 24 Hz", &results);
    } else {
      for (const bool lossless : {true, false})
        compare(frames, lossless, block, &results);
    }
    if (!results.write()) return 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "bench-j2k-cuda: %s\n", error.what());
    return 1;
  }
  return 0;
}
