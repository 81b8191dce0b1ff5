// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "bench/support/frames.h"
#include "convolve/cuda/choice.h"
#include "tests/kernels/convolve/convolve_random.h"
#include "tests/kernels/convolve/convolve_trial.h"

namespace coalesce::test {
namespace {

enum Layout { kGray, kNv12, kRgb };
const char *const kLayoutNames[] = {"GRAY8", "NV12", "RGB"};

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
      rows("separable Gaussian of sigma 2", gaussian(0, 2)),
  };
  return all;
}

// Of pictures in colour these will do.
bool in_colour(const NamedFilter &f) {
  for (const char *name :
       {"3x3 binomial", "3x3 integer", "5x5 integer", "7x7 integer", "15x15 integer", "15x15 real",
        "31x31 real", "separable 15 real", "separable Gaussian of sigma 2"})
    if (f.name == name) return true;
  return false;
}

struct PlaneShape {
  int pixels, height, channels;
  ChannelRole role;

  int row_bytes() const { return pixels * channels; }
  std::size_t pitch() const { return padded(static_cast<std::size_t>(row_bytes())); }
  std::size_t memory() const { return pitch() * static_cast<std::size_t>(height); }
};

// A filter on a picture of a layout.
struct Frame {
  std::string operation;
  FrameSize size;
  Filter filter;
  std::vector<PlaneShape> planes;

  Frame(const NamedFilter &named, Layout layout, FrameSize s)
      : operation(std::string(kLayoutNames[layout]) + " " + named.name), size(s) {
    FilterError error;
    require(make_filter(named.settings, {8, 0}, &filter, &error), error.text);
    planes.push_back({size.width, size.height, layout == kRgb ? 3 : 1, ChannelRole::level});
    if (layout == kNv12)
      planes.push_back({(size.width + 1) / 2, (size.height + 1) / 2, 2, ChannelRole::chroma});
  }

  FrameWork work() const {
    FrameWork w = {operation, size, 0, 0, 0};
    for (const PlaneShape &p : planes) {
      w.in_bytes += p.memory();
      w.useful_bytes +=
          2 * static_cast<std::size_t>(p.row_bytes()) * static_cast<std::size_t>(p.height);
    }
    w.out_bytes = w.in_bytes;
    return w;
  }

  ConvolvePlanes image(const std::uint8_t *in, std::uint8_t *out) const {
    ConvolvePlanes image;
    image.planes = static_cast<int>(planes.size());
    for (std::size_t i = 0; i < planes.size(); ++i) {
      const PlaneShape &p = planes[i];
      ConvolvePlane &plane = image.plane[i];
      plane.in = {in, p.row_bytes(), p.height, p.pitch()};
      plane.out = {out, p.row_bytes(), p.height, p.pitch()};
      plane.channels = p.channels;
      std::fill_n(plane.role, 4, p.role);
      in += p.memory();
      out += p.memory();
    }
    return image;
  }

  FrameRun run(const Backend &backend, ConvolveAlgorithm algorithm) const {
    return [this, &backend, algorithm](const std::uint8_t *in, std::uint8_t *out) {
      return convolve_planes({&filter}, image(in, out), backend.queue(), algorithm);
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
      return convolve_cuda_by(kernel, {&frame.filter}, frame.image(in, out),
                              backend.queue().stream());
    };
    variants->push_back({name, run});
  }
}

// By choice, by every other algorithm that can, and by every kernel that can.
void bench_on_cuda(Bench &bench, const Backend &backend, const Frame &frame) {
  static const char *const chosen[] = {"automatic", "automatic: copy", "automatic: direct",
                                       "automatic: separable"};
  const ConvolveAlgorithm choice =
      choose_algorithm(frame.filter, frame.image(nullptr, nullptr), true);
  std::vector<FrameVariant> variants = {
      {chosen[static_cast<int>(choice)], frame.run(backend, ConvolveAlgorithm::automatic)}};
  if (choice != ConvolveAlgorithm::direct && !frame.filter.weights.empty())
    variants.push_back({"direct", frame.run(backend, ConvolveAlgorithm::direct)});
  if (choice != ConvolveAlgorithm::separable && frame.filter.separable)
    variants.push_back({"separable", frame.run(backend, ConvolveAlgorithm::separable)});
  if (!frame.filter.weights.empty()) add_kernels(&variants, backend, frame);
  if (frame.size.width <= kCpuSizes[1].width)
    compare_with_cpu(frame.work(), variants[0].run,
                     [&frame](const std::uint8_t *in, std::uint8_t *out) {
                       return convolve_planes({&frame.filter}, frame.image(in, out), Queue::cpu());
                     });
  time_variants(bench, backend, frame.work(), variants);
}

void bench_frame(Bench &bench, const Backend &backend, const Frame &frame) {
  if (!bench.wants(frame.operation, frame.size.width, frame.size.height)) return;
  if (backend.cuda)
    bench_on_cuda(bench, backend, frame);
  else
    time_frames(bench, backend, frame.work(), frame.run(backend, ConvolveAlgorithm::automatic));
}

void time_all(Bench &bench, const Backend &backend) {
  if (!backend.cuda) {
    for (const NamedFilter &f : filters())
      bench_frame(bench, backend, {f, kGray, kCpuSizes[0]});
    return;
  }
  for (const FrameSize &size : kCudaSizes) {
    for (const NamedFilter &f : filters())
      bench_frame(bench, backend, {f, kGray, size});
    if (size.width == 4096) continue;
    for (Layout layout : {kNv12, kRgb})
      for (const NamedFilter &f : filters())
        if (in_colour(f)) bench_frame(bench, backend, {f, layout, size});
  }
}

}  // namespace

BenchCase convolve_bench() {
  return {"convolve", time_all};
}

}  // namespace coalesce::test
