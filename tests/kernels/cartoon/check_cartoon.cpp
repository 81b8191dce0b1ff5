// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <functional>
#include <utility>

#include "../picture.h"
#include "cartoon_reference.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

// The settings, then what has been made of them, may be spoiled.
struct Call {
  CartoonSettings settings;
  Cartoon cartoon;
  ConstImage in;
  Image out;
};
using Spoil = void (*)(Call *call);

struct TrialOptions {
  const char *format = nullptr;  // any
  CartoonLines lines = CartoonLines::none;
  bool any_lines = true;
  bool roomy = false;
  bool limited = false;
  bool large = false;  // beyond a few pixels
};

std::vector<const char *> formats() {
  std::vector<const char *> names;
  for (const NamedFormat &each : named_formats())
    if (each.format.in_bytes()) names.push_back(each.name);
  return names;
}

CartoonSettings random_settings(const TrialOptions &options, Random &random) {
  CartoonSettings s;
  s.areas.radius = random.pick({1, 1, 2, 2, 3, 4});
  s.areas.sigma_space = random.pick({1., 2., 3.5});
  s.areas.sigma_range = random.pick({3., 25., 60., 300.});
  s.iterations = random.pick({1, 1, 2, 3});
  s.levels = random.pick({kMinCartoonLevels, 3, 5, 8, 8, 13, 40, kMaxCartoonLevels});
  s.softness = random.pick({0., 0.05, 0.3, 0.5, kMaxCartoonSoftness});
  s.range = options.limited || random.below(2) == 0 ? SampleRange::limited : SampleRange::full;
  s.lines = options.any_lines ? static_cast<CartoonLines>(random.below(3)) : options.lines;
  s.canny.low = random.between(0, 200), s.canny.high = s.canny.low + random.pick({0, 50, 200});
  s.dog_sigma = random.pick({kMinDogSigma, 0.5, 1., 1., 1.5, 2.7, kMaxDogSigma});
  s.dog_threshold = random.pick({kMinDogThreshold, 0.3, 1., 2., 5., kMaxDogThreshold});
  for (std::uint8_t &sample : s.colour.sample)
    sample = static_cast<std::uint8_t>(random.below(256));
  s.colour.opacity = random.pick({0, 100, 255, 255, 255});
  return s;
}

// Beyond tiles, as far as the reference has time.
PictureShape random_shape(const char *format, const CartoonSettings &settings,
                          const TrialOptions &options, Random &random) {
  const int radius = settings.areas.radius;
  const int most = std::max(100'000 / (radius * radius * 3 * settings.iterations), 40);
  PictureShape shape = {format, random.between(1, random.pick({4, 40, 150, 400})), 1};
  shape.height = random.between(1, random.pick({4, 20, 50, 100}));
  if (options.large) shape.width = random.between(40, 60), shape.height = random.between(20, 30);
  if (random.below(2) == 0)
    shape.width = std::clamp(most / shape.height, 1, shape.width);
  else
    shape.height = std::clamp(most / shape.width, 1, shape.height);
  shape.width = std::clamp(most / shape.height, 1, shape.width);
  shape.interlaced = random.below(3) == 0;
  return shape;
}

std::string text(const CartoonSettings &s, const PictureShape &shape) {
  return "radius " + std::to_string(s.areas.radius) + ", sigmas " +
         std::to_string(s.areas.sigma_space) + " " + std::to_string(s.areas.sigma_range) +
         ", iterations " + std::to_string(s.iterations) + ", levels " + std::to_string(s.levels) +
         ", softness " + std::to_string(s.softness) +
         (s.range == SampleRange::limited ? ", limited" : "") + ", lines " +
         std::to_string(static_cast<int>(s.lines)) + ", canny " + std::to_string(s.canny.low) +
         " " + std::to_string(s.canny.high) + ", dog " + std::to_string(s.dog_sigma) + " " +
         std::to_string(s.dog_threshold) + ", opacity " + std::to_string(s.colour.opacity) + ", " +
         std::to_string(shape.width) + "x" + std::to_string(shape.height) +
         (shape.interlaced ? ", interlaced" : "");
}

std::string trial(Spoil spoil_settings, Spoil spoil, const TrialOptions &options, Random &random,
                  int index, const Backend &backend) {
  static const std::vector<const char *> all = formats();
  const CartoonSettings settings = random_settings(options, random);
  PictureShape shape =
      random_shape(options.format != nullptr ? options.format
                                             : all[static_cast<std::size_t>(index) % all.size()],
                   settings, options, random);
  const LayoutOptions layout = {random.below(2) == 0, options.roomy};
  shape.spare_row = random_spare_row(shape, random);
  InputPicture in(shape, layout, options.large ? Pattern::noise : random_pattern(random), random);
  shape.spare_row = random_spare_row(shape, random);
  OutputPicture out(shape, layout, random);
  Call call = {settings, {}, {}, {}};
  if (spoil_settings != nullptr) spoil_settings(&call);
  if (Status s = make_cartoon(call.settings, in.image().format, &call.cartoon); !s.ok())
    return s.message();
  Cartoon most = call.cartoon;
  if (spoil != nullptr) ++most.iterations, most.lines = CartoonLines::canny;
  Scratch scratch(cartoon_scratch_bytes(most, in.image()), backend);
  return picture_trial(
      &in, &out, text(settings, shape), backend,
      [&](const ConstImage &from, const Image &to) { cartoon_reference(settings, from, to); },
      [&](const ConstImage &from, const Image &to) {
        call.in = from, call.out = to;
        if (spoil != nullptr) spoil(&call);
        return cartoon(call.cartoon, call.in, call.out, backend.queue(), scratch.data());
      });
}

// ---- Planted bugs -------------------------------------------------------------------------------

PlantedBug bug(const char *name, TrialOptions options, Spoil spoil_settings, Spoil spoil) {
  options.roomy = options.large = true;
  return {name, false,
          [spoil_settings, spoil, options](Random &random, int index, const Backend &backend) {
            return trial(spoil_settings, spoil, options, random, index, backend);
          }};
}

PlantedBug bug(const char *name, TrialOptions options, Spoil spoil) {
  return bug(name, options, nullptr, spoil);
}

std::vector<PlantedBug> planted() {
  const TrialOptions dog = {.lines = CartoonLines::dog, .any_lines = false};
  const TrialOptions canny = {.lines = CartoonLines::canny, .any_lines = false};
  const TrialOptions none = {.any_lines = false};
  return {
      bug(
          "cartoon, a level more", none, [](Call *c) { ++c->settings.levels; }, nullptr),
      bug("cartoon, a tone is off by one", none, [](Call *c) { c->cartoon.tone[128] ^= 1; }),
      bug(
          "cartoon, limited range is full", {.format = "NV12", .limited = true},
          [](Call *c) { c->settings.range = SampleRange::full; }, nullptr),
      bug("cartoon, one iteration more", none, [](Call *c) { ++c->cartoon.iterations; }),
      bug("cartoon, edges for a difference of Gaussians", dog,
          [](Call *c) { c->cartoon.lines = CartoonLines::canny; }),
      bug("cartoon, the wide Gaussian ends early", dog, [](Call *c) { --c->cartoon.wide.reach; }),
      bug("cartoon, Gaussians exchanged", dog,
          [](Call *c) { std::swap(c->cartoon.narrow, c->cartoon.wide); }),
      bug("cartoon, a threshold of lines is off by a 256th", dog,
          [](Call *c) { ++c->cartoon.threshold; }),
      bug("cartoon, a threshold of edges is off by one", canny,
          [](Call *c) { c->cartoon.canny.low += 1; }),
      bug("cartoon, no lines", canny, [](Call *c) { c->cartoon.lines = CartoonLines::none; }),
      bug("cartoon, R is B", {.format = "RGB"},
          [](Call *c) { c->in.format = c->out.format = pixel_format("BGR"); }),
      bug("cartoon, G is R in planes", {.format = "GBR"},
          [](Call *c) { c->in.format = c->out.format = pixel_format("RGBP"); }),
      bug("cartoon, luma of packed pixels is chroma", {.format = "YUY2"},
          [](Call *c) { c->in.format = c->out.format = pixel_format("UYVY"); }),
      bug("cartoon, moves padding", {.format = "RGBx"},
          [](Call *c) { c->in.format = c->out.format = pixel_format("xRGB"); }),
      bug("cartoon, ignores the pitch", none,
          [](Call *c) { c->in.plane[0].pitch = static_cast<std::size_t>(c->in.plane[0].width); }),
  };
}

}  // namespace

Case cartoon_case() {
  return {"cartoon", 6 * static_cast<int>(formats().size()),
          [](Random &random, int index, const Backend &backend) {
            return trial(nullptr, nullptr, {}, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
