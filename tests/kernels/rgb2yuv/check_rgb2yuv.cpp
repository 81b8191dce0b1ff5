// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <deque>

#include "../image.h"
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
  params.in = options.in.value_or(static_cast<RgbLayout>(random.below(7)));
  params.out = options.out.value_or(static_cast<YuvLayout>(random.below(10)));
  params.alpha = has_fourth_byte(params.in) && random.below(2) == 0;
  params.matrix = static_cast<YuvMatrix>(random.below(5));
  if (!options.full_range) {
    params.in_range = static_cast<SampleRange>(random.below(2));
    params.out_range = static_cast<SampleRange>(random.below(2));
  } else {
    params.in_range = params.out_range = SampleRange::full;
  }
  params.h_cosited = random.below(2) == 0;
  params.v_cosited = random.below(2) == 0;
  params.interlaced = random.below(2) == 0;
  return params;
}

std::string text(const Rgb2yuvParams &params) {
  static const char *const in[] = {"rgb", "bgr", "rgbx", "bgrx", "xrgb", "xbgr", "planar"};
  static const char *const out[] = {"gray", "planar444", "planar422", "planar420", "nv12",
                                    "nv21", "ayuv",      "vuya",      "yuy2",      "uyvy"};
  static const char *const matrix[] = {"bt601", "bt709", "bt2020", "smpte240m", "fcc"};
  static const char *const range[] = {"full", "limited"};
  return std::string(in[static_cast<int>(params.in)]) + (params.alpha ? " with alpha" : "") +
         " to " + out[static_cast<int>(params.out)] + ", " +
         matrix[static_cast<int>(params.matrix)] + ", " + range[static_cast<int>(params.in_range)] +
         " to " + range[static_cast<int>(params.out_range)] + " range" +
         (params.h_cosited ? ", cosited across" : "") + (params.v_cosited ? ", cosited down" : "") +
         (params.interlaced ? ", interlaced" : "");
}

}  // namespace

std::string rgb2yuv_trial(const Rgb2yuv &operation, const Rgb2yuvTrialOptions &options,
                          Random &random, int index, const Backend &backend) {
  Size size = choose_size(random, index);
  if (options.aligned) size = {(size.width + 63) / 64 * 64, std::min(size.height, kVariantRows)};
  const Rgb2yuvParams params = random_params(random, options);
  const bool spare_row = may_have_spare_row(params, size.height) && random.below(2) == 0;
  const Pattern pattern = random_pattern(random);
  std::string doing = text(params) + ", " + name(pattern);

  const LayoutOptions layout_options = {options.aligned, options.roomy};
  std::deque<InputImage> inputs;
  for (const PlaneSize &s : rgb_plane_sizes(params.in, size.width, size.height)) {
    const Layout layout = random_layout(random, s.row_bytes, s.height, layout_options);
    doing += "\n    in  " + layout.text();
    inputs.emplace_back(layout, pattern, random);
  }
  std::deque<OutputImage> outputs;
  for (const PlaneSize &s : yuv_plane_sizes(params.out, size.width, size.height, spare_row)) {
    const Layout layout = random_layout(random, s.row_bytes, s.height, layout_options);
    doing += "\n    out " + layout.text();
    outputs.emplace_back(layout);
  }
  set_doing(doing);

  RgbImage in, given;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (backend.cuda) inputs[i].image.upload();
    in.plane[i] = inputs[i].image.plane();
    given.plane[i] = backend.cuda ? inputs[i].image.device_plane() : inputs[i].image.plane();
  }
  YuvImage expected, actual;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (backend.cuda) outputs[i].actual.upload();
    expected.plane[i] = outputs[i].expected.plane();
    actual.plane[i] = backend.cuda ? outputs[i].actual.device_plane() : outputs[i].actual.plane();
  }

  rgb2yuv_reference(params, in, expected);
  const Status status = operation(params, given, actual, backend.queue());
  if (!status.ok()) return std::string("it returned: ") + status.message() + "\n    " + doing;
  if (backend.cuda) {
    device_synchronize();
    for (InputImage &i : inputs)
      i.image.download();
    for (OutputImage &o : outputs)
      o.actual.download();
  }

  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string difference = outputs[i].difference();
    if (!difference.empty())
      return "output plane " + std::to_string(i) + " " + difference + "\n    " + doing;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string difference = inputs[i].difference();
    if (!difference.empty())
      return "input plane " + std::to_string(i) + " " + difference + "\n    " + doing;
  }
  return {};
}

Case rgb2yuv_case() {
  return {"rgb2yuv", 1500,
          [](Random &random, int index, const Backend &backend) {
            return rgb2yuv_trial(rgb2yuv, {}, random, index, backend);
          },
          rgb2yuv_planted};
}

}  // namespace coalesce::test
