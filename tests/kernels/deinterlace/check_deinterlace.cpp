// SPDX-License-Identifier: LGPL-2.1-or-later
#include <deque>
#include <functional>

#include "../picture.h"
#include "deinterlace_reference.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

struct Call {
  DeinterlaceParams params;
  ConstImage frame[3];
  std::vector<FieldPicture> pictures;
};
using Deinterlace = std::function<Status(Call call, const Queue &queue)>;

Status deinterlace_call(const Call &call, const Queue &queue) {
  return deinterlace(call.params, call.frame[0], call.frame[1], call.frame[2], call.pictures.data(),
                     static_cast<int>(call.pictures.size()), queue);
}

constexpr int kMethods = 8;

struct Size {
  int width, height;
};

// Rows at and near the ends, blocks, groups of v210, sides of three columns.
const Size kSizes[] = {{1, 1},   {1, 2},   {2, 1},   {2, 3},   {3, 3},   {4, 4},   {5, 5},
                       {6, 6},   {7, 7},   {8, 8},   {9, 9},   {10, 10}, {11, 11}, {12, 12},
                       {13, 13}, {6, 20},  {7, 21},  {8, 22},  {383, 5}, {384, 6}, {385, 7},
                       {386, 9}, {390, 4}, {767, 3}, {769, 6}, {1, 64},  {2, 200}, {47, 12}};

Size choose_size(Random &random, int index) {
  if (index / kMethods < static_cast<int>(std::size(kSizes))) return kSizes[index / kMethods];
  return {random.between(1, random.pick({12, 40, 400})),
          random.between(1, random.pick({6, 14, 24, 72}))};
}

struct TrialOptions {
  const char *format = nullptr;  // any
  int method = -1;               // any
  bool roomy = false;            // planes have room where bugs write
};

std::string text(const DeinterlaceParams &p) {
  static const char *const methods[] = {"weave", "line",  "linear", "ela",
                                        "yadif", "bwdif", "w3fdif", "best"};
  std::string what = methods[static_cast<int>(p.method)];
  if (p.method == DeinterlaceMethod::ela) what += ' ' + std::to_string(p.ela_window);
  return what + (p.spatial_check ? "" : ", no spatial check");
}

std::string trial(const Deinterlace &operation, const TrialOptions &options, Random &random,
                  int index, const Backend &backend) {
  const auto all = named_formats();
  const Size size = choose_size(random, index);
  Call call;
  call.params.method =
      static_cast<DeinterlaceMethod>(options.method >= 0 ? options.method : index % kMethods);
  call.params.ela_window = random.pick({3, 5, 7});
  call.params.spatial_check = random.below(3) != 0;
  PictureShape shape = {
      options.format != nullptr
          ? options.format
          : all[static_cast<std::size_t>(index / kMethods * 31) % all.size()].name,
      size.width, size.height, true};
  const Pattern pattern = random_pattern(random);
  const LayoutOptions layout = {false, options.roomy};
  std::deque<InputPicture> frames;
  for (int i = 0; i < 3; ++i) {
    shape.spare_row = random_spare_row(shape, random);
    frames.emplace_back(shape, layout, pattern, random);
  }
  // At the ends of a sequence the nearest frame stands in.
  const int first = random.below(4) == 0 ? 1 : 0, last = random.below(4) == 0 ? 1 : 2;
  const auto frame = [&](int i) -> InputPicture & {
    return frames[static_cast<std::size_t>(i < first ? first : i > last ? last : i)];
  };
  shape.interlaced = call.params.method == DeinterlaceMethod::weave;
  shape.spare_row = random_spare_row(shape, random);
  std::deque<OutputPicture> pictures;
  const int field = random.below(2);
  std::string what = text(call.params) + ", " + std::to_string(size.width) + "x" +
                     std::to_string(size.height) + ", " + name(pattern) + frame(1).text();
  for (int i = 0; i < random.between(1, 2); ++i) {
    pictures.emplace_back(shape, layout, random);
    call.pictures.push_back({{},
                             i == 0 ? field : 1 - field,
                             i == 1 || random.below(4) == 0,
                             random.below(3) == 0,
                             random.below(2) == 0});
    what += pictures.back().text();
  }
  set_doing(what);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    call.pictures[i].out = pictures[i].expected();
    deinterlace_reference(call.params, frame(0).image(), frame(1).image(), frame(2).image(),
                          call.pictures[i]);
    call.pictures[i].out = pictures[i].given(backend);
  }
  for (int i = 0; i < 3; ++i)
    call.frame[i] = frame(i).given(backend);
  const Status status = operation(call, backend.queue());
  if (!status.ok()) return std::string("it returned: ") + status.message() + "\n    " + what;
  if (backend.cuda) device_synchronize();
  for (OutputPicture &picture : pictures)
    if (const std::string difference = picture.difference(backend); !difference.empty())
      return difference + "\n    " + what;
  for (int i = first; i <= last; ++i)
    if (const std::string difference = frame(i).difference(backend); !difference.empty())
      return difference + "\n    " + what;
  return {};
}

// ---- Planted bugs -------------------------------------------------------------------------------

// The true operation on spoiled arguments.
PlantedBug bug(const char *name, void (*spoil)(Call *call), TrialOptions options) {
  options.roomy = true;
  const auto broken = [spoil](Call call, const Queue &queue) {
    spoil(&call);
    return deinterlace_call(call, queue);
  };
  return {name, false, [broken, options](Random &random, int index, const Backend &backend) {
            return trial(broken, options, random, index, backend);
          }};
}

template <DeinterlaceMethod kMethod>
constexpr int kIs = static_cast<int>(kMethod);

std::vector<PlantedBug> planted() {
  using Method = DeinterlaceMethod;
  return {
      bug("deinterlace, keeps the other field",
          [](Call *c) { c->pictures[0].field = 1 - c->pictures[0].field; }, {}),
      bug("deinterlace, mistakes the second field for the first",
          [](Call *c) {
            for (FieldPicture &p : c->pictures)
              p.second = !p.second;
          },
          {.format = "I420", .method = kIs<Method::yadif>}),
      bug("deinterlace, swaps before and after",
          [](Call *c) { std::swap(c->frame[0], c->frame[2]); },
          {.format = "NV12", .method = kIs<Method::bwdif>}),
      bug("deinterlace, forgets the ends of a sequence",
          [](Call *c) {
            for (FieldPicture &p : c->pictures)
              p.end = false;
          },
          {.format = "UYVY", .method = kIs<Method::bwdif>}),
      bug("deinterlace, weaves within the frame",
          [](Call *c) {
            for (FieldPicture &p : c->pictures)
              p.across = false;
          },
          {.format = "NV12", .method = kIs<Method::weave>}),
      bug("deinterlace, forgets the spatial check",
          [](Call *c) { c->params.spatial_check = false; },
          {.format = "RGB", .method = kIs<Method::yadif>}),
      bug("deinterlace, another window",
          [](Call *c) { c->params.ela_window = c->params.ela_window == 3 ? 5 : 3; },
          {.format = "v210", .method = kIs<Method::ela>}),
      bug("deinterlace, bwdif in place of w3fdif",
          [](Call *c) { c->params.method = Method::bwdif; },
          {.format = "P010_10LE", .method = kIs<Method::w3fdif>}),
      bug("deinterlace, bwdif in place of best", [](Call *c) { c->params.method = Method::bwdif; },
          {.format = "UYVY", .method = kIs<Method::best>}),
      bug("deinterlace, best, mistakes the second field for the first",
          [](Call *c) {
            for (FieldPicture &p : c->pictures)
              p.second = !p.second;
          },
          {.format = "NV12", .method = kIs<Method::best>}),
      bug("deinterlace, swaps U and V",
          [](Call *c) {
            for (ConstImage &frame : c->frame)
              std::swap(frame.plane[1], frame.plane[2]);
          },
          {.format = "I420", .method = kIs<Method::linear>}),
      bug("deinterlace, ignores the pitch",
          [](Call *c) {
            c->frame[1].plane[0].pitch = static_cast<std::size_t>(c->frame[1].plane[0].width);
          },
          {.format = "GRAY8"}),
  };
}

}  // namespace

Case deinterlace_case() {
  return {"deinterlace", kMethods * static_cast<int>(named_formats().size()),
          [](Random &random, int index, const Backend &backend) {
            return trial(deinterlace_call, {}, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
