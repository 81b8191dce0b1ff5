// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <functional>

#include "../picture.h"
#include "bilateral_reference.h"
#include "picture/channels.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

using Filter =
    std::function<Status(BilateralSettings settings, BilateralParams params, const ConstImage &in,
                         const Image &out, const Queue &queue, void *scratch)>;

Status true_filter(const BilateralSettings &settings, BilateralParams params, const ConstImage &in,
                   const Image &out, const Queue &queue, void *scratch) {
  Bilateral weights;
  if (Status s = make_bilateral(settings, in.format, &weights); !s.ok()) return s;
  params.bilateral = &weights;
  return bilateral(params, in, out, queue, scratch);
}

const std::vector<const NamedFormat *> &formats() {
  static const std::vector<const NamedFormat *> all = [] {
    std::vector<const NamedFormat *> found;
    for (const NamedFormat &format : named_formats())
      if (sample_depth(format.format).bits > 0) found.push_back(&format);
    return found;
  }();
  return all;
}

struct TrialOptions {
  const char *format = nullptr;  // any
  int radius = 0;                // any
  double sigma_range = 0;        // any
  int iterations = 0;            // any
  Border border = Border::constant;
  bool any_border = true;
  bool roomy = false;  // planes have room where bugs write
  bool large = false;  // beyond a few pixels
};

BilateralSettings random_settings(const TrialOptions &options, Random &random) {
  BilateralSettings settings;
  settings.radius = options.radius != 0
                        ? options.radius
                        : random.pick({1, 2, 2, 3, 3, 4, 5, 5, 6, 7, 8, kMaxBilateralRadius});
  settings.sigma_space = random.pick({0.1, 0.7, 1., 2., 3.5, 5., 1000.});
  settings.sigma_range = options.sigma_range != 0
                             ? options.sigma_range
                             : random.pick({0.1, 3., 10., 25., 25., 60., 100., 300., 1000.});
  return settings;
}

BilateralParams random_params(const NamedFormat &format, const TrialOptions &options,
                              Random &random) {
  BilateralParams params;
  params.iterations = options.iterations != 0 ? options.iterations : random.pick({1, 1, 2, 3});
  params.border = options.any_border ? static_cast<Border>(random.below(5)) : options.border;
  params.border_value = random.below(sample_depth(format.format).max() + 1);
  params.luma_only = random.below(4) == 0;
  params.filter_alpha = random.below(4) == 0;
  return params;
}

// Beyond tiles, as far as the reference has time.
PictureShape random_shape(const NamedFormat &format, const BilateralSettings &settings,
                          const BilateralParams &params, const TrialOptions &options,
                          Random &random) {
  const int most =
      std::max(120'000 / (settings.radius * settings.radius * 3 * params.iterations), 40);
  PictureShape shape = {format.name, random.between(1, random.pick({4, 40, 150, 400})), 1};
  shape.height = random.between(1, random.pick({4, 20, 50, 100}));
  if (options.large) shape.width = random.between(20, 40), shape.height = random.between(12, 20);
  if (random.below(2) == 0)
    shape.width = std::clamp(most / shape.height, 1, shape.width);
  else
    shape.height = std::clamp(most / shape.width, 1, shape.height);
  shape.width = std::clamp(most / shape.height, 1, shape.width);
  shape.interlaced = random.below(3) == 0;
  return shape;
}

std::string text(const BilateralSettings &s, const BilateralParams &p) {
  static const char *const borders[] = {"replicate", "reflect", "reflect-101", "wrap", "constant"};
  return "radius " + std::to_string(s.radius) + ", sigmas " + std::to_string(s.sigma_space) + " " +
         std::to_string(s.sigma_range) + ", iterations " + std::to_string(p.iterations) + ", " +
         borders[static_cast<int>(p.border)] + " " + std::to_string(p.border_value) +
         (p.luma_only ? ", luma" : "") + (p.filter_alpha ? ", alpha" : "");
}

std::string trial(const Filter &operation, const TrialOptions &options, Random &random, int index,
                  const Backend &backend) {
  const NamedFormat *format = formats()[static_cast<std::size_t>(index) % formats().size()];
  for (const NamedFormat *each : formats())
    if (options.format != nullptr && std::string(each->name) == options.format) format = each;
  BilateralSettings settings = random_settings(options, random);
  BilateralParams params = random_params(*format, options, random);
  PictureShape shape = random_shape(*format, settings, params, options, random);
  LayoutOptions layout = {random.below(2) == 0, options.roomy};
  // One in eight has tiles of the CUDA kernel that lie inside, in words.
  if (!options.roomy && random.below(8) == 0) {
    settings.radius = random.pick({1, 2, 3, 4}), params.iterations = 1;
    shape.width = random.between(132, 200), shape.height = random.between(66, 80);
    layout.aligned = true;
  }
  shape.spare_row = random_spare_row(shape, random);
  InputPicture in(shape, layout, options.large ? Pattern::noise : random_pattern(random), random);
  shape.spare_row = random_spare_row(shape, random);
  OutputPicture out(shape, layout, random);
  Scratch scratch(bilateral_scratch_bytes(in.image(), params.iterations), backend);
  return picture_trial(
      &in, &out,
      text(settings, params) + ", " + std::to_string(shape.width) + "x" +
          std::to_string(shape.height) + (shape.interlaced ? ", interlaced" : ""),
      backend,
      [&](const ConstImage &from, const Image &to) {
        bilateral_reference(settings, params, from, to);
      },
      [&](const ConstImage &from, const Image &to) {
        return operation(settings, params, from, to, backend.queue(), scratch.data());
      });
}

// ---- Planted bugs -------------------------------------------------------------------------------

// The true operation on spoiled arguments.
PlantedBug bug(const char *name,
               void (*spoil)(BilateralSettings *settings, BilateralParams *params, ConstImage *in),
               TrialOptions options) {
  options.roomy = true;
  const auto broken = [spoil](BilateralSettings settings, BilateralParams params, ConstImage in,
                              const Image &out, const Queue &queue, void *scratch) {
    spoil(&settings, &params, &in);
    Image to = out;
    to.format = in.format;
    return true_filter(settings, params, in, to, queue, scratch);
  };
  return {name, false, [broken, options](Random &random, int index, const Backend &backend) {
            return trial(broken, options, random, index, backend);
          }};
}

// As if G and B were nobody's neighbours: R, G and B each with weights of its own.
void forget_colours(BilateralSettings *, BilateralParams *, ConstImage *in) {
  const Role roles[] = {Role::y, Role::u, Role::v};
  for (int i = 0; i < 3; ++i)
    in->format.component[i].role = roles[i];
}

std::vector<PlantedBug> planted() {
  using Settings = BilateralSettings;
  using Params = BilateralParams;
  return {
      bug("bilateral, a radius less", [](Settings *s, Params *, ConstImage *) { s->radius = 2; },
          {.format = "NV12", .radius = 3}),
      bug("bilateral, sigmas swapped",
          [](Settings *s, Params *, ConstImage *) { std::swap(s->sigma_space, s->sigma_range); },
          {.format = "RGB", .sigma_range = 60}),
      bug("bilateral, the range in samples in place of 255ths",
          [](Settings *s, Params *, ConstImage *) { s->sigma_range /= 65535 / 255; },
          {.format = "GRAY16_LE", .sigma_range = 25}),
      bug("bilateral, sigma half a percent off",
          [](Settings *s, Params *, ConstImage *) { s->sigma_range *= 1.005; },
          {.format = "GRAY16_LE", .radius = 5, .sigma_range = 60, .large = true}),
      bug("bilateral, no colours", forget_colours, {.format = "RGB", .sigma_range = 60}),
      bug("bilateral, no colours of planes", forget_colours,
          {.format = "GBR_10LE", .sigma_range = 60}),
      bug("bilateral, one iteration less",
          [](Settings *, Params *p, ConstImage *) { --p->iterations; },
          {.format = "I420", .sigma_range = 60, .iterations = 2, .large = true}),
      bug("bilateral, repeats the edge sample",
          [](Settings *, Params *p, ConstImage *) { p->border = Border::reflect; },
          {.format = "I420", .radius = 5, .border = Border::reflect_101, .any_border = false}),
      bug("bilateral, forgets the border's value",
          [](Settings *, Params *p, ConstImage *) { p->border_value = 0; },
          {.format = "Y444_10LE", .sigma_range = 300}),
      bug("bilateral, filters chroma always",
          [](Settings *, Params *p, ConstImage *) { p->luma_only = false; },
          {.format = "P010_10LE"}),
      bug("bilateral, filters chroma of words always",
          [](Settings *, Params *p, ConstImage *) { p->luma_only = false; }, {.format = "Y410"}),
      bug("bilateral, replicates always",
          [](Settings *, Params *p, ConstImage *) { p->border = Border::replicate; },
          {.format = "v210", .border = Border::wrap, .any_border = false}),
      bug("bilateral, filters alpha always",
          [](Settings *, Params *p, ConstImage *) { p->filter_alpha = true; },
          {.format = "AYUV64"}),
      bug("bilateral, ignores the pitch",
          [](Settings *, Params *, ConstImage *in) {
            in->plane[0].pitch = static_cast<std::size_t>(in->plane[0].width);
          },
          {.format = "GRAY8"}),
      bug("bilateral, filters the padding of pixels",
          [](Settings *, Params *p, ConstImage *in) {
            in->format = pixel_format("BGRA");
            p->filter_alpha = true;
          },
          {.format = "BGRx"}),
  };
}

}  // namespace

Case bilateral_case() {
  return {"bilateral", 4 * static_cast<int>(formats().size()),
          [](Random &random, int index, const Backend &backend) {
            return trial(true_filter, {}, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
