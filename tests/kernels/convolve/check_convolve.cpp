// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <deque>

#include "../image.h"
#include "convolve/cuda/choice.h"
#include "convolve_random.h"
#include "convolve_reference.h"
#include "convolve_trial.h"

namespace coalesce::test {
namespace {

struct Size {
  int width;
  int height;
};

// The edges of tiles of every likely size, pictures smaller than the mask, primes, more rows than
// one launch takes.
const Size kSizes[] = {
    {1, 1},     {2, 1},     {1, 2},     {2, 2},    {3, 3},     {7, 8},     {8, 7},    {9, 9},
    {15, 16},   {16, 15},   {17, 17},   {31, 33},  {32, 32},   {33, 31},   {63, 65},  {64, 64},
    {65, 63},   {127, 33},  {128, 32},  {129, 31}, {255, 17},  {256, 16},  {257, 15}, {31, 129},
    {32, 128},  {33, 127},  {15, 257},  {16, 256}, {511, 9},   {512, 8},   {513, 7},  {1, 257},
    {1, 70001}, {70001, 1}, {1021, 13}, {13, 509}, {1031, 25}, {3, 1009},  {640, 37}, {130, 130},
    {258, 66},  {66, 258},  {1920, 90}, {515, 67}, {67, 515},  {1027, 40}, {200, 3},  {3, 200}};

const SampleDepth kDepths[] = {{8, 0}, {8, 0}, {10, 0}, {10, 6}, {12, 0}, {12, 4}, {16, 0}};

Size choose_size(Random &random, int index, bool for_matrix_units) {
  if (index < static_cast<int>(std::size(kSizes))) return kSizes[index];
  if (for_matrix_units)
    return {random.between(1, random.pick({70, 300})), random.between(1, random.pick({20, 70}))};
  return {random.between(1, random.pick({5, 20, 70, 300})),
          random.between(1, random.pick({5, 7, 20, 70}))};
}

struct Shape {
  Size size;  // in pixels
  int channels;
  ChannelRole role[4];
};

ChannelRole random_role(Random &random) {
  return random.pick(
      {ChannelRole::level, ChannelRole::level, ChannelRole::chroma, ChannelRole::copy});
}

// Like those of formats: all channels alike, or each as it likes; further planes equal to the
// first, halved, or any.
std::vector<Shape> random_shapes(Random &random, Size size, const ConvolveTrialOptions &options) {
  const ChannelRole level = ChannelRole::level;
  if (options.gray) return {{size, 1, {level, level, level, level}}};
  std::vector<Shape> shapes;
  const int planes = options.wide_rows ? 1 : random.pick({1, 1, 1, 2, 3, 4});
  for (int i = 0; i < planes; ++i) {
    const int channels = options.wide_rows ? random.pick({2, 3, 3, 4}) : random.between(1, 4);
    Shape shape = {size, channels, {level, level, level, level}};
    if (i > 0 && random.below(2) == 0)
      shape.size = {(size.width + 1) / 2, (size.height + 1) / 2};
    else if (i > 0 && random.below(3) == 0)
      shape.size = {random.between(1, 40), random.between(1, 40)};
    const ChannelRole all = random_role(random);
    const bool alike = random.below(2) == 0;
    for (ChannelRole &role : shape.role)
      role = alike ? all : random_role(random);
    shapes.push_back(shape);
  }
  return shapes;
}

int samples_in(const std::vector<Shape> &shapes) {
  int sum = 0;
  for (const Shape &s : shapes)
    sum += s.size.width * s.size.height * s.channels;
  return sum;
}

Filter random_filter(Random &random, int most_taps, const ConvolveTrialOptions &options,
                     std::string *doing) {
  const SampleDepth depth = options.depth.value_or(random.pick(kDepths));
  const auto make = options.wide_rows          ? wide_settings
                    : options.for_matrix_units ? matrix_settings
                                               : random_settings;
  for (;;) {
    const FilterSettings settings = make(random, most_taps, options.most_side);
    Filter filter;
    FilterError error;  // beyond the fixed-point range, most likely
    if (!make_filter(settings, depth, &filter, &error)) continue;
    *doing += text(settings) + "\n    " + text(filter);
    return filter;
  }
}

// A layout for samples of two bytes.
Layout random_even_layout(Random &random, const Shape &shape, SampleDepth depth,
                          LayoutOptions options) {
  if (random.below(10) == 0) options.aligned = false;
  Layout layout = random_layout(random, shape.size.width * shape.channels * depth.bytes(),
                                shape.size.height, options);
  if (!options.aligned)
    layout.before += static_cast<std::size_t>(random.pick({0, random.below(16)}));
  if (depth.bytes() == 2)
    for (std::size_t *bytes : {&layout.pitch, &layout.before, &layout.after})
      *bytes += *bytes % 2;
  return layout;
}

std::string text(const ConvolveParams &params) {
  static const char *const borders[] = {"replicate", "reflect", "reflect-101", "wrap", "constant"};
  return std::string("border ") + borders[static_cast<int>(params.border)] + " " +
         std::to_string(params.border_value);
}

std::string text(const Shape &shape) {
  std::string text = std::to_string(shape.channels) + " channels ";
  for (int c = 0; c < shape.channels; ++c)
    text += "=LC"[static_cast<int>(shape.role[c])];
  return text;
}

// A picture in memory of its own.
class Pictures {
 public:
  Pictures(Random &random, const std::vector<Shape> &shapes, SampleDepth depth,
           LayoutOptions layout, std::string *doing)
      : shapes_(shapes) {
    const Pattern pattern = random_pattern(random);
    *doing += std::string(", ") + name(pattern);
    for (const Shape &shape : shapes) {
      const Layout in = random_even_layout(random, shape, depth, layout);
      const Layout out = random_even_layout(random, shape, depth, layout);
      *doing += "\n    " + text(shape) + "\n    in  " + in.text() + "\n    out " + out.text();
      inputs_.emplace_back(in, pattern, random);
      outputs_.emplace_back(out);
    }
  }

  ConvolvePlanes expected() { return image(false, true); }
  ConvolvePlanes actual(bool on_device) { return image(on_device, false); }

  void prepare(bool on_device) {
    for (OutputImage &o : outputs_)
      o.actual.fill_guard();
    if (!on_device) return;
    for (InputImage &i : inputs_)
      i.image.upload();
    for (OutputImage &o : outputs_)
      o.actual.upload();
  }

  std::string difference(bool on_device) {
    if (on_device) {
      device_synchronize();
      for (InputImage &i : inputs_)
        i.image.download();
      for (OutputImage &o : outputs_)
        o.actual.download();
    }
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const std::string out = outputs_[i].difference(), in = inputs_[i].difference();
      if (!out.empty()) return "output plane " + std::to_string(i) + " " + out;
      if (!in.empty()) return "input plane " + std::to_string(i) + " " + in;
    }
    return {};
  }

 private:
  ConvolvePlanes image(bool on_device, bool expected) {
    ConvolvePlanes image;
    image.planes = static_cast<int>(shapes_.size());
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      TestImage &out = expected ? outputs_[i].expected : outputs_[i].actual;
      const TestImage &in = inputs_[i].image;
      image.plane[i].in = on_device ? in.device_plane() : in.plane();
      image.plane[i].out = on_device ? out.device_plane() : out.plane();
      image.plane[i].channels = shapes_[i].channels;
      std::copy_n(shapes_[i].role, 4, image.plane[i].role);
    }
    return image;
  }

  std::vector<Shape> shapes_;
  std::deque<InputImage> inputs_;
  std::deque<OutputImage> outputs_;
};

// Must this algorithm compute this filter? (Which filters count as the identity is not said.)
bool must_serve(ConvolveAlgorithm algorithm, const Filter &filter) {
  return algorithm == ConvolveAlgorithm::automatic ||
         (algorithm == ConvolveAlgorithm::direct && !filter.weights.empty()) ||
         (algorithm == ConvolveAlgorithm::separable && filter.separable);
}

// Every kernel on its own; those that do not take the planes refuse.
constexpr ConvolveKernel kKernels[] = {ConvolveKernel::universal, ConvolveKernel::small,
                                       ConvolveKernel::mma, ConvolveKernel::strip,
                                       ConvolveKernel::sparse};
const char *const kKernelNames[] = {"automatic", "universal", "small", "mma", "strip", "sparse"};

std::string kernels_trial(const ConvolveParams &params, Pictures &pictures, const Backend &backend,
                          const std::string &doing) {
  for (ConvolveKernel kernel : kKernels) {
    const std::string with =
        std::string("kernel ") + kKernelNames[static_cast<int>(kernel)] + ", " + doing;
    set_doing(with);
    pictures.prepare(true);
    const Status status =
        convolve_cuda_by(kernel, params, pictures.actual(true), backend.queue().stream());
    if (status.code() == StatusCode::unsupported) continue;
    if (!status.ok()) return std::string("it returned: ") + status.message() + "\n    " + with;
    const std::string difference = pictures.difference(true);
    if (!difference.empty()) return difference + "\n    " + with;
  }
  return {};
}

// Leaves in the cache what kernels make of the filter for other pictures.
void fill_cache(const ConvolveParams &params, Random &random, const ConvolveTrialOptions &options,
                const Backend &backend) {
  std::string doing;
  Pictures others(random, random_shapes(random, {64, 40}, options), params.filter->depth,
                  {.aligned = options.for_matrix_units, .roomy = options.roomy}, &doing);
  others.prepare(true);
  const ConvolvePlanes image = others.actual(true);
  for (ConvolveKernel kernel : kKernels)
    (void)convolve_cuda_by(kernel, params, image, backend.queue().stream());
  if (params.filter->separable)
    (void)convolve_planes(params, image, backend.queue(), ConvolveAlgorithm::separable);
  device_synchronize();
}

constexpr ConvolveAlgorithm kAlgorithms[] = {ConvolveAlgorithm::automatic,
                                             ConvolveAlgorithm::direct,
                                             ConvolveAlgorithm::separable, ConvolveAlgorithm::copy};
const char *const kAlgorithmNames[] = {"automatic", "copy", "direct", "separable"};

}  // namespace

std::string convolve_trial(const Convolve &operation, const ConvolveTrialOptions &options,
                           Random &random, int index, const Backend &backend) {
  const Size size = choose_size(random, index, options.for_matrix_units);
  const std::vector<Shape> shapes = random_shapes(random, size, options);
  const int budget = index < static_cast<int>(std::size(kSizes)) ? 2000000
                     : options.for_matrix_units                  ? 3000000
                                                : random.pick({20000, 100000, 100000, 400000});
  std::string doing;
  const Filter filter =
      random_filter(random, std::max(9, budget / samples_in(shapes)), options, &doing);
  ConvolveParams params;
  params.filter = &filter;
  params.border = options.border.value_or(static_cast<Border>(random.below(5)));
  params.border_value = random.pick(
      {0, filter.depth.max(), random.between(0, filter.depth.max()), filter.depth.middle()});
  doing += ", " + text(params);
  Pictures pictures(random, shapes, filter.depth,
                    {.aligned = options.for_matrix_units && index % 3 != 0, .roomy = options.roomy},
                    &doing);
  convolve_reference(params, pictures.expected());
  ArgumentCache cache;
  if (backend.cuda && index % 2 != 0) {
    params.cache = &cache;
    fill_cache(params, random, options, backend);
  }

  for (ConvolveAlgorithm algorithm : kAlgorithms) {
    if (options.only_automatic && algorithm != ConvolveAlgorithm::automatic) break;
    const std::string with =
        std::string("algorithm ") + kAlgorithmNames[static_cast<int>(algorithm)] + ", " + doing;
    set_doing(with);
    pictures.prepare(backend.cuda);
    const Status status =
        operation(params, pictures.actual(backend.cuda), backend.queue(), algorithm);
    const bool must = must_serve(algorithm, filter);
    if (status.code() == StatusCode::unsupported && !must) continue;
    if (!status.ok()) return std::string("it returned: ") + status.message() + "\n    " + with;
    if (!must && algorithm != ConvolveAlgorithm::copy) return "it was not refused\n    " + with;
    const std::string difference = pictures.difference(backend.cuda);
    if (!difference.empty()) return difference + "\n    " + with;
  }
  if (!backend.cuda || !options.kernels) return {};
  return kernels_trial(params, pictures, backend, doing);
}

Case convolve_case() {
  constexpr int kRandomTrials = 2400;
  return {"convolve", kRandomTrials + kLargeConvolveTrials,
          [](Random &random, int index, const Backend &backend) {
            if (index >= kRandomTrials)
              return large_convolve_trial(convolve_planes, random, index - kRandomTrials, backend);
            ConvolveTrialOptions options;
            if (index % 2 == 1) options = {.for_matrix_units = true, .wide_rows = index % 8 == 3};
            if (index % 2 == 1 && index % 8 != 5) options.depth = SampleDepth{8, 0};
            // A quarter of these is of samples of two bytes.
            if (index % 8 == 5) options.depth = kDepths[2 + index / 8 % 5];
            options.kernels = true;
            return convolve_trial(convolve_planes, options, random, index, backend);
          },
          convolve_planted};
}

}  // namespace coalesce::test
