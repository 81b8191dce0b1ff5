// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <functional>
#include <iterator>

#include "../picture.h"
#include "canny_reference.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

struct Call {
  CannyParams params;
  ConstImage in;
  Image out;
};
using Operation = std::function<Status(Call call, const Queue &queue, void *scratch)>;

Status canny_call(const Call &c, const Queue &queue, void *scratch) {
  return canny(c.params, c.in, c.out, queue, scratch);
}

struct Size {
  int width, height;
};

// Words and tiles of both back ends, their ends, and several of them.
const Size kSizes[] = {{1, 1},   {1, 40},   {2, 2},     {31, 29},  {32, 30},  {33, 31},
                       {64, 64}, {65, 66},  {127, 30},  {128, 31}, {129, 61}, {257, 91},
                       {511, 5}, {513, 33}, {1030, 20}, {5, 300},  {300, 200}};

std::vector<const char *> formats() {
  std::vector<const char *> names;
  for (const NamedFormat &each : named_formats())
    if (each.format.in_bytes()) names.push_back(each.name);
  return names;
}

struct TrialOptions {
  const char *format = nullptr;  // any
  int aperture = 0;              // any
  int least = 1;                 // pixels across and down
  bool drawn = false;
  bool roomy = false;
};

std::string text(const CannyParams &p, Size size) {
  return "thresholds " + std::to_string(p.low) + " and " + std::to_string(p.high) + ", aperture " +
         std::to_string(p.aperture) + (p.l2 ? ", squares, " : ", ") + std::to_string(size.width) +
         "x" + std::to_string(size.height);
}

CannyParams random_params(const TrialOptions &options, Random &random) {
  CannyParams params;
  params.aperture = options.aperture != 0 ? options.aperture : random.pick({3, 3, 5, 7});
  params.l2 = random.below(2) == 0;
  const int unit = params.aperture == 3 ? 1 : params.aperture == 5 ? 12 : 160;
  params.low = random.below(4) == 0 ? 0 : unit * random.between(1, random.pick({60, 600}));
  params.high = params.low + unit * random.pick({0, 20, 100, 200, 400}) + random.below(2) * 0.5;
  if (random.below(8) == 0) std::swap(params.low, params.high);
  return params;
}

std::string random_trial(const Operation &operation, const TrialOptions &options, Random &random,
                         int index, const Backend &backend) {
  static const std::vector<const char *> all = formats();
  const auto count = static_cast<int>(all.size()), sizes = static_cast<int>(std::size(kSizes));
  Size size = index % 3 != 0 ? kSizes[(index + index / sizes) % sizes]
                             : Size{random.between(1, random.pick({40, 400})),
                                    random.between(1, random.pick({40, 150}))};
  size = {std::max(size.width, options.least), std::max(size.height, options.least)};
  const PictureShape shape = {
      options.format != nullptr ? options.format : all[static_cast<std::size_t>(index % count)],
      size.width, size.height, random.below(4) == 0};
  const LayoutOptions layout = {random.below(2) == 0, options.roomy};
  const CannyParams params = random_params(options, random);
  InputPicture in(shape, layout, random_pattern(random), random);
  OutputPicture out({"GRAY8", size.width, size.height}, layout, random);
  Scratch scratch(canny_scratch_bytes(size.width, size.height), backend);
  return picture_trial(
      &in, &out, text(params, size), backend,
      [&](const ConstImage &from, const Image &to) { canny_reference(params, from, to); },
      [&](const ConstImage &from, const Image &to) {
        return operation({params, from, to}, backend.queue(), scratch.data());
      });
}

// ---- Edges that wind through many tiles ---------------------------------------------------------

// A line of `wide` pixels on black ground, `pitch` between its turns. It is weak, and becomes
// strong at its last end.
class Winding {
 public:
  Winding(const Plane<std::uint8_t> &plane, int pitch, int wide, bool upright)
      : plane_(plane),
        pitch_(pitch),
        wide_(wide),
        upright_(upright),
        across_(upright ? plane.height : plane.width),
        down_(upright ? plane.width : plane.height) {
    for (int y = 0; y < plane.height; ++y)
      std::fill_n(plane.row(y), plane.width, std::uint8_t{0});
  }

  // From the outermost corner inwards. Returns the length.
  int spiral() {
    int left = pitch_, top = pitch_, right = across_ - pitch_ - wide_,
        bottom = down_ - pitch_ - wide_;
    move(left, top);
    for (;;) {
      if (right - left < pitch_) break;
      line(right, y_), top += pitch_;
      if (bottom - top < pitch_) break;
      line(x_, bottom), right -= pitch_;
      if (right - left < pitch_) break;
      line(left, y_), bottom -= pitch_;
      if (bottom - top < pitch_) break;
      line(x_, top), left += pitch_;
    }
    return finish();
  }

  // There and back, from the top down.
  int serpentine() {
    const int left = pitch_, right = across_ - pitch_ - wide_;
    move(left, pitch_);
    for (int turn = 0; y_ + pitch_ + wide_ < down_ - pitch_; ++turn) {
      line(turn % 2 == 0 ? right : left, y_);
      line(x_, y_ + pitch_);
    }
    return finish();
  }

 private:
  static constexpr int kWeak = 30, kStrong = 130;

  void move(int x, int y) { x_ = x, y_ = y; }

  void dot(int level) {
    for (int i = 0; i < wide_; ++i)
      for (int j = 0; j < wide_; ++j) {
        const int x = x_ + j, y = y_ + i;
        if (x < 0 || y < 0 || x >= across_ || y >= down_) continue;
        (upright_ ? plane_.row(x)[y] : plane_.row(y)[x]) = static_cast<std::uint8_t>(level);
      }
  }

  void line(int x, int y) {
    for (;;) {
      dot(kWeak);
      path_.push_back({x_, y_});
      if (x_ == x && y_ == y) return;
      x_ += (x > x_) - (x < x_), y_ += (y > y_) - (y < y_);
    }
  }

  int finish() {
    const auto length = static_cast<int>(path_.size()), rise = kStrong - kWeak;
    for (int i = std::max(length - rise, 0); i < length; ++i) {
      const Size at = path_[static_cast<std::size_t>(i)];
      move(at.width, at.height);
      dot(kStrong - (length - 1 - i));
    }
    return length;
  }

  const Plane<std::uint8_t> &plane_;
  int pitch_, wide_;
  bool upright_;
  int across_, down_;
  int x_ = 0, y_ = 0;
  std::vector<Size> path_;
};

std::string winding_trial(const Operation &operation, const TrialOptions &options, Random &random,
                          const Backend &backend) {
  const Size size = {random.between(140, random.pick({300, 700})),
                     random.between(70, random.pick({150, 260}))};
  const LayoutOptions layout = {random.below(2) == 0, options.roomy};
  InputImage in(random_layout(random, size.width, size.height, layout), Pattern::low, random);
  OutputImage out(random_layout(random, size.width, size.height, layout));
  const int wide = random.between(4, 6), pitch = 2 * wide + random.below(6);
  const auto plane = in.image.plane();
  Winding winding(plane, pitch, wide, random.below(2) == 0);
  const int length = random.below(2) == 0 ? winding.spiral() : winding.serpentine();
  std::copy_n(in.image.data(), in.image.size(), in.before.data());
  CannyParams params;
  params.low = 40, params.high = 500;
  params.l2 = random.below(2) == 0;
  const std::string what = "a line of " + std::to_string(length) + ", " + text(params, size);
  set_doing(what);
  const auto picture = [&](const auto &of) {
    using Picture = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(of.data)>>,
                                       ConstImage, Image>;
    return Picture{pixel_format("GRAY8"), size.width, size.height, false, {of}};
  };
  const Image expected = picture(out.expected.plane());
  canny_reference(params, picture(plane), expected);
  int edges = 0;
  for (int y = 0; y < size.height; ++y)
    edges += static_cast<int>(
        std::count(expected.plane[0].row(y), expected.plane[0].row(y) + size.width, 255));
  require(edges >= length, what + ": the line's edges do not hang together");
  Scratch scratch(canny_scratch_bytes(size.width, size.height), backend);
  if (backend.cuda) in.image.upload(), out.actual.upload();
  const Status s =
      operation({params, picture(backend.cuda ? in.image.device_plane() : plane),
                 picture(backend.cuda ? out.actual.device_plane() : out.actual.plane())},
                backend.queue(), scratch.data());
  if (!s.ok()) return std::string("it returned: ") + s.message() + "\n    " + what;
  if (backend.cuda) device_synchronize(), in.image.download(), out.actual.download();
  for (const std::string &difference : {out.difference(), in.difference()})
    if (!difference.empty()) return difference + "\n    " + what;
  return {};
}

std::string trial(const Operation &operation, const TrialOptions &options, Random &random,
                  int index, const Backend &backend) {
  return options.drawn || (options.format == nullptr && index % 8 == 7)
             ? winding_trial(operation, options, random, backend)
             : random_trial(operation, options, random, index, backend);
}

// ---- Planted bugs -------------------------------------------------------------------------------

// The true operation on spoiled arguments.
PlantedBug bug(const char *name, TrialOptions options, void (*spoil)(Call *call)) {
  options.roomy = true;
  const Operation broken = [spoil](Call call, const Queue &queue, void *scratch) {
    spoil(&call);
    return canny_call(call, queue, scratch);
  };
  return {name, false, [broken, options](Random &random, int index, const Backend &backend) {
            return trial(broken, options, random, index, backend);
          }};
}

// Each half of the rows by itself, with the rows around it, so that gradients are right: edges that
// are strong in the other half only are lost.
Status in_halves(Call call, const Queue &queue, void *scratch) {
  constexpr int kAround = 5;
  const int height = call.in.height, half = height / 2;
  if (half <= kAround) return canny_call(call, queue, scratch);
  for (const bool lower : {true, false}) {
    Call part = call;
    const int first = lower ? half - kAround : 0;
    part.in.plane[0].data += static_cast<std::size_t>(first) * part.in.plane[0].pitch;
    part.out.plane[0].data += static_cast<std::size_t>(first) * part.out.plane[0].pitch;
    const int rows = lower ? height - first : half;
    part.in.height = part.in.plane[0].height = rows;
    part.out.height = part.out.plane[0].height = rows;
    if (Status s = canny_call(part, queue, scratch); !s.ok()) return s;
  }
  return {};
}

std::vector<PlantedBug> planted() {
  const TrialOptions large = {.least = 40};
  return {
      bug("canny, ignores the pitch", {.format = "GRAY8", .least = 40},
          [](Call *c) { c->in.plane[0].pitch = static_cast<std::size_t>(c->in.plane[0].width); }),
      bug("canny, five taps in place of three", {.aperture = 3, .least = 40},
          [](Call *c) { c->params.aperture = 5; }),
      bug("canny, sums in place of roots of squares", large, [](Call *c) { c->params.l2 = false; }),
      bug("canny, without hysteresis", large,
          [](Call *c) {
            c->params.low = c->params.high = std::max(c->params.low, c->params.high);
          }),
      bug("canny, every maximum is strong", large, [](Call *c) { c->params.high = c->params.low; }),
      bug("canny, thresholds are one too high", {.aperture = 3, .least = 40},
          [](Call *c) { c->params.low += 1, c->params.high += 1; }),
      bug("canny, reads padding as a colour", {.format = "RGBx", .least = 40},
          [](Call *c) { c->in.format = pixel_format("xRGB"); }),
      bug("canny, looks at chroma", {.format = "UYVY", .least = 40},
          [](Call *c) { c->in.format = pixel_format("YUY2"); }),
      bug("canny, forgets blue", {.format = "GBR", .least = 40},
          [](Call *c) { c->in.plane[1] = c->in.plane[0]; }),
      bug("canny, is a row too low", {.format = "GRAY8", .least = 40},
          [](Call *c) { c->in.plane[0].data += c->in.plane[0].pitch; }),
      {"canny, halves of a picture by themselves", false,
       [](Random &random, int index, const Backend &backend) {
         return trial(in_halves, {.drawn = true, .roomy = true}, random, index, backend);
       }},
  };
}

}  // namespace

Case canny_case() {
  return {"canny", 8 * static_cast<int>(formats().size()),
          [](Random &random, int index, const Backend &backend) {
            return trial(canny_call, {}, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
