// SPDX-License-Identifier: LGPL-2.1-or-later
// JPEG, frame by frame, of a photograph: the CPU encoder on one thread beside libjpeg(-turbo), in
// CPU time, and the encoder on a GPU, from device memory to page-locked host memory, beside nvJPEG.
// bench-jpeg PICTURE.ppm [--quality Q] [--size WxH] [--once] [--json FILE]
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/jpeg/jpeg_bench.h"
#include "bench/support/photograph.h"
#include "bench/support/results.h"
#include "jpeg/encoder/colour.h"
#include "jpeg/encoder/encoder.h"
#include "picture/formats.h"
#include "tests/support/device.h"

namespace coalesce::test {

std::size_t JpegFrame::plane_at(int p) const {
  std::size_t at = 0;
  for (int i = 0; i < p; ++i)
    at += static_cast<std::size_t>(plane_width(i)) * static_cast<std::size_t>(plane_height(i));
  return at;
}

const char *name_of(JpegInput input) {
  return input == JpegInput::yuv420   ? "4:2:0"
         : input == JpegInput::yuv444 ? "4:4:4"
                                      : "RGB as 4:2:0";
}

ConstImage image_of(const JpegFrame &frame, const std::uint8_t *data) {
  ConstImage image;
  image.width = frame.width;
  image.height = frame.height;
  if (frame.input == JpegInput::rgb) {
    image.format = pixel_format("RGB");
    image.plane[0] = {data, 3 * frame.width, frame.height,
                      static_cast<std::size_t>(3 * frame.width)};
    return image;
  }
  image.format = pixel_format(frame.input == JpegInput::yuv420 ? "I420" : "Y444");
  for (int p = 0; p < 3; ++p)
    image.plane[p] = {data + frame.plane_at(p), frame.plane_width(p), frame.plane_height(p),
                      static_cast<std::size_t>(frame.plane_width(p))};
  return image;
}

jpeg::EncoderParams params_of(const JpegFrame &frame, const JpegOptions &options) {
  jpeg::EncoderParams params;
  params.format = image_of(frame, nullptr).format;
  params.width = frame.width;
  params.height = frame.height;
  params.quality = options.quality;
  return params;
}

void report(const JpegOptions &options, JpegInput input, const char *encoder, const char *how,
            const std::vector<double> &ms, double bytes, Results *results) {
  std::printf("%-13s %-14s %-10s %9.3f ms %9.0f bytes\n", name_of(input), encoder, how, median(ms),
              bytes);
  results->add(Row()
                   .text("operation", std::string("JPEG ") + name_of(input))
                   .text("encoder", encoder)
                   .text("how", how)
                   .number("quality", options.quality)
                   .number("width", options.width)
                   .number("height", options.height)
                   .samples("ms", ms)
                   .number("bytes", bytes));
}

}  // namespace coalesce::test

namespace {

using namespace coalesce;
using test::JpegFrame;
using test::JpegInput;
using test::JpegOptions;

constexpr int kFrames = 12, kCpuFrames = 12;

// Of this thread, so that other work on the machine does not count.
double cpu_milliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

// planes: R, G and B.
JpegFrame make_frame(const std::vector<std::uint8_t> &planes, int width, int height,
                     JpegInput input) {
  JpegFrame frame = {input, width, height, {}};
  const std::size_t plane = planes.size() / 3;
  const auto pixel = [&](std::size_t i, auto of) {
    return of(planes[i], planes[plane + i], planes[2 * plane + i]);
  };
  if (input == JpegInput::rgb) {
    for (std::size_t i = 0; i < plane; ++i)
      for (std::size_t c = 0; c < 3; ++c)
        frame.bytes.push_back(planes[c * plane + i]);
    return frame;
  }
  for (int p = 0; p < 3; ++p) {
    const int shift = p == 0 ? 0 : frame.shift(), size = 1 << shift;
    for (int y = 0; y < frame.plane_height(p); ++y)
      for (int x = 0; x < frame.plane_width(p); ++x) {
        int sum = 0;
        for (int i = 0; i < size * size; ++i) {
          const int row = std::min((y << shift) + i / size, height - 1);
          const int column = std::min((x << shift) + i % size, width - 1);
          sum += pixel(static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                           static_cast<std::size_t>(column),
                       p == 0   ? jpeg::luma_of
                       : p == 1 ? jpeg::cb_of
                                : jpeg::cr_of);
        }
        frame.bytes.push_back(static_cast<std::uint8_t>((sum + size * size / 2) / (size * size)));
      }
  }
  return frame;
}

// CPU times of frames. encode(frame) gives the bytes.
template <class Encode>
std::vector<double> time_each(const std::vector<JpegFrame> &frames, int count, double *bytes,
                              const Encode &encode) {
  std::vector<double> times;
  *bytes = 0;
  for (int i = -2; i < count; ++i) {
    const std::size_t frame = static_cast<std::size_t>(i + 2) % frames.size();
    const double start = cpu_milliseconds();
    const std::size_t made = encode(frame);
    if (i < 0) continue;
    times.push_back(cpu_milliseconds() - start);
    *bytes += static_cast<double>(made) / count;
  }
  return times;
}

void time_cpu(const std::vector<JpegFrame> &frames, const JpegOptions &options,
              test::Results *results) {
  const JpegInput input = frames[0].input;
  double bytes;
  if (test::LibjpegEncoder::is_there()) {
    test::LibjpegEncoder libjpeg;
    const std::vector<double> ms = time_each(frames, kCpuFrames, &bytes, [&](std::size_t i) {
      return libjpeg.encode(frames[i], options.quality);
    });
    test::report(options, input, "libjpeg-turbo", "1 thread", ms, bytes, results);
  }
  std::unique_ptr<jpeg::Encoder> encoder;
  test::must(jpeg::Encoder::make(test::params_of(frames[0], options), &encoder));
  std::vector<std::uint8_t> file;
  const std::vector<double> ms = time_each(frames, kCpuFrames, &bytes, [&](std::size_t i) {
    file.clear();
    test::must(encoder->encode(test::image_of(frames[i], frames[i].bytes.data()), &file));
    return file.size();
  });
  test::report(options, input, "coalesce", "1 thread", ms, bytes, results);
}

bool parse(int argc, char **argv, JpegOptions *options) {
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--once")
      options->once = true;
    else if (arg == "--quality" && i + 1 < argc)
      options->quality = std::atoi(argv[++i]);
    else if (arg == "--size" && i + 1 < argc) {
      if (std::sscanf(argv[++i], "%dx%d", &options->width, &options->height) != 2) return false;
    } else if (options->picture == nullptr && arg[0] != '-')
      options->picture = argv[i];
    else
      return false;
  }
  return options->picture != nullptr && options->width % 16 == 0 && options->height % 16 == 0;
}

}  // namespace

int main(int argc, char **argv) {
  test::Results results("bench-jpeg", &argc, argv);
  JpegOptions options;
  if (!parse(argc, argv, &options)) {
    std::fprintf(stderr,
                 "bench-jpeg PICTURE.ppm [--quality Q] [--size WxH] [--once] [--json FILE]\n"
                 "Width and height are multiples of 16. --once: one 4:2:0 frame for a profiler.\n");
    return 2;
  }
  try {
    const test::Photograph photograph(options.picture);
    const bool cuda = test::device_usable();
    if (!cuda) std::printf("The CPU alone: %s\n", test::device_text().c_str());
    if (cuda) results.set_machine(test::device_text());
    for (const JpegInput input : {JpegInput::yuv420, JpegInput::yuv444, JpegInput::rgb}) {
      if (options.once && input != JpegInput::yuv420) continue;
      std::vector<JpegFrame> frames;
      for (int i = 0; i < kFrames; ++i)
        frames.push_back(make_frame(photograph.frame(i, kFrames, options.width, options.height),
                                    options.width, options.height, input));
      if (!options.once) time_cpu(frames, options, &results);
      if (cuda) test::time_cuda(frames, options, &results);
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "bench-jpeg: %s\n", error.what());
    return 1;
  }
  return results.write() ? 0 : 1;
}
