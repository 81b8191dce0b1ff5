// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <memory>
#include <span>

#include "bench/support/frames.h"
#include "bench/support/scratch.h"
#include "convolve/cuda/choice.h"
#include "core/thread_pool.h"
#include "picture/formats.h"
#include "tests/kernels/convolve/convolve_random.h"
#include "tests/kernels/convolve/convolve_trial.h"

namespace coalesce::test {
namespace {

struct NamedFilter {
  std::string name;
  FilterSettings settings;
};

// Of rank 1 by no chance; integers fit 8 bits and sign.
NamedFilter full_mask(int side, bool real) {
  Random random(static_cast<std::uint64_t>(side));
  NamedFilter f;
  f.name = std::to_string(side) + "x" + std::to_string(side) + (real ? " real" : " integer");
  f.settings.mask = {side, side, {}};
  for (int i = 0; i < side * side; ++i)
    f.settings.mask.at.push_back(real ? uniform(random) : random.between(-3, 9));
  return f;
}

NamedFilter rows(const char *name, std::vector<double> row) {
  NamedFilter f;
  f.name = name;
  f.settings.horizontal = std::move(row);
  return f;
}

// 1 2 3 ... 3 2 1
std::vector<double> triangle(int taps) {
  std::vector<double> row;
  for (int i = 0; i < taps; ++i)
    row.push_back(1 + std::min(i, taps - 1 - i));
  return row;
}

// Of so many taps, or of as many as sigma requires.
std::vector<double> gaussian(int taps, double sigma = 0) {
  Mask across, down;
  std::string error;
  require(preset_rows(RowPreset::gaussian, taps, sigma, &across, &down, &error), error);
  return across.at;
}

const std::vector<NamedFilter> &filters() {
  static const std::vector<NamedFilter> all = {
      rows("3x3 binomial", {1, 2, 1}),
      full_mask(3, false),
      full_mask(5, false),
      full_mask(7, false),
      full_mask(9, false),
      full_mask(15, false),
      full_mask(15, true),
      full_mask(31, true),
      rows("separable 5 integer", {1, 4, 6, 4, 1}),
      rows("separable 15 integer", triangle(15)),
      rows("separable 31 integer", triangle(31)),
      rows("separable 15 real", gaussian(15)),
      rows("separable 31 real", gaussian(31)),
  };
  return all;
}

const std::vector<NamedFilter> &gaussians() {
  static const std::vector<NamedFilter> all = [] {
    std::vector<NamedFilter> list;
    for (const int sigma : {1, 2, 3, 4, 5, 7, 10})
      list.push_back(rows(("separable Gaussian of sigma " + std::to_string(sigma)).c_str(),
                          gaussian(0, sigma)));
    return list;
  }();
  return all;
}

// Of pictures in colour these will do.
bool in_colour(const NamedFilter &f) {
  for (const char *name : {"3x3 binomial", "3x3 integer", "5x5 integer", "7x7 integer",
                           "15x15 integer", "15x15 real", "31x31 real", "separable 15 real"})
    if (f.name == name) return true;
  return false;
}

// A filter on a picture of a format.
struct Frame {
  std::string operation;
  FrameSize size;
  Filter filter;
  PixelFormat format;
  std::size_t more = 0;  // see picture_at()

  Frame(const NamedFilter &named, const char *name, FrameSize s, bool unaligned)
      : operation(std::string(name) + " " + named.name + (unaligned ? ", unaligned" : "")),
        size(s),
        format(pixel_format(name)) {
    if (unaligned)
      more = static_cast<std::size_t>(container_alignment(format.component[0].container));
    FilterError error;
    require(make_filter(named.settings, sample_depth(format), &filter, &error), error.text);
  }

  template <class Byte>
  ImageOf<Byte> picture(Byte *data) const {
    return picture_at(data, format, size, false, more);
  }

  FrameWork work() const {
    const PictureBytes bytes = picture_bytes(format, size, more);
    return {operation, size, bytes.all, bytes.all, 2 * bytes.useful};
  }

  ConvolvePlanes planes(const std::uint8_t *in, std::uint8_t *out) const {
    const ConstImage from = picture(in);
    const Image to = picture(out);
    ConvolvePlanes planes;
    planes.planes = format.planes;
    for (int i = 0; i < planes.planes; ++i) {
      planes.plane[i].in = from.plane[i];
      planes.plane[i].out = to.plane[i];
      std::fill_n(planes.plane[i].role, 4, ChannelRole::copy);
    }
    for (int i = 0; i < format.components; ++i) {
      const PixelComponent &c = format.component[i];
      planes.plane[c.plane].channels = c.step;
      if (c.role != Role::alpha)
        planes.plane[c.plane].role[c.first] =
            c.role == Role::u || c.role == Role::v ? ChannelRole::chroma : ChannelRole::level;
    }
    return planes;
  }

  // With scratch memory of its own.
  FrameRun run(const Queue &queue, ConvolveAlgorithm algorithm) const {
    const std::uint8_t *none = nullptr;
    const std::size_t bytes = convolve_scratch_bytes({&filter}, picture(none), queue.on_cuda());
    const auto scratch = std::make_shared<Scratch>(bytes, queue.on_cuda());
    return [this, queue, algorithm, scratch](const std::uint8_t *in, std::uint8_t *out) {
      return convolve({&filter}, picture(in), picture(out), queue, scratch->data(), algorithm);
    };
  }
};

// Kernels that some time or other are not the choice.
void add_kernels(std::vector<FrameVariant> *variants, const Backend &backend, const Frame &frame) {
  constexpr std::pair<ConvolveKernel, const char *> kernels[] = {
      {ConvolveKernel::small, "small"},
      {ConvolveKernel::mma, "mma"},
      {ConvolveKernel::strip, "strip"},
      {ConvolveKernel::sparse, "sparse"}};
  for (const auto &[kernel, name] : kernels) {
    FrameRun run = [&frame, &backend, kernel = kernel](const std::uint8_t *in, std::uint8_t *out) {
      return convolve_cuda_by(kernel, {&frame.filter}, frame.planes(in, out),
                              backend.queue().stream());
    };
    variants->push_back({name, run});
  }
}

// By choice, by every other algorithm that can, and by every kernel that can.
void bench_on_cuda(Bench &bench, const Backend &backend, const Frame &frame) {
  static const char *const chosen[] = {"automatic", "automatic: copy", "automatic: direct",
                                       "automatic: separable"};
  const ConvolveAlgorithm choice = choose_algorithm({&frame.filter}, frame.format, true);
  std::vector<FrameVariant> variants = {
      {chosen[static_cast<int>(choice)], frame.run(backend.queue(), ConvolveAlgorithm::automatic)}};
  if (choice != ConvolveAlgorithm::direct && !frame.filter.weights.empty())
    variants.push_back({"direct", frame.run(backend.queue(), ConvolveAlgorithm::direct)});
  if (choice != ConvolveAlgorithm::separable && frame.filter.separable)
    variants.push_back({"separable", frame.run(backend.queue(), ConvolveAlgorithm::separable)});
  if (!frame.filter.weights.empty() && is_in_channels(frame.format))
    add_kernels(&variants, backend, frame);
  static ThreadPool pool;
  if (frame.size.width <= kCpuSizes[1].width)
    compare_with_cpu(frame.work(), variants[0].run,
                     frame.run(Queue::cpu(&pool), ConvolveAlgorithm::automatic));
  time_variants(bench, backend, frame.work(), variants);
}

void bench_frame(Bench &bench, const Backend &backend, const Frame &frame) {
  if (!bench.wants(frame.operation, frame.size.width, frame.size.height)) return;
  if (backend.cuda)
    bench_on_cuda(bench, backend, frame);
  else
    time_frames(bench, backend, frame.work(),
                frame.run(backend.queue(), ConvolveAlgorithm::automatic));
}

void bench_format(Bench &bench, const Backend &backend, const char *format, FrameSize size,
                  bool all) {
  for (const NamedFilter &f : filters())
    if (all || in_colour(f)) bench_frame(bench, backend, {f, format, size, bench.unaligned()});
  for (const NamedFilter &f : gaussians())
    bench_frame(bench, backend, {f, format, size, bench.unaligned()});
}

// Of large pictures the first three.
constexpr const char *kFormats[] = {"GRAY8",  "NV12", "RGB",       "I420",      "RGBA",
                                    "AYUV",   "GBR",  "P010_10LE", "I422_10LE", "GRAY16_LE",
                                    "AYUV64", "UYVY", "v210"};
constexpr std::size_t kLarge = 3;

void time_all(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : sizes_of(backend)) {
    const std::span formats(kFormats);
    for (const char *format : size.width <= 3840 ? formats : formats.first(kLarge))
      bench_format(bench, backend, format, size, format == formats[0]);
  }
}

}  // namespace

BenchCase convolve_bench() {
  return {"convolve", time_all};
}

}  // namespace coalesce::test
