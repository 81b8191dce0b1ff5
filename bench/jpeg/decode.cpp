// SPDX-License-Identifier: LGPL-2.1-or-later
// JPEG files to samples as coded (or RGB, where no format has those), file by file: the CPU decoder
// on one thread beside libjpeg(-turbo), in CPU time, and the decoder on a GPU, from host memory to
// device memory, beside nvJPEG's decoders and GPUJPEG's.
// bench-jpeg-decode FILE.jpg [--once] [--json FILE]
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/jpeg/jpeg_peers.h"
#include "bench/support/profile.h"
#include "bench/support/results.h"
#include "bench/support/rounds.h"
#include "jpeg/decoder/cuda_decoder.h"
#include "jpeg/decoder/decoder.h"
#include "jpeg/decoder/output.h"
#include "picture/formats.h"
#include "tests/support/device.h"

namespace {

using namespace coalesce;
using Bytes = std::vector<std::uint8_t>;

constexpr int kCpuFrames = 12, kCudaFrames = 240, kFramesOfRound = 48;

void must(const Status &status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

// Of this thread, so that other work on the machine does not count.
double cpu_milliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

// Planes behind each other.
struct Shape {
  PixelFormat format;
  int width = 0, height = 0;

  explicit Shape(const Bytes &file) {
    jpeg::Decoder decoder({});
    must(decoder.read(file.data(), file.size()));
    format = jpeg::coded_format(decoder.frame());
    if (format.planes == 0) format = pixel_format("RGB");
    width = decoder.frame().width;
    height = decoder.frame().height;
  }
  std::size_t row(int p) const { return static_cast<std::size_t>(row_bytes(format, p, width)); }
  Image image(std::uint8_t *data) const {
    Image image = {format, width, height, false, {}};
    for (int p = 0; p < format.planes; ++p) {
      const int rows = plane_rows(format, p, height);
      image.plane[p] = {data, static_cast<int>(row(p)), rows, row(p)};
      data += row(p) * static_cast<std::size_t>(rows);
    }
    return image;
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (int p = 0; p < format.planes; ++p)
      sum += row(p) * static_cast<std::size_t>(plane_rows(format, p, height));
    return sum;
  }
};

class Report {
 public:
  Report(const Bytes &file, const Shape &shape, test::Results *results)
      : file_(file), shape_(shape), results_(results) {}
  void operator()(const char *decoder, const std::string &how,
                  const std::vector<double> &ms) const {
    std::printf("%-14s %-12s %9.3f ms\n", decoder, how.c_str(), test::median(ms));
    results_->add(test::Row()
                      .text("operation", "JPEG decoding")
                      .text("decoder", decoder)
                      .text("how", how.c_str())
                      .number("width", shape_.width)
                      .number("height", shape_.height)
                      .number("bytes", static_cast<double>(file_.size()))
                      .samples("ms", ms));
  }

 private:
  const Bytes &file_;
  const Shape &shape_;
  test::Results *results_;
};

template <class Decode>
std::vector<double> times_of(const Decode &decode) {
  std::vector<double> times;
  for (int i = -2; i < kCpuFrames; ++i) {
    const double start = cpu_milliseconds();
    decode();
    if (i >= 0) times.push_back(cpu_milliseconds() - start);
  }
  return times;
}

// once: not timed.
Bytes time_cpu(const Bytes &file, const Shape &shape, bool once, const Report &report) {
  Bytes out(shape.bytes());
  const char *broken = nullptr;
  jpeg::Decoder decoder({});
  const auto decode = [&] {
    must(decoder.read(file.data(), file.size()));
    must(decoder.decode(shape.image(out.data()), &broken));
  };
  decode();
  if (broken != nullptr) std::printf("The file is broken: %s.\n", broken);
  if (once) return out;
  report("coalesce", "1 thread", times_of(decode));
  if (test::LibjpegDecoder::is_there()) {
    test::LibjpegDecoder libjpeg;
    report("libjpeg-turbo", "1 thread", times_of([&] { libjpeg.decode(file); }));
  }
  return out;
}

// With one slot each file waits for the one before.
// once: for a profiler, not timed.
void time_cuda(const Bytes &file, const Shape &shape, const Bytes &expected, int slots, bool once,
               const Report &report) {
  std::unique_ptr<jpeg::CudaDecoder> decoder;
  must(jpeg::CudaDecoder::make({}, slots, &decoder));
  std::vector<test::DeviceMemory> out;
  for (int i = 0; i < slots; ++i)
    out.emplace_back(shape.bytes());
  const auto start = [&](int frame) {
    const int slot = frame % slots;
    must(decoder->read(slot, file.data(), file.size()));
    must(decoder->start(slot, shape.image(out[static_cast<std::size_t>(slot)].data()),
                        test::device_stream()));
  };
  const auto finish = [&](int frame) {
    const char *broken = nullptr;
    must(decoder->wait(frame % slots, &broken));
  };
  for (int i = 0; i < 2 * slots; ++i)
    start(i), finish(i);
  Bytes made(shape.bytes());
  out[0].download(made.data());
  if (made != expected) throw std::runtime_error("the picture is not the CPU's");
  if (once) {
    test::device_profile([&] { start(0), finish(0); });
    report("coalesce CUDA", "once", {0.0});
    return;
  }
  test::Rounds rounds(kFramesOfRound);
  for (int i = 0; i < kCudaFrames + slots - 1; ++i) {
    if (i < kCudaFrames) start(i);
    if (i < slots - 1) continue;
    finish(i - (slots - 1));
    rounds.done();
  }
  const std::string how = slots == 1 ? "alone" : std::to_string(slots) + " in flight";
  report(decoder->was_on_cpu(0) ? "bits on the CPU" : "coalesce CUDA", how, rounds.ms());
}

}  // namespace

int main(int argc, char **argv) {
  test::Results results("bench-jpeg-decode", &argc, argv);
  const bool once = argc == 3 && std::string(argv[2]) == "--once";
  if (argc != 2 && !once) {
    std::fprintf(stderr, "bench-jpeg-decode FILE.jpg [--once] [--json FILE]\n");
    return 2;
  }
  try {
    std::ifstream in(argv[1], std::ios::binary);
    const Bytes file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const Shape shape(file);
    const bool cuda = test::device_usable();
    if (cuda)
      results.set_machine(test::device_text());
    else
      std::printf("The CPU alone: %s\n", test::device_text().c_str());
    const Report report(file, shape, &results);
    std::printf("%d x %d, %zu bytes\n", shape.width, shape.height, file.size());
    const Bytes expected = time_cpu(file, shape, once, report);
    if (cuda)
      for (const int slots : {1, 2, 3, 4})
        if (!once || slots == 1) time_cuda(file, shape, expected, slots, once, report);
    for (const auto &decode : {test::nvjpeg_decode, test::gpujpeg_decode})
      for (const test::DecodingPeer &peer :
           cuda && !once ? decode(file) : std::vector<test::DecodingPeer>{}) {
        report(peer.name, "alone", peer.times.alone_ms);
        report(peer.name, std::to_string(peer.times.streams) + " streams", peer.times.ms);
      }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "bench-jpeg-decode: %s\n", error.what());
    return 1;
  }
  return results.write() ? 0 : 1;
}
