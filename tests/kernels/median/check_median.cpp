// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <functional>

#include "../picture.h"
#include "median_reference.h"
#include "picture/channels.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

using Median = std::function<Status(MedianParams params, const ConstImage &in, const Image &out,
                                    const Queue &queue, void *scratch)>;

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
  int size = 0;                  // of the window, any
  Border border = Border::constant;
  bool any_border = true;
  bool roomy = false;  // planes have room where bugs write
};

MedianParams random_params(const NamedFormat &format, const TrialOptions &options, Random &random) {
  MedianParams params;
  params.width =
      options.size != 0 ? options.size : random.pick({1, 3, 3, 5, 5, 7, 7, 9, 15, 29, 31, 75});
  params.height = params.width;
  if (options.size == 0 && random.below(3) == 0) params.height = random.pick({1, 3, 5, 11, 75});
  if (options.size == 0 && random.below(2) == 0)
    params.percentile = random.pick({0., 100., 0.5, 12.5, 49.5, 75., 99.5});
  const int max = sample_depth(format.format).max();
  params.border = options.any_border ? static_cast<Border>(random.below(5)) : options.border;
  params.border_value = random.below(max + 1);
  params.luma_only = random.below(4) == 0;
  params.filter_alpha = random.below(4) == 0;
  return params;
}

// Beyond tiles and strips, as far as the reference has time.
PictureShape random_shape(const NamedFormat &format, const MedianParams &params, Random &random) {
  const int most = std::max(400'000 / (params.width * params.height), 40);
  PictureShape shape = {format.name, random.between(1, random.pick({4, 40, 300, 1200})), 1};
  shape.height = random.between(1, random.pick({4, 20, 80, 300}));
  if (random.below(2) == 0)
    shape.width = std::clamp(most / shape.height, 1, shape.width);
  else
    shape.height = std::clamp(most / shape.width, 1, shape.height);
  shape.width = std::clamp(most / shape.height, 1, shape.width);
  shape.interlaced = random.below(3) == 0;
  return shape;
}

std::string text(const MedianParams &p) {
  static const char *const borders[] = {"replicate", "reflect", "reflect-101", "wrap", "constant"};
  return std::to_string(p.width) + " x " + std::to_string(p.height) + ", percentile " +
         std::to_string(p.percentile) + ", " + borders[static_cast<int>(p.border)] + " " +
         std::to_string(p.border_value) + (p.luma_only ? ", luma" : "") +
         (p.filter_alpha ? ", alpha" : "");
}

std::string trial(const Median &operation, const TrialOptions &options, Random &random, int index,
                  const Backend &backend) {
  const NamedFormat *format = formats()[static_cast<std::size_t>(index) % formats().size()];
  for (const NamedFormat *each : formats())
    if (options.format != nullptr && std::string(each->name) == options.format) format = each;
  const MedianParams params = random_params(*format, options, random);
  PictureShape shape = random_shape(*format, params, random);
  const LayoutOptions layout = {false, options.roomy};
  shape.spare_row = random_spare_row(shape, random);
  InputPicture in(shape, layout, random_pattern(random), random);
  shape.spare_row = random_spare_row(shape, random);
  OutputPicture out(shape, layout, random);
  Scratch scratch(container_scratch_bytes(in.image()), backend);
  return picture_trial(
      &in, &out,
      text(params) + ", " + std::to_string(shape.width) + "x" + std::to_string(shape.height) +
          (shape.interlaced ? ", interlaced" : ""),
      backend, [&](const ConstImage &from, const Image &to) { median_reference(params, from, to); },
      [&](const ConstImage &from, const Image &to) {
        return operation(params, from, to, backend.queue(), scratch.data());
      });
}

// ---- Planted bugs -------------------------------------------------------------------------------

// The true operation on spoiled arguments.
PlantedBug bug(const char *name, void (*spoil)(MedianParams *params, ConstImage *in),
               TrialOptions options) {
  options.roomy = true;
  const auto broken = [spoil](MedianParams params, ConstImage in, const Image &out,
                              const Queue &queue, void *scratch) {
    spoil(&params, &in);
    return median(params, in, out, queue, scratch);
  };
  return {name, false, [broken, options](Random &random, int index, const Backend &backend) {
            return trial(broken, options, random, index, backend);
          }};
}

std::vector<PlantedBug> planted() {
  return {
      bug("median, 5 x 5 in place of 3 x 3",
          [](MedianParams *p, ConstImage *) { p->width = p->height = 5; },
          {.format = "NV12", .size = 3}),
      bug("median, one rank off", [](MedianParams *p, ConstImage *) { p->percentile += 0.4; },
          {.format = "GRAY16_LE", .size = 15}),
      bug("median, the minimum in place of the median",
          [](MedianParams *p, ConstImage *) { p->percentile = 0; }, {.format = "RGB", .size = 5}),
      bug("median, swaps columns and rows",
          [](MedianParams *p, ConstImage *) { std::swap(p->width, p->height); }, {}),
      bug("median, repeats the edge sample",
          [](MedianParams *p, ConstImage *) { p->border = Border::reflect; },
          {.format = "I420", .size = 7, .border = Border::reflect_101, .any_border = false}),
      bug("median, forgets the border's value",
          [](MedianParams *p, ConstImage *) { p->border_value = 0; },
          {.format = "Y444_10LE", .size = 9}),
      bug("median, filters chroma always",
          [](MedianParams *p, ConstImage *) { p->luma_only = false; }, {.format = "P010_10LE"}),
      bug("median, filters chroma of words always",
          [](MedianParams *p, ConstImage *) { p->luma_only = false; }, {.format = "Y410"}),
      bug("median, replicates always",
          [](MedianParams *p, ConstImage *) { p->border = Border::replicate; },
          {.format = "v210", .border = Border::wrap, .any_border = false}),
      bug("median, one rank off in bytes of ten bits",
          [](MedianParams *p, ConstImage *) { p->percentile += 0.4; },
          {.format = "UYVP", .size = 15}),
      bug("median, filters alpha always",
          [](MedianParams *p, ConstImage *) { p->filter_alpha = true; }, {.format = "AYUV64"}),
      bug("median, swaps U and V",
          [](MedianParams *, ConstImage *in) { std::swap(in->plane[1], in->plane[2]); },
          {.format = "Y42B"}),
      bug("median, ignores the pitch",
          [](MedianParams *, ConstImage *in) {
            in->plane[0].pitch = static_cast<std::size_t>(in->plane[0].width);
          },
          {.format = "GRAY8"}),
      bug("median, filters the padding of pixels",
          [](MedianParams *p, ConstImage *in) {
            in->format = pixel_format("BGRA");
            p->filter_alpha = true;
          },
          {.format = "BGRx"}),
  };
}

}  // namespace

Case median_case() {
  return {"median", 4 * static_cast<int>(formats().size()),
          [](Random &random, int index, const Backend &backend) {
            return trial(median, {}, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
