// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of many rows, aligned: a block of a kernel for matrix units walks down several steps
// only where there are more tiles than the GPU takes at once. These are enough of them for 144
// multiprocessors.
#include <cstdio>
#include <deque>
#include <utility>

#include "../image.h"
#include "convolve/cuda/choice.h"
#include "convolve_random.h"
#include "convolve_reference.h"
#include "convolve_trial.h"

namespace coalesce::test {
namespace {

// Wide enough that copies of 16 bytes that are not waited for bring what is not at the rim.
struct Large {
  int width, height, planes;
  ConvolveAlgorithm algorithm;
  ConvolveKernel kernel = ConvolveKernel::automatic;
  int channels = 1;
  SampleDepth depth = {8, 0};
};
constexpr Large kMask = {72, 30001, 1, ConvolveAlgorithm::direct, ConvolveKernel::mma};
constexpr Large kTallMask = {48, 70001, 1, ConvolveAlgorithm::direct,
                             ConvolveKernel::mma};  // the most steps there are
// As many steps as masks of several segments take.
constexpr Large kPixels3 = {96, 48001, 1, ConvolveAlgorithm::direct, ConvolveKernel::mma, 3};
constexpr Large kPixels4 = {96, 48001, 1, ConvolveAlgorithm::direct, ConvolveKernel::mma, 4};
// Several rounds of a block, of each kind of pixels that has rounds of its own.
constexpr Large kStrip3 = {396, 17001, 1, ConvolveAlgorithm::direct, ConvolveKernel::strip, 3};
constexpr Large kStrip4 = {264, 12001,  1, ConvolveAlgorithm::direct, ConvolveKernel::strip,
                           4,   {16, 0}};
constexpr Large kStrip16 = {300, 24001,  1, ConvolveAlgorithm::direct, ConvolveKernel::strip,
                            1,   {10, 6}};
constexpr Large kRows = {48, 230017, 1, ConvolveAlgorithm::separable};
constexpr Large kPlanes = {48, 57617, 4, ConvolveAlgorithm::separable};
// Pixels become byte planes in every step.
constexpr Large kRows3 = {96, 80017, 1, ConvolveAlgorithm::separable, ConvolveKernel::automatic, 3};
constexpr Large kRowsDeep = {48, 115201, 1, ConvolveAlgorithm::separable, ConvolveKernel::automatic,
                             2,  {10, 6}};

FilterSettings masked(int width, int height, std::vector<double> at) {
  FilterSettings s;
  s.mask = {width, height, std::move(at)};
  return s;
}

FilterSettings rows(std::vector<double> across, std::vector<double> down) {
  FilterSettings s;
  s.horizontal = std::move(across);
  s.vertical = std::move(down);
  return s;
}

std::vector<double> integers(int count, int most) {
  Random random(static_cast<std::uint64_t>(count));
  std::vector<double> at;
  for (int i = 0; i < count; ++i)
    at.push_back(random.between(-most, most));
  return at;
}

// Of 16 bits and more in the end.
std::vector<double> reals(int taps) {
  Random random(static_cast<std::uint64_t>(taps));
  std::vector<double> row;
  for (int i = 0; i < taps; ++i)
    row.push_back(0.1 + uniform(random));
  return row;
}

FilterSettings settings_of(int index, Large *large) {
  FilterSettings s;
  switch (index) {
    case 0:
      *large = kTallMask;
      return masked(9, 1, {1, -2, 3, 5, 9, -7, 4, 2, 6});
    case 1:
      *large = kMask;
      return masked(3, 3, {301, -1000, 777, 2000, 32767, -128, 129, 5, -31000});
    case 2:
      *large = kMask;
      s = masked(3, 3, {1000, -2000, 555, -32767, 31000, 7, 2111, -600, 3});
      s.absolute = true;
      return s;
    case 3:
      *large = kPixels3;
      return masked(12, 2, integers(24, 9000));
    case 4:
      *large = kPixels4;
      return masked(17, 1, integers(17, 9000));
    case 5:
      *large = kPixels4;
      return masked(25, 1, integers(25, 100));
    case 6:
      *large = kRows;
      return rows({1, 2, 1}, {1, 2, 1});
    case 7:
      *large = kPlanes;
      return rows({3, 1, 4}, {2, 7, 1});
    case 8:
      *large = kRows3;
      return rows(reals(9), reals(5));
    case 9:
      *large = kRowsDeep;
      return rows(reals(9), reals(5));
    case 10:
      *large = kRowsDeep;
      return rows({-1, 2, 7}, {3, 1, 4, -2});
    case 11:
      *large = kPlanes;
      return rows(reals(9), reals(9));
    case 12:
      *large = kStrip3;
      return masked(5, 5, integers(25, 100));
    case 13:
      *large = kStrip4;
      return masked(3, 4, integers(12, 100));
    case 14:
      *large = kStrip16;
      return masked(5, 3, integers(15, 9000));
    default:
      *large = kStrip3;
      return masked(12, 11, integers(132, 100));
  }
}

Layout aligned_layout(const Large &large) {
  Layout layout;
  layout.row_bytes = large.width;
  layout.height = large.height;
  layout.pitch = (static_cast<std::size_t>(large.width) + 15) / 16 * 16;
  return layout;
}

// As the reference wants them, or on the device.
ConvolvePlanes image_of(std::deque<InputImage> *in, std::deque<OutputImage> *out, int channels,
                        bool expected) {
  ConvolvePlanes image;
  image.planes = static_cast<int>(in->size());
  for (std::size_t i = 0; i < in->size(); ++i) {
    const TestImage &from = (*in)[i].image;
    image.plane[i].in = expected ? from.plane() : from.device_plane();
    image.plane[i].out = expected ? (*out)[i].expected.plane() : (*out)[i].actual.device_plane();
    image.plane[i].channels = channels;
  }
  return image;
}

// Rows so far apart that 32 bits do not count the bytes between them.
struct FarRows {
  static constexpr std::size_t kPitch = std::size_t{1} << 28;
  static constexpr int kHeight = 20;
  static constexpr std::size_t kBytes = kPitch * (kHeight - 1) + 1024;
  DeviceMemory memory{kBytes};

  template <class T>
  Plane<T> like(const Plane<T> &near) const {
    return {memory.data(), near.width, near.height, kPitch};
  }
};

template <class From, class To>
void copy_rows(const Plane<From> &from, const Plane<To> &to) {
  for (int y = 0; y < from.height; ++y)
    device_copy_async(to.row(y), from.row(y), static_cast<std::size_t>(from.width));
}

std::string far_rows_difference(const Convolve &operation, const ConvolveParams &params,
                                ConvolveAlgorithm algorithm, const FarRows &far_in,
                                const FarRows &far_out, Random &random, const Backend &backend) {
  const Layout layout = aligned_layout({272, FarRows::kHeight, 1, algorithm});
  InputImage in(layout, Pattern::noise, random);
  OutputImage out(layout);
  in.image.upload();
  out.actual.upload();
  ConvolvePlanes image;
  image.plane[0].in = in.image.plane();
  image.plane[0].out = out.expected.plane();
  convolve_reference(params, image);
  image.plane[0].in = far_in.like(Plane<const std::uint8_t>(in.image.device_plane()));
  image.plane[0].out = far_out.like(out.actual.device_plane());
  copy_rows(in.image.device_plane(), far_in.like(in.image.device_plane()));
  const Status s = operation(params, image, backend.queue(), algorithm);
  if (!s.ok()) return std::string("it returned: ") + s.message();
  copy_rows(image.plane[0].out, out.actual.device_plane());
  device_synchronize();
  out.actual.download();
  return out.difference();
}

std::string far_rows_trial(const Convolve &operation, Random &random, const Backend &backend) {
  if (device_free_bytes() < 2 * FarRows::kBytes + (std::size_t{1} << 28)) {
    std::printf("note  convolve: no memory for planes of more than 4 GiB, which are not tried\n");
    return {};
  }
  const FarRows in, out;
  const std::pair<FilterSettings, ConvolveAlgorithm> cases[] = {
      {masked(3, 3, {1, 2, 3, 0, 5, 7, 4, 1, 2}), ConvolveAlgorithm::direct},
      {masked(7, 2, {1, 2, 3, 0, 5, 7, 4, 1, 2, 9, -3, 2, 1, 5}), ConvolveAlgorithm::direct},
      {rows(reals(5), reals(7)), ConvolveAlgorithm::direct},
      {rows({1, 2, 1}, {1, 2, 1}), ConvolveAlgorithm::separable},
      {rows(reals(63), {-1, 2, 7}), ConvolveAlgorithm::separable},
      {{}, ConvolveAlgorithm::copy}};
  for (const auto &[settings, algorithm] : cases) {
    Filter filter;
    FilterError error;
    if (!make_filter(settings, {8, 0}, &filter, &error)) return error.text;
    const std::string doing = text(settings) + "\n    " + text(filter) + ", rows far apart";
    set_doing(doing);
    const ConvolveParams params = {&filter, static_cast<Border>(random.below(5)), 9};
    const std::string wrong =
        far_rows_difference(operation, params, algorithm, in, out, random, backend);
    if (!wrong.empty()) return wrong + "\n    " + doing;
  }
  return {};
}

}  // namespace

std::string large_convolve_trial(const Convolve &operation, Random &random, int index,
                                 const Backend &backend) {
  if (!backend.cuda) return {};
  if (index == kLargeConvolveTrials - 1) return far_rows_trial(operation, random, backend);
  Large large;
  const FilterSettings settings = settings_of(index, &large);
  Filter filter;
  FilterError error;
  if (!make_filter(settings, large.depth, &filter, &error)) return error.text;
  const ConvolveParams params = {&filter, static_cast<Border>(random.below(5)), random.below(256)};
  const Layout layout = aligned_layout(large);
  const std::string doing = text(settings) + "\n    " + text(filter) + ", border " +
                            std::to_string(static_cast<int>(params.border)) + "\n    " +
                            std::to_string(large.planes) + " planes " + layout.text();
  set_doing(doing);
  std::deque<InputImage> in;
  std::deque<OutputImage> out;
  for (int i = 0; i < large.planes; ++i) {
    in.emplace_back(layout, Pattern::noise, random);
    out.emplace_back(layout);
    in.back().image.upload();
    out.back().actual.upload();
  }
  convolve_reference(params, image_of(&in, &out, large.channels, true));
  const ConvolvePlanes image = image_of(&in, &out, large.channels, false);
  Status s;
  if (large.kernel != ConvolveKernel::automatic)
    s = convolve_cuda_by(large.kernel, params, image, backend.queue().stream());
  // Older devices lack some kernels.
  if (large.kernel == ConvolveKernel::automatic ||
      (s.code() == StatusCode::unsupported && device_major() < 9))
    s = operation(params, image, backend.queue(), large.algorithm);
  if (!s.ok()) return std::string("it returned: ") + s.message() + "\n    " + doing;
  device_synchronize();
  for (int i = 0; i < large.planes; ++i) {
    const auto plane = static_cast<std::size_t>(i);
    out[plane].actual.download();
    const std::string wrong = out[plane].difference();
    if (!wrong.empty()) return "plane " + std::to_string(i) + " " + wrong + "\n    " + doing;
  }
  return {};
}

}  // namespace coalesce::test
