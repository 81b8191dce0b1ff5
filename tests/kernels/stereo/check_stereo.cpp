// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <functional>

#include "stereo_reference.h"
#include "trial_pictures.h"

namespace coalesce::test {
namespace {

struct Call {
  StereoParams params;
  ConstImage left, right;
  Image out;
};
using Operation = std::function<Status(Call call, const Queue &queue, void *scratch)>;

Status stereo_call(const Call &c, const Queue &queue, void *scratch) {
  return stereo(c.params, c.left, c.right, c.out, queue, scratch);
}

struct TrialOptions {
  const char *format = nullptr;  // any
  int method = -1;               // any
  bool roomy = false;
  bool large = false;  // enough pixels for a bug to show
  void (*fix)(StereoParams *params) = nullptr;
};

StereoParams random_params(const TrialOptions &options, int index, Random &random) {
  StereoParams p;
  p.method = static_cast<StereoMethod>(options.method >= 0 ? options.method : index % 4);
  p.min_disparity = random.pick({0, 0, 0, 1, 7, 40});
  p.disparities = random.pick({16, 32, 48, 64, 80, 112, 128, 144, 256});
  p.window = random.pick({3, 5, 7, 9, 11, 15, 21});
  p.paths = random.pick({4, 8});
  p.p2 = random.between(1, kMaxStereoPenalty);
  p.p1 = random.between(1, p.p2);
  p.adaptive = random.below(2) == 0;
  p.subpixel = random.below(3) != 0;
  p.uniqueness = random.pick({0, 0, 1, 5, 20, 99});
  p.left_right = random.pick({-1, 0, 1, 3});
  p.median = random.pick({0, 3, 5});
  p.speckle_size = random.pick({0, 1, 5, 30, 1000});
  p.speckle_range = random.pick({0, 1, 2, 2000});
  if (options.large) p.min_disparity = 0, p.disparities = 32;
  if (options.large) p.median = 0, p.speckle_size = 0, p.left_right = -1, p.uniqueness = 0;
  if (options.fix != nullptr) options.fix(&p);
  return p;
}

// As far as the reference has time.
PictureShape shape_for(const char *format, const StereoParams &p, const TrialOptions &options,
                       Random &random) {
  const int work = p.disparities * (p.method == StereoMethod::sgm ? p.paths : p.window * p.window);
  PictureShape shape = random_shape(format, std::max(6'000'000 / work, 300), random);
  if (options.large) shape.width = 90, shape.height = 24;
  return shape;
}

// The right picture is the left one, moved by some pixels that change from area to area.
void draw_right(const StereoParams &p, const InputPicture &left, InputPicture *right,
                Random &random) {
  const int flat = random.between(0, std::max(left.image().height / 2, 1));
  int moved = 0;
  draw_moved(left, right, random, [&](int x, int y) {
    if (x == 0) moved = p.min_disparity + random.below(p.disparities);
    if (y >= flat && random.below(12) == 0)
      moved = p.min_disparity + random.below(std::min(p.disparities, 12));
    if (y < flat) moved = p.min_disparity + 3;
    return x + moved;
  });
}

std::string text(const StereoParams &p) {
  static const char *const methods[] = {"sad", "ncc", "census", "sgm"};
  return std::string(methods[static_cast<int>(p.method)]) + ", disparities " +
         std::to_string(p.min_disparity) + " + " + std::to_string(p.disparities) + ", window " +
         std::to_string(p.window) + ", paths " + std::to_string(p.paths) + ", penalties " +
         std::to_string(p.p1) + " and " + std::to_string(p.p2) + (p.adaptive ? " adaptive" : "") +
         (p.subpixel ? ", subpixel" : "") + ", uniqueness " + std::to_string(p.uniqueness) +
         ", left-right " + std::to_string(p.left_right) + ", median " + std::to_string(p.median) +
         ", speckles " + std::to_string(p.speckle_size) + " of " + std::to_string(p.speckle_range);
}

std::string trial(const Operation &operation, const TrialOptions &options, Random &random,
                  int index, const Backend &backend) {
  const StereoParams params = random_params(options, index, random);
  const char *const format =
      options.format != nullptr ? options.format : luma_format(index / 4, random);
  const PictureShape shape = shape_for(format, params, options, random);
  const LayoutOptions layout = {random.below(2) == 0, options.roomy};
  const Pattern pattern = options.large ? Pattern::noise : random_pattern(random);
  InputPicture left(shape, layout, pattern, random);
  InputPicture right(shape, layout, pattern, random);
  if (random.below(8) != 0 || options.large) draw_right(params, left, &right, random);
  OutputPicture out({"GRAY16_LE", shape.width, shape.height}, layout, random);
  const std::string what = text(params) + ", " + format + " " + std::to_string(shape.width) + "x" +
                           std::to_string(shape.height) + left.text() + right.text() + out.text();
  set_doing(what);
  stereo_reference(params, left.image(), right.image(), out.expected());
  Scratch scratch(stereo_scratch_bytes(params, shape.width, shape.height, backend.cuda), backend);
  const Status s =
      operation({params, left.given(backend), right.given(backend), out.given(backend)},
                backend.queue(), scratch.data());
  if (!s.ok()) return std::string("it returned: ") + s.message() + "\n    " + what;
  if (backend.cuda) device_synchronize();
  for (const std::string &difference :
       {out.difference(backend), left.difference(backend), right.difference(backend)})
    if (!difference.empty()) return difference + "\n    " + what;
  return {};
}

// ---- Planted bugs -------------------------------------------------------------------------------

// The true operation on spoiled arguments.
PlantedBug bug(const char *name, TrialOptions options, void (*spoil)(Call *call)) {
  options.roomy = options.large = true;
  const Operation broken = [spoil](Call call, const Queue &queue, void *scratch) {
    spoil(&call);
    return stereo_call(call, queue, scratch);
  };
  return {name, false, [broken, options](Random &random, int index, const Backend &backend) {
            return trial(broken, options, random, index, backend);
          }};
}

std::vector<PlantedBug> planted() {
  const auto checked = [](StereoParams *p) { p->left_right = 0; };
  const auto unique = [](StereoParams *p) { p->uniqueness = 20; };
  const auto median = [](StereoParams *p) { p->median = 3; };
  const auto speckles = [](StereoParams *p) { p->speckle_size = 30, p->speckle_range = 1; };
  const auto plain = [](StereoParams *p) { p->p1 = 5, p->p2 = 60, p->adaptive = false; };
  const auto sub = [](StereoParams *p) { p->subpixel = true; };
  return {
      bug("stereo, swaps the pictures", {.method = 0},
          [](Call *c) { std::swap(c->left, c->right); }),
      bug("stereo, one disparity off", {.method = 1}, [](Call *c) { c->params.min_disparity = 1; }),
      bug("stereo, a window too large",
          {.method = 2, .fix = [](StereoParams *p) { p->window = 3; }},
          [](Call *c) { c->params.window = 5; }),
      bug("stereo, differences in place of correlations", {.method = 1},
          [](Call *c) { c->params.method = StereoMethod::sad; }),
      bug("stereo, four paths", {.method = 3, .fix = [](StereoParams *p) { p->paths = 8; }},
          [](Call *c) { c->params.paths = 4; }),
      bug("stereo, the small penalty is one off", {.method = 3, .fix = plain},
          [](Call *c) { c->params.p1 = 6; }),
      bug("stereo, the large penalty is one off", {.method = 3, .fix = plain},
          [](Call *c) { c->params.p2 = 61; }),
      bug("stereo, edges do not matter",
          {.method = 3, .fix = [](StereoParams *p) { p->p1 = 5, p->p2 = 60, p->adaptive = true; }},
          [](Call *c) { c->params.adaptive = false; }),
      bug("stereo, whole pixels", {.fix = sub}, [](Call *c) { c->params.subpixel = false; }),
      bug("stereo, candidates that are not unique", {.fix = unique},
          [](Call *c) { c->params.uniqueness = 0; }),
      bug("stereo, does not check the right picture", {.fix = checked},
          [](Call *c) { c->params.left_right = -1; }),
      bug("stereo, without the median", {.fix = median}, [](Call *c) { c->params.median = 0; }),
      bug("stereo, keeps speckles", {.fix = speckles}, [](Call *c) { c->params.speckle_size = 0; }),
      bug("stereo, speckles of any range", {.fix = speckles},
          [](Call *c) { c->params.speckle_range = 100; }),
      bug("stereo, ignores the pitch", {.format = "GRAY8", .method = 0},
          [](Call *c) { c->right.plane[0].pitch = static_cast<std::size_t>(c->right.width); }),
      bug("stereo, ignores the lower byte", {.format = "GRAY16_LE", .method = 2},
          [](Call *c) {
            for (ConstImage *image : {&c->left, &c->right})
              image->format.component[0].shift = 8, image->format.component[0].bits = 8;
          }),
  };
}

}  // namespace

Case stereo_case() {
  return {"stereo", 160,
          [](Random &random, int index, const Backend &backend) {
            return trial(stereo_call, {}, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
