// SPDX-License-Identifier: LGPL-2.1-or-later
#include <deque>

#include "../image.h"
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

// The chroma planes of the formats that uyvy2y writes.
enum class Chroma { none, planar420, planar422, interleaved420 };

std::vector<Size> chroma_sizes(Chroma chroma, Size s) {
  const int half_width = (s.width + 1) / 2;
  const int half_height = (s.height + 1) / 2;
  switch (chroma) {
    case Chroma::planar420:
      return {{half_width, half_height}, {half_width, half_height}};
    case Chroma::planar422:
      return {{half_width, s.height}, {half_width, s.height}};
    case Chroma::interleaved420:
      return {{2 * half_width, half_height}};
    case Chroma::none:
      break;
  }
  return {};
}

}  // namespace

void uyvy2y_reference(const Uyvy2yParams &params, Plane<const std::uint8_t> packed,
                      const LumaImage &out) {
  const int offset = params.layout == Packed422::uyvy || params.layout == Packed422::vyuy ? 1 : 0;
  for (int y = 0; y < out.luma.height; ++y)
    for (int x = 0; x < out.luma.width; ++x)
      out.luma.row(y)[x] = packed.row(y)[2 * x + offset];
  for (const Plane<std::uint8_t> &chroma : out.chroma)
    for (int y = 0; chroma.data != nullptr && y < chroma.height; ++y)
      for (int x = 0; x < chroma.width; ++x)
        chroma.row(y)[x] = 128;
}

std::string uyvy2y_trial(const Uyvy2y &operation, const Uyvy2yTrialOptions &options, Random &random,
                         int index, const Backend &backend) {
  Size size = choose_size(random, index);
  if (options.aligned) size.width = (size.width + 15) / 16 * 16;
  const Uyvy2yParams params = {
      random.pick({Packed422::uyvy, Packed422::vyuy, Packed422::yuy2, Packed422::yvyu})};
  const Chroma chroma = options.luma_only
                            ? Chroma::none
                            : random.pick({Chroma::none, Chroma::none, Chroma::planar420,
                                           Chroma::planar422, Chroma::interleaved420});
  const Pattern pattern = random_pattern(random);

  const LayoutOptions layout_options = {options.aligned, options.roomy};
  const Layout packed_layout = random_layout(random, 2 * size.width, size.height, layout_options);
  const Layout luma_layout = random_layout(random, size.width, size.height, layout_options);
  std::string doing = "layout " + std::to_string(static_cast<int>(params.layout)) + ", chroma " +
                      std::to_string(static_cast<int>(chroma)) + ", " + name(pattern) +
                      "\n    packed " + packed_layout.text() + "\n    luma " + luma_layout.text();

  InputImage packed(packed_layout, pattern, random);
  std::deque<OutputImage> outputs;
  outputs.emplace_back(luma_layout);
  for (const Size &s : chroma_sizes(chroma, size)) {
    const Layout layout = random_layout(random, s.width, s.height, layout_options);
    doing += "\n    chroma " + layout.text();
    outputs.emplace_back(layout);
  }
  set_doing(doing);

  LumaImage expected;
  LumaImage actual;
  if (backend.cuda) packed.image.upload();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    OutputImage &o = outputs[i];
    if (backend.cuda) o.actual.upload();
    (i == 0 ? expected.luma : expected.chroma[i - 1]) = o.expected.plane();
    (i == 0 ? actual.luma : actual.chroma[i - 1]) =
        backend.cuda ? o.actual.device_plane() : o.actual.plane();
  }

  uyvy2y_reference(params, packed.image.plane(), expected);
  const Status status =
      operation(params, backend.cuda ? packed.image.device_plane() : packed.image.plane(), actual,
                backend.queue());
  if (!status.ok()) return std::string("it returned: ") + status.message() + "\n    " + doing;
  if (backend.cuda) {
    device_synchronize();
    packed.image.download();
    for (OutputImage &o : outputs)
      o.actual.download();
  }

  static const char *const names[] = {"luma ", "the first chroma plane ",
                                      "the second chroma plane "};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string difference = outputs[i].difference();
    if (!difference.empty()) return names[i] + difference + "\n    " + doing;
  }
  const std::string difference = packed.difference();
  if (!difference.empty()) return "the input " + difference + "\n    " + doing;
  return {};
}

Case uyvy2y_case() {
  return {"uyvy2y", 400,
          [](Random &random, int index, const Backend &backend) {
            return uyvy2y_trial(uyvy2y, {}, random, index, backend);
          },
          uyvy2y_planted};
}

}  // namespace coalesce::test
