// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "../planted.h"
#include "convolve_reference.h"
#include "convolve_trial.h"

namespace coalesce::test {
namespace {

// The true operation, then the damage.
Status last_column(const ConvolveParams &params, const ConvolvePlanes &image, const Queue &queue,
                   ConvolveAlgorithm algorithm) {
  const Status s = convolve_planes(params, image, queue, algorithm);
  const Plane<std::uint8_t> &out = image.plane[0].out;
  for (int y = 0; y < out.height; ++y)
    out.row(y)[out.width - 1] ^= 1;
  return s;
}

Status past_row(const ConvolveParams &params, const ConvolvePlanes &image, const Queue &queue,
                ConvolveAlgorithm algorithm) {
  const Status s = convolve_planes(params, image, queue, algorithm);
  const Plane<std::uint8_t> &out = image.plane[image.planes - 1].out;
  out.row(out.height - 1)[out.width] ^= 1;
  return s;
}

Status writes_input(const ConvolveParams &params, const ConvolvePlanes &image, const Queue &queue,
                    ConvolveAlgorithm algorithm) {
  const Status s = convolve_planes(params, image, queue, algorithm);
  const_cast<std::uint8_t *>(image.plane[0].in.data)[0] ^= 1;
  return s;
}

// The true operation on damaged arguments.
Status ignores_pitch(const ConvolveParams &params, const ConvolvePlanes &image, const Queue &queue,
                     ConvolveAlgorithm algorithm) {
  ConvolvePlanes dense = image;
  dense.plane[0].in.pitch = static_cast<std::size_t>(dense.plane[0].in.width);
  return convolve_planes(params, dense, queue, algorithm);
}

template <ChannelRole kFrom, ChannelRole kTo>
Status wrong_role(const ConvolveParams &params, const ConvolvePlanes &image, const Queue &queue,
                  ConvolveAlgorithm algorithm) {
  ConvolvePlanes wrong = image;
  for (ConvolvePlane &plane : wrong.plane)
    std::replace(plane.role, plane.role + 4, kFrom, kTo);
  return convolve_planes(params, wrong, queue, algorithm);
}

Status replicates(const ConvolveParams &params, const ConvolvePlanes &image, const Queue &queue,
                  ConvolveAlgorithm algorithm) {
  ConvolveParams wrong = params;
  wrong.border = Border::replicate;
  return convolve_planes(wrong, image, queue, algorithm);
}

// The true operation with a damaged filter.
Status with(const Filter &filter, const ConvolveParams &params, const ConvolvePlanes &image,
            const Queue &queue) {
  ConvolveParams wrong = params;
  wrong.filter = &filter;
  return convolve_planes(wrong, image, queue);
}

Status flips(const ConvolveParams &params, const ConvolvePlanes &image, const Queue &queue,
             ConvolveAlgorithm) {
  Filter filter = *params.filter;
  for (std::vector<std::int32_t> *weights : {&filter.weights, &filter.across, &filter.down})
    std::reverse(weights->begin(), weights->end());
  return with(filter, params, image, queue);
}

Status truncates(const ConvolveParams &params, const ConvolvePlanes &image, const Queue &queue,
                 ConvolveAlgorithm) {
  Filter filter = *params.filter;
  filter.level.after -= filter.divisor / 2;
  filter.chroma.after -= filter.divisor / 2;
  return with(filter, params, image, queue);
}

// Of the weights the one that matters least, off by the least.
Status wrong_weight(const ConvolveParams &params, const ConvolvePlanes &image, const Queue &queue,
                    ConvolveAlgorithm) {
  Filter filter = *params.filter;
  filter.weights.clear();
  if (filter.separable)
    ++filter.down.back();
  else
    filter.weights = params.filter->weights, ++filter.weights.back();
  return with(filter, params, image, queue);
}

// Low bits of P010 that count.
Status dirty(const ConvolveParams &params, const ConvolvePlanes &image, const Queue &queue,
             ConvolveAlgorithm algorithm) {
  const Status s = convolve_planes(params, image, queue, algorithm);
  for (int i = 0; i < image.planes; ++i)
    for (int y = 0; y < image.plane[i].out.height; ++y)
      for (int x = 0; x < image.plane[i].out.width; x += 2)
        image.plane[i].out.row(y)[x] |= image.plane[i].in.row(y)[x] & 63;
  return s;
}

// The reference with another rule for what stands outside.
template <BorderRule kRule>
Status wrong_border(const ConvolveParams &params, const ConvolvePlanes &image, const Queue &,
                    ConvolveAlgorithm) {
  convolve_reference(params, image, kRule);
  return {};
}

int off_by_one(Border border, int position, int size) {
  return position < size ? position_inside(border, position, size)
                         : position_inside(border, position - 1, size);
}

int reflects_once(Border border, int position, int size) {
  const int p = position < 0 ? -position : position >= size ? 2 * (size - 1) - position : position;
  return border == Border::reflect_101 ? std::clamp(p, 0, size - 1)
                                       : position_inside(border, position, size);
}

PlantedBug host_bug(const char *name, const Convolve &broken, ConvolveTrialOptions options = {}) {
  options.roomy = true;
  options.only_automatic = true;
  return {name, false, [broken, options](Random &random, int index, const Backend &backend) {
            return convolve_trial(broken, options, random, index, backend);
          }};
}

// The kernels know 8-bit grey, small masks, and replicate.
PlantedBug cuda_bug(const char *name, Planted bug) {
  return {name, true, [bug](Random &random, int index, const Backend &backend) {
            const Convolve broken = [bug](const ConvolveParams &params, const ConvolvePlanes &image,
                                          const Queue &queue, ConvolveAlgorithm) {
              return planted_convolve_cuda(bug, params, image, queue);
            };
            return convolve_trial(broken,
                                  {.roomy = true,
                                   .only_automatic = true,
                                   .gray = true,
                                   .most_side = kPlantedMaskSize,
                                   .depth = SampleDepth{8, 0},
                                   .border = Border::replicate},
                                  random, index, backend);
          }};
}

}  // namespace

std::vector<PlantedBug> convolve_planted() {
  constexpr ChannelRole kCopy = ChannelRole::copy;
  constexpr ChannelRole kLevel = ChannelRole::level;
  constexpr ChannelRole kChroma = ChannelRole::chroma;
  return {
      host_bug("convolve, wrong in the last column", last_column),
      host_bug("convolve, writes behind the last row", past_row),
      host_bug("convolve, writes to its input", writes_input),
      host_bug("convolve, ignores the pitch", ignores_pitch),
      host_bug("convolve, filters chroma like luma", wrong_role<kChroma, kLevel>),
      host_bug("convolve, filters alpha", wrong_role<kCopy, kLevel>),
      host_bug("convolve, replicates for reflect-101", replicates, {.border = Border::reflect_101}),
      host_bug("convolve, border off by one", wrong_border<off_by_one>),
      host_bug("convolve, reflects once only", wrong_border<reflects_once>,
               {.border = Border::reflect_101}),
      host_bug("convolve, does not flip", flips),
      host_bug("convolve, truncates", truncates),
      host_bug("convolve, a weight off by one", wrong_weight),
      host_bug("convolve, keeps the low bits of P010", dirty, {.depth = SampleDepth{10, 6}}),
      cuda_bug("convolve, kernel wrong in the last column", Planted::last_column),
      cuda_bug("convolve, kernel writes past each row", Planted::past_row),
      cuda_bug("convolve, kernel ignores the pitch", Planted::ignores_pitch),
      cuda_bug("convolve, kernel truncates", Planted::truncates),
      cuda_bug("convolve, kernel's border off by one", Planted::wrong_border),
  };
}

}  // namespace coalesce::test
