// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "../picture.h"
#include "edge_overlay_reference.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

struct Call {
  EdgeColour colour;
  ConstImage edges, in;
  Image out;
};
using Operation = std::function<Status(const Call &call, const Queue &queue)>;

Status overlay_call(const Call &c, const Queue &queue) {
  return draw_edges(c.colour, c.edges, c.in, c.out, queue);
}

// Chunks of 16 bytes of every format, their ends, and several of them.
constexpr struct {
  int width, height;
} kSizes[] = {{1, 1},   {2, 2},   {1, 30},  {3, 6},    {16, 16}, {17, 18},  {31, 5},
              {33, 10}, {64, 65}, {67, 70}, {129, 14}, {515, 9}, {200, 150}};

std::vector<const char *> formats() {
  std::vector<const char *> names;
  for (const NamedFormat &each : named_formats())
    if (each.format.in_bytes()) names.push_back(each.name);
  return names;
}

struct TrialOptions {
  const char *format = nullptr;  // any
  int least = 1;                 // pixels across and down
  bool roomy = false;
  bool interlaced = false;
  int opacity = -1;  // any
};

// Many edges, some and none, of one strength or of many.
void make_edges(InputImage *image, Random &random) {
  const Plane<std::uint8_t> plane = image->image.plane();
  const int one_of = random.pick({1, 3, 20, 200, 5000});
  const bool hard = random.below(2) == 0;
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x)
      plane.row(y)[x] = random.below(one_of) == 0
                            ? static_cast<std::uint8_t>(hard ? 255 : random.between(1, 255))
                            : 0;
  std::copy_n(image->image.data(), image->image.size(), image->before.data());
}

std::string trial(const Operation &operation, const TrialOptions &options, Random &random,
                  int index, const Backend &backend) {
  static const std::vector<const char *> all = formats();
  const auto count = static_cast<int>(all.size()), sizes = static_cast<int>(std::size(kSizes));
  const auto &size = kSizes[(index + index / sizes) % sizes];
  PictureShape shape = {
      options.format != nullptr ? options.format : all[static_cast<std::size_t>(index % count)],
      std::max(size.width, options.least), std::max(size.height, options.least),
      options.interlaced || random.below(3) == 0};
  PictureShape to = shape;
  shape.spare_row = random_spare_row(shape, random);
  to.spare_row = random_spare_row(to, random);
  const LayoutOptions layout = {random.below(2) == 0, options.roomy};
  InputImage edges(random_layout(random, shape.width, shape.height, layout), Pattern::low, random);
  make_edges(&edges, random);
  if (backend.cuda) edges.image.upload();
  const auto edges_at = [&](const Plane<std::uint8_t> &plane) {
    return ConstImage{pixel_format("GRAY8"), shape.width, shape.height, false, {plane}};
  };
  InputPicture in(shape, layout, random_pattern(random), random);
  OutputPicture out(to, layout, random);
  EdgeColour colour;
  for (std::uint8_t &sample : colour.sample)
    sample = static_cast<std::uint8_t>(random.below(256));
  colour.opacity =
      options.opacity >= 0 ? options.opacity : random.pick({0, 1, 127, 128, 200, 255, 255, 255});
  const std::string problem = picture_trial(
      &in, &out, "opacity " + std::to_string(colour.opacity), backend,
      [&](const ConstImage &from, const Image &result) {
        edge_overlay_reference(colour, edges_at(edges.image.plane()), from, result);
      },
      [&](const ConstImage &from, const Image &result) {
        const auto plane = backend.cuda ? edges.image.device_plane() : edges.image.plane();
        return operation({colour, edges_at(plane), from, result}, backend.queue());
      });
  if (!problem.empty()) return problem;
  if (backend.cuda) edges.image.download();
  return edges.difference();
}

// ---- Planted bugs -------------------------------------------------------------------------------

// The true operation on spoiled arguments.
PlantedBug bug(const char *name, TrialOptions options, void (*spoil)(Call *call)) {
  options.roomy = true;
  const Operation broken = [spoil](Call call, const Queue &queue) {
    spoil(&call);
    return overlay_call(call, queue);
  };
  return {name, false, [broken, options](Random &random, int index, const Backend &backend) {
            return trial(broken, options, random, index, backend);
          }};
}

std::vector<PlantedBug> planted() {
  return {
      bug("edge overlay, ignores the pitch of the edges", {.least = 20},
          [](Call *c) { c->edges.plane[0].pitch = static_cast<std::size_t>(c->edges.width); }),
      bug("edge overlay, colours of Cb and Cr exchanged", {.format = "NV12", .least = 4},
          [](Call *c) { std::swap(c->colour.sample[1], c->colour.sample[2]); }),
      bug("edge overlay, fields are one", {.format = "I420", .least = 8, .interlaced = true},
          [](Call *c) { c->in.interlaced = c->out.interlaced = false; }),
      bug("edge overlay, draws on alpha", {.format = "RGBA", .least = 8},
          [](Call *c) { c->in.format = c->out.format = pixel_format("ARGB"); }),
      bug("edge overlay, chroma of one pixel only", {.format = "YUY2", .least = 8},
          [](Call *c) { c->in.format = c->out.format = pixel_format("UYVY"); }),
      bug("edge overlay, is opaque", {.least = 8, .opacity = 100},
          [](Call *c) { c->colour.opacity = 255; }),
  };
}

}  // namespace

Case edge_overlay_case() {
  return {"edge-overlay", 6 * static_cast<int>(formats().size()),
          [](Random &random, int index, const Backend &backend) {
            return trial(overlay_call, {}, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
