// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <deque>
#include <functional>

#include "../picture.h"
#include "oilpaint_reference.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

using Paint = std::function<Status(OilpaintParams params, const ConstImage &in, const Image &out,
                                   const Queue &queue, void *scratch)>;

const std::vector<const NamedFormat *> &formats() {
  static const std::vector<const NamedFormat *> all = [] {
    std::vector<const NamedFormat *> found;
    for (const NamedFormat &format : named_formats())
      if (format.format.in_bytes()) found.push_back(&format);
    return found;
  }();
  return all;
}

struct TrialOptions {
  const char *format = nullptr;  // any
  bool any_method = true;
  OilMethod method = OilMethod::mode;
  bool two = false;    // pictures, of video
  int least = 1;       // of width and height
  bool roomy = false;  // planes have room where bugs write
};

OilpaintParams random_params(const TrialOptions &options, Random &random) {
  OilpaintParams params;
  params.method = options.any_method ? random.pick({OilMethod::strokes, OilMethod::strokes,
                                                    OilMethod::kuwahara, OilMethod::mode})
                                     : options.method;
  params.brush_thickest = 2 << random.below(5);
  params.brush_thinnest = std::min(2 << random.below(3), params.brush_thickest);
  params.threshold = random.pick({0, 4, 12, 12, 30, 255});
  params.least_length = random.pick({1, 3, 4, 6, kMaxOilLength});
  params.ground = random.below(256);
  params.kuwahara_radius = random.pick({2, 3, 4, 5, 6, 7, 8, 9, kMaxOilKuwaharaRadius});
  params.mode_radius = random.pick({1, 2, 3, 5, 8, 14, kMaxOilModeRadius});
  params.mode_ratio = random.pick({1, 1, 2, 7, 20, 64, kMaxOilModeRatio});
  return params;
}

// As far as the reference has time.
PictureShape random_shape(const NamedFormat &format, const OilpaintParams &params, int least,
                          Random &random) {
  const int side = 2 * params.mode_radius + 1, radius = params.kuwahara_radius;
  const int of_pixel = params.method == OilMethod::strokes ? 20
                       : params.method == OilMethod::mode  ? side * side
                                                           : 8 * radius * radius + 100;
  const int most = std::max(200'000 / of_pixel, 400);
  PictureShape shape = {format.name, random.between(least, random.pick({40, 90, 300})), 1};
  shape.height = random.between(least, std::max(least, most / shape.width));
  shape.interlaced = random.below(3) == 0;
  return shape;
}

std::string text(const OilpaintParams &p) {
  if (p.method == OilMethod::strokes)
    return "strokes of radius " + std::to_string(p.brush_thickest) + " to " +
           std::to_string(p.brush_thinnest) + ", threshold " + std::to_string(p.threshold) +
           ", least length " + std::to_string(p.least_length) + ", ground " +
           std::to_string(p.ground);
  if (p.method == OilMethod::kuwahara)
    return "kuwahara of radius " + std::to_string(p.kuwahara_radius);
  return "mode of radius " + std::to_string(p.mode_radius) + ", ratio " +
         std::to_string(p.mode_ratio);
}

// A picture that is nearly like another one, and one to be thrown away, in memory of the back end.
class PictureBefore {
 public:
  PictureBefore(const ConstImage &like, Random &random) : host_(like), made_(like) {
    for (int p = 0; p < like.format.planes; ++p) {
      const Plane<const std::uint8_t> &plane = like.plane[p];
      std::vector<std::uint8_t> &bytes = bytes_[p];
      for (int y = 0; y < plane.height; ++y)
        for (int x = 0; x < plane.width; ++x) {
          const int sample = plane.row(y)[x] + (y % 32 < 16 ? 0 : random.between(-9, 9));
          bytes.push_back(static_cast<std::uint8_t>(std::clamp(sample, 0, 255)));
        }
      host_.plane[p] = {bytes.data(), plane.width, plane.height,
                        static_cast<std::size_t>(plane.width)};
    }
  }
  const ConstImage &host() const { return host_; }
  ConstImage given(const Backend &backend) {
    made_ = host_;
    for (int p = 0; p < host_.format.planes && backend.cuda; ++p) {
      device_.emplace_back(bytes_[p].size()).upload(bytes_[p].data());
      made_.plane[p].data = device_.back().data();
    }
    return made_;
  }
  Image thrown_away(const Backend &backend) {
    Image image = {host_.format, host_.width, host_.height, host_.interlaced, {}};
    for (int p = 0; p < host_.format.planes; ++p) {
      const Plane<const std::uint8_t> &plane = host_.plane[p];
      std::uint8_t *data = nullptr;
      if (backend.cuda)
        data = device_.emplace_back(bytes_[p].size()).data();
      else
        data = (out_[p] = bytes_[p]).data();
      image.plane[p] = {data, plane.width, plane.height, plane.pitch};
    }
    return image;
  }

 private:
  ConstImage host_, made_;
  std::vector<std::uint8_t> bytes_[4], out_[4];
  std::deque<DeviceMemory> device_;
};

// Of video: a picture, then another one in which strokes are kept.
std::string trial_of_two(const Paint &operation, OilpaintParams params, Random &random,
                         const Backend &backend, InputPicture *in, OutputPicture *out,
                         const std::string &doing) {
  Scratch state(oilpaint_state_bytes(params, in->image()), backend);
  params.state = state.data();
  Scratch scratch(oilpaint_scratch_bytes(params, in->image()), backend);
  PictureBefore before(in->image(), random);
  OilStateReference state_reference;
  return picture_trial(
      in, out, doing + ", the second picture", backend,
      [&](const ConstImage &from, const Image &to) {
        oilpaint_reference(params, before.host(), to, &state_reference);
        oilpaint_reference(params, from, to, &state_reference);
      },
      [&](const ConstImage &from, const Image &to) {
        params.state_is_new = true;
        const Status s = oilpaint(params, before.given(backend), before.thrown_away(backend),
                                  backend.queue(), scratch.data());
        if (!s.ok()) return s;
        params.state_is_new = false;
        return operation(params, from, to, backend.queue(), scratch.data());
      });
}

std::string trial(const Paint &operation, const TrialOptions &options, Random &random, int index,
                  const Backend &backend) {
  const NamedFormat *format = formats()[static_cast<std::size_t>(index) % formats().size()];
  for (const NamedFormat *each : formats())
    if (options.format != nullptr && std::string(each->name) == options.format) format = each;
  const OilpaintParams params = random_params(options, random);
  PictureShape shape = random_shape(*format, params, options.least, random);
  const LayoutOptions layout = {false, options.roomy};
  shape.spare_row = random_spare_row(shape, random);
  InputPicture in(shape, layout, random_pattern(random), random);
  shape.spare_row = random_spare_row(shape, random);
  OutputPicture out(shape, layout, random);
  const std::string doing = text(params) + ", " + std::to_string(shape.width) + "x" +
                            std::to_string(shape.height) + (shape.interlaced ? ", interlaced" : "");
  if (options.two || (params.method == OilMethod::strokes && random.below(2) == 0))
    return trial_of_two(operation, params, random, backend, &in, &out, doing);
  Scratch scratch(oilpaint_scratch_bytes(params, in.image()), backend);
  return picture_trial(
      &in, &out, doing, backend,
      [&](const ConstImage &from, const Image &to) { oilpaint_reference(params, from, to); },
      [&](const ConstImage &from, const Image &to) {
        return operation(params, from, to, backend.queue(), scratch.data());
      });
}

// ---- Planted bugs -------------------------------------------------------------------------------

// The true operation on spoiled arguments.
PlantedBug bug(const char *name, void (*spoil)(OilpaintParams *params, ConstImage *in),
               TrialOptions options) {
  options.roomy = true;
  options.least = 8;
  const auto broken = [spoil](OilpaintParams params, ConstImage in, const Image &out,
                              const Queue &queue, void *scratch) {
    spoil(&params, &in);
    return oilpaint(params, in, out, queue, scratch);
  };
  return {name, false, [broken, options](Random &random, int index, const Backend &backend) {
            return trial(broken, options, random, index, backend);
          }};
}

std::vector<PlantedBug> planted() {
  return {
      bug("oilpaint, mode of a radius one less",
          [](OilpaintParams *p, ConstImage *) { p->mode_radius = std::max(p->mode_radius - 1, 1); },
          {.format = "RGB", .any_method = false}),
      bug("oilpaint, mode with a ratio one more",
          [](OilpaintParams *p, ConstImage *) { p->mode_ratio = p->mode_ratio % 127 + 1; },
          {.format = "GRAY8", .any_method = false}),
      bug("oilpaint, kuwahara of a radius one less",
          [](OilpaintParams *p, ConstImage *) {
            p->kuwahara_radius = std::max(p->kuwahara_radius - 1, kMinOilKuwaharaRadius);
          },
          {.format = "NV12", .any_method = false, .method = OilMethod::kuwahara}),
      bug("oilpaint, strokes of another threshold",
          [](OilpaintParams *p, ConstImage *) { p->threshold += p->threshold < 255 ? 9 : -200; },
          {.format = "RGB", .any_method = false, .method = OilMethod::strokes}),
      bug("oilpaint, strokes too short",
          [](OilpaintParams *p, ConstImage *) { p->least_length = p->least_length == 1 ? 13 : 1; },
          {.format = "I420", .any_method = false, .method = OilMethod::strokes}),
      bug("oilpaint, one brush less",
          [](OilpaintParams *p, ConstImage *) {
            if (p->brush_thickest > p->brush_thinnest) p->brush_thickest /= 2;
          },
          {.format = "GRAY8", .any_method = false, .method = OilMethod::strokes}),
      bug("oilpaint, forgets strokes of the picture before",
          [](OilpaintParams *p, ConstImage *) { p->state_is_new = true; },
          {.format = "BGRA", .any_method = false, .method = OilMethod::strokes, .two = true}),
      bug("oilpaint, another method",
          [](OilpaintParams *p, ConstImage *) { p->method = OilMethod::mode; },
          {.format = "YUY2", .any_method = false, .method = OilMethod::kuwahara}),
      bug("oilpaint, swaps R and B",
          [](OilpaintParams *, ConstImage *in) { in->format = pixel_format("BGR"); },
          {.format = "RGB"}),
      bug("oilpaint, paints alpha as padding does not",
          [](OilpaintParams *, ConstImage *in) { in->format = pixel_format("ARGB"); },
          {.format = "RGBA"}),
      bug("oilpaint, swaps U and V",
          [](OilpaintParams *, ConstImage *in) { std::swap(in->plane[1], in->plane[2]); },
          {.format = "I420"}),
      bug("oilpaint, ignores the pitch",
          [](OilpaintParams *, ConstImage *in) {
            in->plane[0].pitch = static_cast<std::size_t>(in->plane[0].width);
          },
          {.format = "GRAY8"}),
  };
}

}  // namespace

Case oilpaint_case() {
  return {"oilpaint", 2 * static_cast<int>(formats().size()),
          [](Random &random, int index, const Backend &backend) {
            return trial(oilpaint, {}, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
