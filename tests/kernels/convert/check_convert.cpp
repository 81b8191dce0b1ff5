// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../picture.h"
#include "convert_reference.h"
#include "convert_trial.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

struct Size {
  int width;
  int height;
};

// Groups of v210 and their rests, blocks and bands, fields of one row and of none.
const Size kSizes[] = {{1, 1},   {2, 1},    {1, 2},    {2, 2},   {3, 3},   {4, 4},    {5, 5},
                       {6, 6},   {7, 7},    {8, 8},    {9, 9},   {11, 4},  {12, 5},   {13, 6},
                       {47, 2},  {48, 3},   {49, 4},   {95, 1},  {96, 2},  {97, 3},   {383, 4},
                       {384, 5}, {385, 6},  {767, 2},  {768, 3}, {769, 4}, {1535, 2}, {1537, 3},
                       {1, 257}, {2, 1000}, {1151, 3}, {640, 33}};

Size choose_size(Random &random, int index) {
  if (index < static_cast<int>(std::size(kSizes))) return kSizes[index];
  return {random.between(1, random.pick({12, 60, 400})),
          random.between(1, random.pick({5, 12, 20}))};
}

ConvertParams random_params(Random &random) {
  const auto either = [&random] { return random.below(2) == 0; };
  ConvertParams params;
  params.matrix = static_cast<YuvMatrix>(random.below(5));
  params.in_range = static_cast<SampleRange>(random.below(2));
  params.out_range = static_cast<SampleRange>(random.below(2));
  params.in_site = {either(), either()};
  params.out_site = {either(), either()};
  params.chroma = static_cast<ChromaFilter>(random.below(4) == 0);
  params.dither = static_cast<Dither>(random.below(4) == 0);
  return params;
}

struct Formats {
  const char *in, *out;
};

// Each pair of shapes that has a CUDA kernel of its own. Among all pairs there are few of them, and
// fewer that are aligned as these kernels require.
constexpr Formats kCommon[] = {{"NV12", "RGB"},
                               {"NV21", "RGBA"},
                               {"NV12", "xBGR"},
                               {"NV21", "GBR"},
                               {"NV12", "VUYA"},
                               {"I420", "BGR"},
                               {"YV12", "ARGB"},
                               {"P010_10LE", "RGB"},
                               {"P012_LE", "BGRA"},
                               {"UYVY", "RGB"},
                               {"YVYU", "RGBA"},
                               {"v210", "BGR"},
                               {"v210", "AYUV"},
                               {"YUY2", "NV12"},
                               {"VYUY", "I420"},
                               {"v210", "P010_10LE"},
                               {"v210", "I422_10LE"},
                               {"I422_10LE", "v210"},
                               {"P010_10LE", "v210"},
                               {"NV12", "I420"},
                               {"YV12", "NV21"},
                               {"P010_10LE", "I420_10LE"},
                               {"I420_10LE", "P010_10LE"},
                               {"P010_10LE", "NV12"},
                               {"RGB", "v210"},
                               {"RGBA", "v210"},
                               {"RGBA", "P010_10LE"}};
constexpr int kCommonTrials = 24 * static_cast<int>(std::size(kCommon));

// Every pair once in as many trials, in an order in which neighbours have little in common.
Formats formats_of(int index) {
  const auto all = named_formats();
  const auto count = static_cast<long>(all.size());
  constexpr long kStep = 7919;  // a prime
  const long pair = index * kStep % (count * count);
  return {all[static_cast<std::size_t>(pair / count)].name,
          all[static_cast<std::size_t>(pair % count)].name};
}

}  // namespace

std::string convert_trial(const Convert &operation, const ConvertTrialOptions &options,
                          Random &random, int index, const Backend &backend) {
  const Size size = choose_size(random, index);
  const Formats formats = formats_of(index);
  ConvertParams params = random_params(random);
  if (options.set) options.set(&params);
  PictureShape in_shape = {options.in != nullptr ? options.in : formats.in, size.width, size.height,
                           random.below(2) == 0};
  PictureShape out_shape = in_shape;
  out_shape.name = options.out != nullptr ? options.out : formats.out;
  in_shape.spare_row = random_spare_row(in_shape, random);
  out_shape.spare_row = random_spare_row(out_shape, random);
  const Pattern pattern = random_pattern(random);
  const LayoutOptions layout_options = {options.aligned, options.roomy};
  InputPicture in(in_shape, layout_options, pattern, random);
  OutputPicture out(out_shape, layout_options, random);
  const std::string doing = text(params) + ", " + std::to_string(size.width) + "x" +
                            std::to_string(size.height) +
                            (in_shape.interlaced ? ", interlaced" : "") + ", " + name(pattern);
  return picture_trial(
      &in, &out, doing, backend,
      [&](const ConstImage &from, const Image &to) { convert_reference(params, from, to); },
      [&](const ConstImage &from, const Image &to) {
        return operation(params, from, to, backend.queue());
      });
}

Case convert_case() {
  const auto formats = static_cast<int>(named_formats().size());
  const int pairs = formats * formats;
  return {"convert", pairs + kCommonTrials,
          [pairs](Random &random, int index, const Backend &backend) {
            if (index < pairs) return convert_trial(convert, {}, random, index, backend);
            const Formats &common = kCommon[(index - pairs) % std::size(kCommon)];
            const ConvertTrialOptions options = {
                .aligned = true, .in = common.in, .out = common.out};
            return convert_trial(convert, options, random, index, backend);
          },
          convert_planted};
}

}  // namespace coalesce::test
