// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "../picture.h"
#include "rgb2yuv_reference.h"
#include "rgb2yuv_trial.h"

namespace coalesce::test {
namespace {

struct Size {
  int width;
  int height;
};

// The edges of chunks and blocks, fields of one row and of none, more rows than one launch takes,
// of chroma too.
const Size kSizes[] = {{1, 1},    {2, 1},    {1, 2},     {2, 2},     {3, 3},      {4, 4},
                       {5, 5},    {7, 6},    {8, 7},     {9, 8},     {15, 4},     {16, 16},
                       {17, 5},   {31, 31},  {32, 32},   {33, 33},   {47, 2},     {48, 3},
                       {49, 7},   {63, 17},  {64, 6},    {65, 9},    {127, 2},    {128, 8},
                       {129, 11}, {255, 5},  {256, 3},   {257, 6},   {383, 5},    {384, 4},
                       {385, 7},  {509, 13}, {769, 6},   {1024, 9},  {1, 257},    {1, 524289},
                       {3, 1009}, {2053, 3}, {1031, 25}, {1920, 90}, {1920, 1080}};

constexpr int kVariantRows = 100;  // so that many variants take no time

Size choose_size(Random &random, int index) {
  if (index < static_cast<int>(std::size(kSizes))) return kSizes[index];
  return {random.between(1, random.pick({20, 70, 300, 1500})),
          random.between(1, random.pick({7, 7, 20}))};
}

Rgb2yuvParams random_params(Random &random, const Rgb2yuvTrialOptions &options) {
  Rgb2yuvParams params;
  params.matrix = static_cast<YuvMatrix>(random.below(5));
  if (!options.full_range) {
    params.in_range = static_cast<SampleRange>(random.below(2));
    params.out_range = static_cast<SampleRange>(random.below(2));
  } else {
    params.in_range = params.out_range = SampleRange::full;
  }
  params.h_cosited = random.below(2) == 0;
  params.v_cosited = random.below(2) == 0;
  return params;
}

std::string text(const Rgb2yuvParams &params) {
  static const char *const matrix[] = {"bt601", "bt709", "bt2020", "smpte240m", "fcc"};
  static const char *const range[] = {"full", "limited"};
  return std::string(matrix[static_cast<int>(params.matrix)]) + ", " +
         range[static_cast<int>(params.in_range)] + " to " +
         range[static_cast<int>(params.out_range)] + " range" +
         (params.h_cosited ? ", cosited across" : "") + (params.v_cosited ? ", cosited down" : "");
}

const char *const kIn[] = {"RGB",  "BGR",  "RGBx", "BGRx", "xRGB", "xBGR", "RGBA",
                           "BGRA", "ARGB", "ABGR", "RGBP", "BGRP", "GBR"};
const char *const kOut[] = {"GRAY8", "Y444", "Y42B", "I420", "YV12", "NV12",
                            "NV21",  "AYUV", "VUYA", "YUY2", "UYVY"};

template <std::size_t kCount>
const char *any_of(const char *const (&names)[kCount], Random &random) {
  return names[random.below(static_cast<int>(kCount))];
}

}  // namespace

std::string rgb2yuv_trial(const Rgb2yuv &operation, const Rgb2yuvTrialOptions &options,
                          Random &random, int index, const Backend &backend) {
  Size size = choose_size(random, index);
  if (options.aligned) size = {(size.width + 63) / 64 * 64, std::min(size.height, kVariantRows)};
  const Rgb2yuvParams params = random_params(random, options);
  PictureShape in_shape = {options.in != nullptr ? options.in : any_of(kIn, random), size.width,
                           size.height, random.below(2) == 0};
  PictureShape out_shape = in_shape;
  out_shape.name = options.out != nullptr ? options.out : any_of(kOut, random);
  out_shape.spare_row = random_spare_row(out_shape, random);
  const Pattern pattern = random_pattern(random);
  const LayoutOptions layout_options = {options.aligned, options.roomy};
  InputPicture in(in_shape, layout_options, pattern, random);
  OutputPicture out(out_shape, layout_options, random);
  const std::string doing =
      text(params) + (in_shape.interlaced ? ", interlaced" : "") + ", " + name(pattern);
  return picture_trial(
      &in, &out, doing, backend,
      [&](const ConstImage &from, const Image &to) { rgb2yuv_reference(params, from, to); },
      [&](const ConstImage &from, const Image &to) {
        return operation(params, from, to, backend.queue());
      });
}

Case rgb2yuv_case() {
  return {"rgb2yuv", 1500,
          [](Random &random, int index, const Backend &backend) {
            return rgb2yuv_trial(rgb2yuv, {}, random, index, backend);
          },
          rgb2yuv_planted};
}

}  // namespace coalesce::test
