// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of the formats in picture/containers.h: packed 4:2:2, and words of fields; and of pixels
// of four words with rows so long that they go the same way.
#include <algorithm>
#include <cstring>
#include <vector>

#include "../picture.h"
#include "../sample_bits.h"
#include "convolve_random.h"
#include "convolve_reference.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

const char *const kFormats[] = {"UYVY",       "YUY2",       "YVYU",       "VYUY",       "v210",
                                "UYVP",       "Y210",       "Y212_LE",    "Y216_LE",    "Y410",
                                "RGB10A2_LE", "BGR10A2_LE", "RGB10x2_LE", "BGR10x2_LE", "AYUV64",
                                "BGRA64_LE",  "Y412_LE"};
constexpr int kFormatCount = static_cast<int>(std::size(kFormats));

struct Size {
  int width, height;
};

// Pairs and groups of v210 and their remainders, blocks of threads, pictures smaller than the mask;
// on the CPU several runs of samples, and ranges of rows for several threads.
const Size kSizes[] = {{1, 1},   {2, 1},   {1, 2},   {3, 2},    {4, 5},  {5, 3},  {6, 4},
                       {7, 9},   {8, 8},   {9, 1},   {10, 3},   {11, 7}, {12, 5}, {13, 6},
                       {31, 4},  {32, 5},  {33, 3},  {47, 2},   {48, 3}, {49, 4}, {50, 9},
                       {1, 130}, {130, 1}, {97, 17}, {1030, 90}};

struct Call {
  ConvolveParams params;
  ConstImage in;
  Image out;
  ConvolveAlgorithm algorithm;
};
using Operation = std::function<Status(Call call, const Queue &queue, void *scratch)>;

Status convolve_call(const Call &c, const Queue &queue, void *scratch) {
  return convolve(c.params, c.in, c.out, queue, scratch, c.algorithm);
}

// ---- The reference ------------------------------------------------------------------------------

ChannelRole role_of(const ConvolveParams &params, const PixelComponent &c) {
  const bool chroma = c.role == Role::u || c.role == Role::v;
  if (chroma) return params.luma_only ? ChannelRole::copy : ChannelRole::chroma;
  if (c.role != Role::alpha) return ChannelRole::level;
  return params.filter_alpha && c.bits > 2 ? ChannelRole::level : ChannelRole::copy;
}

// A component as a plane of its own, filtered.
void filter_component(const ConvolveParams &params, const PixelComponent &c, ChannelRole role,
                      const ConstImage &in, const Image &out) {
  const SampleDepth depth = params.filter->depth;
  const int columns = c.log2_width == 1 ? (in.width + 1) / 2 : in.width;
  const auto pitch = static_cast<std::size_t>(columns * depth.bytes());
  std::vector<std::uint8_t> from(pitch * static_cast<std::size_t>(in.height)), to(from.size());
  ConvolvePlanes planes;
  ConvolvePlane &plane = planes.plane[0];
  plane.in = {from.data(), static_cast<int>(pitch), in.height, pitch};
  plane.out = {from.data(), static_cast<int>(pitch), in.height, pitch};
  plane.role[0] = role;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < columns; ++x)
      store_sample(plane, depth, 0, x, y, read_bits(in.plane[0].row(y), c, x));
  plane.out.data = to.data();
  convolve_reference(params, planes);
  const bool in_pairs = in.format.component[1].log2_width == 1;
  for (int y = 0; y < in.height; ++y) {
    const auto sample = [&](int x) {
      const std::uint8_t *bytes = plane.out.row(y) + x * depth.bytes();
      return (depth.bytes() == 1 ? bytes[0] : bytes[0] + 256 * bytes[1]) >> depth.shift;
    };
    for (int x = 0; x < columns; ++x)
      write_bits(out.plane[0].row(y), c, x, sample(x));
    if (in_pairs && c.role == Role::y && columns % 2 == 1)
      write_bits(out.plane[0].row(y), c, columns, sample(columns - 1));
  }
}

void reference(const ConvolveParams &params, const ConstImage &in, const Image &out) {
  for (int y = 0; y < in.height; ++y)
    std::memcpy(out.plane[0].row(y), in.plane[0].row(y),
                static_cast<std::size_t>(in.plane[0].width));
  for (int i = 0; i < in.format.components; ++i) {
    const PixelComponent &c = in.format.component[i];
    if (const ChannelRole role = role_of(params, c); role != ChannelRole::copy)
      filter_component(params, c, role, in, out);
  }
}

// ---- Trials -------------------------------------------------------------------------------------

struct TrialOptions {
  const char *format = nullptr;  // any
  bool odd = false;              // the width
  bool roomy = false;            // planes have room where bugs write
};

// A Gaussian whose row or column is long, or both.
FilterSettings long_gaussian(Random &random) {
  FilterSettings s;
  const auto row = [&](int least) {
    Mask across, down;
    std::string error;
    require(preset_rows(RowPreset::gaussian, random.between(least, kMaxTaps), 0, &across, &down,
                        &error),
            error);
    return across.at;
  };
  const bool down = random.below(2) == 0;
  s.horizontal = row(down ? 1 : 34);
  s.vertical = row(down ? 34 : 1);
  s.anchor_x = random.below(3) == 0 ? 0 : -1;
  return s;
}

Filter random_filter(Random &random, const PixelFormat &format, int most_taps, std::string *doing) {
  const SampleDepth depth = sample_depth(format);
  for (;;) {
    const FilterSettings settings = has_deep_pixels(format) && random.below(4) != 0
                                        ? long_gaussian(random)
                                        : random_settings(random, most_taps, kMaxTaps);
    Filter filter;
    FilterError error;
    if (!make_filter(settings, depth, &filter, &error)) continue;
    *doing += text(settings) + "\n    " + text(filter);
    return filter;
  }
}

ConvolveAlgorithm random_algorithm(Random &random, const Filter &filter) {
  const ConvolveAlgorithm wanted = random.pick(
      {ConvolveAlgorithm::automatic, ConvolveAlgorithm::direct, ConvolveAlgorithm::separable});
  const bool serves = wanted == ConvolveAlgorithm::direct      ? !filter.weights.empty()
                      : wanted == ConvolveAlgorithm::separable ? filter.separable
                                                               : true;
  return serves ? wanted : ConvolveAlgorithm::automatic;
}

std::string trial(const Operation &operation, const TrialOptions &options, Random &random,
                  int index, const Backend &backend) {
  const auto size_index = static_cast<std::size_t>(index / kFormatCount);
  Size size = size_index < std::size(kSizes) ? kSizes[size_index]
                                             : Size{random.between(1, random.pick({9, 60, 200})),
                                                    random.between(1, random.pick({5, 20, 60}))};
  if (options.odd) size.width |= 1;
  const PictureShape shape = {
      options.format != nullptr ? options.format : kFormats[index % kFormatCount], size.width,
      size.height, random.below(4) == 0};
  const PixelFormat format = pixel_format(shape.name);
  const SampleDepth depth = sample_depth(format);
  const int budget = random.pick({20000, 100000, 300000}) / (2 * size.width * size.height);
  std::string doing;
  const Filter filter =
      random_filter(random, format, std::clamp(budget, 9, kMaxTaps * kMaxTaps), &doing);
  const int max = depth.max();
  const ConvolveParams params = {&filter, static_cast<Border>(random.below(5)),
                                 random.pick({0, max, random.between(0, max), depth.middle()}),
                                 random.below(3) == 0, random.below(2) == 0};
  const ConvolveAlgorithm algorithm = random_algorithm(random, filter);
  doing += ", border " + std::to_string(static_cast<int>(params.border)) + " " +
           std::to_string(params.border_value) + (params.luma_only ? ", luma" : "") +
           (params.filter_alpha ? ", alpha" : "") + ", algorithm " +
           std::to_string(static_cast<int>(algorithm)) + ", " + std::to_string(size.width) + "x" +
           std::to_string(size.height);
  const LayoutOptions layout = {false, options.roomy};
  InputPicture in(shape, layout, random_pattern(random), random);
  OutputPicture out(shape, layout, random);
  Scratch scratch(convolve_scratch_bytes(params, in.image(), backend.cuda), backend);
  return picture_trial(
      &in, &out, doing, backend,
      [&](const ConstImage &from, const Image &to) { reference(params, from, to); },
      [&](const ConstImage &from, const Image &to) {
        return operation({params, from, to, algorithm}, backend.queue(), scratch.data());
      });
}

// ---- Planted bugs -------------------------------------------------------------------------------

PlantedBug bug(const char *name, TrialOptions options, const Operation &broken) {
  options.roomy = true;
  return {name, false, [broken, options](Random &random, int index, const Backend &backend) {
            return trial(broken, options, random, index, backend);
          }};
}

// On other arguments.
PlantedBug spoiled(const char *name, const TrialOptions &options, void (*spoil)(Call *call)) {
  return bug(name, options, [spoil](Call call, const Queue &queue, void *scratch) {
    spoil(&call);
    return convolve_call(call, queue, scratch);
  });
}

// With damage afterwards, to each row.
PlantedBug damaged(const char *name, const TrialOptions &options,
                   void (*damage)(const std::uint8_t *in, std::uint8_t *out, int bytes)) {
  return bug(name, options, [damage](const Call &call, const Queue &queue, void *scratch) {
    const Status s = convolve_call(call, queue, scratch);
    for (int y = 0; y < call.out.height; ++y)
      damage(call.in.plane[0].row(y), call.out.plane[0].row(y), call.out.plane[0].width);
    return s;
  });
}

std::vector<PlantedBug> planted() {
  using Row = std::uint8_t *;
  using Source = const std::uint8_t *;
  return {
      damaged("containers, wrong at the end of a row", {},
              [](Source, Row out, int bytes) { out[bytes - 1] ^= 1; }),
      damaged("containers, writes behind a row", {},
              [](Source, Row out, int bytes) { out[bytes] ^= 1; }),
      damaged("containers, writes to its input", {},
              [](Source in, Row, int) { const_cast<Row>(in)[0] ^= 1; }),
      damaged("containers, keeps the last second luma", {.format = "YUY2", .odd = true},
              [](Source in, Row out, int bytes) { out[bytes - 2] = in[bytes - 2]; }),
      damaged("containers, clears the spare bits of v210", {.format = "v210"},
              [](Source, Row out, int) { out[3] &= 0x3F; }),
      damaged("containers, keeps the low bits of Y210", {.format = "Y210"},
              [](Source in, Row out, int) {
                out[0] = static_cast<std::uint8_t>((out[0] & 0xC0) | (in[0] & 0x3F));
              }),
      damaged("containers, makes it opaque", {.format = "RGB10A2_LE"},
              [](Source, Row out, int) { out[3] |= 0xC0; }),
      spoiled(
          "containers, ignores the pitch", {},
          [](Call *c) { c->in.plane[0].pitch = static_cast<std::size_t>(c->in.plane[0].width); }),
      spoiled("containers, takes luma for chroma", {.format = "UYVY"},
              [](Call *c) { c->in.format = c->out.format = pixel_format("YUY2"); }),
      spoiled("containers, takes luma for chroma of words", {.format = "Y410"},
              [](Call *c) {
                for (PixelFormat *f : {&c->in.format, &c->out.format})
                  std::swap(f->component[0].shift, f->component[1].shift);
              }),
      spoiled("containers, filters all planes", {.format = "UYVP"},
              [](Call *c) { c->params.luma_only = false; }),
      spoiled("containers, replicates always", {.format = "Y212_LE"},
              [](Call *c) { c->params.border = Border::replicate; }),
  };
}

}  // namespace

Case convolve_containers_case() {
  return {"convolve-containers", 50 * kFormatCount,
          [](Random &random, int index, const Backend &backend) {
            return trial(convolve_call, {}, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
