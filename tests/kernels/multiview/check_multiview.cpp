// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <functional>

#include "../stereo/trial_pictures.h"
#include "multiview_reference.h"

namespace coalesce::test {
namespace {

struct Call {
  MultiviewParams params;
  std::vector<MultiviewView> views;
  int reference;
  Image depth, confidence;
  bool wants_confidence;
};
using Operation = std::function<Status(Call call, const Queue &queue, void *scratch)>;

Status multiview_call(const Call &c, const Queue &queue, void *scratch) {
  return multiview(c.params, c.views.data(), static_cast<int>(c.views.size()), c.reference, c.depth,
                   c.wants_confidence ? &c.confidence : nullptr, queue, scratch);
}

struct TrialOptions {
  const char *format = nullptr;  // any
  int method = -1;               // any
  bool roomy = false;
  bool large = false;  // enough pixels for a bug to show
  void (*fix)(MultiviewParams *params) = nullptr;
};

MultiviewParams random_params(const TrialOptions &options, int index, int views, Random &random) {
  MultiviewParams p;
  p.method = static_cast<MultiviewMethod>(options.method >= 0 ? options.method : index % 2);
  p.window = random.pick({3, 5, 7, 9, 11, 15, 21});
  p.depths = random.pick({2, 3, 4, 7, 16, 33, 64, 128, 256});
  p.nearest = random.pick({0.5, 1.0, 2.0, 3.0});
  p.farthest = p.nearest * random.pick({1.001, 1.5, 3.0, 20.0, 1e7});
  p.tolerance = random.pick({0, 1, 1, 2, 10, 1000});
  p.min_count = random.between(1, random.pick({1, 2, views - 1}));
  p.min_count = std::min(p.min_count, views - 1);
  p.output = random.below(3) == 0 ? MultiviewDepth::floats : MultiviewDepth::words;
  p.scale = random.pick({1.0, 1.0, 100.0, 1000.0, 30000.0, 0.3, 1e9, 1e-9});
  if (options.large) {
    p.nearest = 1, p.farthest = 3, p.scale = 10000, p.depths = 16, p.window = 5;
    p.min_count = 1, p.output = MultiviewDepth::words;
  }
  if (options.fix != nullptr) options.fix(&p);
  return p;
}

double real(Random &random, double low, double high) {
  return low + (high - low) * static_cast<double>(random.bits() >> 11) / 9007199254740992.0;
}

// A camera near the first one, which is in the middle and looks along Z: pixels of `size` cover
// what is 1 wide at a depth of 1. turned: by so many radians at most; far: how far away at most.
void draw_camera(int size, int width, int height, double turned, double far, Random &random,
                 double (&matrix)[3][4]) {
  const double a = real(random, -turned, turned), b = real(random, -turned, turned);
  const double c = real(random, -turned, turned);
  const double rx[3][3] = {
      {1, 0, 0}, {0, std::cos(a), -std::sin(a)}, {0, std::sin(a), std::cos(a)}};
  const double ry[3][3] = {
      {std::cos(b), 0, std::sin(b)}, {0, 1, 0}, {-std::sin(b), 0, std::cos(b)}};
  const double rz[3][3] = {
      {std::cos(c), -std::sin(c), 0}, {std::sin(c), std::cos(c), 0}, {0, 0, 1}};
  const double k[3][3] = {
      {1.0 * size, 0, (width - 1) / 2.0}, {0, 1.0 * size, (height - 1) / 2.0}, {0, 0, 1}};
  const auto multiply = [](const double(&p)[3][3], const double(&q)[3][3], double(&out)[3][3]) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        out[i][j] = p[i][0] * q[0][j] + p[i][1] * q[1][j] + p[i][2] * q[2][j];
  };
  double yx[3][3], all[3][3], m[3][3];
  multiply(ry, rx, yx), multiply(rz, yx, all), multiply(k, all, m);
  const double at[3] = {real(random, -far, far), real(random, -far, far), real(random, -far, far)};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      matrix[i][j] = m[i][j];
    matrix[i][3] = -(m[i][0] * at[0] + m[i][1] * at[1] + m[i][2] * at[2]);
  }
}

void draw_cameras(const PictureShape &shape, bool plain, std::vector<MultiviewView> *views,
                  Random &random) {
  const int size = std::max({shape.width, shape.height, 4});
  const double turned = plain ? 0.02 : random.pick({0.0, 0.02, 0.02, 0.3, 3.2});
  const double far = plain ? 0.1 : random.pick({0.02, 0.1, 0.1, 0.5, 3.0});
  const double scale = plain ? 1 : random.pick({1.0, 1.0, -1.0, -7.0, 1e-12, 1e12});
  const bool wild = !plain && random.below(8) == 0;
  for (MultiviewView &view : *views) {
    draw_camera(size, shape.width, shape.height, turned, far, random, view.matrix);
    do {
      for (auto &row : view.matrix)
        for (double &number : row)
          number = wild ? real(random, -2, 2) : number * scale;
    } while (!is_camera_matrix(view.matrix));
  }
}

// As far as the reference has time.
PictureShape shape_for(const char *format, const MultiviewParams &p, int views,
                       const TrialOptions &options, Random &random) {
  const int work = p.depths * (views - 1) * (p.window * p.window + 30);
  PictureShape shape = random_shape(format, std::max(20'000'000 / work, 40), random);
  if (options.large) shape.width = 80, shape.height = 40;
  return shape;
}

std::string text(const MultiviewParams &p) {
  return std::string(p.method == MultiviewMethod::sad ? "sad" : "ncc") + ", window " +
         std::to_string(p.window) + ", " + std::to_string(p.depths) + " depths from " +
         std::to_string(p.nearest) + " to " + std::to_string(p.farthest) + ", tolerance " +
         std::to_string(p.tolerance) + ", min-count " + std::to_string(p.min_count) +
         (p.output == MultiviewDepth::floats ? ", floats" : ", words") + ", scale " +
         std::to_string(p.scale);
}

std::string trial(const Operation &operation, const TrialOptions &options, Random &random,
                  int index, const Backend &backend) {
  const int count = options.large ? 4 : random.pick({2, 3, 3, 4, 5, 9, 16});
  const MultiviewParams params = random_params(options, index, count, random);
  const char *const format =
      options.format != nullptr ? options.format : luma_format(index / 2, random);
  const PictureShape shape = shape_for(format, params, count, options, random);
  const LayoutOptions layout = {random.below(2) == 0, options.roomy};
  const Pattern pattern = options.large ? Pattern::noise : random_pattern(random);
  Call call = {params, {}, random.below(count), {}, {}, options.large || random.below(4) != 0};
  call.views.resize(static_cast<std::size_t>(count));
  draw_cameras(shape, options.large, &call.views, random);
  std::deque<InputPicture> pictures;
  std::string what = text(params) + ", " + std::to_string(count) + " views, reference " +
                     std::to_string(call.reference) + ", " + format + " " +
                     std::to_string(shape.width) + "x" + std::to_string(shape.height);
  for (std::size_t i = 0; i < call.views.size(); ++i) {
    pictures.emplace_back(shape, layout, pattern, random);
    // The first one again, moved by a few pixels that change from row to row.
    if (i > 0 && (options.large || random.below(8) != 0)) {
      const int moved = random.between(-4, 4);
      draw_moved(pictures[0], &pictures[i], random,
                 [moved](int x, int y) { return x + moved + y / 20; });
    }
    call.views[i].picture = pictures[i].image();
    what += pictures[i].text();
  }
  const int words = params.output == MultiviewDepth::floats ? 2 : 1;
  OutputPicture depth({"GRAY16_LE", words * shape.width, shape.height}, layout, random);
  OutputPicture confidence({"GRAY8", shape.width, shape.height}, layout, random);
  what += depth.text() + confidence.text();
  set_doing(what);
  const Image expected = confidence.expected();
  multiview_reference(params, call.views.data(), count, call.reference, depth.expected(),
                      call.wants_confidence ? &expected : nullptr);
  for (std::size_t i = 0; i < call.views.size(); ++i)
    call.views[i].picture = pictures[i].given(backend);
  call.depth = depth.given(backend), call.confidence = confidence.given(backend);
  Scratch scratch(multiview_scratch_bytes(params, count, shape.width, shape.height, backend.cuda),
                  backend);
  const Status s = operation(call, backend.queue(), scratch.data());
  if (!s.ok()) return std::string("it returned: ") + s.message() + "\n    " + what;
  if (backend.cuda) device_synchronize();
  std::vector<std::string> differences = {depth.difference(backend)};
  if (call.wants_confidence) differences.push_back(confidence.difference(backend));
  for (InputPicture &picture : pictures)
    differences.push_back(picture.difference(backend));
  for (const std::string &difference : differences)
    if (!difference.empty()) return difference + "\n    " + what;
  return {};
}

// ---- Planted bugs -------------------------------------------------------------------------------

// The true operation on spoiled arguments.
PlantedBug bug(const char *name, TrialOptions options, void (*spoil)(Call *call)) {
  options.roomy = options.large = true;
  const Operation broken = [spoil](Call call, const Queue &queue, void *scratch) {
    spoil(&call);
    return multiview_call(call, queue, scratch);
  };
  return {name, false, [broken, options](Random &random, int index, const Backend &backend) {
            return trial(broken, options, random, index, backend);
          }};
}

std::vector<PlantedBug> planted() {
  const auto three = [](MultiviewParams *p) { p->min_count = 3; };
  return {
      bug("multiview, another reference", {},
          [](Call *c) { c->reference = (c->reference + 1) % 4; }),
      bug("multiview, a window too large", {}, [](Call *c) { c->params.window = 7; }),
      bug("multiview, differences in place of correlations", {.method = 1},
          [](Call *c) { c->params.method = MultiviewMethod::sad; }),
      bug("multiview, one candidate less", {}, [](Call *c) { c->params.depths -= 1; }),
      bug("multiview, another last depth", {}, [](Call *c) { c->params.farthest *= 1.1; }),
      bug("multiview, does not count who agrees", {.fix = three},
          [](Call *c) { c->params.min_count = 1; }),
      bug("multiview, neighbours may differ more", {}, [](Call *c) { c->params.tolerance += 3; }),
      bug("multiview, another scale", {}, [](Call *c) { c->params.scale *= 1.01; }),
      bug("multiview, a camera is elsewhere", {},
          [](Call *c) {
            c->views[static_cast<std::size_t>((c->reference + 1) % 4)].matrix[0][3] += 0.5;
          }),
      bug("multiview, swaps two pictures", {},
          [](Call *c) { std::swap(c->views[0].picture, c->views[1].picture); }),
      bug("multiview, writes no confidences", {}, [](Call *c) { c->wants_confidence = false; }),
      bug("multiview, ignores the pitch", {.format = "GRAY8"},
          [](Call *c) {
            ConstImage &picture =
                c->views[static_cast<std::size_t>((c->reference + 1) % 4)].picture;
            picture.plane[0].pitch = static_cast<std::size_t>(picture.width);
          }),
      bug("multiview, ignores the lower byte", {.format = "GRAY16_LE"},
          [](Call *c) {
            for (MultiviewView &view : c->views)
              view.picture.format.component[0].shift = 8, view.picture.format.component[0].bits = 8;
          }),
  };
}

}  // namespace

Case multiview_case() {
  return {"multiview", 120,
          [](Random &random, int index, const Backend &backend) {
            return trial(multiview_call, {}, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
