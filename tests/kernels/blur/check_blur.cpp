// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <iterator>

#include "../picture.h"
#include "blur_reference.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

struct Call {
  BlurParams params;
  ConstImage in;
  Image out;
};
using Operation = std::function<Status(Call call, const Queue &queue, void *scratch)>;

Status blur_call(const Call &c, const Queue &queue, void *scratch) {
  return blur(c.params, c.in, c.out, queue, scratch);
}

struct Size {
  int width, height;
};

// Below a cell, one, more; several tiles across and down, and their ends; several blocks of columns
// on the CPU.
const Size kSizes[] = {{1, 1},     {4, 4},    {5, 3},    {17, 33},  {241, 61},
                       {255, 17},  {256, 64}, {257, 65}, {496, 40}, {513, 36},
                       {1030, 20}, {40, 250}, {33, 130}, {768, 9},  {2060, 5}};
const double kSigmas[] = {8, 10, 15.99, 16, 21, 31.9, 32, 50, 63.5, 64, 100};

std::vector<const char *> formats() {
  std::vector<const char *> names;
  for (const NamedFormat &each : named_formats())
    if (sample_depth(each.format).bits > 0) names.push_back(each.name);
  return names;
}

struct TrialOptions {
  const char *format = nullptr;  // any
  int least = 1;                 // pixels across and down
  bool roomy = false;
  Border border = Border::constant;  // or any
  bool any_border = true;
};

std::string trial(const Operation &operation, const TrialOptions &options, Random &random,
                  int index, const Backend &backend) {
  static const std::vector<const char *> all = formats();
  const auto count = static_cast<int>(all.size()), round = index / count;
  Size size = round < static_cast<int>(std::size(kSizes)) && index % 3 != 0
                  ? kSizes[(round + index) % static_cast<int>(std::size(kSizes))]
                  : Size{random.between(1, random.pick({60, 600})),
                         random.between(1, random.pick({40, 200}))};
  size.width = std::max(size.width, options.least),
  size.height = std::max(size.height, options.least);
  PictureShape shape = {
      options.format != nullptr ? options.format : all[static_cast<std::size_t>(index % count)],
      size.width, size.height, random.below(4) == 0};
  const SampleDepth depth = sample_depth(pixel_format(shape.name));
  const double sigma = kSigmas[random.below(static_cast<int>(std::size(kSigmas)))];
  Blur made;
  if (Status s = make_blur(sigma, depth, &made); !s.ok()) return s.message();
  const int max = depth.max();
  const BlurParams params = {
      &made, options.any_border ? static_cast<Border>(random.below(5)) : options.border,
      random.pick({0, max, random.between(0, max), depth.middle()}), random.below(3) == 0,
      random.below(2) == 0};
  const std::string doing =
      "sigma " + std::to_string(sigma) + ", border " +
      std::to_string(static_cast<int>(params.border)) + " " + std::to_string(params.border_value) +
      (params.luma_only ? ", luma" : "") + (params.filter_alpha ? ", alpha" : "") + ", " +
      std::to_string(size.width) + "x" + std::to_string(size.height);
  const LayoutOptions layout = {random.below(2) == 0, options.roomy};
  shape.spare_row = random_spare_row(shape, random);
  InputPicture in(shape, layout, random_pattern(random), random);
  shape.spare_row = random_spare_row(shape, random);
  OutputPicture out(shape, layout, random);
  Scratch scratch(blur_scratch_bytes(made, in.image()), backend);
  return picture_trial(
      &in, &out, doing, backend,
      [&](const ConstImage &from, const Image &to) { blur_reference(params, from, to); },
      [&](const ConstImage &from, const Image &to) {
        return operation({params, from, to}, backend.queue(), scratch.data());
      });
}

PlantedBug bug(const char *name, TrialOptions options, void (*spoil)(Call *call, Blur *blur)) {
  options.roomy = true;
  const Operation broken = [spoil](Call call, const Queue &queue, void *scratch) {
    Blur own = *call.params.blur;
    call.params.blur = &own;
    spoil(&call, &own);
    const Status s = blur_call(call, queue, scratch);
    if (queue.on_cuda()) device_synchronize();
    return s;
  };
  return {name, false, [broken, options](Random &random, int index, const Backend &backend) {
            return trial(broken, options, random, index, backend);
          }};
}

std::vector<PlantedBug> planted() {
  const TrialOptions large = {.least = 40};
  return {
      bug("blur, ignores the pitch", large,
          [](Call *c, Blur *) {
            c->in.plane[0].pitch = static_cast<std::size_t>(c->in.plane[0].width);
          }),
      bug("blur, replicates always", {.least = 40, .border = Border::wrap, .any_border = false},
          [](Call *c, Blur *) { c->params.border = Border::replicate; }),
      bug("blur, filters all planes", {.format = "NV12", .least = 40},
          [](Call *c, Blur *) { c->params.luma_only = false; }),
      bug("blur, filters alpha", {.format = "BGRA", .least = 40},
          [](Call *c, Blur *) { c->params.filter_alpha = true; }),
      bug("blur, is a sample of the smaller picture too far left", large,
          [](Call *, Blur *blur) {
            std::rotate(blur->tap, blur->tap + 1, blur->tap + 2 * blur->reach);
          }),
      bug("blur, moves weights", large,
          [](Call *, Blur *blur) { blur->tap[0] += 300, blur->tap[blur->reach] -= 300; }),
      bug("blur, forgets the last row", {.format = "GRAY8", .least = 40},
          [](Call *c, Blur *) {
            c->in.height = --c->in.plane[0].height;
            c->out.height = --c->out.plane[0].height;
          }),
  };
}

}  // namespace

Case blur_case() {
  return {"blur", 8 * static_cast<int>(formats().size()),
          [](Random &random, int index, const Backend &backend) {
            return trial(blur_call, {}, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
