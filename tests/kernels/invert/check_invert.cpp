// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstring>

#include "../picture.h"
#include "invert/invert.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

using Invert = std::function<Status(const ConstImage &, const Image &, const Queue &)>;

// One sample at a time: the words of a row hold one each, or three of ten bits (v210).
void invert_samples(const PixelComponent &c, std::uint8_t *row, int bytes) {
  const bool v210 = c.container == Container::v210;
  const int size = container_bytes(c.container), in_word = v210 ? 3 : 1;
  for (int n = c.first; n / in_word * size < bytes; n += c.step) {
    std::uint32_t word = 0;
    std::memcpy(&word, row + n / in_word * size, static_cast<std::size_t>(size));
    const int shift = v210 ? 10 * (n % 3) : c.shift;
    const std::uint32_t max = (1u << c.bits) - 1, sample = word >> shift & max;
    word = (word & ~(max << shift)) | (max - sample) << shift;
    std::memcpy(row + n / in_word * size, &word, static_cast<std::size_t>(size));
  }
}

void reference(const ConstImage &in, const Image &out) {
  for (int p = 0; p < out.format.planes; ++p) {
    const Plane<std::uint8_t> &plane = out.plane[p];
    const int rows = in.plane[p].height;
    for (int y = 0; y < plane.height; ++y) {
      // A row that only `out` has: the nearest of its field.
      std::copy_n(in.plane[p].row(y < rows ? y : std::max(y - 2, 0)), plane.width, plane.row(y));
      for (int i = 0; i < out.format.components; ++i)
        if (const PixelComponent &c = out.format.component[i];
            c.plane == p && c.role != Role::alpha)
          invert_samples(c, plane.row(y), plane.width);
    }
  }
}

// The edges of words, threads and blocks; more rows than one dimension of a grid takes.
constexpr struct {
  int width, height;
} kSizes[] = {{1, 1},    {2, 1},    {3, 3},    {5, 4},       {7, 7},     {8, 2},   {15, 5},
              {16, 4},   {17, 9},   {31, 3},   {48, 5},      {49, 3},    {127, 8}, {128, 2},
              {2047, 5}, {2049, 4}, {1, 1001}, {1920, 1080}, {3, 262145}};

std::string trial(const Invert &operation, bool roomy, Random &random, int index,
                  const Backend &backend) {
  const auto formats = named_formats();
  PictureShape in_shape = {formats[static_cast<std::size_t>(index) % formats.size()].name,
                           random.between(1, random.pick({40, 300, 3000})), random.between(1, 40)};
  if (index < static_cast<int>(std::size(kSizes))) {
    in_shape.width = kSizes[index].width;
    in_shape.height = kSizes[index].height;
    in_shape.name = formats[random.below(formats.size())].name;
  }
  in_shape.interlaced = random.below(2) == 0;
  PictureShape out_shape = in_shape;
  const bool spare =
      in_shape.interlaced && may_have_spare_row(pixel_format(in_shape.name), in_shape.height);
  in_shape.spare_row = spare && random.below(2) == 0;
  out_shape.spare_row = spare && random.below(2) == 0;
  const Pattern pattern = random_pattern(random);
  const LayoutOptions layout = {random.below(3) == 0, roomy};
  InputPicture in(in_shape, layout, pattern, random);
  OutputPicture out(out_shape, layout, random);
  const std::string doing = name(pattern) + in.text() + out.text();
  set_doing(doing);

  reference(in.image(), out.expected());
  const Status status = operation(in.given(backend), out.given(backend), backend.queue());
  if (!status.ok()) return std::string("it returned: ") + status.message() + "\n    " + doing;
  if (backend.cuda) device_synchronize();
  for (const std::string &difference : {out.difference(backend), in.difference(backend)})
    if (!difference.empty()) return difference + "\n    " + doing;
  return {};
}

// The true operation with spoiled pictures, so that each is broken on either back end.
const struct {
  const char *name;
  void (*spoil)(ConstImage &in, Image &out);
} kSpoiled[] = {
    {"invert, ignores the pitch",
     [](ConstImage &, Image &out) {
       out.plane[0].pitch = static_cast<std::size_t>(out.plane[0].width);
     }},
    {"invert, stops before the last row",
     [](ConstImage &in, Image &out) {
       if (out.height == 1 || out.format.planes > 1) return;
       in.height = in.plane[0].height = out.height = --out.plane[0].height;
     }},
    {"invert, goes beyond the last row",
     [](ConstImage &in, Image &out) {
       if (out.format.planes > 1) return;
       in.height = in.plane[0].height = out.height = ++out.plane[0].height;
     }},
    {"invert, inverts alpha",
     [](ConstImage &in, Image &out) {
       for (PixelComponent &c : out.format.component)
         if (c.role == Role::alpha) c.role = Role::grey;
       in.format = out.format;
     }},
    {"invert, forgets the first component",
     [](ConstImage &in, Image &out) {
       out.format.component[0].role = Role::alpha;
       in.format = out.format;
     }},
};

std::vector<PlantedBug> planted() {
  std::vector<PlantedBug> bugs;
  for (const auto &spoiled : kSpoiled)
    for (bool cuda : {false, true}) {
      const auto spoil = spoiled.spoil;
      const Invert broken = [spoil](ConstImage in, Image out, const Queue &queue) {
        spoil(in, out);
        return invert(in, out, queue);
      };
      bugs.push_back(
          {spoiled.name, cuda, [broken](Random &random, int index, const Backend &backend) {
             return trial(broken, true, random, index, backend);
           }});
    }
  return bugs;
}

}  // namespace

Case invert_case() {
  return {"invert", 400,
          [](Random &random, int index, const Backend &backend) {
            return trial(invert, false, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
