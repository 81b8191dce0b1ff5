// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <functional>

#include "../picture.h"
#include "oilpaint_reference.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

using Paint = std::function<Status(OilpaintParams params, const ConstImage &in, const Image &out,
                                   const Queue &queue, void *scratch)>;

const std::vector<const NamedFormat *> &formats() {
  static const std::vector<const NamedFormat *> all = [] {
    std::vector<const NamedFormat *> found;
    for (const NamedFormat &format : named_formats())
      if (format.format.in_bytes()) found.push_back(&format);
    return found;
  }();
  return all;
}

struct TrialOptions {
  const char *format = nullptr;  // any
  bool any_method = true;
  OilMethod method = OilMethod::mode;
  int least = 1;       // of width and height
  bool roomy = false;  // planes have room where bugs write
};

OilpaintParams random_params(const TrialOptions &options, Random &random) {
  OilpaintParams params;
  params.method =
      options.any_method ? random.pick({OilMethod::kuwahara, OilMethod::mode}) : options.method;
  params.kuwahara_radius = random.pick({2, 3, 4, 5, 6, 7, 8, 9, kMaxOilKuwaharaRadius});
  params.mode_radius = random.pick({1, 2, 3, 5, 5, 8, kMaxOilModeRadius});
  params.mode_ratio = random.pick({1, 2, 7, 10, 20, 64, kMaxOilModeRatio});
  return params;
}

// As far as the reference has time.
PictureShape random_shape(const NamedFormat &format, const OilpaintParams &params, int least,
                          Random &random) {
  const int side = 2 * params.mode_radius + 1, radius = params.kuwahara_radius;
  const int of_pixel = params.method == OilMethod::mode ? side * side : 8 * radius * radius + 100;
  const int most = std::max(200'000 / of_pixel, 400);
  PictureShape shape = {format.name, random.between(least, random.pick({40, 90, 300})), 1};
  shape.height = random.between(least, std::max(least, most / shape.width));
  shape.interlaced = random.below(3) == 0;
  return shape;
}

std::string text(const OilpaintParams &p) {
  if (p.method == OilMethod::kuwahara)
    return "kuwahara of radius " + std::to_string(p.kuwahara_radius);
  return "mode of radius " + std::to_string(p.mode_radius) + ", ratio " +
         std::to_string(p.mode_ratio);
}

std::string trial(const Paint &operation, const TrialOptions &options, Random &random, int index,
                  const Backend &backend) {
  const NamedFormat *format = formats()[static_cast<std::size_t>(index) % formats().size()];
  for (const NamedFormat *each : formats())
    if (options.format != nullptr && std::string(each->name) == options.format) format = each;
  const OilpaintParams params = random_params(options, random);
  PictureShape shape = random_shape(*format, params, options.least, random);
  const LayoutOptions layout = {false, options.roomy};
  shape.spare_row = random_spare_row(shape, random);
  InputPicture in(shape, layout, random_pattern(random), random);
  shape.spare_row = random_spare_row(shape, random);
  OutputPicture out(shape, layout, random);
  Scratch scratch(oilpaint_scratch_bytes(params, in.image()), backend);
  return picture_trial(
      &in, &out,
      text(params) + ", " + std::to_string(shape.width) + "x" + std::to_string(shape.height) +
          (shape.interlaced ? ", interlaced" : ""),
      backend,
      [&](const ConstImage &from, const Image &to) { oilpaint_reference(params, from, to); },
      [&](const ConstImage &from, const Image &to) {
        return operation(params, from, to, backend.queue(), scratch.data());
      });
}

// ---- Planted bugs -------------------------------------------------------------------------------

// The true operation on spoiled arguments.
PlantedBug bug(const char *name, void (*spoil)(OilpaintParams *params, ConstImage *in),
               TrialOptions options) {
  options.roomy = true;
  options.least = 8;
  const auto broken = [spoil](OilpaintParams params, ConstImage in, const Image &out,
                              const Queue &queue, void *scratch) {
    spoil(&params, &in);
    return oilpaint(params, in, out, queue, scratch);
  };
  return {name, false, [broken, options](Random &random, int index, const Backend &backend) {
            return trial(broken, options, random, index, backend);
          }};
}

std::vector<PlantedBug> planted() {
  return {
      bug("oilpaint, mode of a radius one less",
          [](OilpaintParams *p, ConstImage *) { p->mode_radius = std::max(p->mode_radius - 1, 1); },
          {.format = "RGB", .any_method = false}),
      bug("oilpaint, mode with a ratio one more",
          [](OilpaintParams *p, ConstImage *) { p->mode_ratio = p->mode_ratio % 127 + 1; },
          {.format = "GRAY8", .any_method = false}),
      bug("oilpaint, kuwahara of a radius one less",
          [](OilpaintParams *p, ConstImage *) {
            p->kuwahara_radius = std::max(p->kuwahara_radius - 1, kMinOilKuwaharaRadius);
          },
          {.format = "NV12", .any_method = false, .method = OilMethod::kuwahara}),
      bug("oilpaint, another method",
          [](OilpaintParams *p, ConstImage *) { p->method = OilMethod::kuwahara; },
          {.format = "YUY2", .any_method = false}),
      bug("oilpaint, swaps R and B",
          [](OilpaintParams *, ConstImage *in) { in->format = pixel_format("BGR"); },
          {.format = "RGB"}),
      bug("oilpaint, paints alpha as padding does not",
          [](OilpaintParams *, ConstImage *in) { in->format = pixel_format("ARGB"); },
          {.format = "RGBA"}),
      bug("oilpaint, swaps U and V",
          [](OilpaintParams *, ConstImage *in) { std::swap(in->plane[1], in->plane[2]); },
          {.format = "I420"}),
      bug("oilpaint, ignores the pitch",
          [](OilpaintParams *, ConstImage *in) {
            in->plane[0].pitch = static_cast<std::size_t>(in->plane[0].width);
          },
          {.format = "GRAY8"}),
  };
}

}  // namespace

Case oilpaint_case() {
  return {"oilpaint", 2 * static_cast<int>(formats().size()),
          [](Random &random, int index, const Backend &backend) {
            return trial(oilpaint, {}, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
