// SPDX-License-Identifier: LGPL-2.1-or-later
// JPEG 2000 on the CPU: OpenJPEG (what openjpegenc runs) and the CPU back end, with the frames of
// bench-j2k-cuda, without loss and at 2 bits per pixel.
// bench-openjpeg PICTURE.ppm [WIDTH HEIGHT [THREADS]] [--json FILE]
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/support/photograph.h"
#include "bench/support/results.h"
#include "bench/support/rounds.h"
#include "j2k/encoder/encoder.h"
#include "j2k/transform/quantiser.h"
#include "tests/support/openjpeg_compress.h"

namespace {

using namespace coalesce;
using coalesce::test::Photograph;
using coalesce::test::Results;
using coalesce::test::Row;

constexpr double kBitsPerPixel = 2;
constexpr int kFrames = 24;  // of the photograph
constexpr int kFramesOfThread = 2;
constexpr int kAlone = 3;

struct Frames {
  int width, height;
  std::vector<std::vector<std::uint8_t>> planes;  // of a frame: R, G and B, one after the other

  std::size_t plane() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  std::size_t target() const {
    return static_cast<std::size_t>(kBitsPerPixel / 8 * width * height);
  }
};

using Clock = std::chrono::steady_clock;
double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

test::OpenjpegImage image_of(const Frames &frames, std::size_t frame) {
  opj_image_cmptparm_t component = {};
  component.dx = component.dy = 1;
  component.w = static_cast<OPJ_UINT32>(frames.width);
  component.h = static_cast<OPJ_UINT32>(frames.height);
  component.prec = 8;
  test::OpenjpegImage image =
      test::make_openjpeg_image({component, component, component}, component.w, component.h);
  for (std::size_t c = 0; c < 3; ++c)
    std::copy_n(frames.planes[frame].data() + c * frames.plane(), frames.plane(),
                image->comps[c].data);
  return image;
}

// Blocks of 64 x 64, six resolutions, one layer, as of the others.
std::size_t openjpeg(const Frames &frames, std::size_t frame, bool lossless, int threads) {
  opj_cparameters_t params;
  opj_set_default_encoder_parameters(&params);
  params.irreversible = !lossless;
  params.tcp_numlayers = 1;
  params.tcp_rates[0] =
      lossless ? 0 : 3 * static_cast<float>(frames.plane()) / static_cast<float>(frames.target());
  params.cp_disto_alloc = 1;
  params.tcp_mct = 1;
  const std::size_t bytes =
      test::openjpeg_compress(&params, image_of(frames, frame).get(), threads).size();
  if (bytes == 0) throw std::runtime_error("OpenJPEG cannot encode the frame");
  return bytes;
}

// The CPU back end.
class Ours {
 public:
  Ours(const Frames &frames, bool lossless, int threads) : frames_(frames), pool_(threads) {
    j2k::EncoderParams params;
    params.coding.image = {0, 0, frames.width, frames.height};
    params.coding.num_components = 3;
    params.colour_transform = true;
    if (!lossless) {
      params.wavelet = j2k::Wavelet::irreversible_97;
      params.base_step = j2k::fine_base_step(true);
      params.targets = {{j2k::LayerBudget::Kind::bytes, frames.target()}};
    }
    must(j2k::Encoder::make(params, &encoder_));
  }
  std::size_t encode(std::size_t frame) {
    j2k::Samples samples[3];
    for (std::size_t c = 0; c < 3; ++c) {
      samples[c].data = frames_.planes[frame].data() + c * frames_.plane();
      samples[c].pitch = static_cast<std::size_t>(frames_.width);
    }
    bytes_.clear();
    must(encoder_->encode(samples, pool_.threads() > 1 ? &pool_ : nullptr, &bytes_));
    return bytes_.size();
  }

 private:
  static void must(const Status &status) {
    if (!status.ok()) throw std::runtime_error(status.message());
  }
  const Frames &frames_;
  ThreadPool pool_;
  std::unique_ptr<j2k::Encoder> encoder_;
  std::vector<std::uint8_t> bytes_;
};

using Encode = std::function<std::size_t(std::size_t frame)>;
struct Times {
  std::vector<double> alone_ms, ms;
  double bytes = 0;
};

// One frame at a time on all threads; then a frame for each thread at a time.
Times measure(const Frames &frames, int threads, const std::function<Encode(int threads)> &make) {
  Times times;
  const Encode all = make(threads);
  for (int i = 0; i < kAlone; ++i) {
    const auto start = Clock::now();
    all(static_cast<std::size_t>(i) % frames.planes.size());
    times.alone_ms.push_back(milliseconds_since(start));
  }

  std::vector<Encode> workers;
  for (int i = 0; i < threads; ++i)
    workers.push_back(make(1));
  const auto count = static_cast<std::size_t>(threads * kFramesOfThread);
  std::atomic<std::size_t> next{0}, sum{0};
  std::atomic<bool> failed{false};
  std::vector<std::thread> running;
  test::Rounds rounds(threads);
  for (Encode &encode : workers)
    running.emplace_back([&] {
      try {
        for (std::size_t i; (i = next++) < count;) {
          sum += encode(i % frames.planes.size());
          rounds.done();
        }
      } catch (const std::exception &) {
        failed = true;
      }
    });
  for (std::thread &thread : running)
    thread.join();
  if (failed) throw std::runtime_error("an encoder failed in a thread");
  times.ms = rounds.ms();
  times.bytes = static_cast<double>(sum) / static_cast<double>(count);
  return times;
}

void print(const Frames &frames, const char *what, const char *encoder, int threads,
           const Times &times, Results *results) {
  std::printf(
      "%-16s %dx%d  %-10s %2d threads  %9.1f ms alone  %9.1f ms  %7.2f frames/s  %9.0f "
      "bytes\n",
      what, frames.width, frames.height, encoder, threads, test::median(times.alone_ms),
      test::median(times.ms), 1000 / test::median(times.ms), times.bytes);
  Row row;
  row.text("operation", what).text("encoder", encoder);
  row.number("width", frames.width).number("height", frames.height).number("threads", threads);
  row.number("block", 64).samples("alone_ms", times.alone_ms).samples("ms", times.ms);
  row.number("bytes", times.bytes);
  results->add(row);
}

}  // namespace

int main(int argc, char **argv) {
  Results results("bench-openjpeg", &argc, argv);
  if (argc != 2 && argc != 4 && argc != 5) {
    std::fprintf(stderr, "bench-openjpeg PICTURE.ppm [WIDTH HEIGHT [THREADS]] [--json FILE]\n");
    return 2;
  }
  try {
    const Photograph photograph(argv[1]);
    Frames frames = {
        argc > 3 ? std::atoi(argv[2]) : 3840, argc > 3 ? std::atoi(argv[3]) : 2160, {}};
    const int threads = ThreadPool(argc > 4 ? std::atoi(argv[4]) : 0).threads();
    for (int i = 0; i < std::min(kFrames, threads * kFramesOfThread); ++i)
      frames.planes.push_back(photograph.frame(i, kFrames, frames.width, frames.height));
    results.set_library("OpenJPEG", opj_version());
    for (const bool lossless : {true, false}) {
      const char *what = lossless ? "lossless" : "2 bits per pixel";
      const auto peer = [&](int n) -> Encode {
        return [&frames, lossless, n](std::size_t i) { return openjpeg(frames, i, lossless, n); };
      };
      const auto ours = [&](int n) -> Encode {
        const auto encoder = std::make_shared<Ours>(frames, lossless, n);
        return [encoder](std::size_t i) { return encoder->encode(i); };
      };
      print(frames, what, "OpenJPEG", threads, measure(frames, threads, peer), &results);
      print(frames, what, "j2kenc", threads, measure(frames, threads, ours), &results);
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "bench-openjpeg: %s\n", error.what());
    return 1;
  }
  return results.write() ? 0 : 1;
}
