// SPDX-License-Identifier: LGPL-2.1-or-later
#include "oilpaint.h"

#include "../core/layout.h"
#include "kuwahara.h"
#include "oilpaint_job.h"
#include "strokes.h"

namespace coalesce {
namespace {

// Positions in a picture, those outside it included, and the bytes of a row fit an int.
constexpr int kMaxSize = 1 << 28;
constexpr std::size_t kAlignment = 16;

std::size_t words_bytes(const ConstImage &image) {
  const std::size_t bytes = static_cast<std::size_t>(image.width) *
                            static_cast<std::size_t>(image.height) * sizeof(std::uint32_t);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

bool is_brush(int radius) {
  return radius >= kMinOilBrush && radius <= kMaxOilBrush && (radius & (radius - 1)) == 0;
}

Status check_strokes(const OilpaintParams &params) {
  if (!is_brush(params.brush_thickest) || !is_brush(params.brush_thinnest))
    return invalid_argument("oilpaint: radii of brushes must be 2, 4, 8, 16 or 32");
  if (params.brush_thickest < params.brush_thinnest)
    return invalid_argument("oilpaint: the thickest brush is thinner than the thinnest one");
  if (params.threshold < 0 || params.threshold > 255)
    return invalid_argument("oilpaint: the threshold must be from 0 to 255");
  if (params.least_length < 1 || params.least_length > kMaxOilLength)
    return invalid_argument("oilpaint: the least length must be from 1 to 13");
  if (params.ground < 0 || params.ground > 255)
    return invalid_argument("oilpaint: the ground must be from 0 to 255");
  if (reinterpret_cast<std::uintptr_t>(params.state) % kAlignment != 0)
    return invalid_argument("oilpaint: the state is not aligned to 16 bytes");
  return {};
}

Status check_kuwahara(const OilpaintParams &params) {
  if (params.kuwahara_radius < kMinOilKuwaharaRadius ||
      params.kuwahara_radius > kMaxOilKuwaharaRadius)
    return invalid_argument("oilpaint: the radius of kuwahara must be from 2 to 10");
  return {};
}

Status check_mode(const OilpaintParams &params) {
  if (params.mode_radius < 1 || params.mode_radius > kMaxOilModeRadius)
    return invalid_argument("oilpaint: the radius of mode must be from 1 to 15");
  if (params.mode_ratio < 1 || params.mode_ratio > kMaxOilModeRatio)
    return invalid_argument("oilpaint: the ratio of mode must be from 1 to 127");
  return {};
}

Status check(const OilpaintParams &params, const ConstImage &in, const Image &out,
             const void *scratch) {
  if (Status s = check_alike(in, out); !s.ok()) return s;
  if (Status s = check_oil_format(in.format); !s.ok()) return s;
  for (int p = 0; p < in.format.planes; ++p)
    if (in.plane[p].width > kMaxSize || in.plane[p].height > kMaxSize)
      return invalid_argument(
          "oilpaint: the picture is too large; width in bytes and height are limited to 2^28");
  if (params.method > OilMethod::mode) return invalid_argument("oilpaint: no such method");
  if (Status s = check_strokes(params); !s.ok()) return s;
  if (Status s = check_kuwahara(params); !s.ok()) return s;
  if (Status s = check_mode(params); !s.ok()) return s;
  const bool strokes = params.method == OilMethod::strokes;
  if (strokes && (in.width > kMaxOilStrokesSize || in.height > kMaxOilStrokesSize))
    return invalid_argument(
        "oilpaint: the picture is too large; strokes have at most 32768 columns and rows");
  if (scratch == nullptr || reinterpret_cast<std::uintptr_t>(scratch) % kAlignment != 0)
    return invalid_argument("oilpaint: scratch memory is missing, or not aligned to 16 bytes");
  return {};
}

// Intensities divided, halves to even.
OilMode make_mode(const OilpaintParams &params) {
  OilMode mode = {};
  mode.radius = params.mode_radius;
  for (std::uint32_t i = 0; i < 256; ++i)
    mode.bin[i] =
        static_cast<std::uint8_t>(oil_half_even(i, static_cast<std::uint32_t>(params.mode_ratio)));
  mode.bins = mode.bin[255] + 1;
  return mode;
}

int log2_of(int radius) {
  int log2 = 0;
  while (radius >> (log2 + 1) != 0)
    ++log2;
  return log2;
}

std::size_t words_of(const OilWords &words) {
  return static_cast<std::size_t>(words.width) * static_cast<std::size_t>(words.height);
}

// The picture and smaller ones, without their memory.
void size_levels(const OilpaintParams &params, int width, int height, OilStrokes *s) {
  s->levels = log2_of(params.brush_thickest) + 1;
  for (int i = 0; i < s->levels; ++i, width = (width + 1) / 2, height = (height + 1) / 2)
    s->level[i] = {nullptr, width, height};
}

// In memory of the method: smaller pictures, what the cells of a brush lack, and their strokes, if
// there is no state.
std::size_t place_strokes(const OilpaintParams &params, void *memory, OilStrokes *s) {
  const std::size_t cells = words_of(s->level[log2_of(params.brush_thinnest)]);
  Layout layout(sizeof(OilStroke), memory);
  for (int i = 1; i < s->levels; ++i)
    s->level[i].data = layout.at<std::uint32_t>(words_of(s->level[i]));
  auto *const births = layout.at<OilBirth>(cells);
  auto *const strokes = layout.at<OilStroke>(params.state != nullptr ? 0 : cells);
  for (OilBrush &b : s->brush)
    b.births = births, b.strokes = strokes;
  return layout.end();
}

struct Work {
  OilPicture picture;
  OilWords in, out;
  void *beside;  // memory of the method
};

OilStrokes make_strokes(const OilpaintParams &params, const Work &work) {
  OilStrokes s = {};
  size_levels(params, work.in.width, work.in.height, &s);
  place_strokes(params, work.beside, &s);
  s.level[0] = work.in;
  s.rgb = work.picture.rgb;
  const auto ground = static_cast<std::uint32_t>(params.ground);
  s.ground = s.rgb ? ground * 0x010101 : work.picture.components == 3 ? ground | 0x808000 : ground;
  auto *kept = static_cast<OilStroke *>(params.state);
  for (int radius = params.brush_thickest; radius >= params.brush_thinnest; radius /= 2) {
    OilBrush &b = s.brush[s.brushes++];
    b.log2 = log2_of(radius);
    b.components = work.picture.components;
    b.threshold = params.threshold, b.least_points = params.least_length;
    b.keeps = params.state != nullptr && !params.state_is_new;
    b.level = s.level[b.log2];
    b.canvas = work.out;
    if (params.state == nullptr) continue;
    b.strokes = kept;
    kept += words_of(b.level);
  }
  return s;
}

OilKuwahara make_kuwahara(const OilpaintParams &params, const Work &work) {
  return {params.kuwahara_radius, oil_kuwahara_stride(params.kuwahara_radius),
          static_cast<std::uint32_t *>(work.beside)};
}

void paint_cpu(const OilpaintParams &params, const Work &work, ThreadPool *pool) {
  if (params.method == OilMethod::strokes) {
    oil_strokes_cpu(make_strokes(params, work), pool);
    return;
  }
  if (params.method == OilMethod::mode) {
    oil_mode_cpu(make_mode(params), work.in, work.out, pool);
    return;
  }
  const OilKuwahara kuwahara = make_kuwahara(params, work);
  oil_kuwahara_lists_cpu(kuwahara, pool);
  oil_kuwahara_codes_cpu(work.in, work.out, pool);
  oil_kuwahara_paint_cpu(kuwahara, work.in, work.out, pool);
}

Status run_cpu(const OilpaintParams &params, const Work &work, ThreadPool *pool) {
  oil_pack_cpu(work.picture, work.in, pool);
  paint_cpu(params, work, pool);
  oil_unpack_cpu(work.picture, work.out, pool);
  return {};
}

#if COALESCE_CUDA_KERNELS
Status paint_cuda(const OilpaintParams &params, const Work &work, void *stream) {
  if (params.method == OilMethod::strokes)
    return oil_strokes_cuda(make_strokes(params, work), stream);
  if (params.method == OilMethod::mode)
    return oil_mode_cuda(make_mode(params), work.in, work.out, stream);
  return oil_kuwahara_cuda(make_kuwahara(params, work), work.in, work.out, stream);
}

Status run_cuda(const OilpaintParams &params, const Work &work, void *stream) {
  if (Status s = oil_pack_cuda(work.picture, work.in, stream); !s.ok()) return s;
  if (Status s = paint_cuda(params, work, stream); !s.ok()) return s;
  return oil_unpack_cuda(work.picture, work.out, stream);
}
#endif

// Of the method, after two pictures of words.
std::size_t beside_bytes(const OilpaintParams &params, const ConstImage &image) {
  if (params.method == OilMethod::strokes && check_strokes(params).ok()) {
    OilStrokes s = {};
    size_levels(params, image.width, image.height, &s);
    return place_strokes(params, nullptr, &s);
  }
  if (params.method != OilMethod::kuwahara || !check_kuwahara(params).ok()) return 0;
  return static_cast<std::size_t>(oil_kuwahara_stride(params.kuwahara_radius)) * kOilCodes *
         kOilLists * sizeof(std::uint32_t);
}

}  // namespace

std::size_t oilpaint_scratch_bytes(const OilpaintParams &params, const ConstImage &image) {
  return 2 * words_bytes(image) + beside_bytes(params, image);
}

std::size_t oilpaint_state_bytes(const OilpaintParams &params, const ConstImage &image) {
  if (params.method != OilMethod::strokes || !check_strokes(params).ok()) return 0;
  OilStrokes s = {};
  size_levels(params, image.width, image.height, &s);
  std::size_t cells = 0;
  for (int i = log2_of(params.brush_thinnest); i < s.levels; ++i)
    cells += words_of(s.level[i]);
  return cells * sizeof(OilStroke);
}

Status oilpaint(const OilpaintParams &params, const ConstImage &in, const Image &out,
                const Queue &queue, void *scratch) {
  if (Status s = check(params, in, out, scratch); !s.ok()) return s;
  auto *const memory = static_cast<std::uint8_t *>(scratch);
  Work work = {make_oil_picture(in, out), {}, {}, memory + 2 * words_bytes(in)};
  work.in = {reinterpret_cast<std::uint32_t *>(memory), in.width, in.height};
  work.out = {reinterpret_cast<std::uint32_t *>(memory + words_bytes(in)), in.width, in.height};
  if (!queue.on_cuda()) return run_cpu(params, work, queue.pool());
#if COALESCE_CUDA_KERNELS
  return run_cuda(params, work, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
