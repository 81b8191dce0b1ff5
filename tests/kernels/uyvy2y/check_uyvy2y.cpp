// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "../picture.h"
#include "uyvy2y_trial.h"

namespace coalesce::test {
namespace {

struct Size {
  int width;
  int height;
};

// The edges of every chunk, block and band, a row of no blocks, more rows than one launch takes.
const Size kSizes[] = {{1, 1},    {2, 1},     {3, 2},       {5, 3},      {7, 7},    {8, 8},
                       {9, 9},    {15, 4},    {16, 16},     {17, 5},     {31, 31},  {32, 32},
                       {33, 33},  {63, 17},   {64, 3},      {65, 9},     {127, 2},  {128, 8},
                       {129, 11}, {509, 13},  {1021, 7},    {1024, 10},  {1025, 1}, {1031, 25},
                       {1, 1000}, {640, 357}, {1920, 1080}, {3, 524289}, {7919, 2}, {2053, 3}};

Size choose_size(Random &random, int index) {
  if (index < static_cast<int>(std::size(kSizes))) return kSizes[index];
  return {random.between(1, random.pick({40, 300, 3000})), random.between(1, 40)};
}

}  // namespace

void uyvy2y_reference(const ConstImage &in, const Image &out) {
  const int first = in.format.find(Role::y)->first;
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x)
      out.plane[0].row(y)[x] = in.plane[0].row(y)[2 * x + first];
  for (int p = 1; p < out.format.planes; ++p)
    for (int y = 0; y < out.plane[p].height; ++y)
      std::fill_n(out.plane[p].row(y), out.plane[p].width, 128);
}

std::string uyvy2y_trial(const Uyvy2y &operation, const Uyvy2yTrialOptions &options, Random &random,
                         int index, const Backend &backend) {
  Size size = choose_size(random, index);
  if (options.aligned) size.width = (size.width + 15) / 16 * 16;
  PictureShape in_shape = {random.pick({"UYVY", "VYUY", "YUY2", "YVYU"}), size.width, size.height};
  PictureShape out_shape = in_shape;
  out_shape.name =
      options.luma_only ? "GRAY8" : random.pick({"GRAY8", "GRAY8", "I420", "Y42B", "NV12"});
  in_shape.interlaced = out_shape.interlaced = random.below(2) == 0;
  out_shape.spare_row = random_spare_row(out_shape, random);
  const Pattern pattern = random_pattern(random);
  const LayoutOptions layout_options = {options.aligned, options.roomy};
  InputPicture in(in_shape, layout_options, pattern, random);
  OutputPicture out(out_shape, layout_options, random);
  return picture_trial(&in, &out, name(pattern), backend, uyvy2y_reference,
                       [&](const ConstImage &from, const Image &to) {
                         return operation(from, to, backend.queue());
                       });
}

Case uyvy2y_case() {
  return {"uyvy2y", 400,
          [](Random &random, int index, const Backend &backend) {
            return uyvy2y_trial(uyvy2y, {}, random, index, backend);
          },
          uyvy2y_planted};
}

}  // namespace coalesce::test
